"""Positions as a player sees them, and what a move makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scorpion_agents.afterstates.seen_position import (
    apply_move,
)
from scorpion_env import get_rules
from support.played import random_positions
from support.seen import DESCRIBED, layout, read

# --- positions


@pytest.mark.parametrize("preset", DESCRIBED)
def test_a_move_leads_to_the_position_that_the_engine_shows(preset: str) -> None:
    rules = get_rules(preset)
    before: dict[tuple[int, bool], Any] = {}
    compared = 0
    for (seen, _, actions), live in random_positions(rules, games=60, steps=70):
        places = np.flatnonzero(live).tolist()
        for place, observation in zip(places, seen, strict=True):
            for everything in (True, False):
                if (place, everything) not in before:
                    continue
                expected = layout(read(observation, everything))
                tried = layout(before.pop((place, everything)))
                if not everything:  # cards just turned are known to the engine's player only
                    expected = [
                        [
                            (-1 if old == -1 else new, up)
                            for (new, up), (old, _) in zip(a, b, strict=True)
                        ]
                        for a, b in zip(expected, tried, strict=True)
                    ]
                assert tried == expected
                compared += 1
        before = {}
        for place, observation, action in zip(places, seen, actions, strict=True):
            if action == rules.deal_action:
                continue
            for everything in (True, False):
                p = read(observation, everything)
                apply_move(p, int(action) // 7, int(action) % 7, rules.runs == "taken")
                before[place, everything] = p
    assert compared > 1000
