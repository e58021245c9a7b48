"""What is installed, what an import brings in, and what the repository says of itself."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import scorpion_env
from support.paths import ROOT, SCRIPTS

README = (ROOT / "README.md").read_text(encoding="utf-8")

PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

MODULE_OF = {"stable-baselines3": "stable_baselines3", "pyyaml": "yaml"}
"""Distributions whose module is not the name with underscores."""

CORE = {"numpy", "numba", "gymnasium"}
TRAINING = ["torch", "stable_baselines3", "sb3_contrib", "tensorboard", "safetensors"]
"""What only a training, or a trained model, may load."""
BEYOND_THE_CORE = [*TRAINING, "click", "rich", "tqdm", "pydantic", "matplotlib"]

SUFFIX = r"\.(?:org|com|io|dev|net)\b"
"""Kept apart from the names below, so that this file does not name a host itself."""

REGISTRY = re.compile(
    r"\b(?:pypi|test\.pypi|pythonhosted|npmjs|conda|anaconda|download\.pytorch|debian|proxy\.golang)"
    + SUFFIX
    + r"|--(?:extra-)?index-url|--find[-]links",
    re.IGNORECASE,
)

MACHINE_PATH = re.compile(
    r"(?<![\w.~$}])/(?:work|home|root|opt|srv|mnt|Users)/\w|\b[A-Z]:\\+Users\b", re.ASCII
)


def files_of_the_tree() -> list[Path]:
    """The files that are committed, or would be: tracked ones and new ones not ignored."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("not a git checkout")
    paths = (ROOT / name for name in listing.stdout.split("\0") if name)
    return [path for path in paths if path.is_file()]


def texts(paths: Iterable[Path]) -> Iterable[tuple[str, str]]:
    """Name and text of each file that is text."""
    for path in paths:
        content = path.read_bytes()
        if b"\0" not in content:
            yield path.relative_to(ROOT).as_posix(), content.decode("utf-8")


