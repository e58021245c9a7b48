"""The rules, executed: compiled functions over one game (`g`) or a batch of games.

This, with :mod:`scorpion_env.kernels.tableau` and :mod:`scorpion_env.kernels.legal` under it, is
the only place where a rule is carried out.
`Game`, `ScorpionEnv` and the vector environments call these functions with 1 … n games; see
:mod:`scorpion_env.kernels.state` for the records.

Within one action the order is: move the group, turn the source column's end, then take runs off
*the column that received cards*, turning what lies below. Nothing else is looked at: a run that is
uncovered because its cover moved away stays until cards are placed on its column again.
"""

from __future__ import annotations

from typing import Any

from scorpion_env.cards import CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled, inlined
from scorpion_env.kernels.legal import find_legal
from scorpion_env.kernels.legal import is_null as is_null
from scorpion_env.kernels.pointers import scratch
from scorpion_env.kernels.shuffle import shuffle_deck
from scorpion_env.kernels.state import IN_RESERVE, LOST, NO_CARD, PLAYING, TRUNCATED, WON
from scorpion_env.kernels.tableau import (
    CARD_MASK,
    CARD_SHIFT,
    COLUMN_MASK,
    COLUMN_SHIFT,
    DEAL,
    FLIP,
    KIND_MASK,
    PAID,
    PAID_FIRST,
    PLACE,
    SUIT,
    TAKE,
    TO_CELL,
    attach,
    detach,
    ends_in_run,
    log_action,
    move_group,
    take_runs,
    turn_end,
)
from scorpion_env.rewards import FLIP_POINTS, PLACEMENT_POINTS, RUN_POINTS

# --- moves --------------------------------------------------------------------------------------


@inlined
def _place(g: Any, rules: Any, card: Any, target: Any, log: Any, seen: Any) -> None:
    """Move a card with its group, or a card from a cell, to a column."""
    columns = g.end.shape[0]
    source = g.column[card]
    event = PLACE | card << CARD_SHIFT | source << COLUMN_SHIFT
    under = g.end[target]
    if under >= 0 and SUIT[under] == SUIT[card]:
        g.points += PLACEMENT_POINTS
        event |= PAID
        if g.paid[card]:
            g.points_again += PLACEMENT_POINTS
        else:
            g.paid[card] = 1
            event |= PAID_FIRST
    log_action(g, rules, log, event)
    if source < columns:
        move_group(g, card, source, target, seen)
        turn_end(g, source, log)
    else:
        g.cells[source - columns] = NO_CARD
        attach(g, card, target)
    take_runs(g, rules, target, log)


@compiled
def _to_cell(g: Any, rules: Any, card: Any, log: Any) -> None:
    """Move the end card of a column to the first empty cell."""
    source = g.column[card]
    cell = 0
    while g.cells[cell] >= 0:
        cell += 1
    log_action(g, rules, log, TO_CELL | card << CARD_SHIFT | source << COLUMN_SHIFT)
    detach(g, card, g.end.shape[0] + cell)
    g.cells[cell] = card
    turn_end(g, source, log)


@compiled
def _deal_reserve(g: Any, rules: Any, log: Any) -> None:
    """Deal the reserve face up, then take runs off its columns in order."""
    log_action(g, rules, log, DEAL)
    for i in range(rules.reserve):
        card = g.reserve[i]
        attach(g, card, rules.reserve_columns[i])
        g.playable[card] = 1
    g.reserve_left = 0
    for i in range(rules.reserve):
        take_runs(g, rules, rules.reserve_columns[i], log)


# --- taking actions back ------------------------------------------------------------------------


@compiled
def _undo_event(g: Any, rules: Any, event: Any) -> None:
    kind = event & KIND_MASK
    card = (event >> CARD_SHIFT) & CARD_MASK
    column = (event >> COLUMN_SHIFT) & COLUMN_MASK
    if kind == FLIP:
        g.down[column] += 1
        g.playable[g.end[column]] = 0
        g.flips -= 1
        g.points -= FLIP_POINTS
    elif kind == TAKE:
        g.runs -= 1
        g.points -= RUN_POINTS
        g.end[column] = card
        x = card
        for _ in range(CARDS_PER_SUIT):
            g.column[x] = column
            g.playable[x] = 1
            g.pile[column, g.row[x]] = x
            x = g.below[x]
    elif kind == DEAL:
        for i in range(rules.reserve - 1, -1, -1):
            detach(g, g.reserve[i], IN_RESERVE)
            g.playable[g.reserve[i]] = 0
        g.reserve_left = rules.reserve
    elif kind == TO_CELL:
        g.cells[g.column[card] - g.end.shape[0]] = NO_CARD
        attach(g, card, column)
    else:
        if event & PAID:
            g.points -= PLACEMENT_POINTS
            if event & PAID_FIRST:
                g.paid[card] = 0
            else:
                g.points_again -= PLACEMENT_POINTS
        if column < g.end.shape[0]:
            move_group(g, card, g.column[card], column, None)
        else:
            detach(g, card, column)
            g.cells[column - g.end.shape[0]] = card


