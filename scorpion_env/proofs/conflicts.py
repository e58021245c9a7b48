"""Which events get into the way of a placement (oracle).

A part of :mod:`scorpion_env.proofs.stubborn_sets`. Events and sets are those of
:mod:`scorpion_env.proofs.precedence`, which has filled the record `w`.
"""

from __future__ import annotations

from typing import Any

from scorpion_env.cards import ACE, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.state import TAKEN
from scorpion_env.kernels.tableau import RANK
from scorpion_env.proofs.events import BIT, NONE, ONE, lowest


@compiled
def pending_under(g: Any, w: Any, card: Any, x: Any) -> Any:
    """Return the pending cards at or under a card that may come before x."""
    out = NONE
    while card >= 0:
        if card != x and w.pending & BIT[card] != NONE and w.before[card] & BIT[x] == NONE:
            out |= BIT[card]
        card = g.below[card]
    return out


@compiled
def _may_lie_above(g: Any, w: Any, x: Any) -> Any:
    """Return the cards that may come to lie above x, or do, before x is placed; and x."""
    todo = BIT[x]
    seen = todo
    while todo != NONE:
        card = lowest(todo)
        todo &= todo - ONE
        more = NONE
        if g.column[card] != TAKEN and w.above[card] >= 0:
            more |= BIT[w.above[card]]
        if RANK[card] != ACE:
            lower = card - 1
            if w.pending & BIT[lower] != NONE and w.before[lower] & BIT[x] == NONE:
                more |= BIT[lower]
        todo |= more & ~seen
        seen |= more
    return seen


@compiled
def conflicts(g: Any, w: Any, x: Any) -> Any:
    """Return the events c, with c possibly under the successor of x, that conflict with x.

    Whatever lies under the successor may change before x is placed, by the events of cards under
    it: so every card is followed that may come to lie there.
    """
    if w.known & BIT[x] != NONE:
        return w.conflicts[x]
    out = NONE
    on_top = _may_lie_above(g, w, x)
    todo = BIT[x + 1]
    seen = todo
    while todo != NONE:
        card = lowest(todo)
        todo &= todo - ONE
        more = NONE
        if g.below[card] >= 0:
            more |= BIT[g.below[card]]
        free = w.pending & BIT[card] != NONE and w.before[card] & BIT[x] == NONE
        if free and RANK[card] != KING:
            more |= BIT[card + 1]
            if on_top & BIT[card + 1] != NONE:
                out |= BIT[card]
        todo |= more & ~seen
        seen |= more
    w.known |= BIT[x]
    w.conflicts[x] = out
    return out
