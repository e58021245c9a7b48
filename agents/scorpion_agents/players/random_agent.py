"""The random player: the yardstick that every other one is measured against."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_agents.base import Actions, Agent, Draws, Masks, Observations, null_moves
from scorpion_env.kernels.compiled import compiled
from scorpion_env.rules import Rules


class RandomAgent(Agent):
    """Picks uniformly among the legal actions, without null moves where another action is legal.

    A null move (:func:`scorpion_agents.base.null_moves`) takes a whole column to an empty column
    and changes nothing; a game in which kings wander between empty columns would say little about
    chance. A king whose column ends in a complete run, which the move takes, may always go.
    Dealing the reserve counts as one action among the others, and so does undo where it is one.
    """

    stochastic = True

    def __init__(self, rules: Rules) -> None:
        super().__init__("random", rules)

    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        """Choose the ``floor(draw * k)``-th of the k actions in question; see :meth:`Agent.act`."""
        useful = masks & ~null_moves(observations, masks, self.rules)
        actions = np.empty(len(masks), np.int64)
        _pick(useful, masks, draws, actions)
        return actions


@compiled
def _pick(useful: Any, masks: Any, draws: Any, actions: Any) -> None:
    for game in range(masks.shape[0]):
        mask = useful[game] if useful[game].any() else masks[game]
        # draw < 1, but its product with the count may be rounded up to the count itself
        left = min(int(draws[game] * mask.sum()), mask.sum() - 1)
        for action in range(mask.shape[0]):
            if mask[action]:
                if left == 0:
                    actions[game] = action
                    break
                left -= 1
