"""Winnable deals without end: all can be won; seed, place and episode alone decide which."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from scorpion_env import PRESETS, ScorpionEnv, ScorpionError, ScorpionVectorEnv
from scorpion_env.environment import fresh_deals
from scorpion_env.environment.deal_lists import FRESH_WINNABLE
from scorpion_env.kernels.shuffle import episode_deal
from scorpion_env.sb3 import ScorpionVecEnv
from scorpion_env.solver import Solver
from scorpion_env.winnable import QUICK_NODES, next_winnable

GAMES = 6


def expected(seed: int, slot: int, episode: int, rules: str = "classic") -> str:
    """The deal that is asked for, found without the code that finds it ahead."""
    first = int(episode_deal(np.uint64(seed), np.uint64(slot), np.uint64(episode)))
    return str(next_winnable(first, rules, nodes=QUICK_NODES))


def played(env: ScorpionVectorEnv, steps: int, seed: int | None = 3) -> list[list[str]]:
    """The deals that a batch plays under a fixed way to choose moves, one list a game."""
    if seed is not None:
        env.reset(seed=[seed] * env.num_envs)
    found = [[deal] for deal in env.deals]
    for _ in range(steps):
        masks = env.action_masks()
        env.step(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1))
        for deals, deal in zip(found, env.deals, strict=True):
            if deal != deals[-1]:
                deals.append(deal)
    return found


@pytest.mark.parametrize("rules", ["classic", "wasp"])
def test_each_episode_plays_the_first_winnable_deal_from_its_number_on(rules: str) -> None:
    found = played(ScorpionVectorEnv(GAMES, rules, deals=FRESH_WINNABLE, max_steps=20), 100)
    solver = Solver(rules)
    assert min(map(len, found)) > 3
    for slot, deals in enumerate(found):
        assert deals == [expected(3, slot, e + 1, rules) for e in range(len(deals))]
        assert all(solver.solve(int(deal)).verdict == "won" for deal in deals)
        assert all(int(deal) >= 2**32 for deal in deals)


@pytest.mark.parametrize("arguments", [{"num_threads": 2}, {"copy": False}])
def test_they_are_the_same_however_they_are_played(arguments: dict[str, Any]) -> None:
    usual = ScorpionVectorEnv(GAMES, deals=FRESH_WINNABLE)
    other = ScorpionVectorEnv(GAMES, deals=FRESH_WINNABLE, **arguments)
    assert played(usual, 80) == played(other, 80)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_with_the_same_deals(way: Any) -> None:
    env = ScorpionVectorEnv(GAMES, deals=FRESH_WINNABLE, max_steps=20)
    played(env, 25)
    other = way(env)
    assert played(env, 50, None) == played(other, 50, None)


def test_a_forked_process_goes_on_with_the_same_deals() -> None:
    env = ScorpionVectorEnv(GAMES, deals=FRESH_WINNABLE, max_steps=20)
    played(env, 25)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        theirs = pool.apply_async(played, (env, 50, None)).get(timeout=120)
    assert theirs == played(env, 50, None)


def test_the_single_environment_draws_them_too() -> None:
    env = gym.make("Scorpion-v0", deals=FRESH_WINNABLE).unwrapped
    assert isinstance(env, ScorpionEnv)
    env.reset(seed=5)
    found = [env.deal]
    for _ in range(3):
        env.reset()
        found.append(env.deal)
    assert found == [expected(5, 0, episode) for episode in range(1, 5)]
    env.reset(options={"deal": 7})
    assert env.deal == "7"


def test_the_adapter_draws_them_and_can_be_told_otherwise() -> None:
    env = ScorpionVecEnv(GAMES, deals=FRESH_WINNABLE, seed=3, max_steps=10)
    env.reset()
    assert [info["deal"] for info in env.reset_infos] == [expected(3, i, 1) for i in range(GAMES)]
    env.set_deals([17])
    for _ in range(10):
        env.step(env.action_masks().argmax(axis=1))
    assert {info["deal"] for info in env.reset_infos} == {"17"}
    env.set_deals(FRESH_WINNABLE)
    for _ in range(10):
        env.step(env.action_masks().argmax(axis=1))
    assert [info["deal"] for info in env.reset_infos] == [expected(3, i, 3) for i in range(GAMES)]


def test_where_no_deal_is_won_the_search_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh_deals, "MOST_TRIED", 3)
    source = fresh_deals.FreshDeals(PRESETS["classic"], 2, nodes=1)
    env = ScorpionVectorEnv(2)
    env.reset(seed=0)
    with pytest.raises(ScorpionError, match="Of 3 deals of rules 'classic' the solver wins none"):
        source.ready(env._batch.games)
