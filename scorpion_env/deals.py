"""Deals: where a game starts, which card lies where.

A `Deal` is one of three:

* `SeededDeal`, written ``"7"``: the same cards for ever, on every platform and version;
* `PysolDeal`, written ``"pysol:24"`` or ``"pysol:ms24"``: the board that PySolFC shows for that
  number;
* `Position`: a board, under a name.

Texts and numbers become a `Deal` where they come in (`parse_deal`, `parse_deals`, `as_deal`);
nothing is parsed again further in.

:mod:`scorpion_env.kernels.shuffle` says how the deck of a seeded deal is shuffled. Cards are dealt
from the front: a row at a time from left to right, columns that have their number are left out;
then the reserve; then the cells.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT
from scorpion_env.errors import BoardError, DealError, shortened, shown
from scorpion_env.kernels.shuffle import shuffle_deck
from scorpion_env.notation.board import Board, complete_board
from scorpion_env.notation.board_check import check_board
from scorpion_env.notation.board_text import parse_board, split_boards
from scorpion_env.notation.files import is_file, read_text
from scorpion_env.rules import Rules

EVALUATION_DEALS = 1_000_000
"""Deals below this number are for evaluation; training never draws them."""

MAX_SEED = 2**64 - 1
MAX_PYSOL_MS = 2**33 - 1
MAX_RANGE = 100_000_000
PYSOL_MS_BORDER = 32_000
"""PySolFC shuffles deals below this number with the Microsoft generator."""

MAX_DIGITS = 40
"""A deal number has no more digits than this; PySolFC's have up to 20."""

_PYSOL, _MICROSOFT = "pysol:", "ms"

_PYSOL_SUITS = (0, 3, 2, 1)


@dataclass(frozen=True)
class SeededDeal:
    """The deal of a number from 0 to ``MAX_SEED``."""

    number: int

    @property
    def name(self) -> str:
        """The number, ``"7"``."""
        return str(self.number)

    def order(self, rules: Rules) -> npt.NDArray[np.int8]:
        """Return the card ids in dealing order, int8 ``(cards,)``."""
        order = np.empty(rules.cards, np.int8)
        shuffle_deck(np.uint64(self.number), order, len(order))
        return order


@dataclass(frozen=True)
class PysolDeal:
    """A deal of PySolFC.

    Attributes:
        number: From 1 up.
        microsoft: Whether it is one of the deals called ``ms``, up to ``MAX_PYSOL_MS``.
    """

    number: int
    microsoft: bool = False

    @property
    def name(self) -> str:
        """The text, ``"pysol:24"`` or ``"pysol:ms24"``."""
        return f"{_PYSOL}{_MICROSOFT if self.microsoft else ''}{self.number}"

    def order(self, rules: Rules) -> npt.NDArray[np.int8]:
        """Return the card ids in dealing order, int8 ``(cards,)``."""
        return pysol_order(self.number, rules, microsoft=self.microsoft)


@dataclass(frozen=True)
class Position:
    """A game that starts from a board instead of a shuffled deck.

    Attributes:
        name: What texts and result files call it.
        board: Where the cards lie.
    """

    name: str
    board: Board

    def completed(self, rules: Rules, seed: int = 0) -> Position:
        """Return it without unknown cards: `seed` determines which they are."""
        return replace(self, board=complete_board(self.board, rules, seed))


Deal = SeededDeal | PysolDeal | Position
"""Where a game starts; equal deals start equal games."""

Start = int | str | Deal
"""How a caller says where a game starts: a deal's number or text, or a deal."""

EpisodeStart = Deal | npt.NDArray[np.uint64]
"""How an episode starts: on a deal, or on one of several seeded deals."""


