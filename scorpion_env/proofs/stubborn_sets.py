"""Which moves have to be tried in a position, so that no win is missed (oracle).

A partial-order reduction: of moves that do not get into each other's way, one order is enough. The
sets are the stubborn sets of A. Valmari, "Stubborn sets for reduced state space generation",
Advances in Petri Nets 1990. The reduction holds where :mod:`scorpion_env.proofs.precedence` does,
whose events these are, and for every line that wins (where the reserve comes only when stuck: for
the part of it up to the reserve).

A set T of events is **stubborn** when nothing outside of it can enable one of its events that is
not possible now, and when a possible one can be played before anything outside of it without harm.
Then only the moves of T have to be tried: take a winning line s1 t s2 with t its first move in T.
As every pending event occurs in it, there is one; it is possible now, as nothing in s1 enabled it;
and t s1 s2 is a winning line too. What has to be in T with an event, by what could go wrong:

* x is face down: the event of the card on it. Its successor s is covered: the event of the cover.
  s lies in a cell: its event. s lies above x: the pending cards above x, up to s. Nothing else can
  enable x. If x or s is in the reserve: the reserve.
* x is possible: a move outside of T could make it impossible only by bringing s above x, and x
  could make one impossible only by bringing c + 1 above a card c that lies under s, or is s. Both
  are events of pending cards c at or under s whose successor lies above x at that time (s itself
  stays an end: only x goes there). They are in T, but for those that must come after x in every
  winning line. What may lie under s, and above x, before x is placed is followed through every
  event that could change it. A placement fills no column,
  and it never turns, covers or moves anything that another move needs in its place.
* A run is not taken when it is completed with something on its ace. So where x could complete the
  last gap while its ace is covered, some other pending card of the suit, or the cover, is in T.
* A king needs an empty column. If there is none: whatever can make one, the events of all bases and
  for a king at a base one pending card of its suit. If there are fewer than pending kings: all the
  other kings. And as a king also leaves when its run is taken: one pending card of its suit.
* While the reserve is to come, it matters which column is which: with a king that moves, or the
  reserve, go the moves of whole columns that start with a king to empty columns of another kind.
* The reserve covers what lies in its columns. With it: every card in them and every card whose
  successor is in them, all pending kings, and, for a king that could leave a column of the reserve
  as a whole, what can make a column empty. With a placement from or to such a column, or on top of
  a card that could carry it there: the reserve or that card.

A complete run that was not taken is left to the search without reduction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.cards import CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.play import is_null
from scorpion_env.kernels.tableau import RANK, SUIT
from scorpion_env.proofs.conflicts import conflicts, pending_under
from scorpion_env.proofs.events import BIT, NONE, ONE, lowest


@compiled
def takes_reserve(g: Any, rules: Any, column: Any) -> Any:
    """Return whether a card of the reserve is still to come to a column."""
    found = False
    for i in range(g.reserve_left):
        found = found or rules.reserve_columns[i] == column
    return found


@compiled
def _base(g: Any, column: Any) -> Any:
    card = g.end[column]
    while card >= 0 and g.below[card] >= 0:
        card = g.below[card]
    return card


@compiled
def _column_makers(g: Any, rules: Any, w: Any) -> Any:
    """Return events without one of which no column becomes empty, where none is."""
    out = NONE
    for column in range(g.end.shape[0]):
        base = _base(g, column)
        if RANK[base] != KING:
            out |= BIT[base]
        elif not rules.runs_stay and w.suit_pending[SUIT[base]] != NONE:
            out |= BIT[lowest(w.suit_pending[SUIT[base]])]
    return out


@compiled
def _with_king(g: Any, rules: Any, w: Any, king: Any, chosen: Any) -> Any:
    """Return what a stubborn set has with the event of a king, and whether that is the reserve."""
    early = g.reserve_left > 0 and not rules.reserve_when_stuck
    if g.column[king] < 0:
        return NONE, early
    if not g.playable[king]:
        return BIT[w.above[king]], False
    out = w.kings if w.empty > 0 else _column_makers(g, rules, w)
    of_suit = w.suit_pending[SUIT[king]]
    if not rules.runs_stay and of_suit != NONE and of_suit & (chosen | out) == NONE:
        out |= BIT[lowest(of_suit)]
    return out, early


@compiled
def _with_card(g: Any, rules: Any, w: Any, x: Any, possible: Any) -> Any:
    """Return what a stubborn set has with the placement of x, and whether that is the reserve."""
    early = g.reserve_left > 0 and not rules.reserve_when_stuck
    columns = g.end.shape[0]
    s = np.int64(x) + 1
    at = g.column[s]
    here = g.column[x]
    if here < 0 or at < 0:
        return NONE, early
    if not g.playable[x]:
        return BIT[w.above[x]], False
    if at >= columns:
        return BIT[s], False
    if w.above[s] >= 0:
        return BIT[w.above[s]], False
    if possible & BIT[x] == NONE:
        out = NONE
        card = s
        while card != x:
            out |= BIT[card]
            card = g.below[card]
        return out, False
    out = pending_under(g, w, s, x) if early else conflicts(g, w, x)
    deal = False
    if early:
        out |= pending_under(g, w, x, x)
        deal = takes_reserve(g, rules, at) or RANK[_base(g, at)] == KING
        if here < columns:
            deal = deal or takes_reserve(g, rules, here) or RANK[_base(g, here)] == KING
    return out, deal


@compiled
def _with_reserve(g: Any, rules: Any, w: Any) -> Any:
    """Return what a stubborn set has with the deal of the reserve."""
    columns = g.end.shape[0]
    out = w.kings
    for i in range(w.events):
        x = w.event[i]
        if 0 <= g.column[x] < columns and takes_reserve(g, rules, g.column[x]):
            out |= BIT[x]
        if RANK[x] != KING:
            at = g.column[x + 1]
            if 0 <= at < columns and takes_reserve(g, rules, at):
                out |= BIT[x]
    if w.empty == 0:
        for i in range(g.reserve_left):
            base = _base(g, rules.reserve_columns[i])
            if RANK[base] == KING:
                out |= _column_makers(g, rules, w)
    return out


@compiled
def _grow_set(g: Any, rules: Any, w: Any, todo: Any, deal: Any, possible: Any, most: Any) -> Any:
    """Return a stubborn set that holds the events `todo`, and the reserve if `deal`.

    Returns:
        The set, whether the reserve is in it, and whether it was completed: it is given up when it
        holds more than `most` possible moves, or the reserve where `most` was counted with it.
    """
    chosen = NONE
    dealt = deal
    moves = 1 if deal else 0
    if deal:
        todo = _with_reserve(g, rules, w) & w.pending
    while True:
        while todo != NONE:
            e = lowest(todo)
            chosen |= BIT[e]
            if possible & BIT[e] != NONE:
                moves += 1
            if RANK[e] == KING:
                more, also = _with_king(g, rules, w, e, chosen)
            else:
                more, also = _with_card(g, rules, w, e, possible)
            if moves > most or (also and not dealt):
                return chosen, deal, False
            todo = (todo | more) & w.pending & ~chosen
        if not rules.runs_stay:
            for suit in range(4):
                cards = chosen & w.suit_pending[suit]
                ace = CARDS_PER_SUIT * suit
                if cards != NONE and cards & (cards - ONE) == NONE and g.column[ace] >= 0:
                    cover = w.above[ace]
                    if cover >= 0 and w.before[cover] & cards == NONE:
                        todo |= BIT[cover]
            todo &= w.pending & ~chosen
        if todo == NONE:
            return chosen, deal, True


@compiled
def _add_fillers(g: Any, rules: Any, card: Any, actions: Any, n: Any) -> Any:
    """Add a king's moves to empty columns, one of those columns that are alike."""
    columns = g.end.shape[0]
    alike = False
    whole = is_null(g, rules, card)
    for column in range(columns):
        if g.end[column] < 0:
            special = takes_reserve(g, rules, column)
            if whole and not special and not takes_reserve(g, rules, g.column[card]):
                continue
            if special or not alike:
                actions[n] = card * columns + column
                n += 1
            alike = alike or not special
    return n


