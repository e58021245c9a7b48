"""The commands of `scripts/`, run as a user runs them: in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys

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


def command_of(script: str, *arguments: object) -> list[str]:
    """The words that start a script with this Python."""
    return [sys.executable, str(SCRIPTS / script), *map(str, arguments)]


def without_terminal() -> dict[str, str]:
    """The environment of this process without what tells of a terminal."""
    return {key: value for key, value in os.environ.items() if key not in TERMINAL}
