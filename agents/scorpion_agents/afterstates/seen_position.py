"""A position as an observation shows it, linked up in columns, on which actions can be tried.

Nothing here knows more than the observation: where a hidden card would be turned or dealt, the
position after an action holds a card that is unknown. The rules of moving are the engine's; this
module follows them for single-deck variants without cells, as far as a player can see.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.observation import (
    COLUMN,
    FACE_DOWN,
    ON_TOP,
    PLACE,
    PLACE_RESERVE,
    PLACE_TABLEAU,
    PLACE_TAKEN,
    ROW,
    TO_COME,
    VISIBLE,
)
from scorpion_env.rules import MAX_COLUMNS

NOTHING = -1
"""Above the end of a column, below its base, and either in an empty column."""

AT_UNKNOWN, AT_TAKEN, AT_RESERVE = -1, -2, -3
"""Columns of a card that nobody sees, of one whose run was taken, of a known one of the reserve."""

PLACES = 2 * CARDS_PER_DECK
"""Known cards go by their number; each unseen card of a column by one from 52 up."""

POSITION = np.dtype(
    [
        ("above", np.int8, (PLACES,)),  # the card that lies on each card
        ("below", np.int8, (PLACES,)),
        ("column", np.int8, (PLACES,)),
        ("row", np.int8, (PLACES,)),  # from 0 at the base
        ("base", np.int8, (MAX_COLUMNS,)),
        ("end", np.int8, (MAX_COLUMNS,)),
        ("height", np.int8, (MAX_COLUMNS,)),
        ("down", np.int8, (MAX_COLUMNS,)),  # how many cards of the column lie face down
        ("columns", np.int8),
        ("unseen", np.int8),  # how many numbers from 52 up are in use
        ("to_deal", np.int8),
        ("runs", np.int8),
    ]
)
"""A position of one deck."""


def new_position() -> npt.NDArray[np.void]:
    """Return memory for one position, an array of one record."""
    return np.zeros(1, POSITION)


@compiled
def read_position(observation: Any, columns: int, everything: bool, p: Any) -> None:
    """Read an observation.

    Args:
        observation: int8 ``(52, 7)``, the player's or the full one.
        columns: How many columns there are.
        everything: Whether to use what a full observation says of cards that nobody sees.
        p: The position, written.
    """
    p.columns = columns
    p.unseen = 0
    p.to_deal = observation[0, TO_COME]
    for c in range(columns):
        p.height[c] = p.down[c] = 0
        p.base[c] = p.end[c] = NOTHING
    piles = np.full((columns, CARDS_PER_DECK), NOTHING, np.int8)
    taken = 0
    for card in range(CARDS_PER_DECK):
        place = observation[card, PLACE]
        p.column[card] = AT_UNKNOWN
        p.row[card] = 0
        p.above[card] = p.below[card] = NOTHING
        if place == PLACE_TAKEN:
            p.column[card] = AT_TAKEN
            taken += 1
        elif place == PLACE_TABLEAU and (everything or observation[card, VISIBLE]):
            c, r = observation[card, COLUMN] - 1, observation[card, ROW] - 1
            piles[c, r] = card
            p.height[c] = r + 1 + observation[card, ON_TOP]
            p.down[c] = observation[card, FACE_DOWN]
        elif place == PLACE_RESERVE and everything:
            p.column[card] = AT_RESERVE
    p.runs = taken // CARDS_PER_SUIT
    for c in range(columns):
        height = p.height[c]
        p.height[c] = 0
        for r in range(height):
            if piles[c, r] == NOTHING:
                _put_unseen(p, c)
            else:
                _put(p, piles[c, r], c)


@compiled
def _put(p: Any, card: int, c: int) -> None:
    """Lay a card on the end of a column."""
    end = p.end[c]
    p.column[card] = c
    p.row[card] = p.height[c]
    p.below[card] = end
    p.above[card] = NOTHING
    if end == NOTHING:
        p.base[c] = card
    else:
        p.above[end] = card
    p.end[c] = card
    p.height[c] += 1


@compiled
def _put_unseen(p: Any, c: int) -> None:
    _put(p, CARDS_PER_DECK + p.unseen, c)
    p.unseen += 1


@compiled
def _cut(p: Any, card: int) -> None:
    """Take a card with its group off its column; the group keeps its links."""
    c, under = p.column[card], p.below[card]
    p.height[c] = p.row[card]
    p.end[c] = under
    if under == NOTHING:
        p.base[c] = NOTHING
    else:
        p.above[under] = NOTHING
        if p.row[under] < p.down[c]:
            p.down[c] -= 1  # it is turned


@compiled
def _ends_in_run(p: Any, c: int) -> int:
    """Return the king of the run that a column ends in, or ``NOTHING``."""
    card = p.end[c]
    if card < 0 or card >= CARDS_PER_DECK or card % CARDS_PER_SUIT != 0:
        return NOTHING
    king = card + KING
    while card != king:
        if p.below[card] != card + 1:
            return NOTHING
        card += 1
    if p.row[king] < p.down[c]:
        return NOTHING
    return int(king)


@compiled
def apply_move(p: Any, card: int, target: int, taken: bool) -> int:
    """Move a visible card with its group to a column; take runs and turn cards.

    Args:
        p: The position, changed in place.
        card: The card, which lies in another column, face up.
        target: The column.
        taken: Whether complete runs are taken off the tableau.

    Returns:
        How many cards were turned.
    """
    source = p.column[card]
    turned = p.down[source] + p.down[target]
    _cut(p, card)
    while card != NOTHING:
        following = p.above[card]
        _put(p, card, target)
        card = following
    king = _ends_in_run(p, target) if taken else NOTHING
    while king != NOTHING:
        _cut(p, king)
        for run in range(king - KING, king + 1):
            p.column[run] = AT_TAKEN
            p.row[run] = 0
            p.above[run] = p.below[run] = NOTHING
        p.runs += 1
        king = _ends_in_run(p, target)
    return int(turned - p.down[source] - p.down[target])


@compiled
def apply_deal(p: Any, receives: Any) -> None:
    """Deal the reserve, cards unknown, onto the columns that receive them (bool ``(columns,)``)."""
    for c in range(p.columns):
        if receives[c]:
            _put_unseen(p, c)
    p.to_deal = 0
