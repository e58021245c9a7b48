"""A board as a grid of equal cells: one column of text for each column of cards.

A cell is four characters and a blank: `>` if the last move put the card there, the card, `*` if
it can move (when legal moves are asked for). Face-down cards are `##`, or `3#` where three of
them had to be folded into one line; `7+` continues column 7 where it is too long for the window.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scorpion_env.cards import is_red
from scorpion_env.notation.board import EMPTY, Board
from scorpion_env.rendering.lines import counted, reserve_columns_text
from scorpion_env.rendering.status import (
    EMPTY_CELL_TEXT,
    EMPTY_COLUMN_TEXT,
    FACE_DOWN_TEXT,
    OUTCOMES,
    SYMBOL_OF,
    Marks,
    Status,
    face_text,
    last_move_marks,
    movable_cells,
    movable_places,
)
from scorpion_env.rendering.style import Style
from scorpion_env.rules import Rules

PITCH = 5  # characters from one column to the next; nothing fits a window of fewer than 12
LEGEND_LENGTH = 64  # of the longest legend
SHORTEST = 4  # a column is never cut into pieces shorter than this

RED, FAINT, BOLD, BOLD_RED, RESET = "\x1b[31m", "\x1b[2m", "\x1b[1m", "\x1b[1;31m", "\x1b[0m"


@dataclass(frozen=True)
class Cell:
    """One place of the grid: what stands there, marked and coloured how."""

    text: str
    paint: str = ""
    mark: bool = False
    star: bool = False

    def draw(self, *, color: bool) -> str:
        """Return the cell, `PITCH` characters wide, escape codes not counted."""
        text = self.text.rjust(2)
        padding = " " * (PITCH - 2 - len(text) - self.star)
        if color and self.paint:
            text = f"{self.paint}{text}{RESET}"
        return f"{'>' if self.mark else ' '}{text}{'*' if self.star else ''}{padding} "


@dataclass(frozen=True)
class Strip:
    """One column of text: its heading and its cells, or a part of a long column."""

    heading: Cell
    cells: tuple[Cell, ...]


def grid_text(board: Board, rules: Rules, status: Status, style: Style) -> str:
    """Return the board as a grid with its numbers above and its legal moves below."""
    marks = last_move_marks(board, rules, status)
    top = [*_header(rules, status, style), *_beside(board, rules, status, style, marks), ""]
    bottom = _footer(status, style)
    legend = 1 if style.width is None else -(-LEGEND_LENGTH // style.width)
    room = None if style.height is None else style.height - len(top) - len(bottom) - legend
    bands, folded = _fit(_columns(board, status, style, marks), style.width, room)
    note = _legend(bands, style.width, folded=folded)
    lines = top + _draw(bands, style) + note + bottom
    return "\n".join(line.rstrip() for line in lines).rstrip("\n")


# Above and below the grid.


def _header(rules: Rules, status: Status, style: Style) -> list[str]:
    parts = [
        rules.name,
        f"score {status.score}",
        counted(status.moves, "move"),
        f"runs {status.runs} of {rules.num_runs}",
    ]
    if status.last_move is not None:
        parts.append(f"last move {status.last_move}")
    return _flow(parts, style.width, separator="   ")


def _beside(board: Board, rules: Rules, status: Status, style: Style, marks: Marks) -> list[str]:
    """Return the lines of what lies beside the columns: reserve, cells, runs taken."""
    lines = []
    if rules.reserve:
        if board.reserve:
            when = ", when nothing else moves" if rules.reserve_when == "stuck" else ""
            backs = [FACE_DOWN_TEXT] * len(board.reserve)
            words = f"{reserve_columns_text(rules)}{when}".split(" ")
            flowed = _flow(["Reserve:", *backs, "to", *words], style.width)
            lines += [_paint_backs(line, style) for line in flowed]
        else:
            lines += _flow(["Reserve:", "dealt"], style.width)
    if rules.cells:
        free = movable_cells(board, status.legal_moves) if style.legal else frozenset()
        cells = [
            Cell(EMPTY_CELL_TEXT)
            if card == EMPTY
            else _face(card, style, i in marks.cells, i in free)
            for i, card in enumerate(board.cells)
        ]
        lines += _cell_lines(cells, style)
    if rules.runs == "taken":
        suits = [SYMBOL_OF[suit] if style.symbols else suit for suit in board.foundations]
        lines += _flow(["Runs taken:", *(suits or ["none"])], style.width)
    return lines


def _cell_lines(cells: Sequence[Cell], style: Style) -> list[str]:
    """Return the cells behind a heading, as many a line as fit."""
    heading = "Cells:"
    room = PITCH * len(cells) if style.width is None else style.width + 1 - len(heading)
    fit = max(1, room // PITCH)
    lines = []
    for first in range(0, len(cells), fit):
        drawn = (cell.draw(color=style.color) for cell in cells[first : first + fit])
        lines.append((heading if first == 0 else " " * len(heading)) + "".join(drawn))
    return lines


def _footer(status: Status, style: Style) -> list[str]:
    lines = []
    if style.legal:
        moves = list(status.legal_moves) or ["none"]
        lines += _flow([f"Legal moves ({len(status.legal_moves)}):", *moves], style.width)
    if status.outcome is not None:
        lines += _flow(OUTCOMES.get(status.outcome, status.outcome).split(" "), style.width)
    return lines


def _legend(bands: Sequence[Sequence[Strip]], width: int | None, *, folded: bool) -> list[str]:
    """Explain the signs that the picture uses, and only those; one blank line if none."""
    strips = [strip for band in bands for strip in band]
    cells = [cell for strip in strips for cell in (strip.heading, *strip.cells)]
    signs = []
    if any(cell.mark for cell in cells):
        signs.append("> last move")
    if any(cell.star for cell in cells):
        signs.append("* can move")
    if folded:
        signs.append("2# two face down")
    longer = next((s.heading.text for s in strips if s.heading.text.endswith("+")), None)
    if longer is not None:
        signs.append(f"{longer} column {longer[:-1]} goes on")
    return _flow(f"({', '.join(signs)})".split(" "), width) if signs else [""]


def _flow(words: Iterable[str], width: int | None, separator: str = " ") -> list[str]:
    """Join words into lines of at most `width` characters; a word is cut only if it must be."""
    lines: list[str] = []
    for word in words:
        for piece in [word] if width is None else textwrap.wrap(word, width) or [""]:
            joined = f"{lines[-1]}{separator}{piece}" if lines else piece
            if lines and (width is None or len(joined) <= width):
                lines[-1] = joined
            else:
                lines.append(piece)
    return lines


# The grid itself.


def _columns(board: Board, status: Status, style: Style, marks: Marks) -> list[Strip]:
    movable = movable_places(board, status.legal_moves) if style.legal else frozenset()
    strips = []
    for column, cards in enumerate(board.columns):
        cells = [Cell(FACE_DOWN_TEXT, FAINT)] * board.face_down[column]
        for row in range(board.face_down[column], len(cards)):
            place = (column, row)
            cells.append(_face(cards[row], style, place in marks.cards, place in movable))
        heading = Cell(str(column + 1), BOLD, mark=column in marks.columns)
        strips.append(Strip(heading, tuple(cells) or (Cell(EMPTY_COLUMN_TEXT, FAINT),)))
    return strips


def _face(card: int, style: Style, mark: bool, star: bool) -> Cell:
    red = card >= 0 and is_red(card)
    paint = (BOLD_RED if red else BOLD) if mark else (RED if red else "")
    return Cell(face_text(card, symbols=style.symbols), paint, mark, star)


def _fit(
    strips: list[Strip], width: int | None, room: int | None
) -> tuple[list[list[Strip]], bool]:
    """Arrange the columns in bands that fit the width and, if it can be done, `room` lines.

    First nothing is folded, then the face-down cards are, then long columns go on beside
    themselves; no face-up card is ever left out. If nothing fits, the lowest picture is taken.
    """
    bands = _bands(strips, width)
    if room is None or _lines(bands) <= room:
        return bands, False
    folded = [Strip(strip.heading, _fold(strip.cells)) for strip in strips]
    tallest = max(len(strip.cells) for strip in folded)
    tries = [
        _bands([part for strip in folded for part in _split(strip, longest)], width)
        for longest in range(tallest, min(tallest, SHORTEST) - 1, -1)
    ]
    fitting = next((bands for bands in tries if _lines(bands) <= room), None)
    return fitting or min(tries, key=_lines), folded != strips


def _fold(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Put two or more face-down cards into one cell that counts them."""
    hidden = sum(cell.text == FACE_DOWN_TEXT for cell in cells)
    if hidden < 2:
        return cells
    return (Cell(f"{hidden}#", FAINT), *cells[hidden:])


