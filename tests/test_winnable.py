"""The list of winnable deals that comes with the package."""

from __future__ import annotations

import numpy as np
import pytest

from scorpion_env.deals import EVALUATION_DEALS
from scorpion_env.solver import Solver
from scorpion_env.winnable import by_difficulty, next_winnable, winnable_deals


@pytest.mark.parametrize("name", ["classic", "traditional", "wasp"])
def test_listed_deals_can_be_won_and_are_none_for_evaluation(name: str) -> None:
    deals = winnable_deals(name)
    assert deals[0] >= EVALUATION_DEALS
    assert (np.diff(deals) > 0).all()
    solver = Solver(name)
    for deal in deals[::100].tolist():
        assert solver.solve(deal).verdict == "won"


def test_the_next_winnable_deal_is_the_next_listed_one() -> None:
    first, second = winnable_deals("classic")[:2].tolist()
    assert next_winnable(EVALUATION_DEALS) == first
    assert next_winnable(first + 1) == second


def test_deals_come_in_order_of_difficulty() -> None:
    deals = winnable_deals("classic")[:50]
    ordered = by_difficulty(deals)
    solver = Solver("classic")
    nodes = [solver.solve(deal).nodes for deal in ordered.tolist()]
    assert nodes == sorted(nodes)
    assert set(ordered.tolist()) == set(deals.tolist())
