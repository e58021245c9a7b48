"""The scalar environment keeps Gymnasium's and its own contract."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import scorpion_env
from scorpion_env import PRESETS, Game, ScorpionEnv, ScorpionError


@pytest.mark.parametrize("env_id", scorpion_env.registered_ids())
def test_every_id_passes_both_env_checkers(env_id: str) -> None:
    from stable_baselines3.common.env_checker import check_env as sb3_check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(env_id, render_mode="ansi").unwrapped)
        # The advice to flatten a two-dimensional observation; a card has one row by design.
        warnings.filterwarnings("ignore", message=".*unconventional shape.*")
        sb3_check_env(gym.make(env_id).unwrapped)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_shipped_check_passes(preset: str) -> None:
    scorpion_env.check(preset, episodes=3)


def test_shapes_of_classic() -> None:
    env = gym.make("Scorpion-v0")
    assert env.action_space == gym.spaces.Discrete(365)
    assert env.observation_space.shape == (52, 7)
    assert env.observation_space.dtype == np.int8


def test_both_names_and_make_vec_reach_the_environments() -> None:
    assert isinstance(gym.make("scorpion_env:Scorpion-v0", rules="wasp").unwrapped, ScorpionEnv)
    vector = gym.make_vec("Scorpion-ThreeBlindMice-v0", num_envs=3)
    assert isinstance(vector.unwrapped, scorpion_env.ScorpionVectorEnv)
    assert vector.unwrapped.rules.name == "three-blind-mice"


def test_a_step_before_the_first_reset_is_refused() -> None:
    with pytest.raises(gym.error.ResetNeeded, match=r"before the first env\.step\(\)"):
        ScorpionEnv().step(0)


def test_a_seed_deals_the_deal_of_its_number() -> None:
    env = ScorpionEnv()
    for seed in (0, 7, 999_999, 2**40):
        _, info = env.reset(seed=seed)
        assert info["deal"] == str(seed)
        assert env.oracle_board() == Game.new(seed).board()


def test_later_deals_depend_on_the_seed_and_not_on_the_games() -> None:
    def deals(steps: int) -> list[str]:
        env = ScorpionEnv()
        env.reset(seed=3)
        found = []
        for _ in range(4):
            for _ in range(steps):
                env.step(0)
            found.append(env.reset()[1]["deal"])
        return found

    assert deals(0) == deals(9)
    assert len(set(deals(0))) == 4
    assert min(map(int, deals(0))) >= 2**32


def test_without_a_seed_deals_are_random() -> None:
    assert len({ScorpionEnv().reset()[1]["deal"] for _ in range(5)}) == 5


def test_options_choose_the_deal_or_the_board() -> None:
    env = ScorpionEnv()
    assert env.reset(options={"deal": 7})[1]["deal"] == "7"
    assert env.reset(options={"deal": "pysol:24"})[1]["deal"] == "pysol:24"
    text = Game.new("pysol:24").to_text()
    assert env.oracle_board() == Game.from_text(text).board()
    env.reset(options={"board": text})
    assert env.oracle_board() == Game.from_text(text).board()
    assert env.deal == "board"
    assert int(env.reset()[1]["deal"]) >= 2**32


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dael": 7}, "Did you mean 'deal'"),
        ({"deal": "pysol:0"}, "does not exist"),
        ({"deal": 1, "board": "x"}, "not both"),
        ({"board": "AC"}, "columns"),
    ],
)
def test_bad_options_are_refused_and_nothing_is_lost(options: dict[str, Any], words: str) -> None:
    env = ScorpionEnv()
    env.reset(seed=7)
    board = env.oracle_board()
    with pytest.raises(ScorpionError, match=words):
        env.reset(options=options)
    assert env.oracle_board() == board


def test_misspelt_arguments_are_errors_that_name_the_nearest() -> None:
    with pytest.raises(TypeError, match="Did you mean 'rules'"):
        gym.make("Scorpion-v0", rulez="wasp")
    for arguments in (
        {"rules": "clasic"},
        {"reward": "point"},
        {"observation": "ful"},
        {"illegal_action": "nop"},
        {"render_mode": "ascii"},
    ):
        with pytest.raises(ScorpionError, match="Did you mean"):
            ScorpionEnv(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"max_steps": 0}, "max_steps must be a whole number from 1 to 1000000, not 0"),
        ({"max_steps": 1.5}, "max_steps must be a whole number from 1 to 1000000, not 1.5"),
        (
            {"reward_scale": float("nan")},
            "reward_scale must be a finite number, at most 1e[+]30, not nan",
        ),
    ],
)
def test_numbers_that_make_no_sense_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ScorpionError, match=words):
        ScorpionEnv(**wrong)


def test_a_pickled_or_copied_environment_goes_on_alike() -> None:
    env = ScorpionEnv("open")
    env.reset(seed=7)
    env.step(env.rules.deal_action)
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        here, there = twin.step(365), copy.deepcopy(env).step(365)
        assert (here[0] == there[0]).all()
        assert here[1:4] == there[1:4]
        assert here[4].pop("action_mask").tolist() == there[4].pop("action_mask").tolist()
        assert here[4] == there[4]
        assert twin.reset()[1]["deal"] == copy.deepcopy(env).reset()[1]["deal"]


def test_ansi_returns_the_board_and_human_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    env = gym.make("Scorpion-v0", render_mode="ansi")
    env.reset(seed=7)
    text = env.render()
    assert isinstance(text, str)
    assert "4C" in text
    for hidden in re.findall(r"<(..)>", Game.new(7).to_text()):
        assert hidden not in text
    env = gym.make("Scorpion-v0", render_mode="human")
    env.reset(seed=7)
    assert "score" in capsys.readouterr().out


def test_a_spawned_process_makes_the_environment_by_its_full_name() -> None:
    code = (
        "import gymnasium as gym\n"
        "env = gym.make('scorpion_env:Scorpion-Wasp-v0')\n"
        "print(env.reset(seed=5)[0].sum())"
    )
    sums = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout
        for seed in ("1", "2")
    }
    assert sums == {f"{ScorpionEnv('wasp').reset(seed=5)[0].sum()}\n"}


def test_numpy_seeds_are_seeds() -> None:
    assert ScorpionEnv().reset(seed=np.int64(3))[1]["deal"] == "3"  # type: ignore[arg-type]


def test_a_refused_deal_leaves_the_later_deals_as_they_were() -> None:
    envs = [ScorpionEnv(), ScorpionEnv()]
    for env in envs:
        env.reset(seed=1)
    with pytest.raises(ScorpionError, match="'foo' names no deal"):
        envs[0].reset(seed=5, options={"deal": "foo"})
    assert envs[0].reset()[1]["deal"] == envs[1].reset()[1]["deal"]


def test_nothing_can_be_looked_at_before_the_first_reset() -> None:
    env = ScorpionEnv(render_mode="ansi")
    for look in (env.render, env.oracle_board):
        with pytest.raises(gym.error.ResetNeeded, match=rf"before env\.{look.__name__}\(\)"):
            look()
