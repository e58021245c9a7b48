"""Players that read ahead with the solver: one sees what a player sees, the other all cards."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Agent, Draws, Masks, Observations
from agents.greedy import GreedyAgent
from agents.search_kernels import count_wins, find_hidden, lay_out, list_useful, winning_move
from scorpion_env.batch import Batch
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules
from scorpion_env.solver import Solver

_count_wins: Any = count_wins
_winning_move: Any = winning_move

SAMPLES = 64
NODES = 2000
CHUNK = 8
"""Arrangements between two looks at the clock."""


class _Searcher(Agent):
    """What both players share: a table to lay cards on, and the solver's memory."""

    def __init__(self, name: str, rules: Rules, nodes: int) -> None:
        super().__init__(name, rules)
        solver = Solver(rules)
        self._memory, self._log, self._rules = solver.search_memory(nodes)
        self._games = np.repeat(Batch(rules, 1).games, 2)
        self._nodes = nodes
        self._fallback = GreedyAgent(rules)
        self._hidden = np.zeros(rules.cards, np.int8)
        self._moves = np.zeros(self._games.dtype["legal"].shape[0], np.int16)

    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        """Choose an action in each game; see :meth:`Agent.act`."""
        actions = self._fallback.act(observations, masks, draws)
        for i in range(len(actions)):
            if masks[i].sum() > 1:
                actions[i] = self._choose(observations[i], float(draws[i]), int(actions[i]))
        return actions

    def _choose(self, observation: npt.NDArray[np.int8], draw: float, fallback: int) -> int:
        raise NotImplementedError

    def _useful_moves(self) -> npt.NDArray[np.int16]:
        """Return the legal actions of the game laid out, one of those that are alike."""
        count, _ = list_useful(self._games[1], self._rules, self._moves)
        return self._moves[:count].copy()


class SearchAgent(_Searcher):
    """Fills in the hidden cards at random, many times, and takes the move that wins most often.

    For each arrangement the solver says after which moves the game can be won. Where several moves
    win equally often, or none ever does, the greedy player decides. Its known flaw: it reckons as
    if it were to know, after its move, where every card lies. It samples anew at every move.

    Args:
        rules: The variant.
        samples: Arrangements for each move.
        milliseconds: Time for each move instead; then its play depends on the machine.
        nodes: Positions that one search looks at, at most; what is then unknown counts as lost.
    """

    stochastic = True

    def __init__(
        self,
        rules: Rules,
        *,
        samples: int = SAMPLES,
        milliseconds: float | None = None,
        nodes: int = NODES,
    ) -> None:
        if samples < 1 or nodes < 1 or (milliseconds is not None and not milliseconds > 0):
            raise ScorpionError("Samples, nodes and milliseconds must be greater than 0.")
        budget = f"{samples}" if milliseconds is None else f"{milliseconds:g}ms"
        super().__init__(f"search:{budget}", rules, nodes)
        self.samples = samples
        self.milliseconds = milliseconds

    def _choose(self, observation: npt.NDArray[np.int8], draw: float, fallback: int) -> int:
        hidden = find_hidden(observation, self._hidden)
        lay_out(observation, self._hidden, self._rules, self._games[1])
        moves = self._useful_moves()
        if len(moves) <= 1:
            return fallback
        wins = np.zeros(len(moves), np.int64)
        state = np.uint64(draw * 2**53)
        began = time.perf_counter()
        left = self.samples if hidden > 1 else 1  # a single hidden card is known, too
        while left > 0:
            chunk = min(left, CHUNK) if self.milliseconds is not None else left
            state = _count_wins(
                observation,
                self._rules,
                self._games,
                self._memory,
                self._log,
                self._nodes,
                chunk,
                state,
                moves,
                wins,
            )
            if self.milliseconds is None or hidden <= 1:
                break
            if 1000 * (time.perf_counter() - began) >= self.milliseconds:
                break
        best = wins.max()
        if best == 0 or fallback in moves[wins == best]:
            return fallback
        return int(moves[wins.argmax()])


def search_agent(budget: str, rules: Rules) -> SearchAgent:
    """Return a search player with a budget for each move: ``"256"`` arrangements, or ``"20ms"``.

    Raises:
        ScorpionError: if the budget is neither.
    """
    try:
        if budget.endswith("ms"):
            return SearchAgent(rules, milliseconds=float(budget.removesuffix("ms")))
        return SearchAgent(rules, samples=int(budget))
    except ValueError:
        raise ScorpionError(
            f"A search player's budget is a number of arrangements, such as search:64, or a time, "
            f"such as search:20ms, not '{budget}'."
        ) from None


class OracleAgent(_Searcher):
    """Sees all cards and plays a line that wins, if the solver finds one (oracle).

    It is no player but the measure of what can be won at all. In a game that cannot be won it plays
    as the greedy player does.

    Args:
        rules: The variant.
        nodes: Positions that the solver looks at before each move, at most.
    """

    information = "oracle"

    def __init__(self, rules: Rules, *, nodes: int = 200_000) -> None:
        super().__init__("oracle", rules, nodes)

    def _choose(self, observation: npt.NDArray[np.int8], draw: float, fallback: int) -> int:
        return int(
            _winning_move(
                observation,
                self._rules,
                self._games,
                self._memory,
                self._log,
                self._hidden,
                self._nodes,
                self._moves,
                fallback,
            )
        )
