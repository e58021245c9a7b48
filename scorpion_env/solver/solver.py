"""The exact solver (oracle): whether a deal, or a position, can be won at all.

It sees every card, also those that lie face down and those of the reserve, which no player does:
its verdicts are about the deal, not about what a player could know. Score and step limit do not
matter to it, and undo is no move.

    >>> from scorpion_env.solver import solve
    >>> solution = solve(17, "classic")
    >>> solution.verdict, len(solution.moves)
    ('won', 52)

Three verdicts: ``"won"`` with a line of moves that wins, ``"lost"`` where it is proved that none
does, and ``"unknown"`` where a budget ended the search. How the search leaves things out, and why
it may, is said in :mod:`scorpion_env.proofs.precedence`, :mod:`scorpion_env.proofs.stubborn_sets`
and :mod:`scorpion_env.proofs.pruning`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scorpion_env.batch.games import Batch
from scorpion_env.deals import Position, Start, as_deal
from scorpion_env.errors import ScorpionError
from scorpion_env.game import Game
from scorpion_env.kernels.state import NO_LIMIT, log_capacity
from scorpion_env.notation.move_text import action_text
from scorpion_env.proofs.pruning import WORK_DTYPE, is_strict
from scorpion_env.rules import Rules, get_rules
from scorpion_env.solver.kernels import (
    GOES_ON,
    LOSES,
    PRUNE_ALL,
    TABLE_FULL,
    WINS,
    grow_table,
    search,
    search_deals,
)
from scorpion_env.solver.memory import SEARCH_DTYPE, SolverMemory, stack_dtype

VERDICTS = ("won", "lost", "unknown")

NODE_LIMIT = 5_000_000
MEMORY_LIMIT = 512 * 2**20
"""Bytes for the table of positions, also while it grows."""

STRICT_DEPTH = 250
"""No line is longer where each card is placed once: 48 placements, kings, the reserve; to spare."""

_FIRST_BITS = 14
_SLICE = 1000
_KEY_BYTES = 8


@dataclass(frozen=True)
class Solution:
    """What a search came to.

    Attributes:
        verdict: ``"won"``, ``"lost"`` (proved) or ``"unknown"`` (a budget ended the search).
        moves: Texts of the moves of a line that wins, if one was found.
        actions: The same as indices of actions; two copies of a card are told apart.
        nodes: Positions looked at.
        seconds: Time taken.
    """

    verdict: str
    moves: tuple[str, ...]
    actions: tuple[int, ...]
    nodes: int
    seconds: float


class Solver:
    """Solves one game after another of the same variant (oracle), in memory that it keeps."""

    def __init__(self, rules: str | Rules = "classic", *, memory_limit: int = MEMORY_LIMIT) -> None:
        """Set memory aside.

        Args:
            rules: The variant.
            memory_limit: Bytes that the table of positions may take.

        Raises:
            ScorpionError: if the limit is too small to work with, or there is no such variant.
        """
        self.rules = get_rules(rules)
        self.memory_limit = memory_limit
        plain = replace(self.rules, undo_action=False, undo_limit=None)
        self._batch = Batch(plain, 1)
        record = self._batch.rules_record[0]
        record["max_steps"] = NO_LIMIT
        self.strict = bool(is_strict(record))
        depths = 1 + (STRICT_DEPTH if self.strict else plain.max_steps)
        legal = self._batch.games.dtype["legal"].shape[0]
        work = np.zeros(1, WORK_DTYPE)[0]
        self._memory = SolverMemory(
            rules=record,
            order=work["precedence"] if self.strict else None,
            work=work,
            state=np.zeros(1, SEARCH_DTYPE)[0],
            table=self._new_table(_FIRST_BITS),
            stack=np.zeros(depths + 1, stack_dtype(legal)),
            log=np.zeros(log_capacity(plain, depths), np.int32),
        )
        self._memory.state["prune"] = PRUNE_ALL

    def _new_table(self, bits: int) -> npt.NDArray[np.uint64]:
        if _KEY_BYTES << bits > self.memory_limit:
            raise ScorpionError(f"The memory limit must be at least {_KEY_BYTES << bits} bytes.")
        return np.zeros(1 << bits, np.uint64)

    def search_memory(self, node_limit: int) -> SolverMemory:
        """Return what it takes to call the compiled search oneself, for players that search.

        Args:
            node_limit: Positions that one search looks at, at most.

        Returns:
            What this solver works in, with a table that a single search cannot fill.
        """
        bits = max(_FIRST_BITS, (4 * node_limit).bit_length())
        return self._memory._replace(table=self._new_table(bits))

    def _restart(self, bits: int = _FIRST_BITS) -> None:
        """Forget the last search, and begin with a table of ``2**bits`` keys."""
        self._memory = self._memory._replace(table=self._new_table(bits))
        for field in ("nodes", "depth", "used", "cut", "entered", "salt"):
            self._memory.state[field] = 0
        self._batch.games["log_events"] = 0
        self._batch.games["log_actions"] = 0

    def solve(
        self,
        start: Game | Start,
        *,
        node_limit: int = NODE_LIMIT,
        time_limit: float | None = None,
    ) -> Solution:
        """Say whether a game can be won from where it stands.

        Args:
            start: A game, the number or text of a deal, or a position.
            node_limit: Positions to look at, at most.
            time_limit: Seconds to search, at most.

        Raises:
            ScorpionError: if there is no such deal, or a limit is not positive.
        """
        if node_limit < 1 or (time_limit is not None and not time_limit > 0):
            raise ScorpionError("A node limit and a time limit must be greater than 0.")
        if isinstance(start, Game):
            start = Position("game", start.board())
        self._batch.start(0, as_deal(start, self.rules))
        self._restart()
        g, state = self._batch.games[0], self._memory.state
        search(g, self._memory, 0)  # loads the compiled code before the clock starts
        began = time.perf_counter()
        while True:
            slice_end = min(int(state["nodes"]) + _SLICE, node_limit)
            result = search(g, self._memory, slice_end)
            if result == TABLE_FULL and self._grow():
                continue
            seconds = time.perf_counter() - began
            if result != GOES_ON or state["nodes"] >= node_limit:
                break
            if time_limit is not None and seconds >= time_limit:
                break
        return self._solution(result, seconds)

    def _solution(self, result: int, seconds: float) -> Solution:
        state, stack = self._memory.state, self._memory.stack
        actions: list[int] = []
        verdict = "unknown"
        if result == WINS:
            verdict = "won"
            for top in stack[: int(state["depth"])]:
                actions.append(int(top["moves"][top["tried"] - 1]))
        elif result == LOSES and not state["cut"]:
            verdict = "lost"
        moves = tuple(action_text(action, self.rules) for action in actions)
        return Solution(verdict, moves, tuple(actions), int(state["nodes"]), seconds)

    def _grow(self) -> bool:
        """Double the table; False if the memory limit forbids it."""
        table = self._memory.table
        if 3 * table.nbytes > self.memory_limit:
            return False
        larger = np.zeros(2 * len(table), np.uint64)
        grow_table(table, larger)
        self._memory = self._memory._replace(table=larger)
        return True

    def solve_deals(
        self, first: int, count: int, *, node_limit: int = NODE_LIMIT, quick_nodes: int = 200_000
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
        """Solve seeded deals ``first``, ``first + 1``, … without their lines.

        The result depends on nothing but the deal and the limits.

        Args:
            first: Number of the first deal.
            count: How many deals.
            node_limit: Positions to look at in each deal, at most.
            quick_nodes: Up to here all deals are searched in one compiled call.

        Returns:
            Verdicts, int8 ``(count,)``, as indices of ``VERDICTS``, and nodes, int64 ``(count,)``.
        """
        verdicts = np.zeros(count, np.int8)
        nodes = np.zeros(count, np.int64)
        quick = min(quick_nodes, node_limit)
        self._restart(max(_FIRST_BITS, (4 * quick).bit_length()))
        g = self._batch.games[0]
        search_deals(g, self._memory, np.uint64(first), quick, verdicts, nodes)
        if node_limit > quick:
            for i in np.flatnonzero(verdicts == VERDICTS.index("unknown")).tolist():
                solution = self.solve(first + i, node_limit=node_limit)
                verdicts[i] = VERDICTS.index(solution.verdict)
                nodes[i] = solution.nodes
        return verdicts, nodes


def solve(
    start: Game | Start,
    rules: str | Rules | None = None,
    *,
    node_limit: int = NODE_LIMIT,
    time_limit: float | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> Solution:
    """Say whether a deal, a position or a game can be won from where it stands (oracle).

    Args:
        start: The number or text of a deal, a position, or a game, which is left as it is.
        rules: The variant: of a game its own, else Classic unless said otherwise.
        node_limit: Positions to look at, at most.
        time_limit: Seconds to search, at most; the first search of a process loads the compiled
            code, which is not counted.
        memory_limit: Bytes that the table of positions may take.

    Raises:
        ScorpionError: if there is no such deal or variant, a game has other rules, or a limit is
            too small.
    """
    if isinstance(start, Game):
        if rules is not None and get_rules(rules) != start.rules:
            raise ScorpionError(f"The game has rules '{start.rules.name}', not those given.")
        rules = start.rules
    solver = Solver(rules or "classic", memory_limit=memory_limit)
    return solver.solve(start, node_limit=node_limit, time_limit=time_limit)
