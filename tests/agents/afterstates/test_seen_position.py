"""Positions as a player sees them, and what a move makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scorpion_agents.afterstates.seen_position import AT_TAKEN, AT_UNKNOWN
from scorpion_env import ScorpionEnv, get_rules
from support import boards
from support.played import random_positions
from support.seen import DESCRIBED, foreseen, layout, read

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
                expected = layout(read(observation, everything, rules))
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
                before[place, everything], _ = foreseen(observation, everything, action, rules)
    assert compared > 1000


def test_a_reserve_that_would_complete_a_run_is_dealt_as_if_it_would_not() -> None:
    rules = get_rules("classic")
    columns = [boards.run("C", "K", "2"), boards.run("D", "K", "3"), boards.run("H", "K", "2")]
    text = boards.board(rules, [*columns, "AD"], reserve="AC 2D AH")
    seen, _ = ScorpionEnv(rules).reset(options={"board": text})
    p, turned = foreseen(seen, False, rules.deal_action, rules)
    assert (p["runs"], p["to_deal"], turned) == (1, 0, 0)  # spades are taken already
    assert [len(column) for column in layout(p)] == [13, 12, 13, 1, 0, 0, 0]
    assert [column[-1] for column in layout(p)[:3]] == [(-1, True)] * 3
    places = p["column"][:52].tolist()
    assert [c for c, place in enumerate(places) if place == AT_UNKNOWN] == [0, 14, 26]
    assert places.count(AT_TAKEN) == 13
