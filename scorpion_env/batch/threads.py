"""Threads over the games of a batch."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.batch.stepping import find_refused, step_games
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.pointers import add_atomically, pointer

SHARE = 128
"""A thread takes so many games at a time: long enough to take, short enough to wait for."""

PATIENCE = 20_000
"""How often a thread looks whether another one is ready before it sleeps: some 0.1 ms."""

NAP = 1e-4
"""Seconds that it sleeps then, before it looks again."""

OPEN, DONE, ENDED, ILLEGAL, NEXT = range(5)
"""What threads that share a step tell each other: whether to begin, 1, or not to, -1; of how many
games the step is done; how many of them ended; how many actions were illegal; and from there on,
for each thread, which of its games is to be played next."""

Desk = SimpleQueue[Callable[[], None] | None]
"""Where a thread finds what it is to do. Unlike other queues it has no lock that an interruption
could leave locked."""

PLAYED, TOO_EARLY = -1, -2
"""What `step_shared` returns besides the number of a game."""


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
    before the others may begin, and in the end waits a while for their last games, which may take
    long if they have been put to sleep. The others may come at any time, or never.

    The last three arguments are: `told`, what the threads tell each other, int64 ``(NEXT +
    threads,)``, new for every step, 0 but for the first game of each part, so that a thread that
    comes late finds it all done; `share`, how many games a thread takes at a time; `thread`, the
    number of this one, from 0.

    Returns:
        `PLAYED`; or in the first thread the game whose action is refused, and then nothing is
        changed; or in the others `TOO_EARLY`, if the first has not looked at the actions yet.
    """
    size, threads = games.shape[0], told.shape[0] - NEXT
    place = pointer(told)
    if thread == 0:
        refused = find_refused(games, actions, rules[0])
        add_atomically(place, OPEN, 1 if refused < 0 else -1)
        if refused >= 0:
            return refused
    for _ in range(PATIENCE):
        begin = add_atomically(place, OPEN, 0)
        if begin > 0:
            break
        if begin < 0:
            return PLAYED
    else:
        return TOO_EARLY
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
    return PLAYED


class Team:
    """Threads that play the steps of a batch together.

    The games of a batch share nothing, and compiled functions release the interpreter's lock, so
    the results are the same for any number of threads. The threads are started at the first use; a
    copy, an unpickled one and one in a forked process start their own. They end with their team.

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
        self._desks: list[Desk] = []
        self._process = 0

    def step(self, meanwhile: Callable[[], None] | None, *arguments: Any) -> tuple[int, int]:
        """Play a step; see `step_shared`.

        Args:
            meanwhile: What another thread may call before it plays, if it comes to it: what would
                keep the calling one from playing.
            *arguments: Those of `step_shared`, without what the threads tell each other.

        Returns:
            How many games ended and how many of the actions were illegal; or -1 and the game whose
            action is refused, and then nothing is changed.
        """
        if self._process != os.getpid():
            self._hire()
        told = self._begin.copy()
        arguments = (*arguments, told, self._share)
        function: Callable[..., int] = step_shared
        failures: list[BaseException] = []

        def help_out(thread: int) -> None:
            if thread == 1 and meanwhile is not None:
                meanwhile()
            try:
                while function(*arguments, thread) == TOO_EARLY:
                    time.sleep(NAP)
            except BaseException as error:
                failures.append(error)
                told[OPEN] = -1  # nobody shall wait for its games
                raise

        try:
            for thread, desk in enumerate(self._desks, start=1):
                with suppress(Empty):  # unless the thread has not come to an earlier step
                    desk.get_nowait()
                desk.put(partial(help_out, thread))
            refused = function(*arguments, 0)
        finally:
            self._leave(told)
        if failures:
            raise failures[0]
        if refused >= 0:
            return -1, refused
        return int(told[ENDED]), int(told[ILLEGAL])

    def _leave(self, told: npt.NDArray[np.int64]) -> None:
        """Return when nobody plays any more; if the user interrupts that, say so afterwards."""
        interruption: BaseException | None = None
        if told[OPEN] == 0:
            told[OPEN] = -1
        while told[OPEN] == 1 and told[DONE] < self._size:
            try:
                time.sleep(NAP)
            except BaseException as error:
                interruption = error
        if interruption is not None:
            raise interruption

    def _hire(self) -> None:
        self._process = os.getpid()
        self._desks = [SimpleQueue() for _ in range(self.others)]
        for desk in self._desks:
            # Daemons: at the interpreter's end they wait for work, and nobody shall wait for them.
            Thread(target=_work, args=(desk,), name="scorpion_env", daemon=True).start()
            weakref.finalize(self, desk.put, None)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_desks": [], "_process": 0}


def _work(desk: Desk) -> None:
    """Do what is put on a thread's desk, until that is None."""
    while (task := desk.get()) is not None:
        with suppress(Exception):  # the calling thread fails likewise, and is heard
            task()
        del task  # and with it the arrays of its step
