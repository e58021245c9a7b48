"""What the package says when it refuses an input.

Every refusal is a :class:`ScorpionError` (a :class:`ValueError`) whose text is one sentence that
names the place and what would be right. The scripts print that sentence and exit with code 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 1500
"""Characters of a refusal. What it repeats of the input is shortened where it is written; this is
for what nobody thought of: the middle of a longer text is left out."""


class ScorpionError(ValueError):
    """An input was refused; the text says which, where, and what would be right."""

    def __init__(self, message: str) -> None:
        if len(message) > LONGEST:
            message = f"{message[: LONGEST // 2]} … {message[-LONGEST // 4 :]}"
        super().__init__(message)


class RulesError(ScorpionError):
    """A description of a variant contradicts itself, or names a preset that does not exist."""


class BoardError(ScorpionError):
    """A board text was refused; :attr:`line` and :attr:`column` count from 1 (0 = whole text)."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        place = f"line {line}, column {column}: " if line and column else ""
        place = place or (f"line {line}: " if line else "")
        super().__init__(place + message)
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        # The message already holds the place; rebuilding through __init__ would add it twice.
        return (_rebuild_board_error, (str(self), self.line, self.column))


def _rebuild_board_error(message: str, line: int, column: int) -> BoardError:
    error = BoardError(message)
    error.line, error.column = line, column
    return error


class DealError(ScorpionError):
    """A deal was named that does not exist."""


class ReplayError(ScorpionError):
    """A replay file is damaged, of another format, or does not replay."""


class IllegalMove(ScorpionError):
    """A move was refused; the game is unchanged."""


LONGEST_SHOWN = 60
"""Characters of an input that a refusal repeats, at most."""


def shortened(value: object) -> str:
    """Return the text of an input as refusals show it: on one line, and not all of a long one."""
    if isinstance(value, int) and abs(value) >= 10**LONGEST_SHOWN:
        return f"a number of more than {LONGEST_SHOWN} digits"  # Python refuses to print some
    text = " ".join(str(value)[: LONGEST_SHOWN + 1].split())
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


def shown(value: object) -> str:
    """Return a value as refusals show it: as Python writes it, shortened."""
    return shortened(value if isinstance(value, int) else repr(value))


def nearest(word: object, known: Iterable[object]) -> str:
    """Return ``" Did you mean 'x'?"`` for the known word most like `word`, or ``""``."""
    spelt = {str(k).lower(): str(k) for k in known}
    found = difflib.get_close_matches(shortened(word).lower(), spelt, n=1, cutoff=0.5)
    return f" Did you mean '{spelt[found[0]]}'?" if found else ""


def unknown(kind: str, word: object, known: Iterable[object]) -> str:
    """Return the sentence that refuses `word`, names the nearest known one and lists them all."""
    words = [str(k) for k in known]
    return f"Unknown {kind} '{shortened(word)}'.{nearest(word, words)} Known: {', '.join(words)}."
