"""Agents are compared on the same deals under the same conditions, or not at all."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from scorpion_agents.evaluation.comparison import Stored, compare, compare_stored
from scorpion_env import Rules, ScorpionError, get_rules
from support.evaluations import CLASSIC, evaluation, result


def test_a_comparison_pairs_the_deals() -> None:
    first = evaluation(result("0", won=True, points=9), result("1", points=5), agent="a")
    second = evaluation(result("1", won=True, points=7), result("0", points=1), agent="b")
    found = compare(first, second)
    assert (found.only_first, found.only_second, found.deals) == (1, 1, 2)
    assert found.points_difference == pytest.approx(3)
    assert found.wins_p == 1


def other_rules() -> Rules:
    return dataclasses.replace(CLASSIC, max_steps=499)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rules": get_rules("wasp")}, r"the rules \(classic against wasp\)"),
        ({"rules": other_rules()}, "what 'classic' means"),
        ({"max_steps": 100}, r"the step limit \(500 against 100\)"),
        ({"deals": (result("0"), result("2"))}, "the deals"),
        ({"deals": (result("0"),)}, "the deals"),
        (
            {"deals": (result("0"), dataclasses.replace(result("1"), board="KS"))},
            "'1' is not the same board",
        ),
    ],
)
def test_results_that_differ_in_more_than_the_agent_are_not_compared(
    changes: dict[str, Any], sentence: str
) -> None:
    first = evaluation(result("0"), result("1"))
    second = dataclasses.replace(first, **changes)
    with pytest.raises(ScorpionError, match=sentence):
        compare(first, second)
    with pytest.raises(ScorpionError, match=f"a.json and b.json cannot be compared.*{sentence}"):
        compare_stored([Stored(first, "a.json", "v0"), Stored(second, "b.json", "v0")])


def test_results_of_two_environment_versions_are_not_compared() -> None:
    made = evaluation(result("0"), result("1"))
    with pytest.raises(ScorpionError, match=r"version of the environment \(v0 against v1\)"):
        compare_stored([Stored(made, "a.json", "v0"), Stored(made, "b.json", "v1")])
