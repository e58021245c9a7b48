"""Flat Monte Carlo: hidden cards filled in at random, and quick games played out from there.

No tree is kept: every move gets as many playouts, and their mean decides. (The name is that of
C. Browne and others, "A survey of Monte Carlo tree search methods", IEEE Transactions on
Computational Intelligence and AI in Games 4, 2012.)
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from scorpion_agents.base import Actions, Agent, Draws, Masks, Observations
from scorpion_agents.search.determinizations import (
    determinize,
    find_moves,
    moves_in_mask,
    try_action,
)
from scorpion_agents.search.solver_search import CHUNK, budget_text, check_budget
from scorpion_agents.seen_game import Table, find_hidden, new_table
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.play import conclude, play
from scorpion_env.kernels.pointers import pointer
from scorpion_env.kernels.state import PLAYING, WON
from scorpion_env.rollout import draw_greedy_move
from scorpion_env.rules import Rules

PLAYOUTS = "playouts"
SAMPLES = 256

WIN_POINTS = 500
"""What a win counts beside its points, as in the training configurations."""


class PlayoutAgent(Agent):
    """Takes the move after which games of greedy moves earn most.

    It fills in the hidden cards at random, many times. In each determinization it makes each move
    in turn and plays on with greedy moves that know no more than a player does, chance deciding
    among equal ones. Most points on average, a win counted as ``WIN_POINTS`` more, is best. Unlike
    the players that ask the solver it supposes too little skill rather than too much knowledge.

    Args:
        rules: The variant.
        samples: Determinizations for each move.
        milliseconds: Time for each move instead; then its play depends on the machine.
    """

    stochastic = True

    def __init__(
        self, rules: Rules, *, samples: int = SAMPLES, milliseconds: float | None = None
    ) -> None:
        check_budget(samples, milliseconds, 1)
        super().__init__(f"{PLAYOUTS}:{budget_text(samples, milliseconds)}", rules)
        self.samples = samples
        self.milliseconds = milliseconds
        without_undo = replace(rules, undo_action=False)  # to take moves back leads nowhere
        self._table = new_table(without_undo, conclusive=True)
        self._moves = np.zeros(self._table.position.dtype["legal"].shape[0], np.int16)

    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        """Choose an action in each game; see :meth:`Agent.act`."""
        pairs = zip(observations, masks, draws.tolist(), strict=True)
        return np.array([self._choose(*pair) for pair in pairs], np.int64)

    def _choose(self, observation: Any, mask: Any, draw: float) -> int:
        if mask.sum() == 1:
            return int(mask.argmax())
        _, count, useful = find_moves(observation, self._table, self._moves)
        moves, useful = moves_in_mask(self._moves[:count], useful, mask)
        moves = moves[: useful or len(moves)]
        if len(moves) < 2:
            return int(moves[0]) if len(moves) else int(mask.argmax())
        earned = np.zeros(len(moves), np.int64)
        state = np.uint64(draw * 2**53)
        end = time.perf_counter() + (self.milliseconds or 0) / 1000
        chunk = self.samples if self.milliseconds is None else CHUNK
        while True:
            state = np.uint64(_play_out(observation, self._table, chunk, state, moves, earned))
            if time.perf_counter() >= end:
                return int(moves[earned.argmax()])


@compiled
def _play_out(
    observation: Any, table: Table, samples: Any, state: Any, actions: Any, earned: Any
) -> Any:
    """Add to `earned`, int64 ``(n,)``, what games earn after each action, int16 ``(n,)``.

    Returns:
        The next state of the generator, uint64.
    """
    n = find_hidden(observation, False, table.hidden)
    rules, events = table.rules, pointer(table.log)
    for _ in range(samples):
        state = determinize(observation, table, n, state)
        for k in range(actions.shape[0]):
            try_action(table, actions[k])
            g = table.after[0]
            while g.status == PLAYING:
                action, state = draw_greedy_move(g, rules, state)
                g.steps += 1
                play(g, rules, action, events)
                conclude(g, rules)
            earned[k] += g.score
            if g.status == WON:
                earned[k] += WIN_POINTS
    return state
