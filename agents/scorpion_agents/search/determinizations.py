"""Determinizations: positions whose hidden cards are filled in, to be played on, compiled.

What a player cannot tell apart is an information set: here, all the ways in which the hidden cards
may lie. A determinization is one of them, drawn at random. (The word, and what goes wrong when each
is played as if it were known, are those of I. Frank and D. Basin, "Search in games with incomplete
information: a case study using bridge card play", Artificial Intelligence 100, 1998.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_agents.seen_game import Table, lay_out, read_game
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.play import conclude, is_null, play
from scorpion_env.kernels.shuffle import GAMMA
from scorpion_env.proofs.stubborn_sets import list_moves
from scorpion_env.rollout import draw_below


@compiled
def shuffle(hidden: Any, n: Any, state: Any) -> Any:
    """Shuffle the first `n` of the hidden cards; return the next state of the generator."""
    for i in range(n - 1, 0, -1):
        state += GAMMA
        j = draw_below(state, i + 1)
        hidden[i], hidden[j] = hidden[j], hidden[i]
    return state


@compiled
def determinize(observation: Any, table: Table, n: Any, state: Any) -> Any:
    """Lay out a position, its `n` hidden cards in random order; return the generator's next state.

    Args:
        observation: int8 ``(cards, 7)``.
        table: Its `hidden` holds the hidden cards, and is shuffled.
        n: How many they are.
        state: State of the generator, uint64.
    """
    state = shuffle(table.hidden, n, state)
    lay_out(observation, False, table.hidden, table.rules, table.position[0])
    conclude(table.position[0], table.rules)
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
def find_moves(observation: Any, table: Table, moves: Any) -> Any:
    """Lay the cards of an observation out and list what can be done.

    Args:
        observation: int8 ``(cards, 7)``.
        table: Its `position` and `hidden` are written.
        moves: Written: actions as `list_useful` lists them, int16.

    Returns:
        How many cards are hidden, how many actions there are, and how many of them are useful.
    """
    n = read_game(observation, False, table)
    g = table.position[0]
    conclude(g, table.rules)
    count, useful = list_useful(g, table.rules, moves)
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
def try_action(table: Table, action: Any) -> None:
    """Write what the position becomes by an action into ``table.after``."""
    table.after[0] = table.position[0]
    g = table.after[0]
    g.log_events = g.log_actions = 0
    play(g, table.rules, action, table.log)
    conclude(g, table.rules)
