"""Compiled rollouts: whole games of random or greedy moves, for statistics and for search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scorpion_env.batch.arguments import checked_seed
from scorpion_env.batch.games import Batch
from scorpion_env.cards import ACE, KING
from scorpion_env.deals import EVALUATION_DEALS
from scorpion_env.kernels.compiled import compiled, inlined
from scorpion_env.kernels.play import conclude, is_null, play, start_deal
from scorpion_env.kernels.pointers import pointer
from scorpion_env.kernels.shuffle import GAMMA, mix64
from scorpion_env.kernels.state import BUILD_ANY, PLAYING, WON
from scorpion_env.kernels.tableau import RANK, joins
from scorpion_env.rules import Rules, get_rules

_U32 = np.uint64(32)


@dataclass(frozen=True)
class Rollouts:
    """What the games of a rollout came to.

    Attributes:
        games: Number of games.
        wins: How many were won.
        steps: Actions played in all of them.
        points: The app's points in all of them.
    """

    games: int
    wins: int
    steps: int
    points: int


def random_rollouts(
    rules: str | Rules = "classic",
    first: int = EVALUATION_DEALS,
    games: int = 1000,
    *,
    seed: int = 0,
    null_moves: bool = False,
) -> Rollouts:
    """Play seeded deals ``first``, ``first + 1``, … with moves that are drawn at random.

    Args:
        rules: A preset's name or `Rules`.
        first: Number of the first deal.
        games: Number of games.
        seed: Determines, with the deal, the moves of a game.
        null_moves: Whether null moves, which change nothing, are drawn like all others; without
            them they are played only where nothing else is legal.
    """
    return _rollouts(ALL_MOVES if null_moves else USEFUL_MOVES, rules, first, games, seed)


def greedy_rollouts(
    rules: str | Rules = "classic",
    first: int = EVALUATION_DEALS,
    games: int = 1000,
    *,
    seed: int = 0,
) -> Rollouts:
    """Play seeded deals ``first``, ``first + 1``, … with moves of the best kind there is.

    The kinds, best first: a run is completed, a card is turned, a card is placed, a card goes to a
    cell, the reserve is dealt, a card that lies well already is moved on, a null move, undo. Among
    moves of one kind chance decides; nothing depends on cards that a player does not see. This is
    a quick player for playouts; the greedy agent also weighs the board that a move leaves behind.

    Args:
        rules: A preset's name or `Rules`.
        first: Number of the first deal.
        games: Number of games.
        seed: Determines, with the deal, the moves of a game.
    """
    return _rollouts(BEST_MOVES, rules, first, games, seed)


ALL_MOVES, USEFUL_MOVES, BEST_MOVES = range(3)
"""Which of the legal moves a rollout draws from."""


def _rollouts(policy: int, rules: str | Rules, first: int, games: int, seed: int) -> Rollouts:
    batch = Batch(get_rules(rules), 1)
    wins, steps, points = _play_games(
        batch.games[0],
        batch.rules_record[0],
        batch.log,
        np.uint64(checked_seed(first)),
        games,
        np.uint64(checked_seed(seed)),
        policy,
    )
    return Rollouts(games, wins, steps, points)


# --- random moves -------------------------------------------------------------------------------


@inlined
def draw_below(state: Any, n: Any) -> Any:
    """Return the number from 0 to ``n - 1`` that a state of the generator (uint64) stands for."""
    return np.int64(((mix64(state) >> _U32) * np.uint64(n)) >> _U32)


@inlined
def draw_move(g: Any, rules: Any, state: Any, null_moves: Any) -> Any:
    """Return a random legal action and the next state of the generator (uint64).

    Null moves are drawn like all others, or only where nothing else is legal.
    """
    columns = g.end.shape[0]
    deal = g.below.shape[0] * columns
    while True:
        state += GAMMA
        action = np.int64(g.legal[draw_below(state, g.legal_count)])
        if null_moves or action >= deal or g.end[action % columns] >= 0:
            return action, state
        if not is_null(g, rules, action // columns) or not _has_useful_move(g, rules):
            return action, state


@compiled
def _has_useful_move(g: Any, rules: Any) -> Any:
    columns = g.end.shape[0]
    deal = g.below.shape[0] * columns
    for i in range(g.legal_count):
        action = g.legal[i]
        if action >= deal or g.end[action % columns] >= 0:
            return True
        if not is_null(g, rules, action // columns):
            return True
    return False


# --- greedy moves -------------------------------------------------------------------------------

UNDO, NULL, SHUTTLE, DEAL, TO_CELL, PLACEMENT, FLIP, RUN = range(8)
"""The kinds of action, worst first.

