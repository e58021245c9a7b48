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
    foresee,
    new_positions,
    read_position,
    view,
)
from scorpion_agents.seen_game import new_table
from scorpion_env import Rules

DESCRIBED = ["classic", "flexible", "wasp", "scorpion-ii", "pysol-scorpion-ii", "traditional"]
CARD = {name: i for i, (name, _) in enumerate(CARD_FEATURES)}
REST = {name: i for i, (name, _) in enumerate((*POSITION_FEATURES, *MOVE_FEATURES))}


def read(observation: Any, everything: bool, rules: Rules) -> Any:
    p = new_positions(1)[0]
    read_position(observation, everything, new_table(rules), p)
    return p


def foreseen(observation: Any, everything: bool, action: int, rules: Rules) -> tuple[Any, int]:
    """The position after an action, and how many cards that turns."""
    p, table = new_positions(1)[0], new_table(rules)
    unseen = read_position(observation, everything, table, p)
    foresee(table, action)
    view(table.after[0], table.rules, unseen, p)
    return p, int(table.after[0]["flips"])


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
