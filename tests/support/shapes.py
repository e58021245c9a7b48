"""Which compiled code a test needs.

Numba compiles the kernels anew for each shape of a game: its numbers of cards, columns and legal
actions. The presets have seven. Where tests run in several processes, those that need the same
shape run in the same process, so that it is compiled once (the plain one of Classic excepted, which
nearly all tests need, where a test just uses it). Eight presets have the shape of Classic; to
compile the six others takes longer than all tests, so theirs run with the slow ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from scorpion_env.kernels.state import legal_capacity
from scorpion_env.rules import PRESETS, Rules

SHARED_RUNS = {"trained", "straight"}
"""Fixtures that train a model once in each process that uses them."""


AREAS = {
    "trained": ("agents/afterstates/", "agents/models/", "agents/training/", "test_pretrained.py"),
    "solver": (
        *("agents/search/", "env/solver/", "test_winnable.py", "test_fresh_deals.py"),
        *("test_curriculum_command.py", "test_solve_command.py", "test_survey_command.py"),
    ),
}
"""Tests whose common shape needs more than steps, the networks' features or the solver: those of an
area share a process, too."""


def shape_of(rules: Rules) -> str:
    """The name of the shape that games of these rules have."""
    return f"{rules.cards}x{rules.num_columns}x{legal_capacity(rules)}"


COMMON = shape_of(PRESETS["classic"])


def rules_in(values: Iterable[object]) -> Iterator[Rules]:
    """The variants that are among values, or named by them."""
    for value in values:
        if isinstance(value, Rules):
            yield value
        elif isinstance(value, str):
            # Ids of environments name presets in another spelling: Scorpion-ThreeBlindMice-v0.
            plain = value.removeprefix("Scorpion-").removesuffix("-v0").replace("-", "").lower()
            yield from (r for name, r in PRESETS.items() if name.replace("-", "") == plain)
        elif isinstance(value, (tuple, list)):
            yield from rules_in(value)


def group_of(item: pytest.Function) -> str | None:
    """The group of tests with which one should share a process, if it matters."""
    if SHARED_RUNS & set(item.fixturenames):
        return "trained"
    arguments: dict[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    given = {shape_of(rules) for rules in rules_in(arguments.values())}
    named = {shape_of(rules) for rules in rules_in(item.function.__code__.co_consts)}
    special = sorted((given | named) - {COMMON})
    if special:
        return special[0]
    path = item.path.as_posix()
    areas = [area for area, places in AREAS.items() if any(place in path for place in places)]
    return areas[0] if areas else COMMON if given else None
