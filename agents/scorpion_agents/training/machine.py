"""What a training runs on: threads, device, versions; and that nobody else writes to its folder."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import subprocess
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal

import torch
from filelock import FileLock, Timeout

from scorpion_agents.command import command_line
from scorpion_agents.evaluation.results import versions
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import make_folder, read_object, write_whole
from scorpion_env.rules import Rules

RUN_FILE = "run.json"
LOCK_FILE = ".lock"

MOST_THREADS = 4
"""Beyond a few threads a network of this size only waits for itself."""


def usable_cpus() -> int:
    """Return how many processors this process may use, which can be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def chosen_threads(threads: int | Literal["auto"]) -> int:
    """Return the number of threads that a configuration means."""
    return min(usable_cpus(), MOST_THREADS) if threads == "auto" else threads


def chosen_device(name: str) -> str:
    """Return the device that a configuration means.

    Raises:
        ScorpionError: if this machine has no such device.
    """
    if name == "auto":
        return "cpu"  # faster than a GPU for a network of this size, whose games run on the CPU
    kind = name.partition(":")[0]
    present = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if not present[kind]:
        raise ScorpionError(f"There is no device '{name}' on this machine; use --device cpu.")
    return name


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a run folder; the lock goes with the process, however that ends.

    Raises:
        ScorpionError: if another process trains into it, or the folder cannot be made.
    """
    make_folder(folder)
    lock = FileLock(folder / LOCK_FILE)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ScorpionError(f"{folder} is in use: another process trains into it.") from None
    try:
        yield
    finally:
        lock.release()


def note_session(folder: Path, rules: Rules, *, threads: int, device: str, steps: int) -> None:
    """Write to ``run.json`` what a training runs on, below what it ran on before, if it is resumed.

    Args:
        folder: The run folder.
        rules: The variant.
        threads: Threads of torch.
        device: Device of torch.
        steps: Steps trained so far.
    """
    session: dict[str, Any] = {
        "command": command_line(),
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "versions": versions(rules),
        "git_revision": _git_revision(),
        "platform": platform.platform(),
        "threads": threads,
        "device": device,
    }
    file = folder / RUN_FILE
    about = session
    if file.exists():
        about = read_object(file, "description of a run")
        about["resumed"] = [*about.get("resumed", []), {"timesteps": steps, **session}]
    write_whole(file, json.dumps(about, indent=2) + "\n")


def _git_revision() -> str | None:
    try:
        result = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return result.stdout.strip()
