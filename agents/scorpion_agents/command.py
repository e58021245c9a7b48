"""How the command that runs was called."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

PROGRAM = "scorpion"
"""The command of the installed package; its sub-commands are those of `scripts/`."""


def command_line() -> str:
    """Return the command that runs, as one would type it."""
    program = Path(sys.argv[0])
    if program.stem == PROGRAM:
        return shlex.join([PROGRAM, *sys.argv[1:]])
    if program.name == "__main__.py":
        return shlex.join(["python", "-m", program.parent.name, *sys.argv[1:]])
    return shlex.join(["python", *sys.argv])


def called_like_this(command: str) -> str:
    """Return how to call another command: as a script of the checkout, or as this one was."""
    program = Path(sys.argv[0])
    if program.stem == PROGRAM:
        return f"{PROGRAM} {command}"
    if program.parts[-2:] == (__package__, "__main__.py"):
        return f"python -m {__package__} {command}"
    return f"python scripts/{command}.py"
