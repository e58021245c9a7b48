"""Winnable deals without end: each episode plays a deal of its own that the solver won (oracle).

Without them an episode of game `slot` plays the deal that its seed, slot and number give, see
:func:`scorpion_env.kernels.shuffle.episode_deal`. With them it plays the first deal from there on
that the solver wins within a few nodes. That depends on nothing else: neither on threads nor on
when the deal was found.

It is found ahead, while the episode before it is played: a thread of its own solves, in compiled
code that releases the interpreter's lock.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.errors import DealError
from scorpion_env.kernels.shuffle import episode_deal
from scorpion_env.rules import Rules
from scorpion_env.solver import VERDICTS, Solver
from scorpion_env.winnable import QUICK_NODES

MOST_TRIED = 20_000
"""Deals that are looked at, one after another, before the search is given up."""

_WON = VERDICTS.index("won")
_ONE = np.uint64(1)

Numbers = npt.NDArray[np.uint64]


class FreshDeals:
    """The deals that the games of a batch play next.

    Args:
        rules: The variant.
        size: Number of games.
        nodes: Positions that the solver looks at in a deal before it is passed over, whether or not
            it could be won.

    Attributes:
        deals: uint64 ``(size,)``: of each game, the deal of its next episode, once `ready` was
            called.
    """

    def __init__(self, rules: Rules, size: int, *, nodes: int = QUICK_NODES) -> None:
        self.deals: Numbers = np.zeros(size, np.uint64)
        self._nodes = nodes
        self._solver = Solver(rules)
        self._keys = np.zeros((size, 2), np.uint64)  # seed and episode that each was found for
        self._thread: ThreadPoolExecutor | None = None
        self._pending: Future[None] | None = None
        self._process = os.getpid()

    def ready(self, games: npt.NDArray[np.void], index: int | None = None) -> None:
        """Wait until the deal of each game's next episode is known, or that of one game.

        Args:
            games: Records of the games, ``(size,)``.
            index: The game.
        """
        self._wait()
        slots, keys = self._unknown(games)
        chosen = slice(None) if index is None else slots == index
        self._find(slots[chosen], keys[chosen])

    def ahead(self, games: npt.NDArray[np.void]) -> None:
        """Let the thread find what is not known yet, and do not wait for it; likewise."""
        slots, keys = self._unknown(games)
        if not len(slots):
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "fresh-deals")
        self._pending = self._thread.submit(self._find, slots, keys)

    def _unknown(self, games: npt.NDArray[np.void]) -> tuple[npt.NDArray[np.intp], Numbers]:
        keys = np.stack([games["seed"], games["episode"] + _ONE], axis=1)
        slots = np.flatnonzero((keys != self._keys).any(axis=1))
        return slots, keys[slots]

    def _find(self, slots: npt.NDArray[np.intp], keys: Numbers) -> None:
        for slot, (seed, episode) in zip(slots.tolist(), keys, strict=True):
            number = int(episode_deal(seed, np.uint64(slot), episode))
            self.deals[slot] = self._first_winnable(number)
            self._keys[slot] = seed, episode

    def _first_winnable(self, number: int) -> int:
        for _ in range(MOST_TRIED):
            verdicts, _ = self._solver.solve_deals(
                number, 1, node_limit=self._nodes, quick_nodes=self._nodes
            )
            if verdicts[0] == _WON:
                return number
            number = (number + 1) % 2**64 or 2**32
        raise DealError(
            f"Of {MOST_TRIED:,} deals of rules '{self._solver.rules.name}' the solver wins none "
            f"within {self._nodes:,} positions; draw from all deals, or from a list."
        )

    def _wait(self) -> None:
        if self._process != os.getpid():  # a thread does not survive a fork
            self._thread, self._pending, self._process = None, None, os.getpid()
        if self._pending is not None:
            self._pending.result()
            self._pending = None

    def __getstate__(self) -> dict[str, Any]:
        self._wait()
        return self.__dict__ | {"_thread": None}
