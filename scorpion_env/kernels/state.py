"""The compiled state: what the kernels read and write, as numpy record types.

A game is one record of a few hundred bytes, so that a batch is one array, a position is copied by
one assignment, and every function of the kernels takes a game `g` and reads ``g.column[card]``. The
numbers of cards, columns and legal actions are part of the type: the kernels are compiled once for
each three of them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from scorpion_env.rules import (
    BUILDS,
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_RESERVE,
    MAX_RUNS,
    Rules,
)

PLAYING, WON, LOST, TRUNCATED = 0, 1, 2, 3
"""Values of a game's `status`."""

OUTCOMES = (None, "won", "lost", "truncated")
"""What `status` is called in text."""

TAKEN, IN_RESERVE = -1, -2
"""Values of a card's `column` off the tableau; a card in cell k has `num_columns + k`."""

NO_CARD = -1

FEATURES = ("place", "column", "row", "on_top", "face_down", "visible", "to_come")
"""Names of the entries of a card's row; see :mod:`scorpion_env.kernels.observation`."""

BUILD_SUIT, BUILD_ANY, BUILD_COLOUR = range(len(BUILDS))

NO_LIMIT = 2**31 - 1

CHUNK = 8
"""Cards of a group, and legal actions, are gone through so many at a time, the last one repeated.

How many there are is as good as random to the processor, and to guess it wrong costs more than to
handle a few of them twice.
"""

RULES_DTYPE = np.dtype(
    [
        ("columns", np.int64, (MAX_COLUMNS,)),
        ("face_down", np.int64, (MAX_COLUMNS,)),
        ("reserve_columns", np.int64, (MAX_RESERVE,)),
        ("decks", np.int64),
        ("reserve", np.int64),
        ("reserve_when_stuck", np.int64),
        ("cells", np.int64),
        ("cells_dealt", np.int64),
        ("cells_refill", np.int64),
        ("build", np.int64),
        ("kings_only", np.int64),
        ("runs_stay", np.int64),
        ("num_runs", np.int64),
        ("undo_action", np.int64),
        ("undo_limit", np.int64),
        ("num_actions", np.int64),
        ("max_steps", np.int64),
        ("reward", np.int64),
        ("reward_scale", np.float64),
        ("illegal_action", np.int64),
        ("observe_all", np.int64),
        ("autoreset", np.int64),
        ("copied", np.int64),
        ("own_deals", np.int64),
    ],
    align=True,
)
"""A `Rules` as the kernels read it; the last seven are what an environment adds to the rules."""


def encode_rules(rules: Rules, max_steps: int | None = None) -> npt.NDArray[np.void]:
    """Return the rules as an array of one ``RULES_DTYPE`` record, without what environments add.

    Args:
        rules: The variant.
        max_steps: Step limit to use instead of the variant's.
    """
    record = np.zeros(1, RULES_DTYPE)
    r = record[0]
    for field in ("columns", "face_down", "reserve_columns"):
        values = getattr(rules, field)
        r[field][: len(values)] = values
    for field in ("decks", "reserve", "cells", "cells_dealt", "cells_refill", "num_runs"):
        r[field] = getattr(rules, field)
    r["reserve_when_stuck"] = rules.reserve_when == "stuck"
    r["build"] = BUILDS.index(rules.build)
    r["kings_only"] = rules.empty_column == "king"
    r["runs_stay"] = rules.runs == "stay"
    r["undo_action"] = rules.undo_action
    r["undo_limit"] = NO_LIMIT if rules.undo_limit is None else rules.undo_limit
    r["num_actions"] = rules.num_actions
    r["max_steps"] = rules.max_steps if max_steps is None else max_steps
    return record


@cache
def game_dtype(cards: int, columns: int, legal: int) -> np.dtype[np.void]:
    """Return the record type of one game.

    `moves` counts what was not taken back, `steps` what counts toward the step limit. `points` are
    those of the last action, `points_again` the part of them that a card's placement earned before.
    `reported` says that a step has told of the game's end, `stale` that the batch's observation of
    it still shows the end of the game before. The first `legal_count` of `legal` are the legal
    actions; the last one of them is repeated ``CHUNK`` times. `log_start` is where the game's
    events stand in the undo log of its batch.

    By card: `below` (the card it lies on, or ``NO_CARD``), `column` (see ``TAKEN``), `row` from the
    base, `playable` (1 if it lies face up in a column, or in a cell), `paid` (whether its same-suit
    placement was paid). By column: `end` (its last card, or ``NO_CARD``), `down` (face-down cards),
    `pile` (its cards from the base; what stands above the end means nothing). `below` and `pile`
    say the same, one for a card and one for a place: who walks down a column by `below` waits for
    each card before the next. A taken run, known by its ace in `taken`, keeps its links down to its
    king and to the card that the king lay on: undo needs them.
    """
    return np.dtype(
        [
            ("seed", np.uint64),
            ("slot", np.uint64),
            ("episode", np.uint64),
            ("deal", np.uint64),
            ("score", np.int32),
            ("moves", np.int32),
            ("steps", np.int32),
            ("flips", np.int32),
            ("points", np.int32),
            ("points_again", np.int32),
            ("legal_count", np.int32),
            ("log_start", np.int64),
            ("log_events", np.int32),
            ("log_actions", np.int32),
            ("status", np.int8),
            ("illegal", np.int8),
            ("reported", np.int8),
            ("stale", np.int8),
            ("runs", np.int8),
            ("reserve_left", np.int8),
            ("reserve", np.int8, (MAX_RESERVE,)),
            ("cells", np.int8, (MAX_CELLS,)),
            ("taken", np.int8, (MAX_RUNS,)),
            ("end", np.int8, (columns,)),
            ("down", np.int8, (columns,)),
            ("legal", np.int16, (legal,)),
            ("below", np.int8, (cards,)),
            ("column", np.int8, (cards,)),
            ("row", np.int8, (cards,)),
            ("playable", np.uint8, (cards,)),
            ("paid", np.uint8, (cards,)),
            ("pile", np.int8, (columns, cards)),
        ],
        align=True,
    )


@cache
def seen_dtype(cards: int) -> np.dtype[np.void]:
    """Return the record type of one observation: `cards`, int8 ``(cards, 7)``."""
    return np.dtype([("cards", np.int8, (cards, len(FEATURES)))])


def legal_capacity(rules: Rules) -> int:
    """Return how many actions can be legal at once, at most."""
    if rules.empty_column == "any":
        return rules.num_actions + CHUNK
    candidates = {"suit": 1, "any": 4, "colour": 2}[rules.build] * rules.decks
    kings = 4 * rules.decks
    to_cells = rules.num_columns if rules.cells_refill else 0
    return max(candidates, kings) * rules.num_columns + to_cells + 2 + CHUNK


def log_capacity(rules: Rules, actions: int) -> int:
    """Return how many events `actions` actions can log, at most.

    Each action logs itself; a card is turned, and a run taken, once on any line of play. A board
    may have more cards face down than the deal.
    """
    return actions + rules.cards + rules.num_runs + 1
