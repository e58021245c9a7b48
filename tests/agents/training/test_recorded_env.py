"""Games in flight come back from their deals and the actions played in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scorpion_agents.training.recorded_env import RecordedVecEnv
from scorpion_env import PRESETS, ScorpionError

STALE = {"legal", "pile", "reported", "points", "points_again", "illegal"}
"""What earlier steps and games left in a record, which is written before it is read again."""


def play(env: RecordedVecEnv, rng: np.random.Generator, steps: int) -> list[Any]:
    """Play legal actions, now and then any; return all that was seen."""
    found = []
    for _ in range(steps):
        masks = env.action_masks()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        careless = rng.random(len(actions)) < 0.05
        actions[careless] = rng.integers(masks.shape[1], size=careless.sum())
        seen, rewards, dones, infos = env.step(actions)
        episodes = [
            info["episode"]["r"] if "episode" in info else None for info in infos
        ]  # the return since the start, from before the interruption too
        found.append((seen, rewards, dones, env.action_masks(), episodes))
    return found


@pytest.mark.parametrize("rules", PRESETS)
def test_interrupted_games_go_on_as_if_they_had_not_been(rules: str) -> None:
    arguments: dict[str, Any] = {"seed": 3, "max_steps": 150, "reward": "points-once"}
    env = RecordedVecEnv(6, rules, **arguments)
    env.reset()
    play(env, np.random.default_rng(0), 220)
    games = env.games_in_flight()
    assert games["lengths"].max() > 5
    other = RecordedVecEnv(6, rules, **arguments)
    seen = other.resume_games(games)
    np.testing.assert_array_equal(seen, env._batch.seen)
    np.testing.assert_array_equal(other.action_masks(), env.action_masks())
    for name in set(env._batch.games.dtype.names or ()) - STALE:
        np.testing.assert_array_equal(other._batch.games[name], env._batch.games[name], name)
    assert [other._batch.board(i) for i in range(6)] == [env._batch.board(i) for i in range(6)]
    again = other.games_in_flight()
    for name, array in games.items():
        np.testing.assert_array_equal(again[name], array)
    rng = (np.random.default_rng(1), np.random.default_rng(1))
    for one, two in zip(play(env, rng[0], 160), play(other, rng[1], 160), strict=True):
        for a, b in zip(one, two, strict=True):
            np.testing.assert_array_equal(a, b)


def test_games_keep_their_deals_when_later_ones_are_drawn_from_a_list() -> None:
    env = RecordedVecEnv(4, "classic", seed=0)
    env.reset()
    env.set_deals([2_000_000, 2_000_001])
    play(env, np.random.default_rng(0), 9)
    other = RecordedVecEnv(4, "classic", seed=0, deals=[2_000_000, 2_000_001])
    np.testing.assert_array_equal(other.resume_games(env.games_in_flight()), env._batch.seen)
    rng = (np.random.default_rng(1), np.random.default_rng(1))
    for one, two in zip(play(env, rng[0], 40), play(other, rng[1], 40), strict=True):
        np.testing.assert_array_equal(one[0], two[0])


def test_no_deal_of_an_evaluation_comes_back_whatever_the_file_says() -> None:
    env = RecordedVecEnv(4, "classic", seed=0)
    env.reset()
    games = env.games_in_flight()
    games["deals"][2] = 7
    with pytest.raises(ScorpionError, match="damaged"):
        env.resume_games(games)


def test_games_that_have_ended_are_not_in_flight() -> None:
    env = RecordedVecEnv(1, "classic", seed=0)
    env.reset()
    rng = np.random.default_rng(0)
    games, dones = env.games_in_flight(), np.array([False])
    action = np.array([0])
    while not dones[0]:
        games = env.games_in_flight()
        action = rng.choice(np.flatnonzero(env.action_masks()[0]), size=1)
        _, _, dones, _ = env.step(action)
    env.resume_games(games)
    games["lengths"] = games["lengths"] + 1
    games["actions"] = np.append(games["actions"], action)
    with pytest.raises(ScorpionError, match="ends the game"):
        env.resume_games(games)
