"""Deals that can be won, for training and for exercises (oracle: the solver looks under the cards).

Short lists for the usual presets come with the package, of seeded deals from 1,000,000 up, so that
none is an evaluation deal. Further ones are found with the solver.

    >>> from scorpion_env.winnable import next_winnable, winnable_deals
    >>> int(winnable_deals("classic")[0]) >= 1_000_000
    True
"""

from __future__ import annotations

import json
from functools import cache
from itertools import accumulate
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scorpion_env.deals import EVALUATION_DEALS
from scorpion_env.errors import ScorpionError, unknown
from scorpion_env.rollout import random_rollouts
from scorpion_env.rules import Rules, get_rules
from scorpion_env.solver import VERDICTS, Solver

LIST = Path(__file__).parent / "data" / "winnable.json"

QUICK_NODES = 2000
"""Positions looked at in a deal before it is passed over, whether or not it could be won."""

FOUND_AT_ONCE = 100
"""How many winnable deals are looked for where a variant has no list."""

MEASURES = ("nodes", "random")
"""How deals can be put in order of difficulty."""

_WON = VERDICTS.index("won")


@cache
def _lists() -> dict[str, list[int]]:
    lists: dict[str, list[int]] = json.loads(LIST.read_text(encoding="utf-8"))
    return lists


def winnable_deals(rules: str | Rules = "classic") -> npt.NDArray[np.uint64]:
    """Return the numbers of winnable deals of a variant, uint64, in ascending order.

    They are those of the list, or, if the variant has none, the first that the solver finds in a
    few seconds, the same ones every time.

    Raises:
        ScorpionError: if it finds none.
    """
    rules = get_rules(rules)
    if rules.name in _lists() and rules == get_rules(rules.name):
        steps = _lists()[rules.name]
    else:
        steps = _found_at_once(rules)
    return np.array(list(accumulate(steps)), np.uint64)


@cache
def _found_at_once(rules: Rules) -> list[int]:
    steps = find_winnable(rules, FOUND_AT_ONCE, nodes=200, most_deals=20_000)
    if not steps:
        raise ScorpionError(f"No deal of rules '{rules.name}' was found that can be won.")
    return steps


def next_winnable(number: int, rules: str | Rules = "classic", *, nodes: int = QUICK_NODES) -> int:
    """Return the first deal from `number` up that the solver wins within a few nodes.

    Args:
        number: Where to start.
        rules: The variant.
        nodes: Node limit for each deal.
    """
    solver = _solver(get_rules(rules))
    while True:
        verdicts, _ = solver.solve_deals(number, 1, node_limit=nodes, quick_nodes=nodes)
        if verdicts[0] == _WON:
            return number
        number += 1


@cache
def _solver(rules: Rules) -> Solver:
    return Solver(rules)


def by_difficulty(
    deals: npt.ArrayLike,
    rules: str | Rules = "classic",
    *,
    measure: str = "nodes",
    nodes: int = 100_000,
    games: int = 200,
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
    """Return the winnable ones of some seeded deals, the easiest first, and how easy they are.

    Args:
        deals: Numbers of deals.
        rules: The variant.
        measure: ``"nodes"``: positions that the solver looks at until it wins, fewest first.
            ``"random"``: the share of random games won, largest first, then by nodes.
        nodes: Node limit for each deal; beyond it a deal counts as not winnable.
        games: Random games for each deal.

    Returns:
        Numbers of deals, uint64, and their measure, float64, both ``(winnable,)``.

    Raises:
        ScorpionError: if there is no such measure.
    """
    if measure not in MEASURES:
        raise ScorpionError(unknown("measure", measure, MEASURES))
    rules = get_rules(rules)
    solver = _solver(rules)
    found = []
    for deal in np.asarray(deals, np.uint64).tolist():
        verdicts, used = solver.solve_deals(deal, 1, node_limit=nodes, quick_nodes=nodes)
        if verdicts[0] != _WON:
            continue
        wins = 0
        if measure == "random":
            wins = sum(random_rollouts(rules, deal, 1, seed=seed).wins for seed in range(games))
        found.append((-wins, int(used[0]), deal))
    found.sort()
    ordered = np.array([deal for _, _, deal in found], np.uint64)
    if measure == "random":
        return ordered, np.array([-wins / games for wins, _, _ in found], np.float64)
    return ordered, np.array([used for _, used, _ in found], np.float64)


def find_winnable(
    rules: str | Rules, count: int, *, nodes: int = QUICK_NODES, most_deals: int = 10**9
) -> list[int]:
    """Return the first winnable deals from 1,000,000 up as the shipped list has them.

    Args:
        rules: The variant.
        count: How many to look for.
        nodes: Node limit for each deal.
        most_deals: How many deals to look at, at most.

    Returns:
        The first number, then by how much each is greater than the one before.
    """
    solver = Solver(rules)
    found: list[int] = []
    for first in range(EVALUATION_DEALS, EVALUATION_DEALS + most_deals, 200):
        verdicts, _ = solver.solve_deals(first, 200, node_limit=nodes, quick_nodes=nodes)
        found += [first + int(i) for i in np.flatnonzero(verdicts == _WON)]
        if len(found) >= count:
            break
    found = found[:count]
    return [b - a for a, b in zip([0, *found], found, strict=False)]
