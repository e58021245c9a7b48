"""What the benchmark measures without Stable-Baselines3: the engine and other people's."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import numpy as np
from numba import njit

import scorpion_env
from benchmarks.contender import Contender
from scorpion_env.rollout import greedy_rollouts, random_rollouts

ROLLOUT = "rollout, random moves, no observation"
VECTOR = "vector environment, {} games"
VECTOR_IN_PLACE = "vector environment, {} games, copy=False"
SIZES = (64, 1024, 8192)
ONE_THREAD = "vector environment, 8192 games, 1 thread"
TWO_THREADS = "vector environment, 8192 games, 2 threads"
SCALAR = "gym.make Scorpion-v0, mask in info"
CART_POLE = "gym.make CartPole-v1"
TAXI = "EnvPool Taxi-v3, 1024 games"
OPEN_SPIEL = "OpenSpiel solitaire, observation and mask"
ADAPTER = "SB3 VecEnv of Scorpion, masks, 256 games"
IDLE_ADAPTER = "SB3 VecEnv that does nothing, masks, 256 games"
IDLE_STACKED = "SB3 VecEnv that does nothing, masks as ours, 256 games"
PPO = "MaskablePPO on Scorpion"
IDLE_PPO = "MaskablePPO on a VecEnv that does nothing"


def engine() -> Iterator[Contender]:
    """Yield the compiled rollouts and the vector environment."""
    yield Contender(ROLLOUT, lambda: random_rollouts(games=20_000, null_moves=True).steps)
    yield Contender(
        "rollout, greedy moves, no observation", lambda: greedy_rollouts(games=10_000).steps
    )
    for size in SIZES:
        yield Contender(VECTOR.format(size), vector_run(size))
        yield Contender(VECTOR_IN_PLACE.format(size), vector_run(size, copy=False))


def threads() -> Iterator[Contender]:
    """Yield the vector environment with one and two threads, where there are processors."""
    if len(processors()) > 1:
        yield Contender(ONE_THREAD, vector_run(8192))
        yield Contender(TWO_THREADS, vector_run(8192, num_threads=2))


def processors() -> set[int]:
    """Return the processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


@njit
def choose(masks: Any, actions: Any, state: int) -> int:
    """Draw a legal action of each game; return the generator's next state."""
    for game in range(masks.shape[0]):
        state = (state * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
        left = (state >> 33) % masks[game].sum()
        for action in range(masks.shape[1]):
            left -= masks[game, action]
            if left < 0:
                actions[game] = action
                break
    return state


def vector_run(size: int, **options: Any) -> Callable[[], int]:
    """Return steps of random legal actions, with observation and mask in hand at each.

    Choosing them is not what is measured.
    """
    env = scorpion_env.ScorpionVectorEnv(size, **options)
    _, infos = env.reset(seed=1_000_000)
    actions = np.zeros(size, np.int64)
    rounds = 1_000_000 // size  # so many that what the last contender left in the caches is nothing
    state = 1

    def run() -> int:
        nonlocal infos, state
        seconds = 0.0
        for _ in range(rounds):
            state = choose(infos["action_mask"], actions, state)
            began = time.perf_counter()
            _, _, _, _, infos = env.step(actions)
            seconds += time.perf_counter() - began
        run.seconds = seconds  # type: ignore[attr-defined]
        return rounds * size

    return run


def scalar() -> Iterator[Contender]:
    """Yield single environments through `gym.make`, wrappers included."""
    yield Contender(SCALAR, _single("Scorpion-v0", masked=True))
    yield Contender(CART_POLE, _single("CartPole-v1", masked=False))


def _single(env_id: str, *, masked: bool) -> Callable[[], int]:
    env: gym.Env[Any, Any] = gym.make(env_id)
    _, info = env.reset(seed=0)
    draws = np.random.default_rng(0).random(4096)
    steps = 4096

    def run() -> int:
        nonlocal info
        seconds = 0.0
        for draw in draws:
            if masked:
                legal = np.flatnonzero(info["action_mask"])
                action = legal[int(draw * len(legal))]
            else:
                action = np.int64(draw < 0.5)
            began = time.perf_counter()
            _, _, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                _, info = env.reset()
            seconds += time.perf_counter() - began
        run.seconds = seconds  # type: ignore[attr-defined]
        return steps

    return run


def peers() -> Iterator[Contender]:
    """Yield other people's environments, as far as they are installed."""
    if find_spec("envpool"):
        yield Contender(TAXI, _envpool("Taxi-v3", 6))
        yield Contender("EnvPool Blackjack-v1, 1024 games", _envpool("Blackjack-v1", 2))
    if find_spec("pyspiel"):
        yield Contender(OPEN_SPIEL, _open_spiel())
    yield Contender("Gymnasium CartPoleVectorEnv, 1024 games", _cart_poles())


def _envpool(env_id: str, actions: int) -> Callable[[], int]:
    import envpool

    env = envpool.make_gymnasium(env_id, num_envs=1024, num_threads=1)
    env.reset()
    chosen = np.random.default_rng(0).integers(0, actions, (16, 1024)).astype(np.int32)

    def run() -> int:
        for i in range(200):
            env.step(chosen[i % 16])
        return 200 * 1024

    return run


def _open_spiel() -> Callable[[], int]:
    import pyspiel

    game = pyspiel.load_game("solitaire")
    draws = np.random.default_rng(0).random(100_000)

    def run() -> int:
        steps, i = 0, 0
        for _ in range(20):
            state = game.new_initial_state()
            while not state.is_terminal() and i < len(draws):
                i += 1
                if state.is_chance_node():
                    outcomes = state.chance_outcomes()
                    state.apply_action(outcomes[int(draws[i - 1] * len(outcomes))][0])
                    continue
                state.observation_tensor(0)
                state.legal_actions_mask()
                legal = state.legal_actions()
                state.apply_action(legal[int(draws[i - 1] * len(legal))])
                steps += 1
        return steps

    return run


def _cart_poles() -> Callable[[], int]:
    env = gym.make_vec("CartPole-v1", num_envs=1024, vectorization_mode="vector_entry_point")
    env.reset(seed=0)
    chosen = np.random.default_rng(0).integers(0, 2, (16, 1024))

    def run() -> int:
        for i in range(50):
            env.step(chosen[i % 16])
        return 50 * 1024

    return run
