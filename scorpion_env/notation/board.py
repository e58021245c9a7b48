"""Boards: a position as plain data; :mod:`scorpion_env.notation.board_text` has the text form."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from scorpion_env.cards import (
    KING,
    SUITS,
    is_red,
    rank_of,
    suit_of,
)
from scorpion_env.errors import BoardError
from scorpion_env.rules import Rules

UNKNOWN = -1
"""Stands for a card that the text does not know."""

EMPTY = -2
"""Stands for an empty cell."""


@dataclass(frozen=True)
class Board:
    """A position: where every card lies.

    Attributes:
        columns: Card ids of each column, base first; ``UNKNOWN`` where the card is not known.
        face_down: How many cards of each column lie face down, from the base.
        reserve: The cards still to come, the first to be dealt first; empty once dealt.
        cells: The card of each cell, ``EMPTY`` or ``UNKNOWN``.
        foundations: The suit letter of the king of each run taken, in order.
    """

    columns: tuple[tuple[int, ...], ...]
    face_down: tuple[int, ...]
    reserve: tuple[int, ...] = ()
    cells: tuple[int, ...] = ()
    foundations: tuple[str, ...] = ()

    def on_board(self) -> Iterator[int]:
        """Yield every card place of the board that is no empty cell: an id or ``UNKNOWN``."""
        for column in self.columns:
            yield from column
        yield from self.reserve
        yield from (card for card in self.cells if card != EMPTY)


def missing_cards(board: Board, rules: Rules) -> list[int]:
    """Return the cards, in order of their ids, that no known place of the board holds."""
    present = {card for card in board.on_board() if card >= 0}
    return [card for card in range(rules.cards) if card not in present]


def taken_runs(
    board: Board, rules: Rules, rng: random.Random | None = None
) -> list[tuple[int, ...]]:
    """Return the cards of each run taken, king first, chosen from those not on the board.

    The choice is free only where copies are interchangeable, in two decks and in alternating
    colours; `rng` then decides, or the lowest id.

    Raises:
        BoardError: if the absent cards do not hold those runs.
    """
    absent = missing_cards(board, rules)
    if rng is not None:
        rng.shuffle(absent)
    runs = []
    for letter in board.foundations:
        run: list[int] = []
        for rank in range(KING, -1, -1):
            for card in absent:
                if rank_of(card) == rank and _continues(run, card, letter, rules):
                    run.append(card)
                    absent.remove(card)
                    break
            else:
                raise BoardError(
                    f"the run of {letter} cannot have been taken: its cards are on the board"
                )
        runs.append(tuple(run))
    return runs


def _continues(run: list[int], card: int, letter: str, rules: Rules) -> bool:
    if not run:
        return SUITS[suit_of(card)] == letter
    if rules.build == "colour":
        return is_red(card) != is_red(run[-1])
    return suit_of(card) == suit_of(run[-1])


def complete_board(board: Board, rules: Rules, seed: int = 0) -> Board:
    """Return the board with every unknown card filled in, by a shuffle that `seed` determines.

    Each arrangement of the absent cards is equally likely where they are all different.
    """
    if UNKNOWN not in board.on_board():
        return board
    rng = random.Random(seed)
    absent = missing_cards(board, rules)
    for run in taken_runs(board, rules, rng):
        absent = [card for card in absent if card not in run]
    rng.shuffle(absent)

    def fill(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(absent.pop() if card == UNKNOWN else card for card in cards)

    return replace(
        board,
        columns=tuple(fill(column) for column in board.columns),
        reserve=fill(board.reserve),
        cells=fill(board.cells),
    )
