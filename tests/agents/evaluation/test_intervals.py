"""The figures of an evaluation and their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from scorpion_agents.evaluation.intervals import (
    mcnemar_p,
    mean_interval,
    wilcoxon_p,
    wilson_interval,
)
from support.evaluations import evaluation, result

# --- figures


def test_a_summary_holds_the_figures_of_its_deals() -> None:
    found = evaluation(
        result("0", won=True, points=460), result("1", points=40), result("2", points=100)
    ).summary()
    assert (found.games, found.wins, found.lost, found.truncated) == (3, 1, 2, 0)
    assert found.win_rate == pytest.approx(1 / 3)
    assert found.mean_points == 200
    assert found.moves_per_win == 10
    low, high = found.mean_points_ci95 or (0, 0)
    assert (low + high) / 2 == pytest.approx(200)


def test_without_a_win_the_interval_is_wilsons_and_moves_per_win_are_unknown() -> None:
    found = evaluation(*(result(str(i)) for i in range(10))).summary()
    assert found.win_rate_ci95 == pytest.approx((0, 0.27753), abs=1e-4)
    assert found.moves_per_win is None
    assert found.mean_points_ci95 == (0, 0)


def test_statistics_agree_with_textbook_values() -> None:
    assert wilson_interval(5, 10) == pytest.approx((0.23659, 0.76341), abs=1e-4)
    assert mcnemar_p(2, 8) == pytest.approx(0.109375)
    assert mcnemar_p(0, 0) == 1
    assert mean_interval(np.array([3.0])) is None
    assert mean_interval(np.array([1.0, 2.0, 3.0])) == pytest.approx((-0.48414, 4.48414), abs=1e-4)
    assert wilcoxon_p(np.arange(5), np.arange(5)) is None