def _split(strip: Strip, longest: int) -> list[Strip]:
    """Cut a column into parts of at most `longest` cells, later ones headed `7+`."""
    parts = [strip.cells[i : i + longest] for i in range(0, len(strip.cells), longest)]
    again = Cell(f"{strip.heading.text}+", BOLD)
    return [Strip(strip.heading if i == 0 else again, part) for i, part in enumerate(parts)]


def _bands(strips: list[Strip], width: int | None) -> list[list[Strip]]:
    """Split the columns into as few bands as fit the width, of about equal size."""
    fit = len(strips) if width is None else max(1, (width + 1) // PITCH)
    count = -(-len(strips) // fit)
    cuts = [round(i * len(strips) / count) for i in range(count + 1)]
    return [strips[a:b] for a, b in pairwise(cuts)]


def _lines(bands: Sequence[Sequence[Strip]]) -> int:
    """Return the lines that bands take: a heading each, their cells, a blank line between."""
    return sum(2 + max(len(strip.cells) for strip in band) for band in bands) - 1


def _draw(bands: Sequence[Sequence[Strip]], style: Style) -> list[str]:
    lines: list[str] = []
    blank = " " * PITCH
    for band in bands:
        if lines:
            lines.append("")
        lines.append("".join(strip.heading.draw(color=style.color) for strip in band))
        for row in range(max(len(strip.cells) for strip in band)):
            cells = (strip.cells[row] if row < len(strip.cells) else None for strip in band)
            lines.append("".join(c.draw(color=style.color) if c else blank for c in cells))
    return lines


def _paint_backs(line: str, style: Style) -> str:
    return line.replace(FACE_DOWN_TEXT, f"{FAINT}{FACE_DOWN_TEXT}{RESET}") if style.color else line
