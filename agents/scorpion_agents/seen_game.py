"""An observation laid back on a table: the one reading of a position, on the engine's own record.

Whoever reads a position here can go on with the engine's kernels: it has no rules of its own. Of
what a player does not see, the record shows nothing that the observation does not tell: where cards
lie face down, and the reserve, are the hidden cards, in the order of their numbers unless the
caller says otherwise. A card that is not `playable` in a column is such a card; who reads what a
player sees must not ask which.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.observation import (
    COLUMN,
    FACE_DOWN,
    ON_TOP,
    PLACE,
    PLACE_CELL,
    PLACE_RESERVE,
    PLACE_TABLEAU,
    PLACE_TAKEN,
    PLACE_UNKNOWN,
    ROW,
    TO_COME,
    VISIBLE,
)
from scorpion_env.kernels.play import clear
from scorpion_env.kernels.state import (
    NO_CARD,
    TAKEN,
    encode_rules,
    game_dtype,
    legal_capacity,
)
from scorpion_env.rules import Rules


class Table(NamedTuple):
    """Where a position is laid out and played on; Python and the kernels share it.

    Attributes:
        rules: A ``RULES_DTYPE`` record.
        position: A record of a game, ``(1,)``: the position that was read.
        after: Likewise: what an action makes of it.
        hidden: The cards that the observation does not show, int8 ``(cards,)``.
        log: The undo log, int32; empty if nothing is to be taken back.
    """

    rules: Any
    position: Any
    after: Any
    hidden: npt.NDArray[np.int8]
    log: npt.NDArray[np.int32]


@cache
def _encoded(rules: Rules) -> np.void:
    return encode_rules(rules)[0]


def new_table(rules: Rules, *, conclusive: bool = False) -> Table:
    """Return an empty table for a variant, with an empty log; the record of the rules is shared.

    Args:
        rules: The variant.
        conclusive: Whether there is room for legal actions, so that `conclude` can find them. Most
            who read a position have a mask; without that room, more variants are alike to numba.
    """
    legal = legal_capacity(rules) if conclusive else 1
    dtype = game_dtype(rules.cards, rules.num_columns, legal)
    return Table(
        rules=_encoded(rules),
        position=np.zeros(1, dtype),
        after=np.zeros(1, dtype),
        hidden=np.zeros(rules.cards, np.int8),
        log=np.zeros(0, np.int32),
    )


@compiled
def find_hidden(observation: Any, everything: Any, hidden: Any) -> Any:
    """List the cards of which an observation does not say where they lie.

    Args:
        observation: int8 ``(cards, 7)``, the player's or the full one.
        everything: Whether to use what a full observation says of cards that nobody sees.
        hidden: Written: the cards, in ascending order, int8.

    Returns:
        How many they are.
    """
    n = 0
    for card in range(observation.shape[0]):
        shown = observation[card, VISIBLE] != 0
        if everything:
            shown = observation[card, PLACE] != PLACE_UNKNOWN
        if not shown:
            hidden[n] = card
            n += 1
    return n


@compiled
def lay_out(observation: Any, everything: Any, hidden: Any, rules: Any, g: Any) -> None:
    """Put the cards on the table of a game as an observation shows them.

    Args:
        observation: int8 ``(cards, 7)``, the player's or the full one.
        everything: Whether to use what a full observation says of cards that nobody sees.
        hidden: The cards that `find_hidden` lists, in the order in which they are to lie where the
            observation shows no card: face down, column by column from the base, then in reserve.
        rules: The rules.
        g: The game, overwritten; its legal actions are not found, points and steps are 0.
    """
    clear(g)
    columns = g.end.shape[0]
    g.reserve_left = observation[0, TO_COME]
    if everything:
        g.pile[:] = NO_CARD
    for card in range(observation.shape[0]):
        place = observation[card, PLACE]
        if place == PLACE_TAKEN:
            _take(g, card)
        elif place == PLACE_CELL:
            cell = observation[card, COLUMN] - 1
            g.cells[cell] = card
            g.column[card] = columns + cell
            g.playable[card] = 1
        elif place == PLACE_TABLEAU and (everything or observation[card, VISIBLE]):
            column = observation[card, COLUMN] - 1
            row = observation[card, ROW] - 1
            g.pile[column, row] = card
            if observation[card, ON_TOP] == 0:
                g.end[column] = card
                g.row[card] = row
                g.down[column] = observation[card, FACE_DOWN]
        elif place == PLACE_RESERVE and everything:
            for i in range(g.reserve_left):
                if rules.reserve_columns[i] == observation[card, COLUMN] - 1:
                    g.reserve[i] = card
    n = 0
    for column in range(columns):
        end = g.end[column]
        if end == NO_CARD:
            continue
        under = NO_CARD
        for row in range(g.row[end] + 1):
            down = row < g.down[column]
            if down and (not everything or g.pile[column, row] == NO_CARD):
                g.pile[column, row] = hidden[n]
                n += 1
            card = g.pile[column, row]
            g.column[card], g.row[card], g.below[card] = column, row, under
            g.playable[card] = not down
            under = card
    for i in range(g.reserve_left):
        if g.reserve[i] == NO_CARD:
            g.reserve[i] = hidden[n]
            n += 1


@compiled
def _take(g: Any, card: Any) -> None:
    """Put a card of a run that was taken away; an observation finds the run by its links."""
    g.column[card] = TAKEN
    g.below[card] = NO_CARD if card % CARDS_PER_SUIT == KING else card + 1
    if card % CARDS_PER_SUIT == 0:
        g.taken[g.runs] = card
        g.runs += 1


@compiled
def read_game(observation: Any, everything: Any, table: Table) -> Any:
    """Lay an observation out in ``table.position``, the hidden cards in ascending order.

    Args:
        observation: int8 ``(cards, 7)``, the player's or the full one.
        everything: Whether to use what a full observation says of cards that nobody sees.
        table: Its `hidden` is written, too.

    Returns:
        How many cards are hidden.
    """
    n = find_hidden(observation, everything, table.hidden)
    lay_out(observation, everything, table.hidden, table.rules, table.position[0])
    return n