def pysol_order(number: int, rules: Rules, *, microsoft: bool = False) -> npt.NDArray[np.int8]:
    """Return the card ids of a PySolFC deal in dealing order, int8 ``(cards,)``."""
    deck = [
        CARDS_PER_DECK * d + CARDS_PER_SUIT * suit + rank
        for d in range(rules.decks)
        for suit in _PYSOL_SUITS
        for rank in range(CARDS_PER_SUIT)
    ]
    if microsoft or number < PYSOL_MS_BORDER:
        if rules.decks == 1:
            deck.sort(key=lambda card: (card % CARDS_PER_SUIT, card // CARDS_PER_SUIT))
        draws = _microsoft_draws(number)
        for n in range(len(deck) - 1, 0, -1):
            j = next(draws) % (n + 1)
            deck[n], deck[j] = deck[j], deck[n]
    else:
        generator = random.Random(number)
        for n in range(len(deck) - 1, 0, -1):
            j = int(generator.random() * (n + 1))
            deck[n], deck[j] = deck[j], deck[n]
    return np.array(deck[::-1], dtype=np.int8)


def _microsoft_draws(number: int) -> Iterator[int]:
    """Yield the numbers that the Microsoft generator draws for a deal, as PySolFC extends it.

    Up to 2**31 they have 15 bits; from there on a 16th is set; from 2**32 on all 16 are drawn,
    and 1 is added.
    """
    x = number % 2**32
    while True:
        x = (x * 214013 + 2531011) % 2**32
        if number >= 2**32:
            yield (x >> 16) + 1
        else:
            yield (x >> 16 & 0x7FFF) | (0x8000 if number >= 2**31 else 0)


def parse_deal(deal: Start) -> Deal:
    """Return the deal that a number or a text names: ``7``, ``"pysol:24"`` or ``"pysol:ms24"``.

    Raises:
        DealError: if it names no deal.
    """
    if isinstance(deal, Deal):
        return deal
    if isinstance(deal, (int, np.integer)) and not isinstance(deal, bool):
        return SeededDeal(_checked(int(deal), 0, MAX_SEED, shortened(int(deal))))
    if not isinstance(deal, str):
        raise DealError(f"A deal is a number or a text such as 'pysol:24', not {shown(deal)}.")
    text = deal.strip().lower()
    if not text.startswith(_PYSOL):
        return SeededDeal(_checked(_number(text, deal), 0, MAX_SEED, deal))
    digits = text.removeprefix(_PYSOL)
    microsoft = digits.startswith(_MICROSOFT)
    number = _number(digits.removeprefix(_MICROSOFT), deal)
    return PysolDeal(_checked(number, 1, MAX_PYSOL_MS if microsoft else None, deal), microsoft)


def as_deal(start: Start, rules: Rules) -> Deal:
    """Return the deal that a caller names; a position is checked, its unknown cards filled in.

    Raises:
        DealError: if there is no such deal.
        BoardError: if the cards of a position do not make the deck of these rules.
    """
    deal = parse_deal(start)
    if not isinstance(deal, Position):
        return deal
    check_board(deal.board, rules)
    return deal.completed(rules)


def deal_order(deal: Start, rules: Rules) -> npt.NDArray[np.int8]:
    """Return the card ids of a deal in dealing order, int8 ``(cards,)``.

    Raises:
        DealError: if it names no deal of a shuffled deck.
    """
    found = parse_deal(deal)
    if isinstance(found, Position):
        raise DealError(f"'{found.name}' starts from a board, not from a shuffled deck.")
    return found.order(rules)


def _number(digits: str, deal: str) -> int:
    if not (digits.isascii() and digits.isdigit()) or len(digits) > MAX_DIGITS:
        raise DealError(
            f"'{shortened(deal)}' names no deal (and no file); write a number such as 7, or "
            "pysol:24."
        )
    return int(digits)


def _checked(number: int, low: int, high: int | None, text: str) -> int:
    if number < low or (high is not None and number > high):
        upto = f" to {high}" if high is not None else ""
        raise DealError(
            f"Deal '{shortened(text)}' does not exist; the numbers go from {low}{upto}."
        )
    return number


def parse_deals(text: str, rules: Rules, *, seed: int = 0) -> list[Deal]:
    """Return the games that a command line names.

    Args:
        text: ``"7"``, ``"0:1000"`` (0 … 999), ``"pysol:24"``, ``"pysol:32000:34000"``, or the
            path of a file of boards, parted by blank lines.
        rules: The rules that the boards are checked against.
        seed: Completes the boards' unknown cards.

    Raises:
        DealError: if the text is none of these.
        BoardError: if a board of the file is refused.
    """
    if is_file(text):
        return list(read_positions(Path(text), rules, seed=seed))
    text = text.strip().lower()
    numbers = text.removeprefix(_PYSOL)
    if ":" not in numbers:
        return [parse_deal(text)]
    prefix = text[: len(text) - len(numbers)]
    make: Callable[[int], Deal] = PysolDeal if prefix else SeededDeal
    first, _, last = numbers.partition(":")
    if not all(part.isascii() and part.isdigit() for part in (first, last)):
        raise DealError(
            f"'{shortened(text)}' is neither deals such as 0:1000 or pysol:32000:34000 nor a file "
            "of boards."
        )
    start, stop = _number(first, text), _number(last, text)
    if stop <= start:
        raise DealError(f"'{text}' holds no deals: the second number must be the larger one.")
    if stop - start > MAX_RANGE:
        raise DealError(f"'{text}' holds more than {MAX_RANGE} deals.")
    for number in (start, stop - 1):
        parse_deal(f"{prefix}{number}")
    return [make(number) for number in range(start, stop)]


def read_positions(path: Path, rules: Rules, *, seed: int = 0) -> list[Position]:
    """Return the boards of a file, named by their titles or else by file and number.

    Raises:
        BoardError: if a board is refused, or the file holds none.
    """
    boards = split_boards(read_text(path, "text file of boards", refusal=BoardError))
    if not boards:
        raise BoardError(f"{path} holds no board")
    positions = []
    for number, (title, text) in enumerate(boards):
        try:
            board = parse_board(text, rules)
            position = Position(title or f"{path.name}#{number + 1}", board)
            positions.append(position.completed(rules, seed + number))
        except BoardError as error:
            raise BoardError(f"{path}: {error}") from None
    return positions


def parse_position(text: str, rules: Rules, seed: int = 0) -> Position:
    """Return the position that a board text describes, unknown cards completed from `seed`.

    Raises:
        BoardError: with line and column, if the text is no board of these rules.
    """
    return Position("board", parse_board(text, rules)).completed(rules, seed)
