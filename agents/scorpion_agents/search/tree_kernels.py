"""What the tree player computes, compiled: what follows each reply to a move."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_agents.search.determinizations import list_useful
from scorpion_agents.search.kernels import Outcomes, SolverTable, weigh
from scorpion_agents.seen_game import read_game
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.observation import observe_game
from scorpion_env.kernels.play import conclude


class Replies(NamedTuple):
    """The useful actions in n positions, one position after another, and what comes of them.

    Attributes:
        views: Records ``(n,)``, what the player sees of each position.
        starts: Where each position's actions begin, and their number, int64 ``(n + 1,)``.
        actions: The useful actions, or the null moves where there are no others, int16.
        outcomes: What they come to.
    """

    views: Any
    starts: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int16]
    outcomes: Outcomes


@compiled
def reply(seen: Any, places: Any, solver: SolverTable, reward: Any, replies: Replies) -> None:
    """Play every useful action in positions whose hidden cards are given.

    Args:
        seen: Records of full observations.
        places: Which of them, int64 ``(n,)``; the games there go on.
        solver: A table, and the solver.
        reward: Code of the reward, see :mod:`scorpion_env.rewards`.
        replies: Written.
    """
    table = solver.table
    n = 0
    for i in range(places.shape[0]):
        replies.starts[i] = n
        read_game(seen[places[i]].cards, True, table)
        g = table.position[0]
        conclude(g, table.rules)
        observe_game(g, table.rules, replies.views[i], False)
        count, useful = list_useful(g, table.rules, replies.actions[n:])
        for k in range(n, n + (useful if useful else count)):
            weigh(solver, replies.actions[k], reward, replies.outcomes, k)
        n += useful if useful else count
    replies.starts[places.shape[0]] = n
