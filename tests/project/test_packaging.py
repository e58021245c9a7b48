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


NEVER_WITH_THE_CORE = [
    *("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "pydantic", "safetensors"),
    *("click", "rich", "tqdm", "agents"),
]


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


def test_importing_the_package_brings_in_neither_torch_nor_a_training_library() -> None:
    code = (
        f"import sys, scorpion_env; print(*[m for m in {NEVER_WITH_THE_CORE} if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == []


def test_the_package_imports_only_what_it_depends_on() -> None:
    assert declared_modules() == CORE
    for path in sorted((ROOT / "scorpion_env").rglob("*.py")):
        adapter = {"stable_baselines3"} if path.name == "sb3.py" else set()
        allowed = CORE | {"scorpion_env"} | adapter
        assert imported_modules(path) <= allowed, path.name


def test_agents_and_scripts_import_only_what_the_train_extra_brings() -> None:
    scripts = {path.stem for path in (ROOT / "scripts").glob("*.py")}
    allowed = declared_modules("train") | {"agents", "scorpion_env"} | scripts
    allowed |= {"pydantic_core"}  # part of pydantic
    more = {
        # The benchmark measures the peers that are installed, and does without the others.
        "benchmark_engine.py": {"envpool", "pyspiel"},
        "leaderboard_plots.py": declared_modules("plots"),
    }
    for folder in ("agents", "scripts"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            found = imported_modules(path)
            assert found <= allowed | more.get(path.name, set()), f"{folder}/{path.name}"


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
    for tool in ("ruff check", "ruff format --check", "mypy"):
        assert tool in steps
    assert steps[-1].startswith("pytest")  # its closing line is the last one


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


def test_the_wheel_holds_the_package_alone(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="builds a wheel with hatchling, of the dev extra")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    metadata = f"scorpion_env-{scorpion_env.__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"scorpion_env", metadata}
    inside = {name for name in names if name.startswith("scorpion_env/")}
    sources = (ROOT / "scorpion_env").rglob("*.py")
    expected = {path.relative_to(ROOT).as_posix() for path in sources}
    assert inside == expected | {"scorpion_env/py.typed", "scorpion_env/data/winnable.json"}
    assert f"{metadata}/licenses/LICENSE" in names


def test_every_script_has_a_main_guard() -> None:
    for script in sorted(SCRIPTS.glob("*.py")):
        text = script.read_text(encoding="utf-8")
        assert 'if __name__ == "__main__":\n' in text, script.name
