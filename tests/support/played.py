"""Positions from random games, as environments show them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from scorpion_env import Rules, ScorpionVectorEnv
from scorpion_env.kernels.observation import TO_COME, VISIBLE

FIRST_DEAL = 1_000_000
"""Deals from here on may be used to look at how agents play; those below measure them."""


def random_positions(rules: Rules, games: int, steps: int) -> Iterator[tuple[Any, Any]]:
    """The environment and what it shows in full, game by game, before each random step."""
    env = ScorpionVectorEnv(games, rules, observation="full", autoreset_mode="Disabled")
    seen, _ = env.reset(seed=FIRST_DEAL)
    rng = np.random.default_rng(0)
    live = np.ones(games, bool)
    for _ in range(steps):
        masks = env.action_masks()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        yield (seen[live], masks[live], actions[live]), live
        seen, _, terminated, truncated, _ = env.step(actions)
        live &= ~(terminated | truncated)
        if not live.any():
            return


def as_a_player_sees(observations: Any) -> Any:
    """Full observations without what a player does not see."""
    hidden = observations[:, :, VISIBLE] == 0
    shown = observations.copy()
    shown[hidden, :TO_COME] = 0
    return shown