@compiled
def list_moves(g: Any, rules: Any, actions: Any) -> Any:
    """Write every legal action but those that change nothing, or the like of another.

    Empty columns are alike unless a card of the reserve is still to come to one of them.

    Returns:
        How many there are.
    """
    columns = g.end.shape[0]
    deal = g.below.shape[0] * columns
    n = 0
    first = -1
    for column in range(columns):
        if g.end[column] < 0 and not takes_reserve(g, rules, column):
            first = column
            break
    for i in range(g.legal_count):
        action = g.legal[i]
        if action < deal:
            target = action % columns
            if g.end[target] < 0:
                special = takes_reserve(g, rules, target)
                if not special and target != first:
                    continue
                card = action // columns
                here = g.column[card]
                if is_null(g, rules, card) and not special and not takes_reserve(g, rules, here):
                    continue
        actions[n] = action
        n += 1
    return n


@compiled
def _write_set(
    g: Any, rules: Any, w: Any, chosen: Any, deal: Any, possible: Any, actions: Any
) -> Any:
    """Write the possible moves of a stubborn set; return how many there are."""
    columns = g.end.shape[0]
    n = 0
    mask = chosen & possible
    while mask != NONE:
        x = lowest(mask)
        mask &= mask - ONE
        if RANK[x] == KING:
            n = _add_fillers(g, rules, x, actions, n)
        else:
            actions[n] = x * columns + g.column[x + 1]
            n += 1
    if w.empty > 0 and g.reserve_left > 0 and (deal or chosen & possible & w.kings != NONE):
        for king in range(KING, g.below.shape[0], CARDS_PER_SUIT):
            if w.kings & BIT[king] == NONE and g.playable[king]:
                n = _add_fillers(g, rules, king, actions, n)
    if deal:
        actions[n] = g.below.shape[0] * columns
        n += 1
    return n