@compiled
def undo(g: Any, rules: Any, log: Any) -> None:
    """Take back the last action whole; its points are in ``g.points``, negative."""
    g.points = 0
    g.points_again = 0
    while True:
        g.log_events -= 1
        event = log[g.log_start + g.log_events]
        _undo_event(g, rules, event)
        if (event & KIND_MASK) not in (FLIP, TAKE):
            break
    g.log_actions -= 1
    g.moves -= 1
    g.score += g.points


# --- the end, and one action -------------------------------------------------------------------


@compiled
def _count_standing_runs(g: Any, rules: Any) -> None:
    """Where runs stay: count the columns that hold one complete run and nothing else."""
    runs = 0
    for column in range(g.end.shape[0]):
        end = g.end[column]
        if end >= 0 and g.row[end] == KING and ends_in_run(g, rules, column):
            runs += 1
    g.runs = runs


@inlined
def conclude(g: Any, rules: Any) -> None:
    """Find the legal actions and say whether the game has ended."""
    if rules.runs_stay:
        _count_standing_runs(g, rules)
    useful = find_legal(g, rules)
    if g.runs == rules.num_runs:
        g.status = WON
    elif useful == 0:
        g.status = LOST
    elif g.steps >= rules.max_steps:
        g.status = TRUNCATED
    else:
        g.status = PLAYING


@inlined
def play(g: Any, rules: Any, action: Any, log: Any, seen: Any = None) -> None:
    """Carry out a legal action, except for what follows from it in `conclude`.

    In `seen`, an observation record or None, a group that moves from column to column is written:
    `observe_move` and `observe_game` do the rest.
    """
    columns = g.end.shape[0]
    deal = g.below.shape[0] * columns
    if rules.undo_action and action == rules.num_actions - 1:
        undo(g, rules, log)
        return
    g.points = 0
    g.points_again = 0
    if action < deal:
        _place(g, rules, action // columns, action % columns, log, seen)
    elif action == deal:
        _deal_reserve(g, rules, log)
    else:
        _to_cell(g, rules, action - deal - 1, log)
    g.moves += 1
    g.score += g.points


# --- the start ----------------------------------------------------------------------------------


@compiled
def clear(g: Any) -> None:
    """Empty a game: no card anywhere, no points; its seed, slot, episode, deal and log stay."""
    g.score = g.moves = g.steps = g.flips = g.points = g.points_again = 0
    g.log_events = g.log_actions = 0
    g.status = PLAYING
    g.illegal = g.reported = g.stale = g.runs = g.reserve_left = 0
    g.reserve[:] = NO_CARD
    g.cells[:] = NO_CARD
    g.taken[:] = NO_CARD
    g.end[:] = NO_CARD
    g.down[:] = 0
    g.below[:] = NO_CARD
    g.column[:] = IN_RESERVE
    g.row[:] = 0
    g.playable[:] = 0
    g.paid[:] = 0


@compiled
def deal_cards(g: Any, rules: Any, order: Any) -> None:
    """Deal the cards of `order` (int8) to a cleared game: rows, then reserve, then cells."""
    columns = g.end.shape[0]
    most = 0
    for column in range(columns):
        most = max(most, rules.columns[column])
        g.down[column] = rules.face_down[column]
    n = 0
    for row in range(most):
        for column in range(columns):
            if row < rules.columns[column]:
                attach(g, order[n], column)
                g.playable[order[n]] = row >= rules.face_down[column]
                n += 1
    for i in range(rules.reserve):
        g.reserve[i] = order[n]
        n += 1
    g.reserve_left = rules.reserve
    for i in range(rules.cells_dealt):
        g.cells[i] = order[n]
        g.column[order[n]] = columns + i
        g.playable[order[n]] = 1
        n += 1


@compiled
def start_deal(g: Any, rules: Any, number: Any) -> None:
    """Start the game of seeded deal `number` (uint64)."""
    order = scratch()
    shuffle_deck(number, order, g.below.shape[0])
    g.deal = number
    start_order(g, rules, order)


@compiled
def start_order(g: Any, rules: Any, order: Any) -> None:
    """Start the game in which the cards are dealt in a given order (int8)."""
    clear(g)
    deal_cards(g, rules, order)
    conclude(g, rules)
