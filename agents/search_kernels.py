"""What the search players compute, compiled: hidden cards filled in, and every move then solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.cards import CARDS_PER_SUIT, KING
from scorpion_env.compiled import compiled
from scorpion_env.deals import GAMMA, mix64
from scorpion_env.kernels import clear, conclude, is_null, play
from scorpion_env.observation import (
    COLUMN,
    FACE_DOWN,
    ON_TOP,
    PLACE,
    PLACE_CELL,
    PLACE_RESERVE,
    PLACE_TABLEAU,
    PLACE_TAKEN,
    ROW,
    TO_COME,
    VISIBLE,
    observe_game,
)
from scorpion_env.rollout import draw_below
from scorpion_env.solver_kernels import LOSES, WINS, search
from scorpion_env.state import IN_RESERVE, NO_CARD, PLAYING, TAKEN, WON
from scorpion_env.stepping import reward_of
from scorpion_env.stubborn import list_moves

UNSEEN = -1

GONE, OPEN, OVER = range(3)
"""What an action makes of a game that can be won: lost, still to be won, won."""


@compiled
def find_hidden(observation: Any, hidden: Any) -> Any:
    """Write the cards that a player does not see into `hidden`, int8; return how many."""
    n = 0
    for card in range(observation.shape[0]):
        if not observation[card, VISIBLE]:
            hidden[n] = card
            n += 1
    return n


@compiled
def lay_out(observation: Any, hidden: Any, rules: Any, g: Any) -> None:
    """Put the cards on the table of a game as an observation shows them.

    Args:
        observation: int8 ``(cards, 7)``; of a full one, what it says of hidden cards is not used.
        hidden: The cards that lie face down, column by column from the base, and then those of the
            reserve, int8.
        rules: The rules.
        g: The game, overwritten; its legal actions are found, points and steps are 0.
    """
    clear(g)
    columns = g.end.shape[0]
    for column in range(columns):
        g.pile[column, :] = UNSEEN
    for card in range(observation.shape[0]):
        place = observation[card, PLACE]
        if place == PLACE_TAKEN:
            g.column[card] = TAKEN
            # An observation finds a taken run by its links, from the ace to the king.
            g.below[card] = NO_CARD if card % CARDS_PER_SUIT == KING else card + 1
            if card % CARDS_PER_SUIT == 0:
                g.taken[g.runs] = card
                g.runs += 1
        elif place == PLACE_CELL:
            cell = observation[card, COLUMN] - 1
            g.cells[cell] = card
            g.column[card] = columns + cell
            g.below[card] = NO_CARD
            g.playable[card] = 1
        elif place == PLACE_TABLEAU and observation[card, VISIBLE]:
            column = observation[card, COLUMN] - 1
            g.pile[column, observation[card, ROW] - 1] = card
            g.down[column] = observation[card, FACE_DOWN]
            if observation[card, ON_TOP] == 0:
                g.end[column] = card
                g.row[card] = observation[card, ROW] - 1
    n = 0
    for column in range(columns):
        end = g.end[column]
        if end == NO_CARD:
            continue
        under = NO_CARD
        for row in range(g.row[end] + 1):
            if row < g.down[column]:
                g.pile[column, row] = hidden[n]
                n += 1
            card = g.pile[column, row]
            g.column[card], g.row[card], g.below[card] = column, row, under
            g.playable[card] = row >= g.down[column]
            under = card
    g.reserve_left = observation[0, TO_COME]
    for i in range(g.reserve_left):
        card = hidden[n]
        n += 1
        g.reserve[i] = card
        g.column[card] = IN_RESERVE
        g.below[card] = NO_CARD
        g.playable[card] = 0
    conclude(g, rules)


@compiled
def hidden_as_shown(observation: Any, rules: Any, g: Any, hidden: Any) -> Any:
    """Write the hidden cards as a full observation of `g` tells them, as `lay_out` wants them."""
    n = 0
    for column in range(g.end.shape[0]):
        height = 0
        for card in range(observation.shape[0]):
            shown = observation[card, PLACE] == PLACE_TABLEAU
            if shown and observation[card, COLUMN] == column + 1 and not observation[card, VISIBLE]:
                hidden[n + observation[card, ROW] - 1] = card
                height += 1
        n += height
    for i in range(observation[0, TO_COME]):
        for card in range(observation.shape[0]):
            reserve = observation[card, PLACE] == PLACE_RESERVE
            if reserve and observation[card, COLUMN] == rules.reserve_columns[i] + 1:
                hidden[n] = card
        n += 1
    return n


@compiled
def list_useful(g: Any, rules: Any, moves: Any) -> Any:
    """Write the legal actions, one of those that are alike, null moves last.

    A null move can be taken back, and two of them in turn would go on for ever.

    Returns:
        How many there are, and how many of them are no null moves.
    """
    n = list_moves(g, rules, moves)
    useful = 0
    for i in range(n):
        action = moves[i]
        if not changes_little(g, rules, action):
            moves[i] = moves[useful]
            moves[useful] = action
            useful += 1
    return n, useful


@compiled
def changes_little(g: Any, rules: Any, action: Any) -> Any:
    """Return whether an action is a null move."""
    columns = g.end.shape[0]
    if action >= g.below.shape[0] * columns or g.end[action % columns] >= 0:
        return False
    return is_null(g, rules, action // columns)


@compiled
def winning_move(
    observation: Any,
    rules: Any,
    games: Any,
    memory: Any,
    log: Any,
    hidden: Any,
    nodes: Any,
    useful: Any,
) -> Any:
    """Return a move after which a game can be won, or -1 if none is found.

    Args:
        observation: int8 ``(cards, 7)``, the full one.
        rules: The rules.
        games: Two games to work with.
        memory: See `count_wins`.
        log: The solver's undo log.
        hidden: Room for the hidden cards, int8 ``(cards,)``.
        nodes: Node limit of each search.
        useful: Room for legal actions, int16.
    """
    moves, tried = memory[4], memory[6]
    hidden_as_shown(observation, rules, games[1], hidden)
    lay_out(observation, hidden, rules, games[1])
    games[0] = games[1]
    if _solve(games, rules, memory, log, nodes) != WINS:
        return -1
    first = moves[0, tried[0] - 1]
    if changes_little(games[1], rules, first):
        _, n = list_useful(games[1], rules, useful)
        for k in range(n):
            if _wins_after(games, rules, memory, log, nodes, useful[k]):
                return useful[k]
    return first


@compiled
def try_action(games: Any, rules: Any, action: Any, log: Any) -> None:
    """Make the first game of a batch what the second is after an action."""
    games[0] = games[1]
    g = games[0]
    g.log_events = g.log_actions = 0
    play(g, rules, action, log)
    conclude(g, rules)


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
def shuffle(hidden: Any, n: Any, state: Any) -> Any:
    """Shuffle the first `n` of the hidden cards; return the next state of the generator."""
    for i in range(n - 1, 0, -1):
        state += GAMMA
        j = draw_below(state, i + 1)
        hidden[i], hidden[j] = hidden[j], hidden[i]
    return state


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
            try_action(games, rules, actions[k], log)
            outcomes[found, k] = OVER if games[0].status == WON else OPEN
            rewards[found, k] = reward_of(games[0], reward)
            observe_game(games[0], rules, seen[found * count + k], True)
            if _solve(games, rules, memory, log, nodes) != WINS:
                outcomes[found, k] = GONE
                rewards[found, k] = 0
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
