"""The random player."""

from __future__ import annotations

import numpy as np

from scorpion_agents import RandomAgent
from scorpion_agents.base import null_moves
from scorpion_env import get_rules
from support.played import positions

# --- random


def test_random_is_uniform_over_useful_actions() -> None:
    agent = RandomAgent(get_rules("classic"))
    draws = (np.arange(1200) + 0.5) / 1200
    for observations, masks, _ in positions(agent, games=3, steps=10):
        useful = masks & ~null_moves(observations, masks, agent.rules)
        for game, mask in enumerate(useful):
            rows = np.full(len(draws), game)
            actions = agent.act(observations[rows], masks[rows], draws)
            found, counts = np.unique(actions, return_counts=True)
            assert (found == np.flatnonzero(mask)).all()
            assert counts.max() - counts.min() <= 1


def test_the_largest_draw_picks_the_last_action() -> None:
    agent = RandomAgent(get_rules("classic"))
    for observations, masks, _ in positions(agent, games=1, steps=1):
        largest = np.array([np.nextafter(1.0, 0.0)])
        last = np.flatnonzero(masks[0])[-1]
        assert agent.act(observations, masks, largest) == last
