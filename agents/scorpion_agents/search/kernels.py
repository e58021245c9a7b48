"""What the search players compute, compiled: hidden cards filled in, and every move then solved."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_agents.search.determinizations import determinize, try_action
from scorpion_agents.seen_game import Table, find_hidden, read_game
from scorpion_env.batch.stepping import reward_of
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.observation import observe_game
from scorpion_env.kernels.play import conclude, play
from scorpion_env.kernels.shuffle import GAMMA, mix64
from scorpion_env.kernels.state import PLAYING, WON
from scorpion_env.solver.kernels import LOSES, WINS, search
from scorpion_env.solver.memory import SolverMemory

GONE, OPEN, OVER = range(3)
"""What an action makes of a game that can be won: lost, still to be won, won."""


class SolverTable(NamedTuple):
    """A table, and the solver that is asked about what lies on it.

    Attributes:
        table: The table; its log is the solver's.
        memory: What the solver works in.
        nodes: Positions that each search looks at, at most; what is unknown then counts as lost.
    """

    table: Table
    memory: SolverMemory
    nodes: int


class Outcomes(NamedTuple):
    """What actions make of positions that can be won, and what is seen after them.

    Attributes:
        kinds: ``GONE``, ``OPEN`` or ``OVER``, int8.
        rewards: What each action earns by itself, 0 if it is ``GONE``, float64.
        seen: Records of full observations, after each action.
    """

    kinds: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float64]
    seen: Any


@compiled
def winning_line(observation: Any, solver: SolverTable, actions: Any, seen: Any) -> Any:
    """Find a line that wins, and the positions on it.

    Args:
        observation: int8 ``(cards, 7)``, the full one.
        solver: A table, and the solver.
        actions: Written: the actions of the line, int16, as many as the solver goes deep.
        seen: Records of full observations, as many, written: where each action is played.

    Returns:
        How many actions it takes; 0 if no line is found.
    """
    table, memory = solver.table, solver.memory
    read_game(observation, True, table)
    conclude(table.position[0], table.rules)
    table.after[0] = table.position[0]
    if _solve(solver) != WINS:
        return 0
    g = table.position[0]
    for depth in range(memory.state.depth):
        top = memory.stack[depth]
        actions[depth] = top.moves[top.tried - 1]
        observe_game(g, table.rules, seen[depth], True)
        g.log_events = g.log_actions = 0
        play(g, table.rules, actions[depth], table.log)
        conclude(g, table.rules)
    return memory.state.depth


@compiled
def _solve(solver: SolverTable) -> Any:
    """Solve ``table.after`` from where it stands; return the result. That game is lost."""
    g, memory = solver.table.after[0], solver.memory
    s, keys = memory.state, memory.table
    if g.status == WON:
        return WINS
    if g.status != PLAYING:
        return LOSES
    if s.used > keys.shape[0] // 4:
        keys[:] = np.uint64(0)
        s.used = 0
    s.salt = mix64(s.salt + GAMMA)
    s.nodes = s.depth = s.cut = s.entered = 0
    g.log_events = g.log_actions = 0
    return search(g, memory, solver.nodes)


@compiled
def weigh(solver: SolverTable, action: Any, reward: Any, outcomes: Outcomes, at: Any) -> None:
    """Play an action in ``table.position``, which can be won; write what comes of it.

    Args:
        solver: A table, and the solver.
        action: The action.
        reward: Code of the reward, see :mod:`scorpion_env.rewards`.
        outcomes: Arrays of one dimension.
        at: Where in them to write.
    """
    table = solver.table
    try_action(table, action)
    outcomes.kinds[at] = OVER if table.after[0].status == WON else OPEN
    outcomes.rewards[at] = reward_of(table.after[0], reward)
    observe_game(table.after[0], table.rules, outcomes.seen[at], True)
    if _solve(solver) != WINS:
        outcomes.kinds[at] = GONE
        outcomes.rewards[at] = 0.0


@compiled
def sample_outcomes(
    observation: Any,
    solver: SolverTable,
    most: Any,
    state: Any,
    actions: Any,
    reward: Any,
    outcomes: Outcomes,
) -> Any:
    """Look, in determinizations that can be won, at what follows each action.

    Args:
        observation: int8 ``(cards, 7)``, the player's.
        solver: A table, and the solver.
        most: How many determinizations are tried, at most.
        state: State of the generator, uint64.
        actions: The actions in question, int16 ``(n,)``.
        reward: Code of the reward, see :mod:`scorpion_env.rewards`.
        outcomes: Written for each determinization that can be won, n after n, as far as it goes.

    Returns:
        How many determinizations that can be won were found, and the generator's next state.
    """
    table = solver.table
    n = find_hidden(observation, False, table.hidden)
    count = actions.shape[0]
    wanted = outcomes.kinds.shape[0] // count
    if n <= 1:  # a single hidden card is known, too
        most = 1
    found = 0
    for _ in range(most):
        state = determinize(observation, table, n, state)
        table.after[0] = table.position[0]
        if _solve(solver) != WINS:
            continue
        for k in range(count):
            weigh(solver, actions[k], reward, outcomes, found * count + k)
        found += 1
        if found == wanted:
            break
    return found, state


@compiled
def count_wins(
    observation: Any, solver: SolverTable, samples: Any, state: Any, actions: Any, wins: Any
) -> Any:
    """Count, over determinizations, after which actions the game can be won.

    Args:
        observation: int8 ``(cards, 7)``, the player's.
        solver: A table, and the solver.
        samples: How many determinizations; all are one where no card is hidden.
        state: State of the generator, uint64.
        actions: The actions in question, int16 ``(n,)``.
        wins: int64 ``(n,)``; the counts are added.

    Returns:
        The next state of the generator.
    """
    table, stack = solver.table, solver.memory.stack
    n = find_hidden(observation, False, table.hidden)
    for _ in range(samples):
        state = determinize(observation, table, n, state)
        table.after[0] = table.position[0]
        result = _solve(solver)
        if result == LOSES:
            continue
        first = -1
        if result == WINS:
            first = stack[0].moves[stack[0].tried - 1]
        for k in range(actions.shape[0]):
            if actions[k] == first:
                wins[k] += 1
            else:
                try_action(table, actions[k])
                wins[k] += _solve(solver) == WINS
    return state
