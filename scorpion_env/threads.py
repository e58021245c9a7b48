"""Threads over the games of a batch."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

LEAST_GAMES = 256
"""A slice has at least so many games, if every thread has one; calls cost time, too."""


class Slices:
    """Runs a compiled function on slices of a batch, in several threads.

    A slice is a thread's share of the games that are left: large ones first, and small ones last,
    so that all threads end at the same time, also one that started late or was held up.

    The games of a batch share nothing, and compiled functions release the interpreter's lock, so
    the results are the same for any number of threads. The threads are started at the first use; a
    copy, an unpickled one and one in a forked process start their own.

    Args:
        size: Number of games.
        num_threads: Number of threads, the calling one included.

    Attributes:
        count: Number of slices.
    """

    def __init__(self, size: int, num_threads: int) -> None:
        self._others = min(size, num_threads) - 1
        threads = self._others + 1
        least = min(LEAST_GAMES, -(-size // threads))
        bounds = [0]
        while bounds[-1] < size:
            left = size - bounds[-1]
            part = max(least, left // threads)
            bounds.append(bounds[-1] + min(part, left))
        self._slices = list(pairwise(bounds))
        self.count = len(self._slices)
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def run(self, function: Callable[..., tuple[int, int]], *arguments: Any) -> tuple[int, int]:
        """Return the sums of what ``function(*arguments, first, stop)`` returns for each slice.

        A single slice is not worth a thread: call the function.
        """
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self._others, thread_name_prefix="scorpion_env")
            self._process = os.getpid()
        waiting = deque(self._slices)

        def work() -> tuple[int, int]:
            one = two = 0
            while True:
                try:
                    first, stop = waiting.popleft()
                except IndexError:
                    return one, two
                more = function(*arguments, first, stop)
                one, two = one + more[0], two + more[1]

        futures = [self._pool.submit(work) for _ in range(self._others)]
        results = [work(), *(future.result() for future in futures)]
        return sum(one for one, _ in results), sum(two for _, two in results)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}
