"""Deals that can be won, for training and for exercises (oracle: the solver looks under the cards).

A short list for each preset comes with the package, of seeded deals from 1,000,000 up, so that none
is an evaluation deal. Further ones are found with the solver.

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
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules, get_rules
from scorpion_env.solver import VERDICTS, Solver

LIST = Path(__file__).parent / "data" / "winnable.json"

QUICK_NODES = 2000
"""Positions looked at in a deal before it is passed over, whether or not it could be won."""

_WON = VERDICTS.index("won")


@cache
def _lists() -> dict[str, list[int]]:
    lists: dict[str, list[int]] = json.loads(LIST.read_text(encoding="utf-8"))
    return lists


def winnable_deals(rules: str | Rules = "classic") -> npt.NDArray[np.uint64]:
    """Return the numbers of the listed winnable deals of a preset, uint64, in ascending order.

    Raises:
        ScorpionError: if the rules are no preset with such a list.
    """
    rules = get_rules(rules)
    if rules != get_rules(rules.name) or rules.name not in _lists():
        raise ScorpionError(f"There is no list of winnable deals for rules '{rules.name}'.")
    return np.array(list(accumulate(_lists()[rules.name])), np.uint64)


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
    deals: npt.ArrayLike, rules: str | Rules = "classic", *, nodes: int = 100_000
) -> npt.NDArray[np.uint64]:
    """Return the winnable ones of some seeded deals, those that the solver wins soonest first.

    Args:
        deals: Numbers of deals.
        rules: The variant.
        nodes: Node limit for each deal; beyond it a deal counts as not winnable.
    """
    solver = _solver(get_rules(rules))
    found = []
    for deal in np.asarray(deals, np.uint64).tolist():
        verdicts, used = solver.solve_deals(deal, 1, node_limit=nodes, quick_nodes=nodes)
        if verdicts[0] == _WON:
            found.append((int(used[0]), deal))
    return np.array([deal for _, deal in sorted(found)], np.uint64)


def find_winnable(rules: str | Rules, count: int, *, nodes: int = QUICK_NODES) -> list[int]:
    """Return the first winnable deals from 1,000,000 up as the shipped list has them.

    Returns:
        The first number, then by how much each is greater than the one before.
    """
    solver = Solver(rules)
    found: list[int] = []
    first = EVALUATION_DEALS
    while len(found) < count:
        verdicts, _ = solver.solve_deals(first, 200, node_limit=nodes, quick_nodes=nodes)
        found += [first + int(i) for i in np.flatnonzero(verdicts == _WON)]
        first += 200
    found = found[:count]
    return [b - a for a, b in zip([0, *found], found, strict=False)]
