"""A player that reads ahead with the solver, and weighs what it finds by a trained critic."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from scorpion_agents.base import Valuer
from scorpion_agents.search.kernels import GONE, OPEN, OVER, Outcomes, sample_outcomes
from scorpion_agents.search.solver_search import (
    CHUNK,
    NODES,
    SEARCH,
    Searcher,
    budget_text,
    check_budget,
)
from scorpion_env.kernels.state import seen_dtype
from scorpion_env.rewards import reward_code
from scorpion_env.rules import Rules

SAMPLES = 16

TRIES = 16
"""For each determinization wanted, so many are tried at most: most of a new game are lost."""

PRIOR = 0.06
"""How many wins a factor of e in the actor's probability is worth, tuned on deals
from 920000 up."""


class ValueSearchAgent(Searcher):
    """Weighs a move by what a player who does not see the hidden cards would make of it.

    It fills in the hidden cards at random until it has found enough determinizations that can be
    won. In each of them the solver says which moves throw the win away, and those earn nothing;
    after every other move, a critic, which sees all cards, says what its actor, which does not,
    will go on to earn. The mean over the determinizations is what the move is worth. Unlike the
    counts of :class:`scorpion_agents.search.solver_search.SearchAgent` it does not suppose that all
    will be known after the move, which would be strategy fusion. What the actor itself thinks of
    the move is added, since a few determinizations tell good moves apart only roughly.

    Args:
        rules: The variant.
        valuer: Actor and critic.
        samples: Determinizations for each move that can be won; ``TRIES`` times as many are tried.
        milliseconds: Time for each move instead; then its play depends on the machine.
        nodes: Positions that one search looks at, at most; what is then unknown counts as lost.
    """

    stochastic = True
    prefix = SEARCH

    def __init__(
        self,
        rules: Rules,
        valuer: Valuer,
        *,
        samples: int = SAMPLES,
        milliseconds: float | None = None,
        nodes: int = NODES,
    ) -> None:
        check_budget(samples, milliseconds, nodes)
        name = f"{self.prefix}+{valuer.name}:{budget_text(samples, milliseconds)}"
        super().__init__(name, rules, nodes, valuer)
        self.samples = samples
        self.milliseconds = milliseconds
        self._valuer = valuer
        self._reward = reward_code(valuer.returns.reward)
        self._chunk = samples if milliseconds is None else CHUNK
        self._seen = np.zeros(self._chunk * len(self._moves), seen_dtype(rules.cards))

    def _best_moves(
        self, observation: npt.NDArray[np.int8], mask: npt.NDArray[np.bool_], draw: float
    ) -> npt.NDArray[np.int16]:
        hidden, moves, useful = self._find_moves(observation, mask)
        moves = moves[: useful or len(moves)]
        if len(moves) == 1:
            return moves
        asked = np.zeros((1, self.rules.num_actions), np.bool_)
        asked[0, moves] = True
        log_p = self._valuer.log_probabilities(observation[None], asked)[0, moves]
        end = time.perf_counter() + (self.milliseconds or 0) / 1000
        total, kept, found = np.zeros(len(moves)), np.zeros(len(moves), np.int64), 0
        state = int(draw * 2**53)
        while True:
            outcomes, earned, state = self._sample(observation, moves, log_p, state)
            total += earned.sum(axis=0)
            kept += (outcomes != GONE).sum(axis=0)
            found += len(outcomes)
            if hidden <= 1 or time.perf_counter() >= end:
                break
        if not kept.any():
            return moves[:0]
        if hidden <= 1:  # all is known: the actor chooses among the moves that keep the win
            return moves[kept > 0]
        worth = total / found + PRIOR * self._valuer.returns.win * log_p
        return moves[[int(worth.argmax())]]

    def _sample(
        self,
        observation: npt.NDArray[np.int8],
        moves: npt.NDArray[np.int16],
        log_p: npt.NDArray[np.float64],
        state: int,
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float64], int]:
        """Return what follows each move in determinizations that can be won, and what it will earn.

        Returns:
            Outcomes int8 and returns float64 ``(determinizations, moves)``; the next state of the
            generator.
        """
        size = self._chunk * len(moves)
        outcomes = Outcomes(np.zeros(size, np.int8), np.zeros(size), self._seen)
        most = self._chunk * TRIES
        found, state = sample_outcomes(
            observation, self._solver, most, np.uint64(state), moves, self._reward, outcomes
        )
        kinds = outcomes.kinds.reshape(-1, len(moves))[:found]
        rewards = outcomes.rewards.reshape(-1, len(moves))[:found]
        asked = self._valuer.returns
        earned = asked.reward_scale * (rewards + asked.win_bonus * (kinds == OVER))
        places = np.flatnonzero(kinds == OPEN)
        if len(places):
            earned.flat[places] += asked.gamma * self._expect(places, earned, log_p)
        return kinds, earned, state

    def _expect(
        self,
        places: npt.NDArray[np.int64],
        earned: npt.NDArray[np.float64],
        log_p: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Return what will be earned after moves that leave a game open.

        Args:
            places: Where they stand in `earned` laid out flat, and in the observations.
            earned: What each move earned by itself, float64 ``(determinizations, moves)``.
            log_p: What the actor thinks of the moves, float64 ``(moves,)``.

        Returns:
            float64, one for each of `places`.
        """
        values: npt.NDArray[np.float64] = self._valuer.values(self._seen["cards"][places])
        return values
