"""The native vector environment plays the same games, and keeps Gymnasium's conventions."""

from __future__ import annotations

import pickle
import tracemalloc
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space

from scorpion_env import PRESETS, Game, ScorpionEnv, ScorpionError, ScorpionVectorEnv
from scorpion_env.kernels.observation import TO_COME


def make_env(rules: str = "classic", **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("scorpion_env:Scorpion-v0", rules=rules, **kwargs)


def random_actions(rng: np.random.Generator, masks: Any) -> Any:
    return (rng.random(masks.shape) * masks).argmax(axis=1)


@pytest.mark.parametrize("preset", PRESETS)
def test_games_are_bit_equal_to_scalar_ones(preset: str) -> None:
    size = 5
    vector = ScorpionVectorEnv(size, preset, autoreset_mode=AutoresetMode.DISABLED, max_steps=80)
    scalars = [ScorpionEnv(preset, max_steps=80) for _ in range(size)]
    rng = np.random.default_rng(0)
    observations, _ = vector.reset(seed=10)
    for i, env in enumerate(scalars):
        assert (env.reset(seed=10 + i)[0] == observations[i]).all()
    over = np.zeros(size, bool)
    while not over.all():
        actions = random_actions(rng, vector.action_masks())
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        for i in np.flatnonzero(~over).tolist():
            observation, reward, end, cut, info = scalars[i].step(actions[i])
            assert (observation == observations[i]).all()
            assert (reward, end, cut) == (rewards[i], terminated[i], truncated[i])
            for key in ("score", "runs", "moves"):
                assert info[key] == infos[key][i]
            assert (info["action_mask"] == infos["action_mask"][i]).all()
            if end or cut:
                assert infos["_outcome"][i]
                assert infos["outcome"][i] == info["outcome"]
                assert infos["is_success"][i] == info["is_success"]
        over = terminated | truncated


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
def test_autoreset_is_gymnasiums_own(mode: str) -> None:
    """Against SyncVectorEnv over scalar environments, whose deals are made the same."""
    autoreset = AutoresetMode[mode]
    size, steps = 3, 250
    native = ScorpionVectorEnv(size, autoreset_mode=autoreset)
    sync = SyncVectorEnv([make_env] * size, autoreset_mode=autoreset)
    ours: Any = native.reset(seed=5)
    theirs: Any = sync.reset(seed=5)
    rng = np.random.default_rng(3)
    ended = 0
    for _ in range(steps):
        compare(ours, theirs)
        actions = random_actions(rng, ours[-1]["action_mask"])
        ours, theirs = native.step(actions), sync.step(actions)
        over = ours[2] | ours[3]
        ended += int(over.sum())
        if over.any():
            # The scalar environments sit at place 0 each, so later deals differ; play theirs too.
            compare_ends(ours, theirs)
            native = ScorpionVectorEnv(size, autoreset_mode=autoreset)
            seed = int(rng.integers(1000))
            ours, theirs = native.reset(seed=seed), sync.reset(seed=seed)
    assert ended > 5


def compare(ours: Any, theirs: Any) -> None:
    for one, two in zip(ours[:-1], theirs[:-1], strict=True):
        assert one.dtype == two.dtype
        assert (one == two).all()
    for key in ("score", "runs", "moves", "action_mask", "_score", "_action_mask"):
        assert (ours[-1][key] == theirs[-1][key]).all()
        assert ours[-1][key].dtype == theirs[-1][key].dtype


def compare_ends(ours: Any, theirs: Any) -> None:
    over = ours[2] | ours[3]
    for i in (1, 2, 3):
        assert (ours[i] == theirs[i]).all()
    if "final_info" not in theirs[-1]:
        final, expected = ours[-1], theirs[-1]
    else:
        final, expected = ours[-1]["final_info"], theirs[-1]["final_info"]
        assert (ours[-1]["_final_info"] == over).all()
        assert (theirs[-1]["_final_info"] == over).all()
        for one, two in zip(ours[-1]["final_obs"], theirs[-1]["final_obs"], strict=True):
            assert (one is None) == (two is None)
            assert one is None or (one == two).all()
    for key, value in expected.items():
        if key.removeprefix("_") != "deal":
            assert (final[key] == value).all(), key
    assert (final["_outcome"] == over).all()


def test_next_step_rows_show_the_new_game() -> None:
    vector = ScorpionVectorEnv(1, autoreset_mode="NEXT_STEP", max_steps=2)
    vector.reset(seed=1)
    vector.step(np.array([364]))
    _, _, _, truncated, infos = vector.step(np.array([364]))
    assert truncated[0]
    assert infos["action_mask"].all()
    assert infos["illegal_action"][0] == 364
    observation, rewards, terminated, truncated, infos = vector.step(np.array([364]))
    assert (rewards[0], terminated[0], truncated[0], infos["score"][0]) == (0, False, False, 0)
    assert "outcome" not in infos
    assert (observation[:, :, TO_COME] == 3).all()
    assert not infos["action_mask"].all()


def test_finished_games_hold_still_until_they_are_reset() -> None:
    vector = ScorpionVectorEnv(2, autoreset_mode="DISABLED", max_steps=1)
    vector.reset(seed=1)
    vector.step(np.array([364, 0]))
    observation, rewards, _, truncated, _ = vector.step(np.array([0, 0]))
    assert truncated.all()
    assert not rewards.any()
    again, infos = vector.reset(options={"reset_mask": np.array([True, False])})
    assert (again[1] == observation[1]).all()
    assert infos["_score"].tolist() == [True, False]
    assert int(vector.deals[0]) >= 2**32
    assert vector.deals[1] == "2"


def test_resets_choose_deals() -> None:
    vector = ScorpionVectorEnv(3)
    vector.reset(options={"deal": [7, "pysol:24", "5"]})
    assert vector.deals == ["7", "pysol:24", "5"]
    vector.reset(options={"deal": "9"})
    assert vector.deals == ["9"] * 3
    vector.reset(seed=[4, 4, 8])
    assert vector.deals == ["4", "4", "8"]
    text = Game.new("pysol:24").to_text()
    vector.reset(options={"board": text})
    assert vector._batch.board(2) == Game.from_text(text).board()
    vector.reset(seed=100)
    vector.reset(seed=50, options={"reset_mask": np.array([False, True, False]), "deal": [1, 2, 3]})
    assert vector.deals == ["100", "2", "102"]


def test_parallel_games_and_later_games_all_differ() -> None:
    vector = ScorpionVectorEnv(50)
    deals: list[str] = []
    vector.reset(seed=0)
    for _ in range(3):
        vector.reset()
        deals += vector.deals
    assert len(set(deals)) == 150
    assert min(map(int, deals)) >= 2**32


def test_deals_do_not_depend_on_who_ends_first() -> None:
    def third_deal(steps: int) -> str:
        vector = ScorpionVectorEnv(2, max_steps=steps)
        vector.reset(seed=6)
        for _ in range(2 * steps):
            vector.step(np.array([0, 0]))
        return vector.deals[1]

    assert third_deal(1) == third_deal(4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda v: v.reset(seed=[1]), "1 seeds for 2 games"),
        (lambda v: v.reset(options={"deals": 7}), "Did you mean 'deal'"),
        (lambda v: v.reset(options={"deal": [7]}), "1 deals for 2 games"),
        (lambda v: v.reset(options={"reset_mask": np.zeros(2, bool)}), "reset_mask"),
        (lambda v: v.reset(options={"reset_mask": np.ones(2)}), "reset_mask"),
        (lambda v: v.reset(seed=-1), "seed"),
        (lambda v: v.step(np.array([0, 365])), "outside the action space"),
        (lambda v: v.step(np.array([0])), "shape"),
        (lambda v: v.step(np.array([0.0, 1.0])), "whole numbers"),
    ],
)
def test_bad_calls_are_refused(call: Any, words: str) -> None:
    vector = ScorpionVectorEnv(2)
    vector.reset(seed=0)
    with pytest.raises(ScorpionError, match=words):
        call(vector)
    assert vector.deals == ["0", "1"]
    with pytest.raises(ScorpionError, match="Did you mean 'SAME_STEP'"):
        ScorpionVectorEnv(2, autoreset_mode="same_stop")
    misspelt: Any = {"cpy": True}
    with pytest.raises(TypeError, match="Did you mean 'copy'"):
        ScorpionVectorEnv(2, **misspelt)


