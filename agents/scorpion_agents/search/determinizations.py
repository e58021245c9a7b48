"""Positions as a player sees them, laid on a table to be played on, compiled."""

from __future__ import annotations

from typing import Any

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
    ROW,
    TO_COME,
    VISIBLE,
)
from scorpion_env.kernels.play import clear, conclude, is_null, play
from scorpion_env.kernels.shuffle import GAMMA
from scorpion_env.kernels.state import IN_RESERVE, NO_CARD, TAKEN
from scorpion_env.proofs.stubborn_sets import list_moves
from scorpion_env.rollout import draw_below

UNSEEN = -1


@compiled
def find_hidden(observation: Any, hidden: Any) -> Any:
    """Write the cards that a player does not see into `hidden`, int8; return how many."""
    n = 0
    for card in range(observation.shape[0]):
        if not observation[card, VISIBLE]:
            hidden[n] = card
            n += 1
    return n


@compiled
def lay_out(observation: Any, hidden: Any, rules: Any, g: Any) -> None:
    """Put the cards on the table of a game as an observation shows them.

    Args:
        observation: int8 ``(cards, 7)``; of a full one, what it says of hidden cards is not used.
        hidden: The cards that lie face down, column by column from the base, and then those of the
            reserve, int8.
        rules: The rules.
        g: The game, overwritten; its legal actions are found, points and steps are 0.
    """
    clear(g)
    columns = g.end.shape[0]
    for column in range(columns):
        g.pile[column, :] = UNSEEN
    for card in range(observation.shape[0]):
        place = observation[card, PLACE]
        if place == PLACE_TAKEN:
            g.column[card] = TAKEN
            # An observation finds a taken run by its links, from the ace to the king.
            g.below[card] = NO_CARD if card % CARDS_PER_SUIT == KING else card + 1
            if card % CARDS_PER_SUIT == 0:
                g.taken[g.runs] = card
                g.runs += 1
        elif place == PLACE_CELL:
            cell = observation[card, COLUMN] - 1
            g.cells[cell] = card
            g.column[card] = columns + cell
            g.below[card] = NO_CARD
            g.playable[card] = 1
        elif place == PLACE_TABLEAU and observation[card, VISIBLE]:
            column = observation[card, COLUMN] - 1
            g.pile[column, observation[card, ROW] - 1] = card
            g.down[column] = observation[card, FACE_DOWN]
            if observation[card, ON_TOP] == 0:
                g.end[column] = card
                g.row[card] = observation[card, ROW] - 1
    n = 0
    for column in range(columns):
        end = g.end[column]
        if end == NO_CARD:
            continue
        under = NO_CARD
        for row in range(g.row[end] + 1):
            if row < g.down[column]:
                g.pile[column, row] = hidden[n]
                n += 1
            card = g.pile[column, row]
            g.column[card], g.row[card], g.below[card] = column, row, under
            g.playable[card] = row >= g.down[column]
            under = card
    g.reserve_left = observation[0, TO_COME]
    for i in range(g.reserve_left):
        card = hidden[n]
        n += 1
        g.reserve[i] = card
        g.column[card] = IN_RESERVE
        g.below[card] = NO_CARD
        g.playable[card] = 0
    conclude(g, rules)


@compiled
def hidden_as_shown(observation: Any, rules: Any, g: Any, hidden: Any) -> Any:
    """Write the hidden cards as a full observation of `g` tells them, as `lay_out` wants them."""
    n = 0
    for column in range(g.end.shape[0]):
        height = 0
        for card in range(observation.shape[0]):
            shown = observation[card, PLACE] == PLACE_TABLEAU
            if shown and observation[card, COLUMN] == column + 1 and not observation[card, VISIBLE]:
                hidden[n + observation[card, ROW] - 1] = card
                height += 1
        n += height
    for i in range(observation[0, TO_COME]):
        for card in range(observation.shape[0]):
            reserve = observation[card, PLACE] == PLACE_RESERVE
            if reserve and observation[card, COLUMN] == rules.reserve_columns[i] + 1:
                hidden[n] = card
        n += 1
    return n


@compiled
def shuffle(hidden: Any, n: Any, state: Any) -> Any:
    """Shuffle the first `n` of the hidden cards; return the next state of the generator."""
    for i in range(n - 1, 0, -1):
        state += GAMMA
        j = draw_below(state, i + 1)
        hidden[i], hidden[j] = hidden[j], hidden[i]
    return state


@compiled
def list_useful(g: Any, rules: Any, moves: Any) -> Any:
    """Write the legal actions, one of those that are alike, null moves last.

    A null move can be taken back, and two of them in turn would go on for ever.

    Returns:
        How many there are, and how many of them are no null moves.
    """
    n = list_moves(g, rules, moves)
    useful = 0
    for i in range(n):
        action = moves[i]
        if not changes_little(g, rules, action):
            moves[i] = moves[useful]
            moves[useful] = action
            useful += 1
    return n, useful


@compiled
def changes_little(g: Any, rules: Any, action: Any) -> Any:
    """Return whether an action is a null move."""
    columns = g.end.shape[0]
    if action >= g.below.shape[0] * columns or g.end[action % columns] >= 0:
        return False
    return is_null(g, rules, action // columns)


@compiled
def find_moves(observation: Any, rules: Any, g: Any, hidden: Any, moves: Any) -> Any:
    """Lay the cards of an observation on the table of a game and list what can be done.

    Args:
        observation: int8 ``(cards, 7)``.
        rules: The rules.
        g: The game, overwritten; its hidden cards lie in some order.
        hidden: Written: the cards that a player does not see, int8.
        moves: Written: actions as `list_useful` lists them, int16.

    Returns:
        How many cards are hidden, how many actions there are, and how many of them are useful.
    """
    n = find_hidden(observation, hidden)
    lay_out(observation, hidden, rules, g)
    count, useful = list_useful(g, rules, moves)
    return n, count, useful


def moves_in_mask(
    moves: npt.NDArray[np.int16], useful: int, mask: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int16], int]:
    """Return which moves a mask allows, and how many of them are useful.

    Args:
        moves: Actions as `list_useful` lists them, int16 ``(n,)``.
        useful: How many of them, the first, are no null moves.
        mask: Allowed actions, bool ``(num_actions,)``; not all legal ones need be.

    Returns:
        A new array, and the number. Where none of `moves` is allowed, but others that are alike,
        all that are allowed, as if they were useful.
    """
    kept = mask[moves]
    if kept.any():
        return moves[kept], int(kept[:useful].sum())
    others = np.flatnonzero(mask).astype(np.int16)
    return others, len(others)


@compiled
def try_action(games: Any, rules: Any, action: Any, log: Any) -> None:
    """Make the first game of a batch what the second is after an action."""
    games[0] = games[1]
    g = games[0]
    g.log_events = g.log_actions = 0
    play(g, rules, action, log)
    conclude(g, rules)
