"""Rules as data: the presets, rules of one's own, and contradictions that are refused."""

from __future__ import annotations

import random
from typing import Any

import pytest

from scorpion_env import Game, get_rules
from scorpion_env.errors import RulesError
from scorpion_env.rules import PRESETS, Rules
from support.boards import (
    every_preset,
)

# The presets.

SEVENS, THREE_DOWN = (7,) * 7, (3, 3, 3, 3, 0, 0, 0)

CLASSIC: dict[str, object] = {
    "decks": 1,
    "columns": SEVENS,
    "face_down": THREE_DOWN,
    "reserve": 3,
    "reserve_columns": (0, 1, 2),
    "reserve_when": "any",
    "cells": 0,
    "cells_dealt": 0,
    "cells_refill": False,
    "build": "suit",
    "empty_column": "king",
    "runs": "taken",
    "undo_action": False,
    "undo_limit": 100,
}

NO_RESERVE: dict[str, object] = {"reserve": 0, "reserve_columns": ()}

MICE: dict[str, object] = {
    "columns": (5,) * 10,
    "face_down": (0,) * 7 + (3,) * 3,
    **NO_RESERVE,
    "cells": 2,
    "cells_dealt": 2,
}

DIFFERS: dict[str, dict[str, object]] = {
    "classic": {},
    "flexible": {"build": "any"},
    "traditional": {"runs": "stay", "reserve_when": "stuck"},
    "wasp": {"empty_column": "any"},
    "scorpion-ii": {"face_down": (0,) * 7},
    "pysol-scorpion-ii": {"face_down": (3, 3, 3, 0, 0, 0, 0)},
    "open": {"undo_action": True, "undo_limit": None},
    "three-blind-mice": MICE,
    "three-blind-mice-dealt": {
        "columns": (5,) * 10,
        "face_down": (3,) * 10,
        "reserve": 2,
        "reserve_columns": (0, 1),
    },
    "double": {
        "decks": 2,
        "columns": (7,) * 14,
        "face_down": (3,) * 8 + (0,) * 6,
        "reserve": 6,
        "reserve_columns": (0, 1, 2, 3, 4, 5),
    },
    "pysol-double": {
        "decks": 2,
        "columns": (10,) * 10,
        "face_down": (4,) * 5 + (0,) * 5,
        "reserve": 4,
        "reserve_columns": (0, 1, 2, 3),
    },
    "scorpion-tail": {"build": "colour"},
    "scorpion-head": {
        "columns": (8, 8, 8, 7, 7, 7, 7),
        "face_down": (0, 0, 0, 4, 4, 4, 4),
        **NO_RESERVE,
        "cells": 4,
        "cells_refill": True,
    },
    "farmers-wife": {**MICE, "build": "colour"},
    "how-they-run": {**MICE, "cells_refill": True},
}


def test_the_presets_are_these_fifteen() -> None:
    assert list(PRESETS) == list(DIFFERS)


@every_preset
def test_a_preset_differs_from_classic_in_what_the_rules_name(rules: Rules) -> None:
    expected = {**CLASSIC, **DIFFERS[rules.name]}
    assert {field: getattr(rules, field) for field in expected} == expected


def test_rules_of_ones_own_are_played() -> None:
    columns = (4, 4, 5, 5, 5, 5, 5, 5, 5, 5)
    rules = Rules(
        "little", columns=columns, face_down=(1,) * 10, reserve=4, reserve_columns=(0, 2, 4, 6)
    )
    game = Game.new(1, rules)
    assert tuple(map(len, game.board().columns)) == columns
    rng = random.Random(0)
    while game.outcome is None:
        game.play(rng.choice(game.legal_moves()))
    assert game.moves > 5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"columns": (7,) * 6}, "face_down has 7 numbers for 6 columns"),
        ({"reserve": 4}, "reserve_columns names 3 columns"),
        ({"reserve_columns": (0, 1, 9)}, "only 7 columns"),
        ({"reserve_columns": (0, 1, 1)}, "two cards of the reserve"),
        ({"columns": (8,) * 7}, "there are 52 cards"),
        ({"face_down": (7, 0, 0, 0, 0, 0, 0)}, "the last one is always face up"),
        ({"build": "suits"}, "Did you mean 'suit'"),
        ({"decks": 3}, "decks must be 1 or 2"),
        ({"cells_refill": True}, "there are no cells"),
        ({"max_steps": 0}, "max_steps must be 1 to"),
        ({"undo_limit": 0}, "undo_limit must be 1 to"),
    ],
)
def test_contradictions_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(RulesError, match=words):
        Rules("bad", **change)


def test_rules_are_plain_data_and_back() -> None:
    for rules in PRESETS.values():
        assert get_rules(rules.as_dict()) == rules
    with pytest.raises(RulesError, match="Did you mean 'columns'"):
        get_rules({"name": "x", "colums": [7] * 7})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"columns": (7.0,) * 7}, "columns must hold whole numbers"),
        ({"max_steps": 1.5}, "max_steps must be a whole number, not 1.5"),
        ({"decks": True}, "decks must be a whole number, not True"),
        ({"cells_refill": 1}, "cells_refill must be true or false, not 1"),
        ({"name": ""}, "the name must be a text"),
        ({"undo_limit": 10**9}, "undo_limit must be 1 to 1000000, or None for no limit"),
    ],
)
def test_rules_take_numbers_of_the_right_kind_only(change: dict[str, Any], words: str) -> None:
    with pytest.raises(RulesError, match=words):
        Rules(**({"name": "bad"} | change))
