"""What a player sees, as numbers: one row of seven small integers a card.

=====  ==========  ================================================================
entry  name        meaning
=====  ==========  ================================================================
0      place       0 unknown, 1 tableau, 2 taken with its run, 3 cell, 4 reserve
1      column      column from 1 (cell from 1 for a card in a cell), else 0
2      row         place in its column, from 1 at the base, else 0
3      on_top      how many cards lie on it
4      face_down   how many cards of its column lie face down
5      visible     1 if the player sees its face, else 0
6      to_come     reserve cards not dealt yet, the same in every row
=====  ==========  ================================================================

A card that the player cannot see has zeros in entries 0 to 5. The full observation, for solvers and
for critics with privileged knowledge, gives place, column and row of those cards too, with
`visible` 0; only there `place` is ever 4, and `column` is then where the card will be dealt.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import CARDS_PER_SUIT
from scorpion_env.errors import ScorpionError, unknown
from scorpion_env.kernels.compiled import compiled, inlined
from scorpion_env.kernels.state import CHUNK, FEATURES
from scorpion_env.kernels.tableau import height
from scorpion_env.rules import Rules

PLACE, COLUMN, ROW, ON_TOP, FACE_DOWN, VISIBLE, TO_COME = range(len(FEATURES))

PLACE_UNKNOWN, PLACE_TABLEAU, PLACE_TAKEN, PLACE_CELL, PLACE_RESERVE = range(5)

OBSERVATIONS = ("player", "full")
"""What an environment shows: what a player sees, or every card."""


def observation_code(name: str) -> int:
    """Return 1 for the full observation, 0 for the player's.

    Raises:
        ScorpionError: if there is no observation of that name.
    """
    if name not in OBSERVATIONS:
        raise ScorpionError(unknown("observation", name, OBSERVATIONS))
    return OBSERVATIONS.index(name)


def observation_bounds(rules: Rules) -> npt.NDArray[np.int8]:
    """Return the largest value of each entry, int8 ``(cards, 7)``; the least is 0."""
    bounds = np.zeros((rules.cards, len(FEATURES)), np.int8)
    bounds[:, PLACE] = PLACE_RESERVE
    bounds[:, COLUMN] = max(rules.num_columns, rules.cells)
    bounds[:, ROW] = rules.cards
    bounds[:, ON_TOP] = rules.cards - 1
    bounds[:, FACE_DOWN] = rules.cards - 1  # a board may have more than the deal
    bounds[:, VISIBLE] = 1
    bounds[:, TO_COME] = rules.reserve
    return np.maximum(bounds, 1)  # Gymnasium warns of entries that can take one value only


@inlined
def _clear_row(seen: Any, card: Any) -> None:
    """Set a row to zero, but for the reserve cards to come."""
    for entry in range(TO_COME):
        seen.cards[card, entry] = 0


@compiled
def observe_column(g: Any, seen: Any, column: Any, everything: Any) -> None:
    """Write the rows of a column's cards; those of its hidden cards only if `everything`."""
    down = np.int64(g.down[column])
    cards = height(g, column)
    for row in range(0 if everything else down, cards):
        card = np.uintp(g.pile[column, row])
        seen.cards[card, PLACE] = PLACE_TABLEAU
        seen.cards[card, COLUMN] = column + 1
        seen.cards[card, ROW] = row + 1
        seen.cards[card, ON_TOP] = cards - 1 - row
        seen.cards[card, FACE_DOWN] = down
        seen.cards[card, VISIBLE] = row >= down


@compiled
def observe_run(g: Any, seen: Any, ace: Any) -> None:
    """Write the rows of a run that was taken."""
    card = ace
    for _ in range(CARDS_PER_SUIT):
        _clear_row(seen, card)
        seen.cards[card, PLACE] = PLACE_TAKEN
        seen.cards[card, VISIBLE] = 1
        card = g.below[card]


@compiled
def observe_cells(g: Any, rules: Any, seen: Any) -> None:
    """Write the rows of the cards in cells."""
    for cell in range(rules.cells):
        card = g.cells[cell]
        if card >= 0:
            _clear_row(seen, card)
            seen.cards[card, PLACE] = PLACE_CELL
            seen.cards[card, COLUMN] = cell + 1
            seen.cards[card, VISIBLE] = 1


@compiled
def observe_game(g: Any, rules: Any, seen: Any, everything: Any) -> None:
    """Write every row of an observation, a record of `scorpion_env.kernels.state.seen_dtype`."""
    for card in range(g.below.shape[0]):
        for entry in range(TO_COME + 1):
            seen.cards[card, entry] = 0
    if g.reserve_left:
        for card in range(g.below.shape[0]):
            seen.cards[card, TO_COME] = g.reserve_left
    for column in range(g.end.shape[0]):
        observe_column(g, seen, column, everything)
    for i in range(g.runs if not rules.runs_stay else 0):
        observe_run(g, seen, g.taken[i])
    observe_cells(g, rules, seen)
    if everything:
        for i in range(g.reserve_left):
            seen.cards[g.reserve[i], PLACE] = PLACE_RESERVE
            seen.cards[g.reserve[i], COLUMN] = rules.reserve_columns[i] + 1


@inlined
def observe_move(
    g: Any, rules: Any, seen: Any, card: Any, source: Any, runs: Any, everything: Any
) -> None:
    """Write what a move of cards to a column changed, but for the group that `play` has written.

    Args:
        g: The game after the move.
        rules: Its rules.
        seen: The observation before the move, a record; changed in place.
        card: The card that was moved, with its group.
        source: The column or cell that it came from.
        runs: How many runs had been taken before the move.
        everything: Whether hidden cards are shown.
    """
    columns = g.end.shape[0]
    if source >= columns or (g.runs != runs and not rules.runs_stay):
        observe_game(g, rules, seen, everything)
        return
    target = np.uintp(g.column[card])
    _count_on_top(g, seen, target, np.int64(g.row[card]), everything)
    end = g.end[source]
    if end >= 0 and not seen.cards[end, VISIBLE]:
        observe_column(g, seen, source, everything)
    else:
        _count_on_top(g, seen, source, height(g, source), everything)


@inlined
def _count_on_top(g: Any, seen: Any, column: Any, stop: Any, everything: Any) -> None:
    """Write how many cards lie on each card of a column that is shown, below the row `stop`."""
    upper = height(g, column) - 1
    # In chunks, the last card repeated; see `CHUNK`.
    for start in range(0 if everything else np.int64(g.down[column]), stop, CHUNK):
        for k in range(CHUNK):
            row = min(start + k, stop - 1)
            card = np.uintp(g.pile[np.uintp(column), np.uintp(row)])
            seen.cards[card, ON_TOP] = upper - row
