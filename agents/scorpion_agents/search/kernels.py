"""What the search players compute, compiled: hidden cards filled in, and every move then solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_agents.search.determinizations import (
    find_hidden,
    hidden_as_shown,
    lay_out,
    shuffle,
    try_action,
)
from scorpion_env.batch.stepping import reward_of
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.observation import observe_game
from scorpion_env.kernels.play import conclude, play
from scorpion_env.kernels.pointers import pointer
from scorpion_env.kernels.shuffle import GAMMA, mix64
from scorpion_env.kernels.state import PLAYING, WON
from scorpion_env.solver.kernels import LOSES, WINS, search

GONE, OPEN, OVER = range(3)
"""What an action makes of a game that can be won: lost, still to be won, won."""


@compiled
def winning_line(
    observation: Any,
    rules: Any,
    games: Any,
    memory: Any,
    log: Any,
    nodes: Any,
    hidden: Any,
    actions: Any,
    seen: Any,
) -> Any:
    """Find a line that wins, and the positions on it.

    Args:
        observation: int8 ``(cards, 7)``, the full one.
        rules: The rules.
        games: Two games to work with.
        memory: See `count_wins`.
        log: The solver's undo log.
        nodes: Node limit of the search.
        hidden: Room for the hidden cards, int8 ``(cards,)``.
        actions: Written: the actions of the line, int16, as many as the solver goes deep.
        seen: Records of full observations, as many, written: where each action is played.

    Returns:
        How many actions it takes; 0 if no line is found.
    """
    state, moves, tried = memory[2], memory[4], memory[6]
    hidden_as_shown(observation, rules, games[1], hidden)
    lay_out(observation, hidden, rules, games[1])
    games[0] = games[1]
    if _solve(games, rules, memory, log, nodes) != WINS:
        return 0
    games[0] = games[1]
    g, events = games[0], pointer(log)
    for depth in range(state.depth):
        actions[depth] = moves[depth, tried[depth] - 1]
        observe_game(g, rules, seen[depth], True)
        g.log_events = g.log_actions = 0
        play(g, rules, actions[depth], events)
        conclude(g, rules)
    return state.depth


@compiled
def _wins_after(games: Any, rules: Any, memory: Any, log: Any, nodes: Any, action: Any) -> Any:
    """Return whether the second game of a batch can be won after an action."""
    try_action(games, rules, action, log)
    return _solve(games, rules, memory, log, nodes) == WINS


@compiled
def _solve(games: Any, rules: Any, memory: Any, log: Any, nodes: Any) -> Any:
    """Solve the first game of a batch from where it stands, which is lost; return the result."""
    order, w, s, table, moves, count, tried = memory
    g = games[0]
    if g.status == WON:
        return WINS
    if g.status != PLAYING:
        return LOSES
    if s.used > table.shape[0] // 4:
        table[:] = np.uint64(0)
        s.used = 0
    s.salt = mix64(s.salt + GAMMA)
    s.nodes = s.depth = s.cut = s.entered = 0
    g.log_events = g.log_actions = 0
    return search(g, rules, order, w, s, table, moves, count, tried, log, nodes)


@compiled
def weigh(
    games: Any,
    rules: Any,
    memory: Any,
    log: Any,
    nodes: Any,
    action: Any,
    reward: Any,
    after: Any,
) -> Any:
    """Play an action in the second game of a batch, which can be won; write what is seen after it.

    Returns:
        ``GONE``, ``OPEN`` or ``OVER``, and the reward, 0 if it is ``GONE``.
    """
    try_action(games, rules, action, log)
    outcome = OVER if games[0].status == WON else OPEN
    paid = reward_of(games[0], reward)
    observe_game(games[0], rules, after, True)
    if _solve(games, rules, memory, log, nodes) != WINS:
        return GONE, 0.0
    return outcome, paid


@compiled
def sample_outcomes(
    observation: Any,
    rules: Any,
    games: Any,
    memory: Any,
    log: Any,
    nodes: Any,
    most: Any,
    state: Any,
    actions: Any,
    hidden: Any,
    reward: Any,
    outcomes: Any,
    rewards: Any,
    seen: Any,
) -> Any:
    """Look, in arrangements of the hidden cards that can be won, at what follows each action.

    Args:
        observation: int8 ``(cards, 7)``, the player's.
        rules: The rules.
        games: Two games to work with.
        memory: See `count_wins`.
        log: The solver's undo log.
        nodes: Node limit of each search; what is unknown then counts as lost.
        most: How many arrangements are tried, at most.
        state: State of the generator, uint64.
        actions: The actions in question, int16 ``(n,)``.
        hidden: Room for the hidden cards, int8 ``(cards,)``.
        reward: Code of the reward, see :mod:`scorpion_env.rewards`.
        outcomes: int8 ``(wanted, n)``, written for each arrangement that can be won: ``GONE`` if
            the action loses it, ``OPEN`` if it can still be won, ``OVER`` if the action wins it.
        rewards: float64 ``(wanted, n)``, written: the reward of each action, 0 if it is ``GONE``.
        seen: Records of full observations, ``(wanted * n,)``, written: the positions after each.

    Returns:
        How many arrangements that can be won were found, and the next state of the generator.
    """
    n = find_hidden(observation, hidden)
    wanted, count = outcomes.shape
    if n <= 1:  # a single hidden card is known, too
        most = 1
    found = 0
    for _ in range(most):
        state = shuffle(hidden, n, state)
        lay_out(observation, hidden, rules, games[1])
        games[0] = games[1]
        if _solve(games, rules, memory, log, nodes) != WINS:
            continue
        for k in range(count):
            outcomes[found, k], rewards[found, k] = weigh(
                games, rules, memory, log, nodes, actions[k], reward, seen[found * count + k]
            )
        found += 1
        if found == wanted:
            break
    return found, state


@compiled
def count_wins(
    observation: Any,
    rules: Any,
    games: Any,
    memory: Any,
    log: Any,
    nodes: Any,
    samples: Any,
    state: Any,
    actions: Any,
    wins: Any,
) -> Any:
    """Count, over arrangements of the hidden cards, after which actions the game can be won.

    Args:
        observation: int8 ``(cards, 7)``, the player's.
        rules: The rules.
        games: Two games to work with.
        memory: The solver's arrays, as :meth:`scorpion_env.solver.Solver.memory` returns them.
        log: The solver's undo log.
        nodes: Node limit of each search; what is unknown then counts as lost.
        samples: How many arrangements; all are one where no card is hidden.
        state: State of the generator, uint64.
        actions: The actions in question, int16 ``(n,)``.
        wins: int64 ``(n,)``; the counts are added.

    Returns:
        The next state of the generator.
    """
    hidden = np.empty(observation.shape[0], np.int8)
    n = find_hidden(observation, hidden)
    moves, tried = memory[4], memory[6]
    for _ in range(samples):
        state = shuffle(hidden, n, state)
        lay_out(observation, hidden, rules, games[1])
        games[0] = games[1]
        result = _solve(games, rules, memory, log, nodes)
        if result == LOSES:
            continue
        first = -1
        if result == WINS:
            first = moves[0, tried[0] - 1]
        for k in range(actions.shape[0]):
            if actions[k] == first or _wins_after(games, rules, memory, log, nodes, actions[k]):
                wins[k] += 1
    return state
