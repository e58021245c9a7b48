"""The exact search, compiled (oracle: it looks under the cards).

Depth-first on an explicit stack, over the kernels that play every game. A position is entered once:
a table holds the 64-bit keys of those that were. Keys of two positions are equal when the positions
are: a column is its cards from the base, each with whether it is face up, the two copies of a card
in two decks alike; columns and cells come in any order, but for the columns that the reserve is
still to come to. (Two different positions have equal keys with probability 2**-64 a pair.) Which
runs were taken is known from the cards that are left.

The search stops whenever its slice of nodes is used up, and goes on where it stopped: whoever calls
it looks at the clock and the memory in between.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.cards import CARDS_PER_DECK, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.play import conclude, play, start_deal, undo
from scorpion_env.kernels.shuffle import mix64
from scorpion_env.kernels.state import LOST, WON
from scorpion_env.kernels.tableau import RANK, SUIT
from scorpion_env.proofs.precedence import find_precedence
from scorpion_env.proofs.pruning import hopeless
from scorpion_env.proofs.stubborn_sets import list_moves, list_needed, takes_reserve
from scorpion_env.solver.memory import SolverMemory

PRUNE_NOTHING, PRUNE_DEAD, PRUNE_ALL = 0, 1, 2
"""How much is left out: nothing (for tests), hopeless positions, and needless moves as well."""

WINS, LOSES, GOES_ON, TABLE_FULL = 0, 1, 2, 3
"""What a slice of the search came to."""

_PRIME = np.uint64(0x9E3779B97F4A7C15)
_FACE_DOWN = np.uint64(128)
_CELLS = np.uint64(1) << np.uint64(40)
_PLACE = np.uint64(32)


@compiled
def position_key(g: Any, rules: Any) -> Any:
    """Return the 64-bit key of a position (uint64)."""
    key = np.uint64(g.reserve_left)
    for column in range(g.end.shape[0]):
        card = g.end[column]
        if card < 0:
            continue
        h = np.uint64(0)
        if g.reserve_left > 0 and takes_reserve(g, rules, column):
            h = np.uint64(column + 1) << _PLACE
        down = g.down[column]
        while card >= 0:
            code = np.uint64(card % CARDS_PER_DECK + 1)
            if g.row[card] < down:
                code |= _FACE_DOWN
            h = (h ^ code) * _PRIME
            h ^= h >> _PLACE
            card = g.below[card]
        key += mix64(h)
    for i in range(rules.cells):
        if g.cells[i] >= 0:
            key += mix64(_CELLS | np.uint64(g.cells[i] % CARDS_PER_DECK))
    return key


@compiled
def add_key(table: Any, key: Any) -> Any:
    """Add a key to the table (uint64, a power of two long, 0 = free); False if it is there."""
    mask = np.uint64(table.shape[0] - 1)
    if key == np.uint64(0):
        key = np.uint64(1)
    at = (key * _PRIME >> _PLACE) & mask
    while table[at] != np.uint64(0):
        if table[at] == key:
            return False
        at = (at + np.uint64(1)) & mask
    table[at] = key
    return True


@compiled
def grow_table(old: Any, new: Any) -> None:
    """Move every key to a larger table, all zero."""
    for i in range(old.shape[0]):
        if old[i] != np.uint64(0):
            add_key(new, old[i])


@compiled
def _promise(g: Any, rules: Any, action: Any) -> Any:
    """Return how promising a move looks: what order the moves are tried in, and nothing else."""
    columns = g.end.shape[0]
    if action >= g.below.shape[0] * columns:
        return -60  # reserve, or a card to a cell
    card = action // columns
    end = g.end[action % columns]
    score = 0
    here = g.column[card]
    if here < columns:
        under = g.below[card]
        if under < 0:
            score += 40
        elif not g.playable[under]:
            score += 50
        elif RANK[under] == RANK[card] + 1 and SUIT[under] == SUIT[card]:
            score -= 100
    if end < 0:
        return score - (20 if RANK[card] == KING else 60)
    if SUIT[end] == SUIT[card]:
        score += 100
    return score


@compiled
def _sort_moves(g: Any, rules: Any, moves: Any, n: Any) -> None:
    """Put the most promising moves first."""
    for i in range(1, n):
        action = moves[i]
        score = _promise(g, rules, action)
        j = i
        while j > 0 and _promise(g, rules, moves[j - 1]) < score:
            moves[j] = moves[j - 1]
            j -= 1
        moves[j] = action


@compiled
def _refuted(g: Any, rules: Any, order: Any, work: Any) -> Any:
    """Return whether it is proved that no line wins."""
    if order is not None:
        return not find_precedence(g, rules, order)
    return hopeless(g, rules, work)


@compiled
def _list_moves(g: Any, rules: Any, order: Any, prune: Any, moves: Any, spare: Any) -> Any:
    """Write the moves to be tried, the most promising first; return how many there are."""
    if order is not None:
        if prune == PRUNE_ALL:
            return list_needed(g, rules, order, moves, spare)
        return list_moves(g, rules, moves)
    n = list_moves(g, rules, moves)
    _sort_moves(g, rules, moves, n)
    return n


@compiled
def _enter(g: Any, memory: SolverMemory) -> Any:
    """Enter the position on top of the stack and list its moves; return whether it is won."""
    rules, s, stack = memory.rules, memory.state, memory.stack
    d = s.depth
    stack[d].count = 0
    s.nodes += 1
    if not add_key(memory.table, position_key(g, rules) ^ s.salt):
        return False
    s.used += 1
    if s.prune != PRUNE_NOTHING and _refuted(g, rules, memory.order, memory.work):
        return False
    conclude(g, rules)
    if g.status == WON:
        return True
    if g.status == LOST:
        return False
    if d + 2 == stack.shape[0]:
        s.cut = 1
        return False
    moves, spare = stack[d].moves, stack[d + 1].moves
    stack[d].count = _list_moves(g, rules, memory.order, s.prune, moves, spare)
    return False


@compiled
def search(g: Any, memory: SolverMemory, node_limit: Any) -> Any:
    """Search until the game is won, all lines are known to lose, or the slice is used up.

    Args:
        g: The game; at the end it stands at the position on top of the stack.
        memory: What the search works in, and the rules.
        node_limit: Stop when so many nodes have been entered in all.

    Returns:
        ``WINS`` with the line on the stack, the last move tried at each depth, ``LOSES`` (proved
        unless ``state.cut``), ``GOES_ON`` or ``TABLE_FULL``.
    """
    rules, s, stack, log = memory.rules, memory.state, memory.stack, memory.log
    half = memory.table.shape[0] // 2
    while True:
        top = stack[s.depth]
        if not s.entered:
            if s.nodes >= node_limit:
                return GOES_ON
            if s.used >= half:
                return TABLE_FULL
            top.tried = 0
            if _enter(g, memory):
                return WINS
            s.entered = 1
        if top.tried < top.count:
            action = top.moves[top.tried]
            top.tried += 1
            play(g, rules, action, log)
            s.depth += 1
            s.entered = 0
        elif s.depth == 0:
            return LOSES
        else:
            undo(g, rules, log)
            s.depth -= 1


@compiled
def search_deals(
    g: Any, memory: SolverMemory, first: Any, node_limit: Any, verdicts: Any, nodes: Any
) -> None:
    """Search seeded deals ``first``, ``first + 1``, … (uint64), each within the node limit.

    The table is shared, its keys told apart by a salt, and emptied when a quarter is in use.

    Args:
        g: A game to work with.
        memory: What the search works in, and the rules.
        first: Number of the first deal.
        node_limit: Positions to look at in each deal, at most.
        verdicts: What each came to, int8 ``(deals,)``; ``GOES_ON`` where a limit ended it.
        nodes: Nodes entered, int64 ``(deals,)``.
    """
    s, table = memory.state, memory.table
    for i in range(verdicts.shape[0]):
        if s.used > table.shape[0] // 4:
            table[:] = np.uint64(0)
            s.used = 0
        s.salt = mix64(first + np.uint64(i))
        s.nodes = s.depth = s.cut = s.entered = 0
        start_deal(g, memory.rules, first + np.uint64(i))
        verdict = search(g, memory, node_limit)
        if verdict == TABLE_FULL or (verdict == LOSES and s.cut):
            verdict = GOES_ON
        verdicts[i] = verdict
        nodes[i] = s.nodes
