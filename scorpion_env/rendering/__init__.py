"""Boards as text: a grid for the eye, plain lines for screen readers; and as pictures.

Everything here is a pure function of a `Board`, its `Rules` and a `Status`; only `show` writes
anything. Face-down cards and the reserve are never named, whatever the board knows about them.

>>> from scorpion_env.rendering import Style, ansi, render_board, show
"""

from scorpion_env.rendering.board import ansi, render_board, show
from scorpion_env.rendering.picture import render_picture
from scorpion_env.rendering.status import Status, moved_card
from scorpion_env.rendering.style import FORMATS, Style

__all__ = [
    "FORMATS",
    "Status",
    "Style",
    "ansi",
    "moved_card",
    "render_board",
    "render_picture",
    "show",
]
