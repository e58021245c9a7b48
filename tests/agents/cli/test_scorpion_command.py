"""``scorpion``, the command of the installed package, and ``python -m scorpion_agents``."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import scorpion_env
from scorpion_agents import cli
from scorpion_agents.cli import COMMANDS, main
from scorpion_agents.command import called_like_this, command_line
from support.commands import without_terminal
from support.paths import ROOT, SCRIPTS


def scorpion(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="scorpion")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_that_of_the_script_of_its_name(name: str) -> None:
    command = importlib.import_module(f"scorpion_agents.cli.{name}").main
    assert main.get_command(main.make_context("scorpion", [name]), name) is command
    assert f"from scorpion_agents.cli.{name} import main" in (SCRIPTS / f"{name}.py").read_text()
    assert scorpion(name, "--help").stdout.startswith(f"Usage: scorpion {name} ")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_of_a_command_what_its_own_help_says_first(name: str) -> None:
    help_text = importlib.import_module(f"scorpion_agents.cli.{name}").main.help
    assert COMMANDS[name] == " ".join(help_text.partition("\n\n")[0].split())


def test_the_help_names_every_command_and_loads_and_compiles_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from scorpion_agents.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: print('loaded:', [m for m in sys.argv[2:] if m in sys.modules])"
    )
    heavy = ["torch", "stable_baselines3", "pydantic", "rich", "tqdm", "scorpion_agents.cli.train"]
    done = subprocess.run(
        [sys.executable, "-c", code, "--help", *heavy],
        cwd=ROOT,
        env=without_terminal() | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    for name in COMMANDS:
        assert f"\n  {name} " in done.stdout
    assert done.stdout.endswith("loaded: []\n")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_the_module_runs_as_the_command_does(tmp_path: Path) -> None:
    file = tmp_path / "greedy.json"
    words = ["evaluate", "--agent", "greedy", "--deals", "0:3", "--json", str(file)]
    subprocess.run(
        [sys.executable, "-m", "scorpion_agents", *words], cwd=ROOT, capture_output=True, check=True
    )
    data = json.loads(file.read_text())
    assert data["summary"]["games"] == 3
    assert data["command"].startswith("python -m scorpion_agents evaluate --agent greedy")


def test_the_version_is_that_of_the_package() -> None:
    assert scorpion("--version").stdout == f"scorpion {scorpion_env.__version__}\n"


def test_an_unknown_command_is_refused_and_the_nearest_named() -> None:
    refused = scorpion("trian")
    assert refused.exit_code == 2
    assert "Error: Unknown command 'trian'. Did you mean 'train'? Known: train," in refused.stderr


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ModuleNotFoundError(name=name.rpartition(".")[2])

    monkeypatch.setattr(cli, "import_module", fail)
    refused = scorpion("train", "--seed", "1")
    assert refused.exit_code == 2
    assert "Error: This needs 'train': pip install 'scorpion-env[train]'." in refused.stderr


@pytest.mark.parametrize(
    ("program", "written", "other"),
    [
        ("scripts/train.py", "python scripts/train.py --seed 1", "python scripts/render.py"),
        ("venv/bin/scorpion", "scorpion --seed 1", "scorpion render"),
        ("venv/Scripts/scorpion.exe", "scorpion --seed 1", "scorpion render"),
        (
            "site-packages/scorpion_agents/__main__.py",
            "python -m scorpion_agents --seed 1",
            "python -m scorpion_agents render",
        ),
    ],
)
def test_what_is_written_down_and_advised_is_how_the_command_was_called(
    program: str, written: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [program, "--seed", "1"])
    assert command_line() == written
    assert called_like_this("render") == other
