"""Deals: which card lies where when a game starts.

A deal is named by a text:

* ``"7"``: seeded deal 7, the same cards for ever, on every platform and version;
* ``"pysol:24"``, ``"pysol:ms24"``: the board that PySolFC shows for that number.

:mod:`scorpion_env.kernels.shuffle` says how the deck of a seeded deal is shuffled. Cards are dealt
from the front: a row at a time from left to right, columns that have their number are left out;
then the reserve; then the cells.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT
from scorpion_env.errors import BoardError, DealError
from scorpion_env.kernels.shuffle import shuffle_deck
from scorpion_env.notation.board import Board, complete_board
from scorpion_env.notation.board_text import parse_board, split_boards
from scorpion_env.rules import Rules

EVALUATION_DEALS = 1_000_000
"""Deals below this number are for evaluation; training never draws them."""

MAX_SEED = 2**64 - 1
MAX_PYSOL_MS = 2**31 - 1
MAX_RANGE = 100_000_000
PYSOL_MS_BORDER = 32_000
"""PySolFC shuffles deals below this number with the Microsoft generator."""

_PYSOL_SUITS = (0, 3, 2, 1)


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
        x = number
        for n in range(len(deck) - 1, 0, -1):
            x = (x * 214013 + 2531011) & 0xFFFFFFFF
            j = ((x >> 16) & 0x7FFF) % (n + 1)
            deck[n], deck[j] = deck[j], deck[n]
    else:
        generator = random.Random(number)
        for n in range(len(deck) - 1, 0, -1):
            j = int(generator.random() * (n + 1))
            deck[n], deck[j] = deck[j], deck[n]
    return np.array(deck[::-1], dtype=np.int8)


def parse_deal(deal: int | str) -> str:
    """Return the canonical text of a deal: ``"7"``, ``"pysol:24"`` or ``"pysol:ms24"``.

    Raises:
        DealError: if it names no deal.
    """
    if isinstance(deal, (int, np.integer)) and not isinstance(deal, bool):
        return str(_checked(int(deal), 0, MAX_SEED, str(deal)))
    if not isinstance(deal, str):
        raise DealError(f"A deal is a number or a text such as 'pysol:24', not {deal!r}.")
    text = deal.strip().lower()
    if text.startswith("pysol:"):
        number = text.removeprefix("pysol:")
        microsoft = number.startswith("ms")
        count = _number(number.removeprefix("ms"), deal)
        _checked(count, 1, MAX_PYSOL_MS if microsoft else None, deal)
        return f"pysol:{'ms' if microsoft else ''}{count}"
    return str(_checked(_number(text, deal), 0, MAX_SEED, deal))


MAX_DIGITS = 40
"""A deal number has no more digits than this; PySolFC's have up to 20."""


def _number(digits: str, deal: str) -> int:
    if not (digits.isascii() and digits.isdigit()) or len(digits) > MAX_DIGITS:
        shown = deal if len(deal) <= 60 else deal[:60] + "…"
        raise DealError(
            f"'{shown}' names no deal (and no file); write a number such as 7, or pysol:24."
        )
    return int(digits)


def _checked(number: int, low: int, high: int | None, text: str) -> int:
    if number < low or (high is not None and number > high):
        upto = f" to {high}" if high is not None else ""
        raise DealError(f"Deal '{text}' does not exist; the numbers go from {low}{upto}.")
    return number


def deal_order(deal: int | str, rules: Rules) -> npt.NDArray[np.int8]:
    """Return the card ids of a named deal in dealing order, int8 ``(cards,)``.

    Raises:
        DealError: if it names no deal.
    """
    text = parse_deal(deal)
    if not text.startswith("pysol:"):
        order = np.empty(rules.cards, np.int8)
        shuffle_deck(np.uint64(int(text)), order, len(order))
        return order
    number = text.removeprefix("pysol:")
    return pysol_order(int(number.removeprefix("ms")), rules, microsoft=number.startswith("ms"))


@dataclass(frozen=True)
class Position:
    """A game that starts from a board instead of a deal; result files call it by its name."""

    name: str
    board: Board


Start = int | str | Position
"""How a game is started: a deal's number or text, or a position."""

EpisodeStart = Start | npt.NDArray[np.uint64]
"""How an episode is started: so, or on one of several seeded deals."""


def parse_deals(text: str, rules: Rules, *, seed: int = 0) -> list[str | Position]:
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
    if Path(text).is_file():
        return list(read_positions(Path(text), rules, seed=seed))
    text = text.strip().lower()
    if ":" not in text.removeprefix("pysol:"):
        return [parse_deal(text)]
    prefix = "pysol:" if text.startswith("pysol:") else ""
    first, _, last = text.removeprefix(prefix).partition(":")
    if not all(part.isascii() and part.isdigit() for part in (first, last)):
        raise DealError(
            f"'{text}' is neither deals such as 0:1000 or pysol:32000:34000 nor a file of boards."
        )
    start, stop = _number(first, text), _number(last, text)
    if stop <= start:
        raise DealError(f"'{text}' holds no deals: the second number must be the larger one.")
    if stop - start > MAX_RANGE:
        raise DealError(f"'{text}' holds more than {MAX_RANGE} deals.")
    parse_deal(f"{prefix}{start}")
    parse_deal(f"{prefix}{stop - 1}")
    return [f"{prefix}{number}" for number in range(start, stop)]


def read_positions(path: Path, rules: Rules, *, seed: int = 0) -> list[Position]:
    """Return the boards of a file, named by their titles or else by file and number.

    Raises:
        BoardError: if a board is refused, or the file holds none.
    """
    try:
        boards = split_boards(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise BoardError(f"{path} is no text file of boards") from None
    if not boards:
        raise BoardError(f"{path} holds no board")
    positions = []
    for number, (title, text) in enumerate(boards):
        try:
            board = complete_board(parse_board(text, rules), rules, seed + number)
        except BoardError as error:
            raise BoardError(f"{path}: {error}") from None
        positions.append(Position(title or f"{path.name}#{number + 1}", board))
    return positions
