"""A board as a picture, for videos, windows and pages.

Cards are drawn as shapes and text, each suit with a colour of its own. A picture has the same size
whatever the board, as videos want it; long columns are pushed together. It depends on nothing but
the arguments and the release of Pillow, to the byte. Pillow comes with ``scorpion-env[render]``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import RANKS, SUITS, rank_of, suit_of
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.board import EMPTY, Board
from scorpion_env.rendering.status import OUTCOMES, Status, last_move_marks
from scorpion_env.rules import Rules

if TYPE_CHECKING:
    from PIL import Image

WIDTH, HEIGHT = 640, 480
"""Pixels of a picture at scale 1."""

TABLE, BAR, FACE, EDGE = (22, 84, 60), (14, 58, 41), (252, 251, 246), (60, 66, 64)
BACK, BACK_LINE, SLOT = (46, 78, 126), (120, 150, 196), (52, 112, 88)
TEXT, MARK, UNKNOWN_FACE = (240, 244, 240), (255, 200, 40), (222, 222, 214)
SUIT_COLOURS = ((0, 112, 52), (0, 92, 190), (200, 22, 36), (24, 24, 28))
"""Of clubs, diamonds, hearts and spades."""

TOP, MARGIN, GAP = 74, 10, 6
"""Height of the bar above the columns; room at the sides, and between columns."""

MAX_CARD = 78
FAN, FAN_DOWN = 24, 9
"""How much is seen of a card, face up and face down, that another one covers, at most."""

Colour = tuple[int, int, int]


def render_picture(
    board: Board, rules: Rules, status: Status, *, scale: float = 1.0
) -> npt.NDArray[np.uint8]:
    """Return the board as a picture, uint8 ``(480 * scale, 640 * scale, 3)``, red, green, blue.

    Face-down cards and the reserve are drawn as backs, even where `board` knows them. The cards of
    the last move have a frame.

    Raises:
        ScorpionError: if Pillow is not installed.
    """
    return np.array(_Painter(rules, scale).paint(board, status))


@dataclass(frozen=True)
class _Box:
    """A rectangle in units of scale 1."""

    x: float
    y: float
    width: float
    height: float


class _Painter:
    """Draws boards of one variant at one scale."""

    def __init__(self, rules: Rules, scale: float) -> None:
        try:
            from PIL import Image, ImageDraw
        except ModuleNotFoundError as error:
            raise ScorpionError(
                "Pictures need Pillow: pip install 'scorpion-env[render]'."
            ) from error
        self._rules = rules
        self._scale = scale
        size = round(WIDTH * scale), round(HEIGHT * scale)
        self._image = Image.new("RGB", size, TABLE)
        self._draw = ImageDraw.Draw(self._image)
        room = WIDTH - 2 * MARGIN + GAP
        self._pitch = room / rules.num_columns
        self._width = min(MAX_CARD, self._pitch - GAP)
        self._height = self._width * 1.36

    def paint(self, board: Board, status: Status) -> Image.Image:
        """Return the picture."""
        marks = last_move_marks(board, self._rules, status)
        self._paint_bar(board, status, marks.cells)
        first = dict(marks.cards)
        for column in range(len(board.columns)):
            self._paint_column(board, column, first.get(column))
            if column in marks.columns:
                self._frame(_Box(self._left(column), TOP + 8, self._width, self._height), MARK)
        return self._image

    # --- the parts

    def _left(self, column: int) -> float:
        return MARGIN + column * self._pitch + (self._pitch - GAP - self._width) / 2

    def _paint_bar(self, board: Board, status: Status, marked_cells: frozenset[int]) -> None:
        self._fill(_Box(0, 0, WIDTH, TOP), BAR)
        small = _Box(MARGIN, 26, 30, 41)
        self._text(MARGIN, 5, 13, f"{self._rules.name}")
        moves = f"{status.moves} move{'s' * (status.moves != 1)}"
        numbers = f"score {status.score}   {moves}   runs {status.runs} of {self._rules.num_runs}"
        self._text(WIDTH / 2, 5, 13, numbers, anchor="ma")
        last = OUTCOMES.get(status.outcome or "", status.last_move or "")
        self._text(WIDTH - MARGIN, 5, 13, last.partition(":")[0].rstrip("."), anchor="ra")
        x = small.x
        for _ in board.reserve:
            self._card_back(_Box(x, small.y, small.width, small.height))
            x += small.width + 4
        x += 14 * bool(board.reserve)
        for cell, card in enumerate(board.cells):
            box = _Box(x, small.y, small.width, small.height)
            if card == EMPTY:
                self._slot(box)
            else:
                self._card_face(box, card, small.height)
            if cell in marked_cells:
                self._frame(box, MARK)
            x += small.width + 4
        x = WIDTH - MARGIN - small.width
        for letter in reversed(board.foundations):
            box = _Box(x, small.y, small.width, small.height)
            self._round(box, FACE, EDGE)
            side = small.width * 0.62
            self._suit(
                SUITS.index(letter),
                _Box(x + (small.width - side) / 2, small.y + 11, side, side),
            )
            x -= small.width + 4

    def _paint_column(self, board: Board, column: int, marked: int | None) -> None:
        cards, down = board.columns[column], board.face_down[column]
        x, top = self._left(column), TOP + 8.0
        if not cards:
            self._slot(_Box(x, top, self._width, self._height))
            return
        wanted = FAN_DOWN * down + FAN * max(len(cards) - 1 - down, 0)
        room = HEIGHT - 8 - top - self._height
        squeeze = min(1.0, room / wanted) if wanted else 1.0
        y, group = top, top
        for row, card in enumerate(cards):
            fan = (FAN_DOWN if row < down else FAN) * squeeze
            strip = self._height if row == len(cards) - 1 else fan
            box = _Box(x, y, self._width, self._height)
            if row < down:
                self._card_back(box)
            else:
                self._card_face(box, card, strip)
            if row == marked:
                group = y
            if row < len(cards) - 1:
                y += fan
        if marked is not None:
            self._frame(_Box(x, group, self._width, y + self._height - group), MARK)

    # --- cards

    def _card_face(self, box: _Box, card: int, strip: float) -> None:
        """Draw a card face up, of which a strip of some height stays in sight."""
        if card < 0:
            self._round(box, UNKNOWN_FACE, EDGE)
            self._text(box.x + 5, box.y + 2, min(17, strip * 0.82), "?", EDGE)
            return
        self._round(box, FACE, EDGE)
        suit = suit_of(card)
        size = max(6.0, min(box.width * 0.3, strip * 0.82))
        rank = RANKS[rank_of(card)].replace("T", "10")
        self._text(box.x + 4, box.y + 1, size, rank, SUIT_COLOURS[suit])
        side = size * 0.86
        self._suit(suit, _Box(box.x + box.width - side - 4, box.y + size * 0.16, side, side))
        if strip >= box.height and box.height > 50:
            side = box.width * 0.5
            self._suit(
                suit,
                _Box(box.x + (box.width - side) / 2, box.y + box.height * 0.42, side, side),
            )

    def _card_back(self, box: _Box) -> None:
        self._round(box, BACK, FACE)
        inset = box.width * 0.12
        inner = _Box(box.x + inset, box.y + inset, box.width - 2 * inset, box.height - 2 * inset)
        self._round(inner, None, BACK_LINE)

    def _slot(self, box: _Box) -> None:
        self._round(box, None, SLOT)

    # --- shapes, in units of scale 1

    def _pixels(self, *values: float) -> list[int]:
        return [math.floor(value * self._scale + 0.5) for value in values]

    def _corners(self, box: _Box) -> list[int]:
        left, top, right, bottom = self._pixels(box.x, box.y, box.x + box.width, box.y + box.height)
        return [left, top, right - 1, bottom - 1]

    def _fill(self, box: _Box, colour: Colour) -> None:
        self._draw.rectangle(self._corners(box), fill=colour)

    def _round(self, box: _Box, fill: Colour | None, outline: Colour) -> None:
        radius = self._scale * box.width * 0.09
        self._draw.rounded_rectangle(
            self._corners(box), radius, fill=fill, outline=outline, width=max(1, round(self._scale))
        )

    def _frame(self, box: _Box, colour: Colour) -> None:
        wide = _Box(box.x - 2, box.y - 2, box.width + 4, box.height + 4)
        self._draw.rounded_rectangle(
            self._corners(wide),
            self._scale * box.width * 0.1,
            outline=colour,
            width=max(2, round(3 * self._scale)),
        )

    def _text(
        self, x: float, y: float, size: float, text: str, colour: Colour = TEXT, anchor: str = "la"
    ) -> None:
        left, top = self._pixels(x, y)
        font = _font(max(6, round(size * self._scale)))
        self._draw.text((left, top), text, fill=colour, font=font, anchor=anchor)

    def _suit(self, suit: int, box: _Box) -> None:
        left, top, side, _ = self._pixels(box.x, box.y, box.width, 0)
        self._image.paste(SUIT_COLOURS[suit], (left, top), suit_mask(suit, max(side, 3)))


@cache
def _font(pixels: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(pixels)


FINE = 8
"""Suits are drawn so many times as large, and made smaller: that makes their edges smooth."""


@cache
def suit_mask(suit: int, side: int) -> Image.Image:
    """Return the shape of a suit, clubs, diamonds, hearts or spades, as a mask of `side` pixels."""
    from PIL import Image, ImageDraw

    large = side * FINE
    mask = Image.new("L", (large, large), 0)
    draw = ImageDraw.Draw(mask)

    def disc(x: float, y: float, radius: float) -> None:
        a, b, r = x * large, y * large, radius * large
        draw.ellipse([a - r, b - r, a + r, b + r], fill=255)

    def shape(*points: tuple[float, float]) -> None:
        draw.polygon([(x * large, y * large) for x, y in points], fill=255)

    stem = ((0.5, 0.5), (0.68, 0.98), (0.32, 0.98))
    if SUITS[suit] == "C":
        for x, y in ((0.5, 0.26), (0.25, 0.6), (0.75, 0.6)):
            disc(x, y, 0.23)
        shape(*stem)
    elif SUITS[suit] == "D":
        shape((0.5, 0.02), (0.88, 0.5), (0.5, 0.98), (0.12, 0.5))
    elif SUITS[suit] == "H":
        disc(0.27, 0.3, 0.25)
        disc(0.73, 0.3, 0.25)
        shape((0.045, 0.41), (0.955, 0.41), (0.5, 0.97))
        shape((0.27, 0.3), (0.73, 0.3), (0.5, 0.55))
    else:
        disc(0.27, 0.6, 0.25)
        disc(0.73, 0.6, 0.25)
        shape((0.045, 0.49), (0.955, 0.49), (0.5, 0.02))
        shape(*stem)
    return mask.resize((side, side), Image.Resampling.LANCZOS)
