"""The pending events of a position, and what each waits for at once (oracle).

A part of :mod:`scorpion_env.proofs.precedence`, which says what an event is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.state import TAKEN
from scorpion_env.kernels.tableau import RANK
from scorpion_env.rules import MAX_COLUMNS

PRECEDENCE_DTYPE = np.dtype(
    [
        ("pending", np.uint64),
        ("kings", np.uint64),  # the pending kings
        ("empty", np.int64),  # how many columns are empty
        ("events", np.int64),
        ("complete", np.int64),  # whether a complete run lies on the table, not taken
        ("suit_pending", np.uint64, (4,)),  # the pending cards of each suit but its king
        ("taking", np.uint64, (4,)),  # what must come before the run of a suit is taken
        ("before", np.uint64, (CARDS_PER_DECK,)),
        ("extra", np.uint64, (CARDS_PER_DECK,)),
        ("either", np.uint64, (CARDS_PER_DECK,)),
        ("conflicts", np.uint64, (CARDS_PER_DECK,)),  # of the cards `known`, kept by `conflicts`
        ("known", np.uint64),
        ("after", np.uint64, (CARDS_PER_DECK,)),
        ("above", np.int8, (CARDS_PER_DECK,)),
        ("event", np.int8, (CARDS_PER_DECK,)),
        ("base", np.int8, (MAX_COLUMNS,)),
    ],
    align=True,
)
"""What `find_precedence` works out: sets of cards are bit masks, the card's id is the bit."""

BIT = np.array([1 << card for card in range(64)], np.uint64)
SUIT_BITS = np.array([((1 << KING) - 1) << (CARDS_PER_SUIT * s) for s in range(4)], np.uint64)
ALL = np.uint64(2**64 - 1)
NONE = np.uint64(0)
ONE = np.uint64(1)

_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_SHIFT = np.uint64(58)
_PLACES = np.zeros(64, np.int64)
for _i in range(64):
    _PLACES[(((1 << _i) * 0x03F79D71B4CB0A89) & (2**64 - 1)) >> 58] = _i


@compiled
def lowest(mask: Any) -> Any:
    """Return the lowest card of a set that is not empty."""
    return _PLACES[((mask & (~mask + ONE)) * _DE_BRUIJN) >> _SHIFT]


@compiled
def list_events(g: Any, w: Any) -> Any:
    """Find the pending events; False if a card lies on its successor that is face down."""
    columns = g.end.shape[0]
    w.pending = NONE
    w.kings = NONE
    w.known = NONE
    w.empty = 0
    n = 0
    for column in range(columns):
        card = g.end[column]
        top = -1
        if card < 0:
            w.empty += 1
        while card >= 0:
            under = g.below[card]
            w.above[card] = top
            if RANK[card] == KING:
                if under >= 0:
                    w.kings |= BIT[card]
                    w.event[n] = card
                    n += 1
            elif under != card + 1:
                w.event[n] = card
                n += 1
            elif g.row[under] < g.down[column]:
                return False
            top = card
            card = under
        w.base[column] = top
    for i in range(g.cells.shape[0]):
        if g.cells[i] >= 0:
            w.above[g.cells[i]] = -1
            if RANK[g.cells[i]] == KING:
                w.kings |= BIT[g.cells[i]]
            w.event[n] = g.cells[i]
            n += 1
    for i in range(g.reserve_left):
        w.above[g.reserve[i]] = -1
        if RANK[g.reserve[i]] == KING:
            w.kings |= BIT[g.reserve[i]]
        w.event[n] = g.reserve[i]
        n += 1
    w.events = n
    for i in range(n):
        card = w.event[i]
        w.pending |= BIT[card]
        w.extra[card] = NONE
        w.either[card] = NONE
        w.before[card] = ALL
    w.complete = 0
    for suit in range(4):
        w.suit_pending[suit] = w.pending & SUIT_BITS[suit]
        if w.suit_pending[suit] == NONE and g.column[CARDS_PER_SUIT * suit] != TAKEN:
            w.complete = 1
    return True


@compiled
def find_conditions(g: Any, w: Any) -> None:
    """Write rules 1 to 4 into `extra` (all of these before) and `either` (one of these before)."""
    columns = g.end.shape[0]
    for i in range(w.events):
        x = w.event[i]
        column = g.column[x]
        if 0 <= column < columns and g.row[x] < g.down[column]:
            w.extra[x] |= BIT[w.above[x]]
        if RANK[x] == KING:
            continue
        s = x + 1
        at = g.column[s]
        if at >= columns:
            w.extra[x] |= BIT[s]
        elif at >= 0:
            if w.above[s] >= 0:
                w.extra[x] |= BIT[w.above[s]]
            if at == column and g.row[s] > g.row[x]:
                mask = NONE
                card = s
                while card != x:
                    mask |= BIT[card]
                    card = g.below[card]
                w.either[x] = mask & w.pending
