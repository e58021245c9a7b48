"""The kernels that describe positions and moves.

:mod:`scorpion_agents.afterstates.feature_names` says by which numbers. Each describes a whole batch
in one call and knows nothing but observations and actions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_agents.afterstates.feature_names import (
    BASE,
    CAME_UNDER,
    COVERS_HIDDEN,
    DEAL,
    EMPTIED,
    END,
    FACE_DOWN,
    FREES_NOW,
    GETS_RESERVE,
    GROUP,
    HIDDEN,
    LATE,
    LEFT_RECEIVER,
    MOVABLE,
    MOVED,
    ON_TOP,
    OPEN_ROUND,
    OUT_OF_REACH,
    OVER_RECEIVER,
    PER_CARD,
    PER_POSITION,
    RANK,
    ROUND,
    RUNS_TAKEN,
    SETTLED,
    SETTLES,
    SOURCE_DOWN,
    SOURCE_GETS,
    SURE_ROUND,
    TAKEN,
    TARGET_DOWN,
    TARGET_GETS,
    TARGET_HEIGHT,
    TO_EMPTY,
    TURNED,
    UNDER_RECEIVER,
    UNKNOWN,
    UNSETTLED,
    WAITING,
)
from scorpion_agents.afterstates.reachability import (
    FAR,
    can_place,
    empty_round,
    is_settled,
    open_round,
    reach,
    unseen_round,
)
from scorpion_agents.afterstates.seen_position import (
    AT_RESERVE,
    AT_TAKEN,
    AT_UNKNOWN,
    NOTHING,
    PLACES,
    foresee,
    read_position,
    view,
)
from scorpion_agents.seen_game import Table
from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.state import BUILD_ANY


@compiled
def describe_positions(observations: Any, table: Table, views: Any, cards: Any, rest: Any) -> None:
    """Describe positions as their observations show them; see :class:`Describer`.

    Args:
        observations: int8 ``(B, 52, 7)``.
        table: Where they are laid out.
        views: ``POSITION`` records to work with; the first is used.
        cards: Written: uint8 ``(B, 52, PER_CARD)``.
        rest: Written: uint8 ``(B, PER_POSITION)``.
    """
    moved = np.empty((2, PLACES), np.int8)
    p = views[0]
    for game in range(observations.shape[0]):
        read_position(observations[game], True, table, p)
        _describe(p, table.rules, moved, -1, cards[game], rest[game])


@compiled
def describe_actions(
    observations: Any, games: Any, actions: Any, table: Table, views: Any, cards: Any, rest: Any
) -> None:
    """Describe what follows each of the `actions` of the `games`; see :class:`Describer`.

    Args:
        observations: int8 ``(B, 52, 7)``.
        games: Of which position each action is one, int64 ``(N,)``, in ascending order.
        actions: int64 ``(N,)``.
        table: Where the positions are laid out and played on.
        views: ``POSITION`` records to work with, ``(2,)``.
        cards: Written: uint8 ``(N, 52, PER_CARD)``.
        rest: Written: uint8 ``(N, PER_POSITION + PER_MOVE)``.
    """
    moved = np.empty((2, PLACES), np.int8)
    rules, g = table.rules, table.after[0]
    p, after = views[0], views[1]
    deal = CARDS_PER_DECK * g.end.shape[0]
    unseen = np.uint64(0)
    last = -1
    for i in range(games.shape[0]):
        if games[i] != last:
            last = games[i]
            unseen = read_position(observations[last], False, table, p)
        foresee(table, actions[i])
        view(g, rules, unseen, after)
        move = rest[i, PER_POSITION:]
        move[:] = 0
        card = -1
        if actions[i] == deal:
            move[DEAL] = 1
        else:
            card = actions[i] // g.end.shape[0]
            _describe_move(p, rules, card, actions[i] % g.end.shape[0], move)
            move[TURNED] = g.flips
            move[RUNS_TAKEN] = after.runs - p.runs
            move[SETTLES] = is_settled(after, card)
        _describe(after, rules, moved, card, cards[i], rest[i])
        if card >= 0:
            move[FREES_NOW] = _frees_now(p, after, moved[0], card)


@compiled
def _describe_move(p: Any, rules: Any, card: int, target: int, move: Any) -> None:
    """Write what is known of a move before it is made."""
    source, first = p.column[card], p.row[card]
    move[TO_EMPTY] = p.base[target] == NOTHING
    move[EMPTIED] = first == 0
    move[GROUP] = p.height[source] - first
    move[RANK] = card % CARDS_PER_SUIT + 1
    receiver = card
    while receiver != NOTHING:
        if receiver % CARDS_PER_SUIT > 0:
            waits = receiver - 1  # the card that `receiver` should receive
            move[CAME_UNDER] += p.column[waits] == target
            move[LEFT_RECEIVER] += p.column[waits] == source and p.row[waits] < first
        receiver = p.above[receiver]
    under = p.below[card]
    if card % CARDS_PER_SUIT != KING and is_settled(p, card):
        move[UNSETTLED] = 2
    elif rules.build == BUILD_ANY and 0 <= under < CARDS_PER_DECK and first > p.down[source]:
        move[UNSETTLED] = under % CARDS_PER_SUIT == card % CARDS_PER_SUIT + 1
    move[SOURCE_DOWN] = p.down[source]
    move[TARGET_DOWN] = p.down[target]
    move[TARGET_HEIGHT] = p.height[target]
    move[SOURCE_GETS] = p.gets_reserve[source]
    move[TARGET_GETS] = p.gets_reserve[target]


@compiled
def _frees_now(p: Any, after: Any, moved: Any, card: int) -> bool:
    """Whether the card that `card` lay on is now an end on which its own next card can go."""
    under = p.below[card]
    if under < 0 or under >= CARDS_PER_DECK or under % CARDS_PER_SUIT == 0:
        return False
    if after.column[under] < 0:
        return False
    return moved[under - 1] == 1 and not is_settled(after, under - 1)


@compiled
def _describe(p: Any, rules: Any, rounds_of: Any, just_moved: int, cards: Any, rest: Any) -> None:
    """Write the features of a position.

    Args:
        p: The position.
        rules: A ``RULES_DTYPE`` record.
        rounds_of: int8 ``(2, PLACES)``, written: when each card can move at the earliest, if
            unknown cards help, and if none does.
        just_moved: The card that was moved, with its group; -1 if none was.
        cards: Written: uint8 ``(52, PER_CARD)``.
        rest: Written: uint8, the first ``PER_POSITION`` of it.
    """
    moved, sure = rounds_of[0], rounds_of[1]
    rounds = reach(p, rules, True, moved)
    reach(p, rules, False, sure)
    build_any = rules.build == BUILD_ANY
    unseen = unseen_round(p, moved)
    settled = beyond = movable = turning = emptying = kings = under = unknown = 0
    surely = surely_turning = 0
    for card in range(CARDS_PER_DECK):
        for k in range(PER_CARD):
            cards[card, k] = 0
    for card in range(CARDS_PER_DECK):
        f = cards[card]
        c = p.column[card]
        if c == AT_TAKEN:
            f[TAKEN] = 1
            settled += 1
            continue
        rank = card % CARDS_PER_SUIT
        king = rank == KING
        lies_well = is_settled(p, card) and (not king or (c >= 0 and p.row[card] == 0))
        if lies_well:
            f[SETTLED] = 1
            settled += 1
        else:
            f[ROUND] = min(moved[card], LATE)
            f[SURE_ROUND] = min(sure[card], LATE)
            f[MOVABLE] = c >= 0 and moved[card] == 1
            if not king:
                out = moved[card] == FAR
                if build_any and not out:
                    out = not can_place(p, moved, unseen, card, card + 1, FAR)
                f[OUT_OF_REACH] = out
                beyond += out
        f[OPEN_ROUND] = min(open_round(p, moved, unseen, card), LATE)
        if c < 0:
            f[UNKNOWN] = 1
            f[HIDDEN] = c == AT_RESERVE
            unknown += c == AT_UNKNOWN
            continue
        row, down = p.row[card], p.down[c]
        f[END] = p.above[card] == NOTHING
        f[ON_TOP] = p.height[c] - 1 - row
        f[FACE_DOWN] = down
        f[COVERS_HIDDEN] = down > 0 and row == down
        f[BASE] = row == 0
        f[GETS_RESERVE] = p.gets_reserve[c]
        f[HIDDEN] = row < down
        f[MOVED] = card == just_moved
        if not lies_well and sure[card] != FAR:
            surely += 1
            surely_turning += f[COVERS_HIDDEN]
        if f[MOVABLE]:
            movable += 1
            turning += f[COVERS_HIDDEN]
            emptying += f[BASE]
        kings += king and row > 0
        if not lies_well and not king:
            if p.column[card + 1] == c:
                f[UNDER_RECEIVER] = p.row[card + 1] > row
                f[OVER_RECEIVER] = p.row[card + 1] < row
                under += f[UNDER_RECEIVER]
            _count_waiting(p, card, cards)
    empty = closed = hidden = 0
    for c in range(p.columns):
        empty += p.base[c] == NOTHING
        hidden += p.down[c]
    for card in range(CARDS_PER_DECK + p.unseen):
        c = p.column[card]
        closed += c >= 0 and p.down[c] > 0 and p.row[card] == p.down[c] and moved[card] == FAR
    numbers = (  # in the order of POSITION_FEATURES
        empty,
        hidden,
        np.int64(p.to_deal),
        np.int64(p.runs),
        settled,
        beyond,
        np.int64(beyond > 0),
        movable,
        turning,
        emptying,
        kings,
        under,
        rounds,
        min(empty_round(p, moved), LATE),
        min(unseen, LATE),
        unknown,
        closed,
        surely,
        surely_turning,
        min(empty_round(p, sure), LATE),
    )
    for k in range(PER_POSITION):
        rest[k] = numbers[k]


@compiled
def _count_waiting(p: Any, card: int, cards: Any) -> None:
    """Count `card` at each card that must move before it, one after another."""
    x = card
    for _ in range(12):  # the chain may be a circle
        if x % CARDS_PER_SUIT == KING or p.column[x + 1] < 0:
            return
        above = p.above[x + 1]
        if above == NOTHING or above >= CARDS_PER_DECK:
            return
        cards[above, WAITING] += 1
        x = above
        if x == card:
            return
