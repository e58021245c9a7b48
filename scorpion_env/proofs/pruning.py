"""Cheap proofs that a game cannot be won any more, for every variant (oracle).

`hopeless` plays the game with nothing ever in the way: every card that has once been moved blocks
nobody and can be built upon, and whatever could be moved once can be moved for ever. (Planners call
this the delete relaxation.) Which cards could then ever leave their place is a set that only grows,
so it is found by repeating these rules until nothing changes. A card can leave

* if it is face up, or the card on it can leave, and some card that it may be placed on, and does
  not lie on now, is the end of a column, or covered by a card that can leave, or lies in a cell
  that it can leave, or is still to come with the reserve;
* if it may fill an empty column, and a column is empty or the base of one can leave;
* if cells can be filled, a cell is empty or can become so, and nothing lies on it for ever;
* if it is a king whose run can be taken: of each rank of it there is a card that can leave or that
  lies where it should.

In a real game less is possible at every step: by induction over its moves, a card that leaves its
place in the game can leave it here. So if a card that does not lie where a finished run wants it,
which is on a face-up card that it may be built on (of its own suit unless built in colours), can
never leave, then no line wins. Where runs stay, a king on another card must leave it too.

`is_dead` uses the sharper proof of :mod:`scorpion_env.proofs.precedence` where that holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.cards import CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.state import BUILD_ANY, BUILD_COLOUR, BUILD_SUIT, IN_RESERVE, TAKEN
from scorpion_env.kernels.tableau import MAX_CARDS, RANK, RED, SUIT, joins
from scorpion_env.proofs.events import PRECEDENCE_DTYPE
from scorpion_env.proofs.precedence import find_precedence

WORK_DTYPE = np.dtype(
    [
        ("precedence", PRECEDENCE_DTYPE),
        ("above", np.int8, (MAX_CARDS,)),
        ("leaves", np.uint8, (MAX_CARDS,)),
    ],
    align=True,
)
"""What the proofs need to work in; one record serves any number of positions."""


@compiled
def is_strict(rules: Any) -> Any:
    """Return whether `scorpion_env.proofs.precedence` holds: one deck, in suit, kings alone."""
    return (
        rules.decks == 1
        and rules.build == BUILD_SUIT
        and rules.kings_only
        and not rules.cells_refill
    )


@compiled
def _fits(rules: Any, card: Any, under: Any) -> Any:
    if RANK[under] != RANK[card] + 1:
        return False
    if rules.build == BUILD_SUIT:
        return SUIT[under] == SUIT[card]
    return rules.build == BUILD_ANY or RED[under] != RED[card]


@compiled
def _lies_well(g: Any, rules: Any, card: Any) -> Any:
    """Return whether a card that is no king can stay where it lies until its run is complete."""
    column = g.column[card]
    if column == TAKEN:
        return True
    under = g.below[card]
    if column < 0 or column >= g.end.shape[0] or under < 0:
        return False
    return g.row[under] >= g.down[column] and joins(rules, card, under)


@compiled
def _run_possible(g: Any, rules: Any, w: Any, king: Any) -> Any:
    """Return whether, of each rank under a king, a card of its run can get where it should."""
    if g.column[king] == TAKEN or rules.runs_stay:
        return False
    for rank in range(KING):
        found = False
        for card in range(rank, g.below.shape[0], CARDS_PER_SUIT):
            if rules.build == BUILD_COLOUR:
                suits = (RED[card] != RED[king]) == ((KING - rank) % 2 == 1)
            else:
                suits = SUIT[card] == SUIT[king]
            if suits and g.column[card] != TAKEN:
                found = found or w.leaves[card] or _lies_well(g, rules, card)
        if not found:
            return False
    return True


@compiled
def _open(g: Any, w: Any, card: Any) -> Any:
    """Return whether a card is, or can become, the end of a column."""
    column = g.column[card]
    if column == TAKEN:
        return False
    if column == IN_RESERVE:
        return True
    if column >= g.end.shape[0]:
        return w.leaves[card] != 0
    return w.above[card] < 0 or w.leaves[w.above[card]] != 0


@compiled
def _can_leave(g: Any, rules: Any, w: Any, card: Any, column_free: Any, cell_free: Any) -> Any:
    """Return whether a card can leave its place, by what is known so far."""
    columns = g.end.shape[0]
    column = g.column[card]
    uncovered = column < 0 or column >= columns or w.above[card] < 0
    uncovered = uncovered or w.leaves[w.above[card]] != 0
    if 0 <= column < columns and not uncovered and not g.playable[card]:
        return False
    if RANK[card] == KING:
        if column_free or _run_possible(g, rules, w, card):
            return True
    elif column_free and not rules.kings_only:
        return True
    if cell_free and uncovered:
        return True
    if RANK[card] == KING:
        return False
    for under in range(RANK[card] + 1, g.below.shape[0], CARDS_PER_SUIT):
        if _fits(rules, card, under) and under != g.below[card] and _open(g, w, under):
            return True
    return False


@compiled
def hopeless(g: Any, rules: Any, w: Any) -> Any:
    """Return whether it is proved that no line wins; False says nothing.

    Args:
        g: A game of any variant; what an undo action could bring back does not count.
        rules: Its rules.
        w: A ``WORK_DTYPE`` record, which is overwritten.
    """
    columns = g.end.shape[0]
    cards = g.below.shape[0]
    column_free = False
    cell_free = False
    for card in range(cards):
        w.leaves[card] = 0
        w.above[card] = -1
    for column in range(columns):
        card = g.end[column]
        column_free = column_free or card < 0
        while card >= 0:
            under = g.below[card]
            if under >= 0:
                w.above[under] = card
            card = under
    if rules.cells_refill:
        for i in range(rules.cells):
            cell_free = cell_free or g.cells[i] < 0
    changed = True
    while changed:
        changed = False
        for card in range(cards):
            if w.leaves[card] or g.column[card] == TAKEN:
                continue
            if _can_leave(g, rules, w, card, column_free, cell_free):
                w.leaves[card] = 1
                changed = True
                column = g.column[card]
                if 0 <= column < columns and g.below[card] < 0:
                    column_free = True
                elif column >= columns:
                    cell_free = rules.cells_refill != 0
    for card in range(cards):
        column = g.column[card]
        if w.leaves[card] or column == TAKEN:
            continue
        if RANK[card] == KING:
            if column >= columns or (rules.runs_stay and column >= 0 and g.below[card] >= 0):
                return True
        elif not _lies_well(g, rules, card):
            return True
    return False


@compiled
def is_dead(g: Any, rules: Any, w: Any) -> Any:
    """Return whether it is proved that a game cannot be won any more; False says nothing.

    It takes a few microseconds. Looks under the cards, and leaves an undo action out of account.

    Args:
        g: A game, as :mod:`scorpion_env.kernels.state` describes it.
        rules: Its rules.
        w: A ``WORK_DTYPE`` record, which is overwritten.
    """
    if is_strict(rules):
        return not find_precedence(g, rules, w.precedence)
    return hopeless(g, rules, w)
