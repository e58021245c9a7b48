"""Threads over the games of a batch."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from scorpion_env.compiled import compiled
from scorpion_env.pointers import add_atomically, pointer
from scorpion_env.stepping import find_refused, step_games

SHARE = 128
"""A thread takes so many games at a time: long enough to take, short enough to wait for."""

PATIENCE = 20_000
"""How often a thread looks whether another one is ready, before it gives up: some 0.2 ms."""

OPEN, DONE, ENDED, ILLEGAL, NEXT = range(5)
"""What threads that share a step tell each other: whether to begin, 1, or not to, -1; of how many
games the step is done; how many of them ended; how many actions were illegal; and from there on,
for each thread, which of its games is to be played next."""


@compiled
def step_shared(
    games: Any,
    rules: Any,
    log: Any,
    seen: Any,
    actions: Any,
    shown: Any,
    mask: Any,
    rewards: Any,
    ends: Any,
    numbers: Any,
    deals: Any,
    end_dead: Any,
    told: Any,
    share: Any,
    thread: Any,
) -> Any:
    """Play one action in each game of a batch, as `step_games` does, together with other threads.

    Each thread has a part of the games, the same at every step, which stay in its cache. It takes
    a few after another; when none of its own is left, of those of the others. So all end at the
    same time, also one that started late or was held up. The first thread looks at the actions
    before the others may begin, and in the end waits for their last games, but not for ever: they
    may have been put to sleep. The others may come at any time, or never.

    The last three arguments are: `told`, what the threads tell each other, int64 ``(NEXT +
    threads,)``, new for every step, 0 but for the first game of each part, so that a thread that
    comes late finds it all done; `share`, how many games a thread takes at a time; `thread`, the
    number of this one, from 0.

    Returns:
        -1, or in the first thread the game whose action is refused; then nothing is changed.
    """
    size, threads = games.shape[0], told.shape[0] - NEXT
    place = pointer(told)
    if thread == 0:
        refused = find_refused(games, actions, rules[0])
        add_atomically(place, OPEN, 1 if refused < 0 else -1)
        if refused >= 0:
            return refused
    for _ in range(PATIENCE):
        if add_atomically(place, OPEN, 0) != 0:
            break
    if add_atomically(place, OPEN, 0) != 1:
        return -1
    for other in range(threads):
        part = (thread + other) % threads
        end = (part + 1) * size // threads
        while True:
            first = add_atomically(place, NEXT + part, share)
            if first >= end:
                break
            stop = min(first + share, end)
            ended, illegal = step_games(
                games,
                rules,
                log,
                seen,
                actions,
                shown,
                mask,
                rewards,
                ends,
                numbers,
                deals,
                end_dead,
                first,
                stop,
            )
            add_atomically(place, ENDED, ended)
            add_atomically(place, ILLEGAL, illegal)
            add_atomically(place, DONE, stop - first)
    if thread == 0:
        for _ in range(PATIENCE):
            if add_atomically(place, DONE, 0) == size:
                break
    return -1


class Team:
    """Threads that play the steps of a batch together.

    The games of a batch share nothing, and compiled functions release the interpreter's lock, so
    the results are the same for any number of threads. The threads are started at the first use; a
    copy, an unpickled one and one in a forked process start their own.

    Args:
        size: Number of games.
        num_threads: Number of threads, the calling one included.

    Attributes:
        others: How many threads beside the calling one can have a share of the games.
    """

    def __init__(self, size: int, num_threads: int) -> None:
        self._size = size
        self._share = min(SHARE, -(-size // num_threads))
        threads = min(num_threads, -(-size // self._share))
        self.others = threads - 1
        self._begin = np.zeros(NEXT + threads, np.int64)
        self._begin[NEXT:] = np.arange(threads) * size // threads
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def step(self, meanwhile: Callable[[], None] | None, *arguments: Any) -> tuple[int, int]:
        """Play a step; see `step_shared`.

        Args:
            meanwhile: What another thread calls before it plays: what would keep the calling one
                from playing.
            *arguments: Those of `step_shared`, without what the threads tell each other.

        Returns:
            How many games ended and how many of the actions were illegal; or -1 and the game whose
            action is refused, and then nothing is changed.
        """
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self.others, thread_name_prefix="scorpion_env")
            self._process = os.getpid()
        told = self._begin.copy()
        arguments = (*arguments, told, self._share)
        function: Callable[..., int] = step_shared

        def play(thread: int) -> int:
            if thread == 1 and meanwhile is not None:
                meanwhile()
            return function(*arguments, thread)

        others = [self._pool.submit(play, thread) for thread in range(1, self.others + 1)]
        refused = play(0)
        if refused >= 0:
            return -1, refused
        if told[DONE] < self._size:
            for other in others:
                other.result()
        return int(told[ENDED]), int(told[ILLEGAL])

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}
