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


MAX_TEXT = 256_000_000
"""Bytes of the largest file that is read as text."""


def read_text(path: str | Path, what: str, limit: int = MAX_TEXT) -> str:
    """Return the text of a file, UTF-8 with or without a byte order mark.

    Args:
        path: The file.
        what: What it should be, for the refusal: ``"result file"``.
        limit: Bytes that such a file has at most.

    Raises:
        ScorpionError: if it cannot be read, is larger than the limit or is no text.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(limit + 1)
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise ScorpionError(f"Cannot read {path}: {reason}.") from error
    if len(content) > limit:
        raise ScorpionError(f"{path} is no {what}: it is larger than {limit:,} bytes.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ScorpionError(f"{path} is no {what}: it is no text.") from None


def read_object(path: str | Path, what: str) -> dict[str, Any]:
    """Return the JSON object that a file holds.

    Args:
        path: The file.
        what: What it should be, for the refusal: ``"result file"``.

    Raises:
        ScorpionError: if the file cannot be read or holds no JSON object.
    """
    text = read_text(path, what)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScorpionError(f"{path} is no {what}: it holds no JSON ({error}).") from error
    if not isinstance(data, dict):
        raise ScorpionError(f"{path} is no {what}: it holds no JSON object.")
    return data
