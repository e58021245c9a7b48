"""The commands of `scripts/`, run as a user runs them or, much sooner, in this process.

Each script is run at least once in a process of its own, and so is whatever is about processes:
encodings, pipes, signals, kills.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

from click.testing import CliRunner

from support.paths import ROOT, SCRIPTS

TERMINAL = ("NO_COLOR", "TERM", "COLUMNS", "LINES")
"""What commands would hear of the terminal in which the tests run."""


def run_script(
    script: str, *arguments: object, text: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a script with `text` as its input; output is read as UTF-8."""
    return subprocess.run(
        command_of(script, *arguments),
        input=text,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        cwd=ROOT,
        env=without_terminal() | {"PYTHONIOENCODING": "utf-8"} | environment,
        timeout=300,
        check=False,
    )


def call_script(
    script: str, *arguments: object, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Do the same in this process; what would print a traceback is raised."""
    words = [str(argument) for argument in arguments]
    command = import_module(f"scorpion_agents.cli.{script.removesuffix('.py')}").main
    found = CliRunner().invoke(command, words, input=text, catch_exceptions=False)
    return subprocess.CompletedProcess(words, found.exit_code, found.stdout, found.stderr)


def command_of(script: str, *arguments: object) -> list[str]:
    """The words that start a script with this Python."""
    return [sys.executable, str(SCRIPTS / script), *map(str, arguments)]


def without_terminal() -> dict[str, str]:
    """The environment of this process without what tells of a terminal."""
    return {key: value for key, value in os.environ.items() if key not in TERMINAL}