``SHUTTLE`` moves a card that already lies well: off the card that it follows in a run, or from one
card of another suit to the next; played freely, such moves would go round in circles.
"""


@compiled
def draw_greedy_move(g: Any, rules: Any, state: Any) -> Any:
    """Return a random action of the best kind, and the next state of the generator (uint64)."""
    best, count, action = -1, 0, np.int64(0)
    for i in range(g.legal_count):
        kind = kind_of(g, rules, g.legal[i])
        if kind < best:
            continue
        if kind > best:
            best, count = kind, 0
        count += 1
        state += GAMMA
        if draw_below(state, count) == 0:
            action = np.int64(g.legal[i])
    return action, state


@compiled
def kind_of(g: Any, rules: Any, action: Any) -> Any:
    """Return the kind of a legal action, ``UNDO`` to ``RUN``."""
    columns = g.end.shape[0]
    deal = g.below.shape[0] * columns
    if action == deal:
        return DEAL
    if action > deal:
        return UNDO if rules.undo_action and action == rules.num_actions - 1 else TO_CELL
    card, target = action // columns, action % columns
    source = g.column[card]
    if not rules.runs_stay and _completes_run(g, rules, card, source, target):
        return RUN
    if source < columns and g.end[target] < 0 and is_null(g, rules, card):
        return NULL
    return kind_of_leaving(g, rules, card, g.end[target])


@compiled
def kind_of_leaving(g: Any, rules: Any, card: Any, receiver: Any) -> Any:
    """Return the kind of a move by what its card leaves: ``SHUTTLE``, ``PLACEMENT`` or ``FLIP``.

    Args:
        g: The game.
        rules: Its rules.
        card: The card, which lies face up in a column or in a cell.
        receiver: The card that it comes to lie on, or ``NO_CARD``.
    """
    source, under = g.column[card], g.below[card]
    if source >= g.end.shape[0] or under < 0:
        return PLACEMENT
    if not g.playable[under]:
        return FLIP
    if RANK[under] == RANK[card] + 1:
        on_suit = receiver >= 0 and joins(rules, card, receiver)
        if joins(rules, card, under) or (rules.build == BUILD_ANY and not on_suit):
            return SHUTTLE
    return PLACEMENT


@compiled
def _completes_run(g: Any, rules: Any, card: Any, source: Any, target: Any) -> Any:
    """Return whether a run ends the column `target` once a card and its group are there."""
    x = card if source >= g.end.shape[0] else g.end[source]
    if RANK[x] != ACE:
        return False
    while x != card:
        if not joins(rules, x, g.below[x]):
            return False
        x = g.below[x]
    under = g.end[target]
    while RANK[x] != KING:
        if under < 0 or not g.playable[under] or not joins(rules, x, under):
            return False
        x, under = under, g.below[under]
    return True


# --- whole games --------------------------------------------------------------------------------


@compiled
def _play_games(
    g: Any, rules: Any, log: Any, first: Any, games: Any, seed: Any, policy: Any
) -> Any:
    events = pointer(log)
    wins = steps = points = 0
    for i in range(games):
        number = first + np.uint64(i)
        state = mix64(mix64(seed) ^ number)
        start_deal(g, rules, number)
        while g.status == PLAYING:
            if policy == BEST_MOVES:
                action, state = draw_greedy_move(g, rules, state)
            else:
                action, state = draw_move(g, rules, state, policy == ALL_MOVES)
            g.steps += 1
            play(g, rules, action, events)
            conclude(g, rules)
        wins += g.status == WON
        steps += g.steps
        points += g.score
    return wins, steps, points
