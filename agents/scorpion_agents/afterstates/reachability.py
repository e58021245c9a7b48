"""Relaxed reachability: which cards could still move, and after how many others.

A card can be placed when it and the card that receives it are free. If one forgets that a move also
buries something, and hopes that every unknown card is the one that is needed, then whatever moves
can free, they free for good, and a few rounds over the cards tell when each could move at the
earliest.
What is out of reach even so is out of reach in the game: in Classic one such card means that the
game is lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_agents.afterstates.seen_position import AT_RESERVE, AT_TAKEN, AT_UNKNOWN, NOTHING
from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.state import BUILD_ANY

FAR = 31
"""The round of what never comes about; no position needs that many."""


@compiled
def unseen_round(p: Any, moved: Any) -> int:
    """Return the round in which a card that nobody sees can turn up at the earliest.

    Args:
        p: See :data:`scorpion_agents.afterstates.seen_position.POSITION`.
        moved: int8 ``(104,)``, the rounds in which cards move away.
    """
    best = 1 if p.to_deal > 0 else FAR
    for card in range(CARDS_PER_DECK, CARDS_PER_DECK + p.unseen):
        if p.row[card] >= p.down[p.column[card]]:  # it is being turned or dealt
            return 0
        best = min(best, moved[p.above[card]])
    return int(best)


@compiled
def empty_round(p: Any, moved: Any) -> int:
    """Return the round in which a column is empty at the earliest."""
    best = FAR
    for c in range(p.columns):
        if p.base[c] == NOTHING:
            return 0
        best = min(best, moved[p.base[c]])
    return int(best)


@compiled
def open_round(p: Any, moved: Any, unseen: int, card: int) -> int:
    """Return the round in which a card is the end of its column, face up, at the earliest."""
    c = p.column[card]
    if c >= 0:
        above = p.above[card]
        return 0 if above == NOTHING else int(moved[above])
    if c == AT_UNKNOWN:
        return unseen
    return 1 if c == AT_RESERVE else FAR


@compiled
def can_place(p: Any, moved: Any, unseen: int, card: int, receiver: int, limit: int) -> bool:
    """Whether a card that is free can be placed on another before round `limit`."""
    if open_round(p, moved, unseen, receiver) >= limit:
        return False
    if p.column[card] < 0 or p.column[card] != p.column[receiver]:
        return True
    if p.row[card] > p.row[receiver]:
        return True
    # The receiver lies in the card's own group: it, or something between, must go first.
    between = receiver
    while between != card:
        if moved[between] < limit:
            return True
        between = p.below[between]
    return False


@compiled
def is_settled(p: Any, card: int) -> bool:
    """Whether a card lies on the one it follows in its suit, face up, or was taken; any king."""
    if card >= CARDS_PER_DECK:
        return False
    if card % CARDS_PER_SUIT == KING or p.column[card] == AT_TAKEN:
        return True
    if p.column[card] < 0 or p.below[card] != card + 1:
        return False
    return bool(p.row[card] > p.down[p.column[card]])


@compiled
def _run_leaves(p: Any, moved: Any, king: int, limit: int) -> bool:
    """Whether the whole suit of a king could lie on it before round `limit`."""
    for card in range(king - KING, king):
        if moved[card] >= limit and not is_settled(p, card):
            return False
    return True


@compiled
def _can_move(
    p: Any, rules: Any, moved: Any, unseen: int, empty: int, card: int, limit: int
) -> bool:
    """Whether a card can move in round `limit`."""
    c = p.column[card]
    if c >= 0:
        if p.row[card] < p.down[c] and moved[p.above[card]] >= limit:
            return False
    elif (unseen if c == AT_UNKNOWN else 1) >= limit:
        return False
    if card >= CARDS_PER_DECK:
        return True  # it may be whatever fits
    rank = card % CARDS_PER_SUIT
    if (rank == KING or not rules.kings_only) and empty < limit and (c < 0 or p.row[card] > 0):
        return True
    if rank == KING:
        return not rules.runs_stay and _run_leaves(p, moved, card, limit)
    if rules.build != BUILD_ANY:
        return can_place(p, moved, unseen, card, card + 1, limit)
    for receiver in range(rank + 1, CARDS_PER_DECK, CARDS_PER_SUIT):
        if can_place(p, moved, unseen, card, receiver, limit):
            return True
    return False


@compiled
def reach(p: Any, rules: Any, hopeful: bool, moved: Any) -> int:
    """Find the round in which each card can move at the earliest.

    Args:
        p: See :data:`scorpion_agents.afterstates.seen_position.POSITION`.
        rules: A ``RULES_DTYPE`` record.
        hopeful: Whether an unknown card is the one that is needed; otherwise it never helps.
        moved: int8 ``(104,)``, written: 1 if it can move now, ``FAR`` if never.

    Returns:
        The number of rounds.
    """
    moves_again = rules.build == BUILD_ANY or not rules.kings_only
    waiting = np.empty(2 * CARDS_PER_DECK, np.int8)
    count = 0
    for card in range(CARDS_PER_DECK + p.unseen):
        moved[card] = FAR
        if p.column[card] == AT_TAKEN or (card >= CARDS_PER_DECK and not hopeful):
            continue
        if moves_again or card % CARDS_PER_SUIT == KING or not is_settled(p, card):
            waiting[count] = card
            count += 1
    limit = 0
    changed = True
    # The reserve comes in the second round, whether or not anything can move in the first.
    while (changed or limit == 1) and limit < FAR - 1:
        changed = False
        limit += 1
        unseen = unseen_round(p, moved) if hopeful else FAR
        empty = empty_round(p, moved)
        left = 0
        for i in range(count):
            card = waiting[i]
            if _can_move(p, rules, moved, unseen, empty, card, limit):
                moved[card] = limit
                changed = True
            else:
                waiting[left] = card
                left += 1
        count = left
    return limit
