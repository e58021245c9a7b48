"""The Stable-Baselines3 adapter."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor, VecNormalize

from scorpion_env import PRESETS, ScorpionEnv, ScorpionError, ScorpionVectorEnv
from scorpion_env.deals import EVALUATION_DEALS
from scorpion_env.sb3 import ScorpionVecEnv


def make_env() -> gym.Env[Any, Any]:
    return gym.make("scorpion_env:Scorpion-v0")


def random_actions(rng: np.random.Generator, masks: Any) -> Any:
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def test_masks_are_found_and_stack_to_one_copy() -> None:
    env = ScorpionVecEnv(4, seed=0)
    env.reset()
    assert is_masking_supported(env)
    assert not env.has_attr("no_such_attribute")
    masks = get_action_masks(env)
    assert masks.shape == (4, 365)
    assert masks.dtype == np.bool_
    assert np.stack(env.env_method("action_masks", indices=[2])).tolist() == [masks[2].tolist()]
    with pytest.raises(AttributeError, match="no method 'no_such_method'"):
        env.env_method("no_such_method")


def test_masks_are_a_list_of_arrays_that_numpy_stacks_in_any_way() -> None:
    env = ScorpionVecEnv(3, seed=0)
    env.reset()
    masks = env.env_method("action_masks")
    expected = env.action_masks()
    assert isinstance(masks, list)
    assert [mask.tolist() for mask in masks] == expected.tolist()
    stacked = np.stack(masks)
    assert type(stacked) is np.ndarray
    assert not np.shares_memory(stacked, masks[0])
    assert (stacked == expected).all()
    assert (np.stack(masks[1:]) == expected[1:]).all()
    assert (np.stack(masks[:2]) == expected[:2]).all()
    assert (np.stack(masks, axis=1) == expected.T).all()
    assert (np.concatenate(masks) == expected.ravel()).all()
    stacked[:] = True
    assert (env.action_masks() == expected).all()


def test_results_are_the_same_for_two_threads() -> None:
    one, two = (ScorpionVecEnv(5, seed=4, max_steps=9, num_threads=n) for n in (1, 2))
    assert (one.reset() == two.reset()).all()
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = random_actions(rng, get_action_masks(one))
        ours: Any = one.step(actions)
        theirs: Any = two.step(actions)
        for a, b in zip(ours[:3], theirs[:3], strict=True):
            assert (a == b).all()
        for a, b in zip(ours[3], theirs[3], strict=True):
            assert a.keys() == b.keys()
            assert a.get("score") == b.get("score")
            if "terminal_observation" in a:
                assert (a["terminal_observation"] == b["terminal_observation"]).all()


def test_trajectories_equal_the_scalar_environment() -> None:
    env = ScorpionVecEnv(3)
    env.set_options([{"deal": 7}, {"deal": 8}, {"deal": "pysol:24"}])
    observations: Any = env.reset()
    assert [info["deal"] for info in env.reset_infos] == ["7", "8", "pysol:24"]
    scalars = [ScorpionEnv() for _ in range(3)]
    for i, deal in enumerate((7, 8, "pysol:24")):
        assert (scalars[i].reset(options={"deal": deal})[0] == observations[i]).all()
    rng, over, returns = np.random.default_rng(0), np.zeros(3, bool), np.zeros(3)
    lengths = np.zeros(3, int)
    while not over.all():
        actions = random_actions(rng, get_action_masks(env))
        observations, rewards, dones, infos = env.step(actions)
        assert rewards.dtype == np.float32
        for i in np.flatnonzero(~over).tolist():
            observation, reward, terminated, truncated, info = scalars[i].step(actions[i])
            returns[i] += reward
            lengths[i] += 1
            assert (reward, terminated or truncated) == (rewards[i], dones[i])
            if dones[i]:
                assert (infos[i]["terminal_observation"] == observation).all()
                assert infos[i]["TimeLimit.truncated"] == truncated
                assert infos[i]["episode"]["r"] == returns[i] == info["score"]
                assert infos[i]["episode"]["l"] == lengths[i]
                for key in ("score", "runs", "moves", "outcome", "is_success"):
                    assert infos[i][key] == info[key]
                over[i] = True
            else:
                assert infos[i] == {}
                assert (observation == observations[i]).all()


def test_no_training_deal_is_an_evaluation_deal() -> None:
    env = ScorpionVecEnv(20, seed=0, max_steps=1)
    env.reset()
    deals = [info["deal"] for info in env.reset_infos]
    for _ in range(3):
        env.step(np.zeros(20, int))
        deals += [info["deal"] for info in env.reset_infos]
    assert len(set(deals)) == 80
    assert min(map(int, deals)) >= EVALUATION_DEALS


def test_the_seed_determines_every_deal() -> None:
    def deals(seed: int | None) -> list[str]:
        env = ScorpionVecEnv(3, seed=seed)
        env.reset()
        return [info["deal"] for info in env.reset_infos]

    assert deals(1) == deals(1) != deals(2)
    assert deals(None) != deals(None)
    env = ScorpionVecEnv(3, seed=9)
    env.reset()
    env.seed(1)
    env.reset()
    assert [info["deal"] for info in env.reset_infos] == deals(1)


def test_illegal_actions_are_named() -> None:
    env = ScorpionVecEnv(2, seed=0, max_steps=2)
    env.reset()
    infos = env.step(np.array([0, 364]))[3]
    assert infos == [{"illegal_action": 0}, {}]
    infos = env.step(np.array([0, 364]))[3]
    assert [info["illegal_action"] for info in infos] == [0, 364]
    assert infos[0]["TimeLimit.truncated"] is True


def test_unknown_options_and_attributes_for_some_are_refused() -> None:
    env = ScorpionVecEnv(2, seed=0)
    env.set_options({"daal": 7})
    with pytest.raises(ScorpionError, match="Known: deal"):
        env.reset()
    with pytest.raises(ScorpionError, match="share"):
        env.set_attr("x", 1, indices=[0])


@pytest.mark.parametrize("preset", PRESETS)
def test_maskable_ppo_trains_without_an_illegal_action(preset: str) -> None:
    env = ScorpionVecEnv(16, preset, seed=0, illegal_action="raise", max_steps=100)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=128, n_epochs=1, seed=0)
    model.learn(512)
    assert model.num_timesteps == 512


def test_the_usual_wrappers_work() -> None:
    env = VecNormalize(VecMonitor(ScorpionVecEnv(8, seed=0)), norm_obs=True)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=128, n_epochs=1)
    model.learn(1024)
    assert model.ep_info_buffer is not None
    assert len(model.ep_info_buffer) > 0


@pytest.mark.parametrize("kind", ["dummy", "fork", "spawn"])
def test_stable_baselines_own_vector_environments_work(kind: str) -> None:
    functions = [make_env] * 2
    env = DummyVecEnv(functions) if kind == "dummy" else SubprocVecEnv(functions, start_method=kind)
    try:
        env.seed(3)
        observations: Any = env.reset()
        native = ScorpionVectorEnv(2)
        assert (native.reset(seed=3)[0] == observations).all()
        masks = get_action_masks(env)
        assert (masks == native.action_masks()).all()
        actions = random_actions(np.random.default_rng(0), masks)
        stepped: Any = env.step(actions)[0]
        assert (stepped == native.step(actions)[0]).all()
    finally:
        env.close()
