"""Positions read from observations, and afterstates of single actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_agents.afterstates.describer import Afterstates, Describer
from scorpion_agents.afterstates.feature_names import (
    CARD_FEATURES,
    MOVE_FEATURES,
    POSITION_FEATURES,
)
from scorpion_agents.afterstates.seen_position import (
    NOTHING,
    new_position,
    read_position,
)

DESCRIBED = ["classic", "flexible", "wasp", "scorpion-ii", "pysol-scorpion-ii", "traditional"]
CARD = {name: i for i, (name, _) in enumerate(CARD_FEATURES)}
REST = {name: i for i, (name, _) in enumerate((*POSITION_FEATURES, *MOVE_FEATURES))}


def read(observation: Any, everything: bool) -> Any:
    positions = new_position()
    read_position(observation, 7, everything, positions[0])
    return positions[0]


def layout(p: Any) -> list[list[tuple[int, bool]]]:
    """The columns of a position: cards from the base (-1 for an unseen one), and if face up."""
    columns = []
    for c in range(p["columns"]):
        column: list[tuple[int, bool]] = []
        card = p["base"][c]
        while card != NOTHING:
            assert (p["column"][card], p["row"][card]) == (c, len(column))
            column.append((int(card) if card < 52 else -1, len(column) >= p["down"][c]))
            card = p["above"][card]
        assert len(column) == p["height"][c]
        columns.append(column)
    return columns


def after(describer: Describer, seen: Any, masks: Any, action: int) -> Afterstates:
    """What follows one action."""
    only = np.zeros_like(masks)
    only[0, action] = masks[0, action]
    return describer.afterstates(seen, only)
