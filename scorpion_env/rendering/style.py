"""How a board is drawn, and what a stream can show."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from scorpion_env.cards import SYMBOLS
from scorpion_env.errors import ScorpionError
from scorpion_env.errors import unknown as unknown_word

FORMATS = ("grid", "lines")
DEFAULT_WIDTH = 80
# In these languages terminals commonly draw the suit symbols two characters wide.
WIDE_LANGUAGES = ("zh", "ja", "ko")


class TextStream(Protocol):
    """As much of a text stream as drawing needs."""

    def write(self, text: str, /) -> object:
        """Write text."""

    def flush(self) -> object:
        """Hand on what was written."""


@dataclass(frozen=True)
class Style:
    """How a board is drawn. The default is plain: letters, no colour, the same on every machine.

    Attributes:
        symbols: suits as symbols (`7♥`) rather than letters (`7H`). Plain lines keep letters,
            which screen readers speak shortly and which are what a player types.
        color: red suits red, face-down cards faint, the last move bold. Colour never says
            anything that the characters do not say too.
        width: characters a line, None for no limit; more columns are drawn in bands.
        height: lines in all, None for no limit; long columns are folded to fit.
        format: "grid" or "lines" (one sentence a column, for screen readers).
        legal: list the legal moves and mark the cards that can move.
    """

    symbols: bool = False
    color: bool = False
    width: int | None = DEFAULT_WIDTH
    height: int | None = None
    format: str = "grid"
    legal: bool = False

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ScorpionError(unknown_word("format", self.format, FORMATS))
        for name in ("width", "height"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ScorpionError(f"The {name} of a picture must be positive, not {value}.")

    @classmethod
    def for_stream(
        cls,
        stream: object,
        *,
        symbols: bool | None = None,
        color: bool | None = None,
        format: str = "grid",
        legal: bool = False,
        environ: Mapping[str, str] | None = None,
    ) -> Style:
        """Return what `stream` can show; `symbols` and `color` override when not None.

        Symbols need an encoding that has them, even when asked for; colour by default needs a
        terminal, no `NO_COLOR`, and a `TERM` other than `dumb`. Only a terminal has a height.
        """
        env = os.environ if environ is None else environ
        terminal = is_terminal(stream)
        encodable = can_show_symbols(stream)
        if symbols is None:
            symbols = encodable and env.get("TERM") != "dumb" and not _wide_language(env)
        if color is None:
            color = terminal and allows_color(env)
        width, height = DEFAULT_WIDTH, None
        if terminal:
            size = _window(stream)
            # The last line stays free for the cursor or a prompt.
            width, height = size.columns, max(1, size.lines - 1)
        return cls(symbols and encodable, color, width, height, format, legal)


def is_terminal(stream: object) -> bool:
    """Return whether a stream is a terminal; a closed or odd stream is none."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError, OSError):
        return False


def can_show_symbols(stream: object) -> bool:
    """Return whether the stream's encoding has the four suit symbols."""
    try:
        SYMBOLS.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError, TypeError):
        return False
    return True


def allows_color(environ: Mapping[str, str]) -> bool:
    """Return whether the environment lets a terminal have colour (no-color.org, TERM)."""
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    # Old Windows consoles print escape codes as they are; the newer ones announce themselves.
    return os.name != "nt" or any(environ.get(key) for key in ("WT_SESSION", "TERM", "ANSICON"))


def encodable(text: str, stream: object) -> str:
    """Return `text` with every character that the stream cannot encode replaced by `?`."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        return text.encode(encoding, "replace").decode(encoding)
    except LookupError:
        return text


def _window(stream: object) -> os.terminal_size:
    """Return the size of a terminal; COLUMNS and LINES come first, as everywhere else."""
    fallback = (DEFAULT_WIDTH, 24)
    try:
        size = os.get_terminal_size(stream.fileno())  # type: ignore[attr-defined]
        if size.columns > 0 and size.lines > 0:
            fallback = (size.columns, size.lines)
    except (AttributeError, ValueError, OSError):
        pass
    asked = [os.environ.get(name, "") for name in ("COLUMNS", "LINES")]
    if any(value.isdecimal() and int(value) > 0 for value in asked):
        return shutil.get_terminal_size(fallback)
    return os.terminal_size(fallback)


def _wide_language(environ: Mapping[str, str]) -> bool:
    locale = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    return locale.lower().startswith(WIDE_LANGUAGES)
