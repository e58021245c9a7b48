"""Players that read ahead with the solver: one sees what a player sees, the other all cards."""

from __future__ import annotations

import math
import time
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_agents.base import Actions, Agent, Draws, Masks, Observations
from scorpion_agents.players.greedy import GreedyAgent
from scorpion_agents.search.determinizations import find_moves, moves_in_mask
from scorpion_agents.search.kernels import SolverTable, count_wins, winning_line
from scorpion_agents.seen_game import new_table
from scorpion_env.errors import ScorpionError
from scorpion_env.kernels.state import seen_dtype
from scorpion_env.rules import Rules
from scorpion_env.solver import Solver

SEARCH = "search"
SAMPLES = 64
NODES = 2000
CHUNK = 8
"""Determinizations between two looks at the clock."""

MOST_KNOWN = 500_000
"""Positions on winning lines that the oracle remembers before it forgets them all."""


class Searcher(Agent):
    """What these players share: a table to lay cards on, the solver's memory, and an adviser.

    The search names the moves that are best; the adviser chooses among them.
    """

    def __init__(self, name: str, rules: Rules, nodes: int, adviser: Agent | None) -> None:
        super().__init__(name, rules)
        memory = Solver(rules).search_memory(nodes)
        table = new_table(rules, conclusive=True)._replace(rules=memory.rules, log=memory.log)
        self._solver = SolverTable(table, memory, nodes)
        self._adviser = GreedyAgent(rules) if adviser is None else adviser
        self._moves = np.zeros(table.position.dtype["legal"].shape[0], np.int16)

    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        """Choose an action in each game; see :meth:`Agent.act`."""
        allowed = masks.copy()
        for i in range(len(masks)):
            if masks[i].sum() > 1:
                best = self._best_moves(observations[i], masks[i], float(draws[i]))
                if masks[i, best].any():
                    allowed[i] = False
                    allowed[i, best] = masks[i, best]
        return self._adviser.act(observations, allowed, draws)

    def _find_moves(
        self, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.bool_]
    ) -> tuple[int, npt.NDArray[np.int16], int]:
        """Lay the cards out; return how many are hidden, the moves, and how many are useful."""
        hidden, count, useful = find_moves(observation, self._solver.table, self._moves)
        return hidden, *moves_in_mask(self._moves[:count], useful, mask)

    def _best_moves(
        self, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.bool_], draw: float
    ) -> npt.NDArray[np.int16]:
        """Return the actions to choose among; none if the search has nothing to say."""
        raise NotImplementedError


class SearchAgent(Searcher):
    """Fills in the hidden cards at random, many times, and takes the move that wins most often.

    For each determinization the solver says after which moves the game can be won. Where several
    moves win equally often, or none ever does, its adviser decides. It samples anew at every move.

    What it overrates is *strategy fusion* (Frank and Basin 1998, see
    :mod:`scorpion_agents.search.determinizations`): moves after which each determinization is won
    by another line, as if it were to know, after its move, where every card lies.

    Args:
        rules: The variant.
        samples: Determinizations for each move.
        milliseconds: Time for each move instead; then its play depends on the machine.
        nodes: Positions that one search looks at, at most; what is then unknown counts as lost.
        adviser: Who decides among moves that are equally good; the greedy player by default.
    """

    stochastic = True

    def __init__(
        self,
        rules: Rules,
        *,
        samples: int = SAMPLES,
        milliseconds: float | None = None,
        nodes: int = NODES,
        adviser: Agent | None = None,
    ) -> None:
        check_budget(samples, milliseconds, nodes)
        name = SEARCH if adviser is None else f"{SEARCH}+{adviser.name}"
        super().__init__(f"{name}:{budget_text(samples, milliseconds)}", rules, nodes, adviser)
        self.samples = samples
        self.milliseconds = milliseconds

    def _best_moves(
        self, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.bool_], draw: float
    ) -> npt.NDArray[np.int16]:
        hidden, moves, useful = self._find_moves(observation, mask)
        wins = np.zeros(len(moves), np.int64)
        state = np.uint64(draw * 2**53)
        chunk, seconds = self.samples, 0.0
        if hidden <= 1:
            chunk = 1  # a single hidden card is known, too
        elif self.milliseconds is not None:
            chunk, seconds = CHUNK, self.milliseconds / 1000
        end = time.perf_counter() + seconds
        while True:
            state = count_wins(observation, self._solver, chunk, state, moves, wins)
            if time.perf_counter() >= end:
                break
        if not wins.any():
            return moves[:0]
        best = np.flatnonzero(wins == wins.max())
        if best[0] < useful:  # null moves, which come last, could go on for ever
            best = best[best < useful]
        return moves[best]


def check_budget(samples: int, milliseconds: float | None, nodes: int) -> None:
    """Refuse budgets with which nothing can be searched.

    Raises:
        ScorpionError: if one of them is not greater than 0.
    """
    if samples < 1 or nodes < 1 or (milliseconds is not None and not 0 < milliseconds < math.inf):
        raise ScorpionError("Samples, nodes and milliseconds must be greater than 0, and finite.")


def budget_text(samples: int, milliseconds: float | None) -> str:
    """Return a budget as names of agents have it."""
    return f"{samples}" if milliseconds is None else f"{milliseconds:g}ms"


def parse_budget(text: str) -> dict[str, Any]:
    """Return the arguments of a budget for each move: ``"256"`` determinizations, or ``"20ms"``.

    Raises:
        ScorpionError: if it is neither.
    """
    try:
        if text.endswith("ms"):
            return {"milliseconds": float(text.removesuffix("ms"))}
        return {"samples": int(text)}
    except ValueError:
        raise ScorpionError(
            f"A search player's budget is a number of determinizations, such as search:64, or a "
            f"time, such as search:20ms, not '{text}'."
        ) from None


class OracleAgent(Searcher):
    """Sees all cards and plays a line that wins, if the solver finds one (oracle).

    It is no player but the measure of what can be won at all. In a game that cannot be won it plays
    as the greedy player does. It keeps to a line that it has found: another search after every
    move could find another line each time, and go back and forth where moves can be taken back.

    Args:
        rules: The variant.
        nodes: Positions that the solver looks at before each move, at most.
    """

    information = "oracle"

    def __init__(self, rules: Rules, *, nodes: int = 200_000) -> None:
        super().__init__("oracle", rules, nodes, None)
        depths = len(self._solver.memory.stack)
        self._actions = np.zeros(depths, np.int16)
        self._seen = np.zeros(depths, seen_dtype(rules.cards))
        self._known: dict[bytes, int] = {}

    def _best_moves(
        self, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.bool_], draw: float
    ) -> npt.NDArray[np.int16]:
        key = _digest(observation)
        if key not in self._known:
            self._find_line(observation)
        action = self._known.get(key)
        return np.array([] if action is None else [action], np.int16)

    def _find_line(self, observation: npt.NDArray[np.int8]) -> None:
        """Remember what to do at each position of a line that wins, if there is one."""
        count = winning_line(observation, self._solver, self._actions, self._seen)
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        for action, seen in zip(self._actions[:count].tolist(), self._seen["cards"], strict=False):
            self._known[_digest(seen)] = action


def _digest(observation: npt.NDArray[np.int8]) -> bytes:
    return blake2b(observation.tobytes(), digest_size=16).digest()
