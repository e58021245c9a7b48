"""The statistics of evaluations, from scipy: intervals of 95 % and paired tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

CONFIDENCE = 0.95

Interval = tuple[float, float]
"""Lower and upper bound."""

Numbers = npt.NDArray[Any]


def wilson_interval(wins: int, games: int) -> Interval:
    """Return Wilson's interval of a share, which holds for 0 wins, too."""
    interval = stats.binomtest(wins, games).proportion_ci(CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def mean_interval(values: Numbers) -> Interval | None:
    """Return Student's interval of the mean of numbers ``(n,)``; None for a single one."""
    if len(values) < 2:
        return None
    mean, error = float(np.mean(values)), float(stats.sem(values))
    if error == 0.0:
        return mean, mean
    low, high = stats.t.interval(CONFIDENCE, len(values) - 1, loc=mean, scale=error)
    return float(low), float(high)


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Return the p-value of McNemar's exact test.

    Args:
        only_first: Deals that only the first of two players won.
        only_second: Deals that only the second won.
    """
    discordant = only_first + only_second
    return float(stats.binomtest(only_first, discordant).pvalue) if discordant else 1.0


def paired_t_p(first: Numbers, second: Numbers) -> float | None:
    """Return the p-value of Student's paired test; None if the differences do not vary."""
    difference = first - second
    if len(difference) < 2 or np.ptp(difference) == 0:
        return None
    return float(stats.ttest_rel(first, second).pvalue)


def wilcoxon_p(first: Numbers, second: Numbers) -> float | None:
    """Return the p-value of Wilcoxon's signed-rank test; None if no pair differs."""
    if not np.any(first != second):
        return None
    return float(stats.wilcoxon(first, second).pvalue)
