"""The greedy player: what a careful person does without reading ahead.

It takes a run if it can, else turns a card, else places one, else gives up a cell, and deals the
reserve when nothing else is left. Among moves of one kind it looks at the board that each would
leave behind, as far as a player can see it, and counts what the columns end in: a card whose next
card can be placed on it now is good, one whose next card is out of reach is bad, and so is an ace,
on which nothing goes. It never makes a null move or an undo while anything else is legal.

It keeps no memory and leaves nothing to chance: equal observations give equal moves. The weights
were chosen on deals from 1,000,000 up, never on those that evaluations use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_agents.base import (
    NOTHING,
    UNSEEN,
    Actions,
    Agent,
    Draws,
    Masks,
    Observations,
    ends_in_run,
    joins,
    read_tableau,
)
from scorpion_env.cards import ACE, CARDS_PER_SUIT
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.observation import PLACE, PLACE_CELL
from scorpion_env.kernels.state import BUILD_ANY, BUILD_COLOUR
from scorpion_env.rules import BUILDS, Rules

UNDO, NULL, SHUTTLE, DEAL, TO_CELL, PLACEMENT, FLIP, RUN = range(8)
"""The kinds of action, worst first.

``SHUTTLE`` moves a card that already lies well: off the card that it follows in a run, or from one
card of another suit to the next; played freely, such moves would go round in circles.
"""

KIND = 1_000_000
"""More than any count of what follows: a better kind of action always comes first."""

JOINED = 80
"""For a move that puts a card on the one that it follows in a run."""

DOWN_LEFT = -12
"""For each face-down card in the column that a group leaves: short columns are opened first."""

OPEN_END = 50
"""For each column, after the move, whose end can receive a card now."""

CLOSED_END = -40
"""For each column whose end can receive none: those cards are face down or lie well already."""

ACE_END = -30
"""For each column that ends in an ace."""

CELL, UNKNOWN = -1, -2
"""Columns of a card in a cell, and of a card that is face down, in the reserve, or taken."""


class GreedyAgent(Agent):
    """Run before flip before placement before cell; the reserve last; no null moves."""

    def __init__(self, rules: Rules) -> None:
        super().__init__("greedy", rules)

    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        """Choose the best action, the lowest index among equals; see :meth:`Agent.act`."""
        rules = self.rules
        actions = np.empty(len(masks), np.int64)
        _choose(
            observations,
            masks,
            rules.num_columns,
            rules.deal_action,
            -1 if rules.undo_action_index is None else rules.undo_action_index,
            BUILDS.index(rules.build),
            rules.runs == "taken",
            actions,
        )
        return actions


@compiled
def _choose(
    observations: Any,
    masks: Any,
    num_columns: int,
    deal_action: int,
    undo_action: int,
    build: int,
    taken: bool,
    actions: Any,
) -> None:
    cards = observations.shape[1]
    piles = np.empty((num_columns, cards), np.int16)
    heights = np.empty(num_columns, np.int16)
    down = np.empty(num_columns, np.int16)
    column_of = np.empty(cards, np.int16)
    row_of = np.empty(cards, np.int16)
    table = (piles, heights, down, column_of, row_of)
    for game in range(masks.shape[0]):
        read_tableau(observations[game], piles, heights, down)
        _locate_cards(observations[game], table)
        best = -KIND
        for action in range(masks.shape[1]):
            if not masks[game, action]:
                continue
            if action == undo_action:
                value = UNDO * KIND
            elif action == deal_action:
                value = DEAL * KIND
            elif action < deal_action:
                card, target = action // num_columns, action % num_columns
                value = _value(table, card, target, build, taken)
            else:
                value = _value(table, action - deal_action - 1, CELL, build, taken)
            if value > best:
                best = value
                actions[game] = action


@compiled
def _locate_cards(observation: Any, table: Any) -> None:
    """Write each card's column (or ``CELL``, ``UNKNOWN``) and row."""
    piles, heights, _, column_of, row_of = table
    for card in range(column_of.shape[0]):
        column_of[card] = CELL if observation[card, PLACE] == PLACE_CELL else UNKNOWN
        row_of[card] = 0
    for column in range(heights.shape[0]):
        for row in range(heights[column]):
            if piles[column, row] >= 0:
                column_of[piles[column, row]] = column
                row_of[piles[column, row]] = row