def test_illegal_actions_that_end_a_game_are_named_in_its_final_info() -> None:
    vector = ScorpionVectorEnv(2, illegal_action="terminate")
    vector.reset(seed=7)
    _, rewards, terminated, _, infos = vector.step(np.array([0, 364]))
    assert terminated.tolist() == [True, False]
    assert infos["final_info"]["illegal_action"][0] == 0
    assert infos["final_info"]["_illegal_action"].tolist() == [True, False]
    assert infos["final_info"]["outcome"].tolist() == ["lost", None]
    assert rewards[0] == 0
    assert "illegal_action" not in infos


def test_an_illegal_action_of_one_game_is_not_said_of_another_that_ends() -> None:
    vector = ScorpionVectorEnv(2, max_steps=2)
    vector.reset(seed=1)
    vector.step(vector.action_masks().argmax(1))
    vector.reset(options={"reset_mask": np.array([False, True])})
    legal = vector.action_masks()[0].argmax()
    infos = vector.step(np.array([legal, 0]))[-1]
    assert infos["_final_info"].tolist() == [True, False]
    assert infos["_illegal_action"].tolist() == [False, True]
    assert "illegal_action" not in infos["final_info"]


def test_render_returns_a_text_for_each_game() -> None:
    vector = ScorpionVectorEnv(2, render_mode="ansi")
    vector.reset(seed=1)
    texts = vector.render()
    assert texts is not None
    assert len(texts) == 2
    assert texts[0] != texts[1]


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_async_vector_environments_work(context: str) -> None:
    vector = AsyncVectorEnv([partial(make_env, "wasp")] * 2, context=context)
    try:
        _, infos = vector.reset(seed=3)
        expected, _ = ScorpionVectorEnv(2, "wasp").reset(seed=3)
        actions = random_actions(np.random.default_rng(0), infos["action_mask"])
        native = ScorpionVectorEnv(2, "wasp")
        native.reset(seed=3)
        assert (vector.step(actions)[0] == native.step(actions)[0]).all()
        assert (expected[:, :, TO_COME] == 3).all()
    finally:
        vector.close()


