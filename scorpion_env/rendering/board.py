"""The entry points of the package: a board to text, text to a stream."""

from __future__ import annotations

import sys

from scorpion_env.notation.board import Board
from scorpion_env.rendering.grid import grid_text
from scorpion_env.rendering.lines import lines_text
from scorpion_env.rendering.status import Status
from scorpion_env.rendering.style import Style, TextStream, encodable
from scorpion_env.rules import Rules


def render_board(board: Board, rules: Rules, status: Status, *, style: Style) -> str:
    """Return the board as text of several lines, without a newline at the end.

    The result depends on nothing but the arguments. Face-down cards and the reserve are drawn as
    `##` (or counted in words) even where `board` knows them.
    """
    if style.format == "lines":
        return lines_text(board, rules, status, legal=style.legal)
    return grid_text(board, rules, status, style)


def ansi(board: Board, rules: Rules, status: Status) -> str:
    """Return the board for `render_mode="ansi"`: letters, no colour, the same everywhere."""
    return render_board(board, rules, status, style=Style())


def show(board: Board, rules: Rules, status: Status, stream: TextStream | None = None) -> None:
    """Print the board for `render_mode="human"` as well as the stream (stdout) can show it."""
    out: TextStream = sys.stdout if stream is None else stream
    text = render_board(board, rules, status, style=Style.for_stream(out))
    out.write(encodable(text + "\n", out))
    out.flush()
