"""What the benchmark measures of whole processes: memory, its growth, and the time to start."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np

import scorpion_env
from benchmarks.engine import choose
from scorpion_env.errors import ScorpionError

START = "import scorpion_env; env = scorpion_env.ScorpionEnv(); env.reset(seed=7)"
STEP = START + "; env.step(364)"
"""What a new process runs."""

WARM_STARTS = 5


def bytes_per_game(size: int = 8192) -> float:
    """Return what a game costs in memory: all that a Classic vector environment has allocated.

    The arrays that its last step returned belong to the caller and are not counted; those of the
    step before, which are kept to be used again, are.
    """
    _stepped(1)  # what is compiled or loaded now is not counted
    gc.collect()
    tracemalloc.start()
    _env, results = _stepped(size)
    gc.collect()
    allocated = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (allocated - _bytes(results)) / size


def _stepped(size: int) -> tuple[scorpion_env.ScorpionVectorEnv, Any]:
    """Return an environment after some steps in which games ended, and the last one's results."""
    env = scorpion_env.ScorpionVectorEnv(size)
    _, infos = env.reset(seed=0)
    actions, state = np.zeros(size, np.int64), 1
    for _ in range(100):
        state = choose(infos["action_mask"], actions, state)
        results = env.step(actions)
        infos = results[4]
    return env, results


def _bytes(results: tuple[Any, ...]) -> int:
    """Return how much memory the arrays take that the results of a step are, or are views of."""
    found = {}
    waiting = list(results)
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, np.ndarray):
            found[id(item)] = sys.getsizeof(item)  # with its data, if it owns them
            waiting += [item.base, *(item.tolist() if item.dtype == object else [])]
    return sum(found.values())


def growth(steps: int, size: int = 1024) -> tuple[float, float]:
    """Play random moves in a vector environment; return the process's memory before and after.

    In mebibytes. It has been stepped a while before the first measurement.

    Raises:
        ScorpionError: where the system does not tell how much memory a process has.
    """
    env = scorpion_env.ScorpionVectorEnv(size)
    _, infos = env.reset(seed=1_000_000)
    actions, state = np.zeros(size, np.int64), 1
    before = 0.0
    warm_up = 1000
    for i in range(warm_up + steps // size):
        if i == warm_up:
            before = _resident()
        state = choose(infos["action_mask"], actions, state)
        infos = env.step(actions)[4]
    return before, _resident()


def _resident() -> float:
    gc.collect()
    statm = Path("/proc/self/statm")
    if not statm.is_file():
        raise ScorpionError("Growth is measured on Linux only: there is no /proc/self/statm.")
    pages = int(statm.read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def start_times() -> dict[str, float]:
    """Return the seconds that new processes take, from their start to their end.

    ``cold`` has nothing compiled yet, ``warm`` (the median of five) finds the cache.
    """
    with tempfile.TemporaryDirectory() as cache:
        times = {"cold, import and reset": _seconds(START, cache)}
        times["warm, import and reset"] = _median_seconds(START, cache)
        first = _seconds(STEP, cache)
        times["warm, import, reset and step"] = _median_seconds(STEP, cache)
    compiling = first - times["warm, import, reset and step"]
    times["cold, import, reset and step"] = times["cold, import and reset"] + compiling
    return times


def _median_seconds(code: str, cache: str) -> float:
    return statistics.median(_seconds(code, cache) for _ in range(WARM_STARTS))


def _seconds(code: str, cache: str) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"NUMBA_CACHE_DIR": cache}, check=True
    )
    return time.perf_counter() - began
