"""Which actions are legal in a position: the list that `conclude` writes into a game."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.cards import ACE, CARDS_PER_DECK, CARDS_PER_SUIT, KING, rank_of
from scorpion_env.kernels.compiled import compiled, inlined
from scorpion_env.kernels.state import BUILD_COLOUR, BUILD_SUIT, CHUNK
from scorpion_env.kernels.tableau import MAX_CARDS, RANK, RED, SUIT, ends_in_run

# Indices are cast to `np.uintp` where it pays; see :mod:`scorpion_env.kernels.tableau`.

# The card that goes on a card in same-suit building. An ace stands for itself: it lies in the
# column that it would go to, and so is refused without a branch of its own.
_LOWER = np.array([c if rank_of(c) == ACE else c - 1 for c in range(MAX_CARDS)], np.int8)


@inlined
def _add(g: Any, card: Any, target: Any, n: Any) -> Any:
    """Add the move of a card to a column if the card is playable and lies elsewhere.

    Written without a branch: which cards can go is as good as random to the processor.
    """
    c = np.uintp(card)
    g.legal[np.uintp(n)] = card * g.end.shape[0] + target
    return n + np.int64(g.playable[c] & np.uint8(g.column[c] != target))


@compiled
def is_null(g: Any, rules: Any, card: Any) -> Any:
    """Return whether moving `card` to an empty column changes nothing up to the columns' order."""
    column = g.column[card]
    if column >= g.end.shape[0] or g.row[card] > 0:
        return False
    return rules.runs_stay or not ends_in_run(g, rules, column)


@inlined
def find_legal(g: Any, rules: Any) -> Any:
    """Write the legal actions of a game, and their number, into it.

    Returns:
        How many of them change the position (up to the order of the columns).
    """
    columns = g.end.shape[0]
    cards = g.below.shape[0]
    n = 0
    nulls = 0
    simple = rules.build == BUILD_SUIT and rules.decks == 1
    for target in range(columns):
        end = g.end[target]
        if end < 0:
            n, nulls = _find_fillers(g, rules, target, n, nulls)
        elif simple:
            n = _add(g, _LOWER[np.uintp(end)], target, n)
        else:
            n = _find_placed(g, rules, target, n)
    if rules.cells_refill:
        room = False
        for i in range(rules.cells):
            room = room or g.cells[i] < 0
        if room:
            for column in range(columns):
                if g.end[column] >= 0:
                    g.legal[n] = cards * columns + 1 + g.end[column]
                    n += 1
    if g.reserve_left > 0 and (n == nulls or not rules.reserve_when_stuck):
        g.legal[n] = cards * columns
        n += 1
    if rules.undo_action and g.log_actions > 0:
        g.legal[n] = rules.num_actions - 1
        n += 1
    g.legal_count = n
    last = g.legal[max(n - 1, 0)]
    for i in range(CHUNK):
        g.legal[np.uintp(n + i)] = last
    return n - nulls


@compiled
def _find_placed(g: Any, rules: Any, target: Any, n: Any) -> Any:
    """Add the moves that place a card on the end of the column `target`."""
    end = g.end[target]
    if RANK[end] == ACE:
        return n
    for suit in range(4):
        if rules.build == BUILD_SUIT and suit != SUIT[end]:
            continue
        if rules.build == BUILD_COLOUR and (suit == 1 or suit == 2) == RED[end]:
            continue
        lower = CARDS_PER_SUIT * suit + RANK[end] - 1
        for deck in range(rules.decks):
            n = _add(g, lower + CARDS_PER_DECK * deck, target, n)
    return n


@compiled
def _find_fillers(g: Any, rules: Any, target: Any, n: Any, nulls: Any) -> Any:
    """Add the moves that fill the empty column `target`, and count those that change nothing."""
    columns = g.end.shape[0]
    if rules.kings_only:
        for card in range(KING, g.below.shape[0], CARDS_PER_SUIT):
            before = n
            n = _add(g, card, target, n)
            if n > before and is_null(g, rules, card):
                nulls += 1
        return n, nulls
    for column in range(columns):
        card = g.end[column]
        while card >= 0 and g.playable[card]:
            g.legal[n] = card * columns + target
            n += 1
            nulls += is_null(g, rules, card)
            card = g.below[card]
    for i in range(rules.cells):
        if g.cells[i] >= 0:
            g.legal[n] = g.cells[i] * columns + target
            n += 1
    return n, nulls
