"""Compiled rollouts: whole games of random moves, for statistics and for search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scorpion_env.batch import Batch, checked_seed
from scorpion_env.compiled import compiled, inlined
from scorpion_env.deals import EVALUATION_DEALS, GAMMA, mix64
from scorpion_env.kernels import conclude, is_null, play, start_deal
from scorpion_env.pointers import pointer
from scorpion_env.rules import Rules, get_rules
from scorpion_env.state import PLAYING, WON

_U32 = np.uint64(32)


@dataclass(frozen=True)
class Rollouts:
    """What random games came to.

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
    batch = Batch(get_rules(rules), 1)
    wins, steps, points = _play_games(
        batch.games[0],
        batch.rules_record[0],
        batch.log,
        np.uint64(checked_seed(first)),
        games,
        np.uint64(checked_seed(seed)),
        null_moves,
    )
    return Rollouts(games, wins, steps, points)


@inlined
def draw_move(g: Any, rules: Any, state: Any, null_moves: Any) -> Any:
    """Return a random legal action and the next state of the generator (uint64)."""
    columns = g.end.shape[0]
    deal = g.below.shape[0] * columns
    while True:
        state += GAMMA
        i = np.int64(((mix64(state) >> _U32) * np.uint64(g.legal_count)) >> _U32)
        action = np.int64(g.legal[i])
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


@compiled
def _play_games(
    g: Any, rules: Any, log: Any, first: Any, games: Any, seed: Any, null_moves: Any
) -> Any:
    log = pointer(log)
    wins = steps = points = 0
    for i in range(games):
        number = first + np.uint64(i)
        state = mix64(mix64(seed) ^ number)
        start_deal(g, rules, number)
        while g.status == PLAYING:
            action, state = draw_move(g, rules, state, null_moves)
            g.steps += 1
            play(g, rules, action, log)
            conclude(g, rules)
        wins += g.status == WON
        steps += g.steps
        points += g.score
    return wins, steps, points
