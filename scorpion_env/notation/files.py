"""Folders and files: refusals in one sentence, and no file that is only half there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from scorpion_env.errors import ScorpionError


def write_whole(path: str | Path, data: str | bytes) -> None:
    """Write a file whole: to a temporary one beside it, to the disk, then under its name.

    Args:
        path: The file; an older one is replaced.
        data: Bytes, or text, which is written as UTF-8 with plain line breaks.

    Raises:
        ScorpionError: if the file cannot be written; an older one is then as it was.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name[:50]}.{os.getpid()}.tmp")
    try:
        try:
            with temporary.open("wb") as file:
                file.write(data.encode() if isinstance(data, str) else data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ScorpionError(f"{target} cannot be written: {error.strerror or error}.") from error


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it is there.

    Raises:
        ScorpionError: if it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScorpionError(f"{path} cannot be made: {error.strerror or error}.") from error


def read_object(path: str | Path, what: str) -> dict[str, Any]:
    """Return the JSON object that a file holds.

    Args:
        path: The file.
        what: What it should be, for the refusal: ``"result file"``.

    Raises:
        ScorpionError: if the file cannot be read or holds no JSON object.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ScorpionError(f"Cannot read {path}: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise ScorpionError(f"{path} is no {what}: it holds no JSON ({error}).") from error
    if not isinstance(data, dict):
        raise ScorpionError(f"{path} is no {what}: it holds no JSON object.")
    return data
