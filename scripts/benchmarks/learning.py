"""The part of the benchmark that needs Stable-Baselines3."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import VecEnv

from benchmarks.contender import Contender
from benchmarks.engine import ADAPTER, IDLE_ADAPTER, IDLE_PPO, IDLE_STACKED, PPO
from scorpion_env.environment.spaces import action_space, observation_space
from scorpion_env.rules import get_rules
from scorpion_env.sb3 import Masks, ScorpionVecEnv

GAMES = 256


def learning() -> Iterator[Contender]:
    """Yield the adapter and MaskablePPO, on Scorpion and on an environment that does nothing."""
    yield Contender(ADAPTER, adapter_run(idle=False))
    yield Contender(IDLE_ADAPTER, adapter_run(idle=True))
    yield Contender(IDLE_STACKED, adapter_run(idle=True, stacked=True))
    yield Contender(PPO, ppo_run(idle=False))
    yield Contender(IDLE_PPO, ppo_run(idle=True))


class IdleVecEnv(VecEnv):
    """One position of Classic for each game, for ever: no environment can be faster.

    Args:
        num_envs: Number of games.
        stacked: Hand out the masks as the adapter does, as a list that numpy stacks in one copy,
            and not as an array, which it takes apart row by row.
    """

    def __init__(self, num_envs: int, *, stacked: bool = False) -> None:
        self._stacked = stacked
        rules = get_rules("classic")
        self.render_mode = None
        super().__init__(num_envs, observation_space(rules), action_space(rules))
        real = ScorpionVecEnv(num_envs, seed=0)
        self._seen = real.reset()
        self._masks = real.action_masks()
        self._rewards = np.zeros(num_envs, np.float32)
        self._dones = np.zeros(num_envs, np.bool_)

    def reset(self) -> Any:
        """Return observations of nothing."""
        return self._seen.copy()

    def step_async(self, actions: Any) -> None:
        """Take no notice."""

    def step_wait(self) -> Any:
        """Return copies, as every environment must."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self._seen.copy(), self._rewards.copy(), self._dones.copy(), infos

    def close(self) -> None:
        """Do nothing."""

    def has_attr(self, attr_name: str) -> bool:
        """Have masks."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once a game."""
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Return masks that allow everything."""
        masks = self._masks.copy()
        return Masks(masks) if self._stacked else masks

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Be wrapped in nothing."""
        return [False] * self.num_envs


def _make(idle: bool, stacked: bool = False) -> VecEnv:
    return IdleVecEnv(GAMES, stacked=stacked) if idle else ScorpionVecEnv(GAMES, seed=0)


def adapter_run(*, idle: bool, stacked: bool = False) -> Callable[[], int]:
    """Return steps with masks, actions drawn beforehand where nothing depends on them."""
    env = _make(idle, stacked)
    env.reset()
    rng = np.random.default_rng(0)

    def run() -> int:
        seconds = 0.0
        for _ in range(400):
            began = time.perf_counter()
            masks = get_action_masks(env)
            seconds += time.perf_counter() - began
            counts = np.cumsum(masks, axis=1, dtype=np.int16)
            wanted = (rng.random(GAMES) * counts[:, -1]).astype(np.int16)
            actions = (counts > wanted[:, None]).argmax(axis=1)
            began = time.perf_counter()
            env.step(actions)
            seconds += time.perf_counter() - began
        run.seconds = seconds  # type: ignore[attr-defined]
        return 400 * GAMES

    return run


def ppo_run(*, idle: bool) -> Callable[[], int]:
    """Return a rollout and an update of MaskablePPO: 256-256 network, batch 2048, 4 epochs."""
    torch.distributions.Distribution.set_default_validate_args(False)
    torch.set_num_threads(1)
    model = MaskablePPO(
        "MlpPolicy",
        _make(idle),
        n_steps=32,
        batch_size=2048,
        n_epochs=4,
        policy_kwargs={"net_arch": [256, 256]},
        seed=0,
    )

    def run() -> int:
        before = model.num_timesteps
        model.learn(32 * GAMES, reset_num_timesteps=False)
        return model.num_timesteps - before

    return run
