"""What a position looks like after each legal action, in small numbers, for a network to score.

Every legal action of every game of a batch gives one *afterstate*: the position right after it, as
far as a player can see it. An afterstate is described by :data:`CARD_FEATURES` for each card, by
:data:`POSITION_FEATURES` for the whole, and by :data:`MOVE_FEATURES` for the action that led there.
All are whole numbers from 0 to 255; :data:`CARD_SCALE`, :data:`POSITION_SCALE` and
:data:`MOVE_SCALE` bring them near 0 to 1. Nothing tells the suits apart, so what a network learns
about one suit serves all, and columns count only by what lies in them and whether the reserve will
fall there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Masks, Observations
from agents.position import (
    AT_RESERVE,
    AT_TAKEN,
    AT_UNKNOWN,
    NOTHING,
    PLACES,
    apply_deal,
    apply_move,
    new_position,
    read_position,
)
from agents.reach import (
    FAR,
    can_place,
    empty_round,
    is_settled,
    open_round,
    reach,
    unseen_round,
)
from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT, KING
from scorpion_env.compiled import compiled
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules

SUITS = 4

CARD_FEATURES = (
    ("unknown", 1),
    ("taken", 1),
    ("settled", 1),  # on the card that it follows in its suit
    ("end", 1),  # of its column
    ("movable", 1),  # in the first round of `reach`
    ("round", 8),  # of `reach`, if it still has to move
    ("out_of_reach", 1),  # can never be placed on the card that it follows
    ("under_its_receiver", 1),  # in one column, the card that should receive it in its group
    ("over_its_receiver", 1),
    ("on_top", 8),
    ("face_down", 3),  # cards of its column that are
    ("covers_hidden", 1),  # lies directly on a face-down card
    ("base", 1),  # of its column
    ("gets_reserve", 1),  # its column, when the reserve is dealt
    ("waiting", 8),  # cards that wait, through others, for this one to move
    ("hidden", 1),  # known, though it lies face down or in the reserve
    ("moved", 1),  # by the action, with its group on it
    ("open_round", 8),  # when it can receive a card
    ("sure_round", 8),  # as `round`, if no unknown card helps
)
"""Name and scale of what is said of each card; a full observation alone makes any `hidden`."""

POSITION_FEATURES = (
    ("empty_columns", 4),
    ("face_down", 12),
    ("to_deal", 3),
    ("runs", 4),
    ("settled", 52),
    ("out_of_reach", 4),
    ("dead", 1),  # some card is out of reach
    ("movable", 8),
    ("movable_turning", 4),  # movable cards on a face-down one
    ("movable_emptying", 4),  # movable cards at the base of a column
    ("kings_inside", 4),  # kings that lie on other cards
    ("under_their_receivers", 8),
    ("rounds", 10),
    ("empty_round", 8),
    ("unseen_round", 8),
    ("unknown", 15),
    ("closed_columns", 7),  # columns with face-down cards that are never turned
    ("sure", 32),  # cards that can move even if no unknown card helps
    ("sure_turning", 4),
    ("sure_empty_round", 8),
)
"""Name and scale of what is said of a position."""

MOVE_FEATURES = (
    ("deal", 1),
    ("to_empty", 1),
    ("turned", 1),
    ("emptied", 1),
    ("runs", 1),
    ("group", 8),
    ("rank", 13),
    ("came_under_receiver", 4),  # cards whose receiver the group put on them
    ("left_receiver", 4),  # cards whose receiver the group took off them
    ("unsettled", 1),  # the card lay well before
    ("settled", 1),  # it lies well now
    ("frees_now", 1),  # the card that came free receives one now
    ("source_down", 3),
    ("target_down", 3),
    ("target_height", 12),
    ("source_gets_reserve", 1),
    ("target_gets_reserve", 1),
)
"""Name and scale of what is said of an action."""


def _scales(features: tuple[tuple[str, int], ...]) -> npt.NDArray[np.float32]:
    return np.array([1.0 / scale for _, scale in features], np.float32)


CARD_SCALE = _scales(CARD_FEATURES)
POSITION_SCALE = _scales(POSITION_FEATURES)
MOVE_SCALE = _scales(MOVE_FEATURES)

PER_CARD, PER_POSITION, PER_MOVE = len(CARD_FEATURES), len(POSITION_FEATURES), len(MOVE_FEATURES)

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Afterstates:
    """What follows the legal actions of B positions, N in all.

    Attributes:
        games: int64 ``(N,)``, the position of each action, from 0, in ascending order.
        actions: int64 ``(N,)``, the actions.
        cards: uint8 ``(N, 4, 13 * PER_CARD)``, of each afterstate, the suits' cards, ace to king.
        rest: uint8 ``(N, PER_POSITION + PER_MOVE)``.
        starts: int64 ``(B + 1,)``, where the actions of each position begin, and N.
    """

    games: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]
    cards: Bytes
    rest: Bytes
    starts: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, masks: Masks) -> Afterstates:
        """Return what belongs to masks, bool ``(B, num_actions)``, features not yet written."""
        games, actions = np.nonzero(masks)
        return cls(
            games,
            actions,
            np.empty((len(games), SUITS, CARDS_PER_SUIT * PER_CARD), np.uint8),
            np.empty((len(games), PER_POSITION + PER_MOVE), np.uint8),
            np.searchsorted(games, np.arange(len(masks) + 1)),
        )

    def take(self, positions: npt.NDArray[np.int64]) -> Afterstates:
        """Return some of the positions, int64 ``(M,)``, in the order given."""
        counts = np.diff(self.starts)[positions]
        starts = np.concatenate([[0], np.cumsum(counts)])
        games = np.repeat(np.arange(len(positions)), counts)
        rows = np.arange(len(games)) + (self.starts[positions] - starts[:-1])[games]
        return Afterstates(games, self.actions[rows], self.cards[rows], self.rest[rows], starts)


def check_describable(rules: Rules) -> None:
    """Refuse variants whose positions these features do not describe.

    Raises:
        ScorpionError: for two decks, cells, building in alternating colours, or undo as an action.
    """
    unlike = {
        "two decks": rules.decks > 1,
        "cells": rules.cells > 0,
        "building in alternating colours": rules.build == "colour",
        "undo as an action": rules.undo_action,
    }
    found = [name for name, holds in unlike.items() if holds]
    if found:
        raise ScorpionError(
            f"The afterstate policy does not play rules '{rules.name}', which have "
            f"{' and '.join(found)}; use policy: mlp."
        )


class Describer:
    """Describes positions and afterstates of one variant.

    Raises:
        ScorpionError: if the variant is none that it describes; see `check_describable`.
    """

    def __init__(self, rules: Rules) -> None:
        check_describable(rules)
        self._flags = (rules.build == "any", rules.empty_column == "any", rules.runs == "taken")
        self._receives = np.zeros(rules.num_columns, np.bool_)
        self._receives[list(rules.reserve_columns)] = True

    def afterstates(self, observations: Observations, masks: Masks) -> Afterstates:
        """Describe what follows each legal action.

        Args:
            observations: int8 ``(B, 52, 7)``; hidden cards that a full one shows are not looked at.
            masks: bool ``(B, num_actions)``.
        """
        found = Afterstates.empty(masks)
        _describe_actions(
            observations,
            found.games,
            found.actions,
            *self._flags,
            self._receives,
            new_position(),
            new_position(),
            found.cards.reshape(-1, CARDS_PER_DECK, PER_CARD),
            found.rest,
        )
        return found

    def positions(self, observations: Observations) -> tuple[Bytes, Bytes]:
        """Describe positions with all that the observations show, hidden cards too if they do.

        Args:
            observations: int8 ``(B, 52, 7)``, the player's or full ones.

        Returns:
            uint8 ``(B, 4, 13 * PER_CARD)`` and uint8 ``(B, PER_POSITION)``.
        """
        games = len(observations)
        cards = np.empty((games, CARDS_PER_DECK, PER_CARD), np.uint8)
        rest = np.empty((games, PER_POSITION), np.uint8)
        _describe_positions(
            observations, *self._flags, self._receives, new_position(), cards, rest
        )
        return cards.reshape(games, SUITS, -1), rest


@compiled
def _describe_positions(
    observations: Any,
    build_any: bool,
    empty_any: bool,
    taken: bool,
    receives: Any,
    positions: Any,
    cards: Any,
    rest: Any,
) -> None:
    moved = np.empty((2, PLACES), np.int8)
    p = positions[0]
    for game in range(observations.shape[0]):
        read_position(observations[game], receives.shape[0], True, p)
        rounds = reach(p, build_any, empty_any, taken, True, moved[0])
        reach(p, build_any, empty_any, taken, False, moved[1])
        _describe(p, build_any, receives, moved[0], moved[1], rounds, -1, cards, rest, game)


@compiled
def _describe_actions(
    observations: Any,
    games: Any,
    actions: Any,
    build_any: bool,
    empty_any: bool,
    taken: bool,
    receives: Any,
    positions: Any,
    afterwards: Any,
    cards: Any,
    rest: Any,
) -> None:
    moved = np.empty((2, PLACES), np.int8)
    columns = receives.shape[0]
    p = positions[0]
    after = afterwards[0]
    last = -1
    for i in range(games.shape[0]):
        if games[i] != last:
            last = games[i]
            read_position(observations[last], columns, False, p)
        afterwards[0] = positions[0]
        move = rest[i, PER_POSITION:]
        move[:] = 0
        card = -1
        if actions[i] == CARDS_PER_DECK * columns:
            apply_deal(after, receives)
            move[0] = 1
        else:
            card = actions[i] // columns
            target = actions[i] % columns
            _describe_move(p, receives, card, target, move)
            move[2] = apply_move(after, card, target, taken)
            move[4] = after.runs - p.runs
            move[10] = is_settled(after, card)
        rounds = reach(after, build_any, empty_any, taken, True, moved[0])
        reach(after, build_any, empty_any, taken, False, moved[1])
        _describe(after, build_any, receives, moved[0], moved[1], rounds, card, cards, rest, i)
        if card >= 0:
            move[11] = _frees_now(p, after, moved[0], card)


@compiled
def _describe_move(p: Any, receives: Any, card: int, target: int, move: Any) -> None:
    """Write what is known of a move before it is made."""
    source, first = p.column[card], p.row[card]
    move[1] = p.base[target] == NOTHING
    move[3] = first == 0
    move[5] = p.height[source] - first
    move[6] = card % CARDS_PER_SUIT + 1
    receiver = card
    while receiver != NOTHING:
        if receiver % CARDS_PER_SUIT > 0:
            waits = receiver - 1  # the card that `receiver` should receive
            move[7] += p.column[waits] == target
            move[8] += p.column[waits] == source and p.row[waits] < first
        receiver = p.above[receiver]
    move[9] = is_settled(p, card) and card % CARDS_PER_SUIT != KING
    move[12] = p.down[source]
    move[13] = p.down[target]
    move[14] = p.height[target]
    if p.to_deal > 0:
        move[15] = receives[source]
        move[16] = receives[target]


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
def _describe(
    p: Any,
    build_any: bool,
    receives: Any,
    moved: Any,
    sure: Any,
    rounds: int,
    just_moved: int,
    cards: Any,
    rest: Any,
    i: int,
) -> None:
    """Write the features of a position, of which `reach` said when each card can move, at `i`."""
    unseen = unseen_round(p, moved)
    settled = beyond = movable = turning = emptying = kings = under = unknown = 0
    surely = surely_turning = 0
    for card in range(CARDS_PER_DECK):
        for k in range(PER_CARD):
            cards[i, card, k] = 0
    for card in range(CARDS_PER_DECK):
        f = cards[i, card]
        c = p.column[card]
        if c == AT_TAKEN:
            f[1] = 1
            settled += 1
            continue
        rank = card % CARDS_PER_SUIT
        king = rank == KING
        lies_well = is_settled(p, card) and (not king or (c >= 0 and p.row[card] == 0))
        if lies_well:
            f[2] = 1
            settled += 1
        else:
            f[5] = min(moved[card], 15)
            f[18] = min(sure[card], 15)
            f[4] = c >= 0 and moved[card] == 1
            if not king:
                out = moved[card] == FAR
                if build_any and not out:
                    out = not can_place(p, moved, unseen, card, card + 1, FAR)
                f[6] = out
                beyond += out
        f[17] = min(open_round(p, moved, unseen, card), 15)
        if c < 0:
            f[0] = 1
            f[15] = c == AT_RESERVE
            unknown += c == AT_UNKNOWN
            continue
        row, down = p.row[card], p.down[c]
        f[3] = p.above[card] == NOTHING
        f[9] = p.height[c] - 1 - row
        f[10] = down
        f[11] = down > 0 and row == down
        f[12] = row == 0
        f[13] = p.to_deal > 0 and receives[c]
        f[15] = row < down
        f[16] = card == just_moved
        if not lies_well and sure[card] != FAR:
            surely += 1
            surely_turning += f[11]
        if f[4]:
            movable += 1
            turning += f[11]
            emptying += f[12]
        kings += king and row > 0
        if not lies_well and not king:
            if p.column[card + 1] == c:
                f[7] = p.row[card + 1] > row
                f[8] = p.row[card + 1] < row
                under += f[7]
            _count_waiting(p, card, cards, i)
    empty = closed = hidden = 0
    for c in range(p.columns):
        empty += p.base[c] == NOTHING
        hidden += p.down[c]
    for card in range(CARDS_PER_DECK + p.unseen):
        c = p.column[card]
        closed += c >= 0 and p.down[c] > 0 and p.row[card] == p.down[c] and moved[card] == FAR
    whole = rest[i]
    whole[0] = empty
    whole[1] = hidden
    whole[2] = p.to_deal
    whole[3] = p.runs
    whole[4] = settled
    whole[5] = beyond
    whole[6] = beyond > 0
    whole[7] = movable
    whole[8] = turning
    whole[9] = emptying
    whole[10] = kings
    whole[11] = under
    whole[12] = rounds
    whole[13] = min(empty_round(p, moved), 15)
    whole[14] = min(unseen, 15)
    whole[15] = unknown
    whole[16] = closed
    whole[17] = surely
    whole[18] = surely_turning
    whole[19] = min(empty_round(p, sure), 15)


@compiled
def _count_waiting(p: Any, card: int, cards: Any, i: int) -> None:
    """Count `card` at each card that must move before it, one after another."""
    x = card
    for _ in range(12):  # the chain may be a circle
        if x % CARDS_PER_SUIT == KING or p.column[x + 1] < 0:
            return
        above = p.above[x + 1]
        if above == NOTHING or above >= CARDS_PER_DECK:
            return
        cards[i, above, 14] += 1
        x = above
        if x == card:
            return
