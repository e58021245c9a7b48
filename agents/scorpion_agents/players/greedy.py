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

from scorpion_agents.base import Actions, Agent, Draws, Masks, Observations
from scorpion_agents.seen_game import Table, new_table, read_game
from scorpion_env.cards import ACE, CARDS_PER_SUIT
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.state import BUILD_ANY, NO_CARD
from scorpion_env.kernels.tableau import RANK, attach, detach, ends_in_run, joins, move_group
from scorpion_env.rollout import DEAL, NULL, PLACEMENT, RUN, TO_CELL, UNDO, kind_of_leaving
from scorpion_env.rules import Rules

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


class GreedyAgent(Agent):
    """Run before flip before placement before cell; the reserve last; no null moves."""

    def __init__(self, rules: Rules) -> None:
        super().__init__("greedy", rules)
        self._table = new_table(rules)

    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        """Choose the best action, the lowest index among equals; see :meth:`Agent.act`."""
        actions = np.empty(len(masks), np.int64)
        _choose(observations, masks, self._table, actions)
        return actions


@compiled
def _choose(observations: Any, masks: Any, table: Table, actions: Any) -> None:
    g, rules = table.position[0], table.rules
    for game in range(masks.shape[0]):
        read_game(observations[game], False, table)
        best = -KIND
        for action in range(masks.shape[1]):
            if masks[game, action]:
                value = _value(g, rules, action)
                if value > best:
                    best = value
                    actions[game] = action


@compiled
def _value(g: Any, rules: Any, action: Any) -> Any:
    """Return what a legal action is worth; the game is changed, and changed back."""
    columns = g.end.shape[0]
    deal = g.below.shape[0] * columns
    if action == deal:
        return DEAL * KIND
    if action > deal:
        if rules.undo_action and action == rules.num_actions - 1:
            return UNDO * KIND
        return _value_to_cell(g, rules, action - deal - 1)
    return _value_to_column(g, rules, action // columns, action % columns)


@compiled
def _value_to_column(g: Any, rules: Any, card: Any, target: Any) -> Any:
    """Return what it is worth to move a card with its group to a column."""
    source, receiver = g.column[card], g.end[target]
    kind = kind_of_leaving(g, rules, card, receiver)
    in_column = source < g.end.shape[0]
    if receiver < 0 and in_column and g.row[card] == 0:
        kind = NULL
    value = 0
    if receiver >= 0 and joins(rules, card, receiver):
        value += JOINED
    if in_column:
        value += DOWN_LEFT * g.down[source]
        move_group(g, card, source, target, None)
    else:
        attach(g, card, target)
    if not rules.runs_stay and ends_in_run(g, rules, target):
        kind = RUN
    value += _weigh_ends(g, rules)
    if in_column:
        move_group(g, card, target, source, None)
    else:
        detach(g, card, source)
    return kind * KIND + value


@compiled
def _value_to_cell(g: Any, rules: Any, card: Any) -> Any:
    """Return what it is worth to move a card to a cell."""
    kind = kind_of_leaving(g, rules, card, NO_CARD)
    if kind == PLACEMENT:
        kind = TO_CELL
    source = g.column[card]
    value = DOWN_LEFT * g.down[source]
    detach(g, card, g.end.shape[0])  # which cell it is makes no difference
    value += _weigh_ends(g, rules)
    attach(g, card, source)
    return kind * KIND + value


@compiled
def _weigh_ends(g: Any, rules: Any) -> Any:
    """Return what the ends of the columns are worth."""
    value = 0
    for column in range(g.end.shape[0]):
        end = g.end[column]
        if end < 0 or not g.playable[end]:  # a hidden card is about to be turned, to be anything
            continue
        if RANK[end] == ACE:
            value += ACE_END
            continue
        reach = CLOSED_END
        for upper in range(RANK[end] - 1, g.below.shape[0], CARDS_PER_SUIT):
            if not g.playable[upper] or not (rules.build == BUILD_ANY or joins(rules, upper, end)):
                continue
            if g.column[upper] == column:
                reach = max(reach, 0)  # it lies below the end, which may yet move away
            elif not _lies_well(g, rules, upper):
                reach = OPEN_END
        value += reach
    return value


@compiled
def _lies_well(g: Any, rules: Any, card: Any) -> Any:
    """Return whether a face-up card lies on the card that it follows in a run."""
    under = g.below[card]
    return under >= 0 and g.playable[under] and joins(rules, card, under)
