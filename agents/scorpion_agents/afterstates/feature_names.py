"""The numbers by which positions and moves are described.

A position is described by :data:`CARD_FEATURES` for each card and by :data:`POSITION_FEATURES` for
the whole, the action that led to it by :data:`MOVE_FEATURES`. All are whole numbers from 0 to 255;
:data:`CARD_SCALE`, :data:`POSITION_SCALE` and :data:`MOVE_SCALE` bring them near 0 to 1. Nothing
tells the suits apart, so what a network learns about one suit serves all, and columns count only by
what lies in them and whether the reserve will fall there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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

(
    UNKNOWN,
    TAKEN,
    SETTLED,
    END,
    MOVABLE,
    ROUND,
    OUT_OF_REACH,
    UNDER_RECEIVER,
    OVER_RECEIVER,
    ON_TOP,
    FACE_DOWN,
    COVERS_HIDDEN,
    BASE,
    GETS_RESERVE,
    WAITING,
    HIDDEN,
    MOVED,
    OPEN_ROUND,
    SURE_ROUND,
) = range(len(CARD_FEATURES))

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
    ("runs_taken", 1),
    ("group", 8),
    ("rank", 13),
    ("came_under_receiver", 4),  # cards whose receiver the group put on them
    ("left_receiver", 4),  # cards whose receiver the group took off them
    ("unsettled", 1),  # 2 if the card lay well before, 1 if on another suit that receives it
    ("settles", 1),  # it lies well now
    ("frees_now", 1),  # the card that came free receives one now
    ("source_down", 3),
    ("target_down", 3),
    ("target_height", 12),
    ("source_gets_reserve", 1),
    ("target_gets_reserve", 1),
)
"""Name and scale of what is said of an action."""


(
    DEAL,
    TO_EMPTY,
    TURNED,
    EMPTIED,
    RUNS_TAKEN,
    GROUP,
    RANK,
    CAME_UNDER,
    LEFT_RECEIVER,
    UNSETTLED,
    SETTLES,
    FREES_NOW,
    SOURCE_DOWN,
    TARGET_DOWN,
    TARGET_HEIGHT,
    SOURCE_GETS,
    TARGET_GETS,
) = range(len(MOVE_FEATURES))

LATE = 15
"""Rounds of `reach` from here on are all the same."""


def _scales(features: tuple[tuple[str, int], ...]) -> npt.NDArray[np.float32]:
    return np.array([1.0 / scale for _, scale in features], np.float32)


CARD_SCALE = _scales(CARD_FEATURES)
POSITION_SCALE = _scales(POSITION_FEATURES)
MOVE_SCALE = _scales(MOVE_FEATURES)

PER_CARD, PER_POSITION, PER_MOVE = len(CARD_FEATURES), len(POSITION_FEATURES), len(MOVE_FEATURES)