def imported_modules(path: Path) -> set[str]:
    """Top-level names of all absolute imports in a file, those inside functions included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names)


def declared_modules(*extras: str) -> set[str]:
    """Modules of the core dependencies in pyproject.toml, and of the extras named."""
    block = PYPROJECT.partition("\ndependencies = [")[2].partition("]")[0]
    for extra in extras:
        block += re.split(rf"\n{extra} = \[", PYPROJECT)[1].partition("]")[0]
    names = (Requirement(text).name for text in re.findall(r'"([^"]+)"', block))
    return {MODULE_OF.get(name, name.replace("-", "_")) for name in names}


def loaded_by(module: str, watched: Iterable[str]) -> list[str]:
    """Which of the watched modules an interpreter has loaded after importing only this one."""
    code = (
        f"import sys, {module}; print(*[name for name in {list(watched)} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return result.stdout.split()


def test_importing_the_environment_loads_no_agents_and_no_other_library() -> None:
    assert loaded_by("scorpion_env", [*BEYOND_THE_CORE, "scorpion_agents"]) == []


def test_importing_the_agents_loads_no_other_library() -> None:
    packages = ("config", "models", "afterstates", "search", "evaluation", "training")
    code = ", ".join(["scorpion_agents", *(f"scorpion_agents.{name}" for name in packages)])
    assert loaded_by(code, BEYOND_THE_CORE) == []


def test_commands_that_play_load_no_training_library() -> None:
    names = ("play", "render", "replay", "evaluate", "solve", "survey", "curriculum", "models")
    code = ", ".join(["scorpion_agents.pretrained", *(f"scorpion_agents.cli.{n}" for n in names)])
    assert loaded_by(code, TRAINING) == []


def test_a_loaded_library_is_noticed() -> None:
    assert loaded_by("click", BEYOND_THE_CORE) == ["click"]


def test_the_environment_imports_only_what_it_depends_on() -> None:
    assert declared_modules() == CORE
    for path in sorted((ROOT / "scorpion_env").rglob("*.py")):
        more = {"sb3.py": {"stable_baselines3"}, "picture.py": {"PIL"}}.get(path.name, set())
        allowed = CORE | {"scorpion_env"} | more
        assert imported_modules(path) <= allowed, path.relative_to(ROOT).as_posix()


def test_agents_and_scripts_import_only_what_the_extras_bring() -> None:
    allowed = declared_modules("cli", "train") | {"scorpion_agents", "scorpion_env"}
    allowed |= {"pydantic_core"}  # part of pydantic
    helpers = {path.parent.name for path in (ROOT / "scripts").glob("*/__init__.py")}
    assert helpers == {"benchmarks", "reports"}
    more = {
        # The benchmark measures the peers that are installed, and does without the others.
        "scripts/benchmarks/engine.py": {"envpool", "pyspiel"},
        "scripts/reports/leaderboard_plots.py": declared_modules("plots"),
        "scripts/reports/labels.py": declared_modules("plots"),
    }
    for folder, inside in (("agents", set()), ("scripts", helpers)):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            assert imported_modules(path) <= allowed | inside | more.get(name, set()), name


def test_the_version_is_the_same_everywhere() -> None:
    declared = re.search(r'^version = "([^"]+)"$', PYPROJECT, re.MULTILINE)
    assert declared is not None
    assert declared[1] == scorpion_env.__version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {scorpion_env.__version__}" in changelog


def test_no_dependency_has_an_upper_bound_or_lacks_a_lower_one() -> None:
    lines = re.findall(r'"([A-Za-z][\w.-]*>?=?[^"]*\d[^"]*)"', PYPROJECT.partition("[tool.")[0])
    requirements = [Requirement(line) for line in lines if re.match(r"[\w.-]+[<>=!~]", line)]
    assert len(requirements) > 15
    for requirement in requirements:
        assert [part.operator for part in requirement.specifier] == [">="], str(requirement)


def test_the_installed_package_declares_the_same_dependencies() -> None:
    try:
        installed = requires("scorpion-env") or []
    except ModuleNotFoundError:
        pytest.skip("the package is used from the checkout, not installed")
    core = {Requirement(line).name for line in installed if "extra ==" not in line}
    assert core == CORE


def test_constraints_satisfy_what_pyproject_asks_for() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    version = {pin.name.lower(): next(iter(pin.specifier)).version for pin in pins}
    assert version["torch"] == "2.13.0"
    project = PYPROJECT.partition("[project]")[2].partition("[tool.")[0]
    for text in re.findall(r'"([\w-]+>=[^"]+)"', project):
        wanted = Requirement(text)
        if wanted.name.lower() in version:
            assert wanted.specifier.contains(version[wanted.name.lower()]), text


@pytest.mark.skipif(os.name == "nt", reason=".ci/run is a bash script")
def test_ci_runs_the_command_of_the_readme() -> None:
    command = subprocess.run(
        ["bash", ".ci/run", "--print"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert f"<!-- test-command -->\n```bash\n{command}\n```\n" in README
    steps = command.split(" && ")
    assert "pip install -c constraints.txt -e" in command
    for tool in ("ruff check", "ruff format --check", "mypy", "lint-imports"):
        assert tool in steps
    assert steps[-1] == 'pytest -n 2 -m "not slow"'
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "slow='pytest -n 2 -m slow'" in script  # together they are all
    assert "\"$command && echo 'The slow tests:' && $slow\"" in script


def test_the_readme_has_exactly_two_set_up_commands_and_what_they_name_exists() -> None:
    commands = re.findall(r"<!-- (\w+-command) -->\n```bash\n(.+)\n```\n<!-- /\1 -->", README)
    assert [name for name, _ in commands] == ["train-command", "test-command"]
    for _, command in commands:
        for word in re.findall(r"[\w./-]+\.(?:py|yaml|txt)\b", command):
            assert (ROOT / word).is_file(), word


def test_no_file_names_a_package_registry_or_a_path_of_one_machine() -> None:
    found = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}"
        for name, text in texts(files_of_the_tree())
        for pattern in (REGISTRY, MACHINE_PATH)
        for match in pattern.finditer(text)
    ]
    assert found == []


def test_the_search_for_hosts_and_paths_finds_them() -> None:
    assert REGISTRY.search("see https://" + "pypi" + ".org/simple")
    assert REGISTRY.search("pip install --" + "index-url X")
    assert MACHINE_PATH.search("open('" + "/home" + "/someone/x')")
    assert not MACHINE_PATH.search("scripts/work/x.py, ./home/x, #!/usr/bin/env bash")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of this tree."""
    pytest.importorskip("hatchling", reason="builds a wheel with hatchling, of the dev extra")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_the_two_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    metadata = f"scorpion_env-{scorpion_env.__version__}.dist-info"
    names = set(wheel.namelist())
    packages = {ROOT / "scorpion_env", ROOT / "agents/scorpion_agents"}
    expected = {
        f"{package.name}/{path.relative_to(package).as_posix()}"
        for package in packages
        for path in package.rglob("*.py")
    }
    weights = (ROOT / "agents/scorpion_agents/pretrained").glob("*/*.*")
    expected |= {path.relative_to(ROOT / "agents").as_posix() for path in weights}
    expected |= {f"{package.name}/py.typed" for package in packages}
    expected |= {"scorpion_env/data/winnable.json"}
    expected |= {
        f"scorpion_agents/configs/{path.name}" for path in (ROOT / "configs").glob("*.yaml")
    }
    assert {name for name in names if not name.startswith(metadata)} == expected
    assert {Path(name).suffix for name in names} >= {".py", ".json", ".safetensors", ".yaml"}
    assert "scorpion = scorpion_agents.__main__:main" in wheel.read(
        f"{metadata}/entry_points.txt"
    ).decode("utf-8")
    assert f"{metadata}/licenses/LICENSE" in names


def test_the_wheel_works_away_from_the_checkout(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    unpacked, elsewhere = tmp_path / "unpacked", tmp_path / "elsewhere"
    wheel.extractall(unpacked)
    elsewhere.mkdir()
    code = (
        "import scorpion_agents, scorpion_env; from scorpion_agents import pretrained as models;"
        "from scorpion_agents.config.files import DEFAULT_CONFIG, load_config;"
        "load_config(DEFAULT_CONFIG);"
        "print(scorpion_env.__file__, scorpion_agents.__file__, DEFAULT_CONFIG,"
        " *models.pretrained_presets())"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=elsewhere,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
    )
    initial = [str(unpacked / name / "__init__.py") for name in ("scorpion_env", "scorpion_agents")]
    config = unpacked / "scorpion_agents" / "configs" / "default.yaml"
    assert result.stdout.split() == [*initial, str(config), "classic", "flexible"]


def test_every_script_has_a_main_guard() -> None:
    for script in sorted(SCRIPTS.glob("*.py")):
        text = script.read_text(encoding="utf-8")
        assert 'if __name__ == "__main__":\n' in text, script.name
