"""Measure speed beside peers, in the same process and on the same core.

Everything is measured five times in turn, one thing after the other, so that a busy machine slows
all of them alike; only the ratios of the medians mean something.

Examples:
    taskset -c 0 python scripts/benchmark.py
    python scripts/benchmark.py --only engine --only peers --json benchmark.json
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import gymnasium as gym
import numpy as np
from cli_common import command_line, json_option, main_guard, make_console, make_table

import scorpion_env
from scorpion_env.files import write_whole
from scorpion_env.rollout import random_rollouts

ROUNDS = 5
GROUPS = ("engine", "scalar", "peers", "learning")
REFERENCE = "EnvPool Taxi-v3, 1024 games"


@dataclass
class Contender:
    """Something that is measured: `run` works for a while and returns how many steps it made."""

    name: str
    run: Callable[[], int]


def engine() -> Iterator[Contender]:
    """Yield the compiled rollout and the vector environment."""
    yield Contender(
        "rollout, random moves, no observation",
        lambda: random_rollouts("classic", games=20_000, null_moves=True).steps,
    )
    for size in (64, 1024, 8192):
        yield Contender(f"vector environment, {size} games", _vector(size, copy=True))
    yield Contender("vector environment, 1024 games, copy=False", _vector(1024, copy=False))


def _vector(size: int, *, copy: bool) -> Callable[[], int]:
    """Return steps of random legal actions, with observation and mask in hand at each."""
    env = scorpion_env.ScorpionVectorEnv(size, copy=copy)
    _, infos = env.reset(seed=1_000_000)
    rounds = max(1, 200_000 // size)
    rng = np.random.default_rng(0)

    def run() -> int:
        nonlocal infos
        seconds = 0.0
        for _ in range(rounds):
            actions = _random_actions(infos["action_mask"], rng)
            began = time.perf_counter()
            _, _, _, _, infos = env.step(actions)
            seconds += time.perf_counter() - began
        run.seconds = seconds  # type: ignore[attr-defined]
        return rounds * size

    return run


def _random_actions(masks: Any, rng: np.random.Generator) -> Any:
    """Draw a legal action for each game; choosing is not what is measured."""
    counts = np.cumsum(masks, axis=1, dtype=np.int16)
    wanted = (rng.random(len(masks)) * counts[:, -1]).astype(np.int16)
    return (counts > wanted[:, None]).argmax(axis=1)


def scalar() -> Iterator[Contender]:
    """Yield single environments through `gym.make`, wrappers included."""
    yield Contender("gym.make Scorpion-v0, mask in info", _single("Scorpion-v0", masked=True))
    yield Contender("gym.make CartPole-v1", _single("CartPole-v1", masked=False))


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
        yield Contender(REFERENCE, _envpool("Taxi-v3", 6))
        yield Contender("EnvPool Blackjack-v1, 1024 games", _envpool("Blackjack-v1", 2))
    if find_spec("pyspiel"):
        yield Contender("OpenSpiel solitaire, observation and mask", _open_spiel())
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


def learning() -> Iterator[Contender]:
    """Yield the adapter and MaskablePPO, on Scorpion and on an environment that does nothing."""
    from benchmark_learning import adapter_run, ppo_run

    for idle in (False, True):
        what = "that does nothing" if idle else "of Scorpion"
        yield Contender(f"SB3 VecEnv {what}, masks, 256 games", adapter_run(idle=idle))
    for idle in (False, True):
        what = "a VecEnv that does nothing" if idle else "Scorpion"
        yield Contender(f"MaskablePPO on {what}", ppo_run(idle=idle))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--only",
    "groups",
    multiple=True,
    type=click.Choice(GROUPS),
    help="Measure this group; may be repeated. All by default.",
)
@json_option
@main_guard
def main(groups: tuple[str, ...], json_path: Path | None) -> None:
    """Print steps per second: medians of five rounds, and ratios to EnvPool's Taxi-v3."""
    warnings.simplefilter("ignore")
    contenders = [
        c for group in GROUPS if not groups or group in groups for c in globals()[group]()
    ]
    for contender in contenders:
        contender.run()  # compiles, fills caches
    rates: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for _ in range(ROUNDS):
        for contender in contenders:
            began = time.perf_counter()
            steps = contender.run()
            seconds = getattr(contender.run, "seconds", time.perf_counter() - began)
            rates[contender.name].append(steps / seconds)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    reference = medians.get(REFERENCE)
    console = make_console()
    table = make_table(console, "", "steps/s", "slowest", "fastest", "ratio to Taxi")
    for name, median in medians.items():
        ratio = "-" if reference is None else f"{median / reference:.2f}"
        low, high = min(rates[name]), max(rates[name])
        table.add_row(name, f"{median:,.0f}", f"{low:,.0f}", f"{high:,.0f}", ratio)
    console.print(table)
    if json_path is not None:
        result = {
            "command": command_line(),
            "versions": {
                "scorpion_env": scorpion_env.__version__,
                "python": platform.python_version(),
            },
            "machine": platform.processor() or platform.machine(),
            "steps_per_second": rates,
            "medians": medians,
        }
        write_whole(json_path, json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
