"""Folders and files: refusals in one sentence, and no file that is only half there."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

from scorpion_env.errors import ScorpionError, shortened


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


MAX_FILE = 256_000_000
"""Bytes of the largest file that is read."""

MAX_NAME = 255
"""Characters of a path that a refusal repeats whole."""


def is_file(path: str | Path) -> bool:
    """Whether there is such a file; a text that can name none, for its length, is no error."""
    return os.path.isfile(path)  # noqa: PTH113 (Path.is_file raises where a name is too long)


def is_folder(path: str | Path) -> bool:
    """Whether there is such a folder; likewise."""
    return os.path.isdir(path)  # noqa: PTH112


def read_bytes(
    path: str | Path,
    what: str,
    *,
    limit: int = MAX_FILE,
    refusal: type[ScorpionError] = ScorpionError,
) -> bytes:
    """Return the content of a file.

    Everything that comes from outside is read here, or by the two functions below.

    Args:
        path: The file.
        what: What it should be, for the refusal: ``"result file"``.
        limit: Bytes that such a file has at most.
        refusal: What is raised.

    Raises:
        ScorpionError: if it cannot be read or is larger than the limit.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(limit + 1)
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise refusal(
            f"{shortened(path) if len(str(path)) > MAX_NAME else path} cannot be read: {reason}."
        ) from error
    if len(content) > limit:
        raise refusal(f"{path} is no {what}: it is larger than {limit:,} bytes.")
    return content


def read_text(
    path: str | Path,
    what: str,
    *,
    limit: int = MAX_FILE,
    refusal: type[ScorpionError] = ScorpionError,
) -> str:
    """Return the text of a file, UTF-8 with or without a byte order mark.

    Args and errors are those of :func:`read_bytes`; a file that is no text is refused, too.
    """
    return as_text(read_bytes(path, what, limit=limit, refusal=refusal), path, what, refusal)


def as_text(
    content: bytes, path: str | Path, what: str, refusal: type[ScorpionError] = ScorpionError
) -> str:
    """Return the text that bytes hold, UTF-8 with or without a byte order mark.

    Raises:
        ScorpionError: if they hold none.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refusal(f"{path} is no {what}: it is no text.") from None


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
        # "\\ud800" is JSON, but no text that could be printed or written.
        json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ScorpionError(
            f"{path} is no {what}: it holds no JSON ({shortened(error)})."
        ) from error
    if not isinstance(data, dict):
        raise ScorpionError(f"{path} is no {what}: it holds no JSON object.")
    return data


def read_table(path: str | Path, what: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file by the names in its first line.

    A row that has fewer fields than that line, or more, was cut short or torn; it is left out.

    Args:
        path: The file.
        what: What it should be, for the refusal: ``"table of figures"``.

    Raises:
        ScorpionError: if the file cannot be read or is no table.
    """
    text = read_text(path, what)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise ScorpionError(f"{path} is no {what}: {error}.") from error
    return [row for row in rows if None not in row and None not in row.values()]