def test_a_seeded_reset_forgets_the_name_of_an_earlier_deal() -> None:
    vector = ScorpionVectorEnv(2)
    vector.reset(options={"deal": "pysol:24"})
    vector.reset(seed=5)
    assert vector.deals == ["5", "6"]


def test_nothing_can_be_rendered_before_the_first_reset() -> None:
    with pytest.raises(gym.error.ResetNeeded, match=r"before envs\.render\(\)"):
        ScorpionVectorEnv(2, render_mode="ansi").render()


def test_masks_of_ended_games_are_full_and_of_others_empty() -> None:
    vector = ScorpionVectorEnv(2, illegal_action="terminate")
    vector.reset(seed=7)
    infos = vector.step(np.array([0, 364]))[4]
    mask = infos["final_info"]["action_mask"]
    assert mask.shape == (2, 365)
    assert mask.dtype == np.int8
    assert mask.all(axis=1).tolist() == [True, False]
    assert not mask[1].any()


def test_the_observation_space_is_gymnasiums_own_batch_of_the_single_one() -> None:
    vector = ScorpionVectorEnv(3)
    ours: Any = vector.observation_space
    theirs = batch_space(vector.single_observation_space, 3)
    assert ours == theirs
    assert repr(ours) == repr(theirs)
    assert (ours.sample() <= ours.high).all()
    assert vector.reset(seed=0)[0] in ours
    assert pickle.loads(pickle.dumps(ours)) == theirs


def test_a_game_of_classic_costs_at_most_two_kilobytes() -> None:
    def stepped(size: int) -> ScorpionVectorEnv:
        vector = ScorpionVectorEnv(size)
        vector.reset(seed=0)
        vector.step(np.full(size, 364))
        return vector

    size = 4096
    stepped(1)  # what is compiled or loaded now is not counted
    tracemalloc.start()
    vector = stepped(size)
    assert vector.num_envs == size
    allocated = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert allocated <= 2048 * size
