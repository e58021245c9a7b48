"""Deals: which card lies where when a game starts.

A deal is named by a text:

* ``"7"``: seeded deal 7, the same cards for ever, on every platform and version;
* ``"pysol:24"``, ``"pysol:ms24"``: the board that PySolFC shows for that number.

Seeded deal *s* is made so. A 64-bit state starts at ``mix(s)``; each draw adds
``0x9E3779B97F4A7C15`` to it and mixes the sum (this is SplitMix64 [1]_). A number below *n* is
``(u * n) >> 32`` with *u* the upper 32 bits of a draw; a draw is repeated if the lower 32 bits of
the product lie below ``2**32 mod n``, so that all numbers are equally likely [2]_. The deck starts
in order of the card ids; for i from the last index down to 1, cards i and j change places, j below
``i + 1``. Cards are dealt from the front: a row at a time from left to right, columns that have
their number are left out; then the reserve; then the cells.

.. [1] G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
.. [2] D. Lemire, "Fast random integer generation in an interval", 2019.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.notation.board import Board, complete_board
from scorpion_env.notation.board_text import parse_board, split_boards
from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT
from scorpion_env.compiled import compiled
from scorpion_env.errors import BoardError, DealError
from scorpion_env.rules import Rules

EVALUATION_DEALS = 1_000_000
"""Deals below this number are for evaluation; training never draws them."""

MAX_SEED = 2**64 - 1
MAX_PYSOL_MS = 2**31 - 1
MAX_RANGE = 100_000_000
PYSOL_MS_BORDER = 32_000
"""PySolFC shuffles deals below this number with the Microsoft generator."""

_PYSOL_SUITS = (0, 3, 2, 1)

GAMMA = np.uint64(0x9E3779B97F4A7C15)
"""What a SplitMix64 state grows by at every draw."""

_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)
_BIT_32 = np.uint64(1 << 32)
_U27, _U30, _U31, _U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@compiled
def mix64(x: Any) -> Any:
    """Return the SplitMix64 mixing function of a 64-bit number (uint64)."""
    x = (x ^ (x >> _U30)) * _MIX_1
    x = (x ^ (x >> _U27)) * _MIX_2
    return x ^ (x >> _U31)


@compiled
def episode_deal(seed: Any, slot: Any, episode: Any) -> Any:
    """Return the number of the deal that `episode` of game `slot` plays under `seed` (uint64).

    The numbers lie in 2**32 … 2**64 - 1, far from the evaluation deals, and depend on nothing
    else, so that no deal is changed by how the games before it went.
    """
    return mix64(mix64(mix64(seed) ^ slot) ^ episode) | _BIT_32


@compiled
def shuffle_deck(number: Any, order: Any, cards: Any) -> None:
    """Write the card ids of seeded deal `number` (uint64) in dealing order into `order` (int8)."""
    state = mix64(number)
    for i in range(cards):
        order[i] = i
    for i in range(cards - 1, 0, -1):
        n = np.uint64(i + 1)
        while True:
            state = state + GAMMA
            product = (mix64(state) >> _U32) * n
            low = product & _LOW_32
            if low >= n or low >= _BIT_32 % n:  # the first test spares most divisions
                break
        j = np.int64(product >> _U32)
        order[i], order[j] = order[j], order[i]


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
