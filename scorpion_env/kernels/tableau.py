"""The tableau's own motions: cards attached and detached, turned, runs taken, events logged.

What :mod:`scorpion_env.kernels.play` makes moves of. Every motion that undo has to take back is
logged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.cards import ACE, CARDS_PER_SUIT, KING, is_red, rank_of, suit_of
from scorpion_env.kernels.compiled import compiled, inlined
from scorpion_env.kernels.pointers import holds_any
from scorpion_env.kernels.state import BUILD_COLOUR, CHUNK, FEATURES, NO_CARD, TAKEN
from scorpion_env.rewards import FLIP_POINTS, RUN_POINTS

# An index that is known not to be negative is cast to `np.uintp` in the hottest places: numba then
# leaves out the test for a negative index, which costs a tenth of the time of a step.

MAX_CARDS = 104
COLUMN, ROW, FACE_DOWN = (FEATURES.index(name) for name in ("column", "row", "face_down"))
RANK = np.array([rank_of(card) for card in range(MAX_CARDS)], np.int8)
SUIT = np.array([suit_of(card) for card in range(MAX_CARDS)], np.int8)
RED = np.array([is_red(card) for card in range(MAX_CARDS)], np.int8)

# Events of the undo log. One event is kind | card << 3 | column << 10, for a placement also
# `PAID` (it paid points) and `PAID_FIRST` (for the first time in the game).
PLACE, TO_CELL, DEAL, FLIP, TAKE = 1, 2, 3, 4, 5
CARD_SHIFT, COLUMN_SHIFT = 3, 10
KIND_MASK, CARD_MASK, COLUMN_MASK = 7, 127, 31
PAID, PAID_FIRST = 1 << 15, 1 << 16


# --- the undo log -------------------------------------------------------------------------------


@inlined
def log_event(g: Any, log: Any, event: Any) -> None:
    """Append an event to the game's part of the log, an int32 array or a pointer to one.

    An empty log keeps nothing.
    """
    if holds_any(log):
        log[g.log_start + g.log_events] = event
        g.log_events += 1


@compiled
def log_action(g: Any, rules: Any, log: Any, event: Any) -> None:
    """Log the event that starts an action; forget the oldest action beyond the limit."""
    if not holds_any(log):
        return
    if g.log_actions >= rules.undo_limit:
        start = g.log_start
        second = 1
        while second < g.log_events and (log[start + second] & KIND_MASK) in (FLIP, TAKE):
            second += 1
        for i in range(start + second, start + g.log_events):
            log[i - second] = log[i]
        g.log_events -= second
        g.log_actions -= 1
    g.log_actions += 1
    log_event(g, log, event)


# --- moving cards -------------------------------------------------------------------------------


@inlined
def height(g: Any, column: Any) -> Any:
    """Return the number of cards in a column."""
    end = g.end[column]
    return np.int64(g.row[np.uintp(end)]) + 1 if end >= 0 else 0


@compiled
def attach(g: Any, card: Any, column: Any) -> None:
    """Put a single card that lies in no column on the end of one."""
    row = height(g, column)
    g.below[card] = g.end[column]
    g.column[card] = column
    g.row[card] = row
    g.end[column] = card
    g.pile[column, row] = card


@inlined
def move_group(g: Any, card: Any, source: Any, target: Any, seen: Any) -> None:
    """Move a card with its group from the column `source` to the end of the column `target`.

    In `seen`, an observation record or None, the cards of the group are written as well.
    """
    here = np.int64(g.row[card])
    there = height(g, target)
    last = height(g, source) - here - 1
    for start in range(0, last + 1, CHUNK):
        for k in range(CHUNK):
            i = min(start + k, last)
            x = np.uintp(g.pile[np.uintp(source), np.uintp(here + i)])
            g.pile[np.uintp(target), np.uintp(there + i)] = x
            g.column[x] = target
            g.row[x] = there + i
            if seen is not None:
                seen.cards[x, COLUMN] = target + 1
                seen.cards[x, ROW] = there + i + 1
                seen.cards[x, FACE_DOWN] = g.down[target]
    under = g.end[target]
    g.end[target] = g.end[source]
    g.end[source] = g.below[card]
    g.below[card] = under


@inlined
def turn_end(g: Any, column: Any, log: Any) -> None:
    """Turn the end card of a column face up if it lies face down."""
    end = g.end[column]
    if end >= 0 and g.row[end] < g.down[column]:
        g.down[column] -= 1
        g.playable[end] = 1
        g.flips += 1
        g.points += FLIP_POINTS
        log_event(g, log, FLIP | column << COLUMN_SHIFT)


@inlined
def joins(rules: Any, upper: Any, lower: Any) -> Any:
    """Return whether `upper` can follow `lower` in a run, one rank lower."""
    if RANK[lower] != RANK[upper] + 1:
        return False
    if rules.build == BUILD_COLOUR:
        return RED[lower] != RED[upper]
    return SUIT[lower] == SUIT[upper]


@compiled
def ends_in_run(g: Any, rules: Any, column: Any) -> Any:
    """Return whether the last 13 cards of a column are a complete run, all face up."""
    x = g.end[column]
    if x < 0 or RANK[np.uintp(x)] != ACE:
        return False
    row = np.int64(g.row[np.uintp(x)])
    if row - KING < g.down[column]:
        return False
    for rank in range(1, CARDS_PER_SUIT):
        y = g.pile[np.uintp(column), np.uintp(row - rank)]
        if RANK[np.uintp(y)] != rank:
            return False
        if rules.build == BUILD_COLOUR:
            if RED[y] == RED[x]:
                return False
        elif SUIT[y] != SUIT[x]:
            return False
        x = y
    return True


@inlined
def take_runs(g: Any, rules: Any, column: Any, log: Any) -> None:
    """Take runs off the end of a column that has just received cards."""
    if rules.runs_stay:
        return
    while ends_in_run(g, rules, column):
        ace = g.end[column]
        x = ace
        for _ in range(CARDS_PER_SUIT):
            g.column[x] = TAKEN
            g.playable[x] = 0
            x = g.below[x]
        g.end[column] = x
        g.taken[g.runs] = ace
        g.runs += 1
        g.points += RUN_POINTS
        log_event(g, log, TAKE | ace << CARD_SHIFT | column << COLUMN_SHIFT)
        turn_end(g, column, log)


@compiled
def detach(g: Any, card: Any, place: Any) -> None:
    """Take the end card of a column off to a place outside the tableau."""
    g.end[g.column[card]] = g.below[card]
    g.below[card] = NO_CARD
    g.column[card] = place
    g.row[card] = 0
