"""Compiled rollouts play by the rules."""

from __future__ import annotations

import pytest

from scorpion_env import PRESETS
from scorpion_env.rollout import random_rollouts


@pytest.mark.parametrize("preset", PRESETS)
def test_rollouts_end_in_every_preset_and_repeat(preset: str) -> None:
    one = random_rollouts(preset, games=20, seed=1)
    assert one == random_rollouts(preset, games=20, seed=1)
    assert one != random_rollouts(preset, games=20, seed=2)
    assert 0 < one.steps <= 20 * PRESETS[preset].max_steps


def test_a_random_player_wins_about_one_deal_in_fifty() -> None:
    """2.2 % is known from independent engines; without rule 5's king move it would be 0.9 %."""
    rollouts = random_rollouts("classic", games=20_000)
    assert 0.019 < rollouts.wins / rollouts.games < 0.025


def test_null_moves_are_drawn_only_on_request() -> None:
    with_them = random_rollouts("classic", games=2000, null_moves=True)
    without = random_rollouts("classic", games=2000)
    assert with_them.steps > without.steps
    # A Classic game without null moves has at most 48 placements, one deal and 4 + 4 king moves
    # for each run that a king carries away.
    assert without.steps < 60 * 2000
