"""A position as a player sees it, linked up in columns: what the features are computed from.

It is a view of a game's record that :mod:`scorpion_agents.seen_game` has laid out, and that the
engine may have played an action on. There hidden cards lie somewhere, here a card that nobody sees
is one thing, of which nothing is known but its number, and the place where one lies another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_agents.seen_game import Table, read_game
from scorpion_env.cards import CARDS_PER_DECK
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.play import play
from scorpion_env.kernels.state import TAKEN
from scorpion_env.kernels.tableau import attach
from scorpion_env.rules import MAX_COLUMNS

NOTHING = -1
"""Above the end of a column, below its base, and either in an empty column."""

AT_UNKNOWN, AT_TAKEN, AT_RESERVE = -1, -2, -3
"""Columns of a card that nobody sees, of one whose run was taken, of a known one of the reserve."""

PLACES = 2 * CARDS_PER_DECK
"""Known cards go by their number; each place of an unseen card by one from 52 up."""

POSITION = np.dtype(
    [
        ("above", np.int8, (PLACES,)),  # the card that lies on each card
        ("below", np.int8, (PLACES,)),
        ("column", np.int8, (PLACES,)),
        ("row", np.int8, (PLACES,)),  # from 0 at the base
        ("base", np.int8, (MAX_COLUMNS,)),
        ("height", np.int8, (MAX_COLUMNS,)),
        ("down", np.int8, (MAX_COLUMNS,)),  # how many cards of the column lie face down
        ("gets_reserve", np.int8, (MAX_COLUMNS,)),  # whether a card of the reserve is to come to it
        ("columns", np.int8),
        ("unseen", np.int8),  # how many numbers from 52 up are in use
        ("to_deal", np.int8),
        ("runs", np.int8),
    ]
)
"""A position of one deck."""

_ONE = np.uint64(1)


def new_positions(count: int) -> npt.NDArray[np.void]:
    """Return memory for positions, an array of records."""
    return np.zeros(count, POSITION)


@compiled
def read_position(observation: Any, everything: Any, table: Table, p: Any) -> Any:
    """Read an observation.

    Args:
        observation: int8 ``(52, 7)``, the player's or the full one.
        everything: Whether to use what a full observation says of cards that nobody sees.
        table: Its `position` and `hidden` are written.
        p: A ``POSITION`` record, written.

    Returns:
        The cards that nobody sees, as a bit mask, uint64.
    """
    n = read_game(observation, everything, table)
    unseen = np.uint64(0)
    for i in range(n):
        unseen |= _ONE << np.uint64(table.hidden[i])
    view(table.position[0], table.rules, unseen, p)
    return unseen


@compiled
def view(g: Any, rules: Any, unseen: Any, p: Any) -> None:
    """Write the view of a game.

    Args:
        g: The game.
        rules: Its rules.
        unseen: The cards that nobody sees, as a bit mask, uint64. No matter which of them lies
            where: the view is the same.
        p: A ``POSITION`` record, written.
    """
    p.columns = g.end.shape[0]
    p.unseen = 0
    p.to_deal = g.reserve_left
    p.runs = g.runs
    for card in range(CARDS_PER_DECK):
        p.column[card] = AT_TAKEN if g.column[card] == TAKEN else AT_UNKNOWN
        p.row[card] = 0
        p.above[card] = p.below[card] = NOTHING
    for c in range(p.columns):
        p.down[c] = g.down[c]
        p.gets_reserve[c] = 0
        end = g.end[c]
        p.height[c] = g.row[end] + 1 if end >= 0 else 0
        under = NOTHING
        for row in range(p.height[c]):
            card = int(g.pile[c, row])
            if unseen >> np.uint64(card) & _ONE:
                card = CARDS_PER_DECK + p.unseen
                p.unseen += 1
            p.column[card] = c
            p.row[card] = row
            p.below[card] = under
            if under == NOTHING:
                p.base[c] = card
            else:
                p.above[under] = card
            under = card
        if under == NOTHING:
            p.base[c] = NOTHING
        else:
            p.above[under] = NOTHING
    for i in range(g.reserve_left):
        p.gets_reserve[rules.reserve_columns[i]] = 1
        card = int(g.reserve[i])
        if not unseen >> np.uint64(card) & _ONE:
            p.column[card] = AT_RESERVE


@compiled
def foresee(table: Table, action: Any) -> None:
    """Write what the position becomes by an action, as a player foresees it, into ``table.after``.

    The reserve is dealt without a look at its cards: a run that it would complete stays. Legal
    actions and the end of the game are not found.
    """
    table.after[0] = table.position[0]
    g, rules = table.after[0], table.rules
    if action != g.below.shape[0] * g.end.shape[0]:
        play(g, rules, action, table.log)
        return
    for i in range(g.reserve_left):
        attach(g, g.reserve[i], rules.reserve_columns[i])
    g.reserve_left = 0