@compiled
def _smallest_set(
    g: Any, rules: Any, w: Any, possible: Any, can_deal: Any, actions: Any, spare: Any
) -> Any:
    """Write the moves of the stubborn set with the fewest, of those grown from one possible move.

    The set grown from the reserve comes first: every other that has the reserve in it holds it.
    """
    best = actions.shape[0]
    if can_deal:
        chosen, _, _ = _grow_set(g, rules, w, NONE, True, possible, best)
        best = _write_set(g, rules, w, chosen, True, possible, actions)
    seeds = possible
    while seeds != NONE and best > 1:
        seed = seeds & (~seeds + ONE)
        seeds &= seeds - ONE
        chosen, _, whole = _grow_set(g, rules, w, seed, False, possible, best - 1)
        if whole:
            n = _write_set(g, rules, w, chosen, False, possible, spare)
            if n < best:
                best = n
                actions[:n] = spare[:n]
    return best


@compiled
def list_needed(g: Any, rules: Any, w: Any, actions: Any, spare: Any) -> Any:
    """Write the moves that have to be tried, after `find_precedence` has not refused the position.

    Args:
        g: A game whose legal actions are known.
        rules: Its rules.
        w: The record that `find_precedence` filled.
        actions: Where the moves go, as long as the legal list can be.
        spare: Another such array.

    Returns:
        How many there are; 0 if no line wins.
    """
    columns = g.end.shape[0]
    deal_action = g.below.shape[0] * columns
    possible = NONE
    can_deal = False
    for i in range(g.legal_count):
        action = g.legal[i]
        if action < deal_action:
            card = action // columns
            if g.end[action % columns] >= 0 or w.kings & BIT[card] != NONE:
                possible |= BIT[card]
        elif action == deal_action:
            can_deal = True
    if w.complete or (can_deal and rules.reserve_when_stuck) or possible == NONE:
        return list_moves(g, rules, actions)
    return _smallest_set(g, rules, w, possible, can_deal, actions, spare)
