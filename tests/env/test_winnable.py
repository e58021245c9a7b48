"""The list of winnable deals that comes with the package."""

from __future__ import annotations

import numpy as np
import pytest

from scorpion_env.deals import EVALUATION_DEALS
from scorpion_env.errors import ScorpionError
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
    ordered, nodes = by_difficulty(deals)
    solver = Solver("classic")
    assert [solver.solve(deal).nodes for deal in ordered.tolist()] == nodes.tolist()
    assert (np.diff(nodes) >= 0).all()
    assert set(ordered.tolist()) == set(deals.tolist())


def test_deals_that_random_games_win_come_first() -> None:
    lost = [deal for deal in range(20) if Solver("classic").solve(deal).verdict == "lost"][:3]
    deals = [*winnable_deals("classic")[:20].tolist(), *lost]
    ordered, shares = by_difficulty(deals, measure="random", games=50)
    assert (np.diff(shares) <= 0).all()
    assert 0 <= shares[-1] < shares[0] <= 1
    assert not set(ordered.tolist()) & set(lost)
    with pytest.raises(ScorpionError, match="random"):
        by_difficulty(deals, measure="randm")
