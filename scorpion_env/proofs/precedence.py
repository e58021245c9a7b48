"""What has to happen before what in every winning line (oracle: it looks under the cards).

For one deck built in suit, with kings alone on empty columns: then a card that is no king is placed
at most once, on its successor (the next higher card of its suit), and every position of a game is
known from *which* cards have been placed. Speak of the **event** of a card:

* of a card that is no king and does not lie on its successor yet: its placement there;
* of a king that lies on another card: that it leaves it, by its move to an empty column or because
  its run is taken.

Every pending event occurs in every winning line: a run is a king with each card on its successor,
and where runs stay a king must get to a base. Planners call such an event a *landmark*, and what is
computed here are orders of landmarks (J. Hoffmann, J. Porteous and L. Sebastia, "Ordered landmarks
in planning", Journal of Artificial Intelligence Research 22, 2004). So a set of events that must
come *before* event x can be found, and x must not be in its own set. These are the rules; each
holds for every line that wins.

1. x is placed on s, its successor, when s is the end of its column. The card that lies on s, if it
   is not x, has left before: it is no king's move or it is a king's event. (A card can leave
   another only as the first of its group, so by its own event.)
2. A face-down x turns when the card on it has left.
3. A successor in a cell must have been placed before. A card on top of its own successor that lies
   face down can never leave, so that the successor is never turned: lost.
4. While s lies above x in one column x cannot go there, so one of the pending cards above x, up to
   s, goes first: what precedes all of them precedes x.
5. A king moves only when a column is empty: one is now, or the base of one has left before, or
   the run that starts at one has been taken. Or the king leaves because its own run is taken, after
   all events of its suit and of the card on its ace. What precedes all these ways precedes it.
6. When x is placed, each card u that must come before lies on its successor (a king at a base), and
   each that must come later still lies where it lies now. Follow this chain downwards from s: if it
   leads to x, no winning line exists. If it leads to x when u has been placed, u comes after x; if
   it does when u has not, u comes before x.

The reserve, before it is dealt, only adds covers and takes no card away: the rules hold without
them. Its cards count as cards that lie nowhere, under nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.state import IN_RESERVE, TAKEN
from scorpion_env.kernels.tableau import RANK, SUIT
from scorpion_env.proofs.events import ALL, BIT, NONE, ONE, find_conditions, list_events, lowest

MAX_ROUNDS = 3
"""How often rule 6 is applied before one stops, whether or not it still finds something."""


@compiled
def _before_all(w: Any, mask: Any) -> Any:
    """Return what has happened when all events of a set have: they and what precedes them."""
    out = mask
    while mask != NONE:
        out |= w.before[lowest(mask)]
        mask &= mask - ONE
    return out


@compiled
def _before_one(w: Any, mask: Any) -> Any:
    """Return what has happened for certain when at least one event of a set has."""
    out = ALL
    while mask != NONE:
        card = lowest(mask)
        out &= w.before[card] | BIT[card]
        mask &= mask - ONE
    return out


@compiled
def _find_dependents(w: Any) -> None:
    """Write into `after` which events have to be looked at anew when the set of one shrinks."""
    for i in range(w.events):
        w.after[w.event[i]] = NONE
    for i in range(w.events):
        x = w.event[i]
        mask = w.extra[x] | w.either[x]
        while mask != NONE:
            w.after[lowest(mask)] |= BIT[x]
            mask &= mask - ONE


@compiled
def _ways_to_column(g: Any, rules: Any, w: Any) -> Any:
    """Write `taking`, and return what precedes every way in which a column becomes empty."""
    for suit in range(4):
        w.taking[suit] = ALL
        ace = CARDS_PER_SUIT * suit
        if not rules.runs_stay and g.column[ace] != TAKEN:
            mask = w.suit_pending[suit]
            if g.column[ace] != IN_RESERVE and w.above[ace] >= 0:
                mask |= BIT[w.above[ace]]
            w.taking[suit] = _before_all(w, mask)
    way = ALL
    for column in range(g.end.shape[0]):
        base = w.base[column]
        if RANK[base] == KING:
            way &= w.taking[SUIT[base]]
        else:
            way &= w.before[base] | BIT[base]
    return way


@compiled
def _shrink(w: Any, dirty: Any) -> None:
    """Bring the sets of all but the kings down to what rules 1 to 4 give, from those `dirty` on."""
    while dirty != NONE:
        x = lowest(dirty)
        dirty &= dirty - ONE
        out = _before_all(w, w.extra[x])
        if w.either[x] != NONE:
            out |= _before_one(w, w.either[x])
        out &= w.before[x]
        if out != w.before[x]:
            w.before[x] = out
            dirty |= w.after[x] & ~w.kings


@compiled
def _close(g: Any, rules: Any, w: Any, dirty: Any) -> Any:
    """Iterate the sets to their fixpoint; False if an event must come before itself.

    It suffices to start from the events `dirty` whose sets or conditions have grown.
    """
    _shrink(w, dirty & ~w.kings)
    while w.kings != NONE:
        way = NONE if w.empty > 0 else _ways_to_column(g, rules, w)
        dirty = NONE
        changed = False
        kings = w.kings
        while kings != NONE:
            x = lowest(kings)
            kings &= kings - ONE
            out = _before_all(w, w.extra[x]) | (way & w.taking[SUIT[x]])
            out &= w.before[x]
            if out != w.before[x]:
                w.before[x] = out
                dirty |= w.after[x]
                changed = True
        if not changed:
            break
        _shrink(w, dirty & ~w.kings)
    for i in range(w.events):
        x = w.event[i]
        if w.before[x] & BIT[x] != NONE:
            return False
    return True


_OPEN, _CLEAR, _LEADS = 0, 1, 2


@compiled
def _step_down(g: Any, w: Any, card: Any, left: Any) -> Any:
    """Return the card under another, when it has left its place or not; -1 if there is none."""
    if left:
        return -1 if RANK[card] == KING else np.int64(card) + 1
    return np.int64(g.below[card])


@compiled
def _follow(g: Any, w: Any, card: Any, x: Any) -> Any:
    """Follow the chain down from a card at the time x is placed.

    Returns:
        ``_LEADS`` if it leads to x, ``_CLEAR`` if it ends elsewhere, or ``_OPEN`` and the first
        card of which it is not known whether it has left.
    """
    for _ in range(CARDS_PER_DECK):
        if card < 0:
            return _CLEAR, -1
        if card == x:
            return _LEADS, -1
        if w.pending & BIT[card] == NONE:
            card = _step_down(g, w, card, False)
        elif w.before[x] & BIT[card] != NONE:
            card = _step_down(g, w, card, True)
        elif g.column[card] < 0 or g.column[card] >= g.end.shape[0]:
            return _CLEAR, -1
        elif w.before[card] & BIT[x] != NONE:
            card = _step_down(g, w, card, False)
        else:
            return _OPEN, card
    return _CLEAR, -1


@compiled
def _follow_chains(g: Any, w: Any) -> Any:
    """Apply rule 6 to every placement.

    Returns:
        False if one is impossible; and the events of which it was found what precedes them.
    """
    grown = NONE
    for i in range(w.events):
        x = w.event[i]
        if RANK[x] == KING:
            continue
        end, u = _follow(g, w, np.int64(x) + 1, x)
        if end == _LEADS:
            return False, grown
        if end == _OPEN:
            placed, _ = _follow(g, w, _step_down(g, w, u, True), x)
            waiting, _ = _follow(g, w, _step_down(g, w, u, False), x)
            if placed == _LEADS and waiting == _LEADS:
                return False, grown
            if placed == _LEADS:
                w.extra[u] |= BIT[x]
                w.after[x] |= BIT[u]
                grown |= BIT[u]
            elif waiting == _LEADS:
                w.extra[x] |= BIT[u]
                w.after[u] |= BIT[x]
                grown |= BIT[x]
    return True, grown


@compiled
def find_precedence(g: Any, rules: Any, w: Any) -> Any:
    """Work out which events precede which in every winning line.

    Args:
        g: A game of one deck that is built in suit, with kings alone on empty columns.
        rules: Its rules.
        w: A ``PRECEDENCE_DTYPE`` record, which is overwritten.

    Returns:
        False if no line wins; then the record means nothing.
    """
    if not list_events(g, w):
        return False
    find_conditions(g, w)
    _find_dependents(w)
    dirty = w.pending
    for _ in range(MAX_ROUNDS):
        if not _close(g, rules, w, dirty):
            return False
        fine, dirty = _follow_chains(g, w)
        if not fine:
            return False
        if dirty == NONE:
            break
        mask = dirty
        while mask != NONE:
            x = lowest(mask)
            mask &= mask - ONE
            w.before[x] |= w.extra[x]
    return True