@compiled
def _value(table: Any, card: int, target: int, build: int, taken: bool) -> int:
    """Return what moving `card` to the column `target` (or to a ``CELL``) is worth."""
    piles, heights, down, column_of, row_of = table
    colours = build == BUILD_COLOUR
    source, row = column_of[card], row_of[card]
    from_base = source != CELL and row == 0
    to_empty = target != CELL and heights[target] == 0
    under = piles[source, row - 1] if source != CELL and row > 0 else NOTHING
    lies_well = joins(card, under, colours)
    follows = under >= 0 and under % CARDS_PER_SUIT == card % CARDS_PER_SUIT + 1
    fits = (
        target != CELL and not to_empty and joins(card, piles[target, heights[target] - 1], colours)
    )
    value = JOINED * fits
    if source != CELL:
        value += DOWN_LEFT * down[source]

    group = _shift(table, card, source, row, target)
    run = taken and target != CELL and ends_in_run(piles[target], heights[target], colours)
    value += _weigh_ends(table, build, colours)
    _shift_back(table, card, source, row, target, group)

    if run:
        kind = RUN
    elif from_base and to_empty:
        kind = NULL
    elif under == UNSEEN:
        kind = FLIP
    elif lies_well or (build == BUILD_ANY and follows and not fits):
        kind = SHUTTLE
    elif target == CELL:
        kind = TO_CELL
    else:
        kind = PLACEMENT
    return int(kind * KIND + value)


@compiled
def _shift(table: Any, card: int, source: int, row: int, target: int) -> int:
    """Move a card with its group to the column `target`; return how many cards that were."""
    piles, heights, _, column_of, row_of = table
    group = 1 if source == CELL else heights[source] - row
    for i in range(group):
        moved = card if source == CELL else piles[source, row + i]
        column_of[moved] = target
        if target != CELL:
            piles[target, heights[target] + i] = moved
            row_of[moved] = heights[target] + i
    if source != CELL:
        heights[source] = row
    if target != CELL:
        heights[target] += group
    return int(group)


@compiled
def _shift_back(table: Any, card: int, source: int, row: int, target: int, group: int) -> None:
    """Undo `_shift`; what lies above the target's end stays in its pile, where nobody reads it."""
    piles, heights, _, column_of, row_of = table
    if target != CELL:
        heights[target] -= group
    if source == CELL:
        column_of[card] = CELL
        row_of[card] = 0
        return
    for i in range(group):
        column_of[piles[source, row + i]] = source
        row_of[piles[source, row + i]] = row + i
    heights[source] = row + group


@compiled
def _weigh_ends(table: Any, build: int, colours: bool) -> int:
    """Return what the ends of the columns are worth."""
    piles, heights, _, column_of, _ = table
    value = 0
    for column in range(heights.shape[0]):
        if heights[column] == 0:
            continue
        end = piles[column, heights[column] - 1]
        if end == UNSEEN:  # it is about to be turned, and may be anything
            continue
        if end % CARDS_PER_SUIT == ACE:
            value += ACE_END
            continue
        reach = CLOSED_END
        for upper in range(end % CARDS_PER_SUIT - 1, column_of.shape[0], CARDS_PER_SUIT):
            fits = build == BUILD_ANY or joins(upper, end, colours)
            if not fits or column_of[upper] == UNKNOWN:
                continue
            if column_of[upper] == column:
                reach = max(reach, 0)  # it lies below the end, which may yet move away
            elif not _lies_well(table, upper, colours):
                reach = OPEN_END
        value += reach
    return value


@compiled
def _lies_well(table: Any, card: int, colours: bool) -> bool:
    """Whether a card of the tableau or a cell lies on the card that it follows in a run."""
    piles, _, _, column_of, row_of = table
    if column_of[card] < 0 or row_of[card] == 0:
        return False
    return bool(joins(card, piles[column_of[card], row_of[card] - 1], colours))
