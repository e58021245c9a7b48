"""Comparisons of agents on the same deals, of evaluations just made or read from files."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorpion_agents.evaluation.evaluate import Evaluation
from scorpion_agents.evaluation.intervals import (
    Interval,
    mcnemar_p,
    mean_interval,
    paired_t_p,
    wilcoxon_p,
)
from scorpion_env.errors import ScorpionError


@dataclass(frozen=True)
class Comparison:
    """Two agents on the same deals.

    Attributes:
        first, second: Their names.
        deals: Number of deals.
        only_first, only_second: Deals that only one of them won.
        wins_p: p-value of McNemar's exact test.
        points_difference: Mean points of the first minus those of the second, deal by deal.
        points_difference_ci95: Student's interval of it; None for a single deal.
        points_t_p: p-value of the paired t-test; None if all differences are equal.
        points_wilcoxon_p: p-value of the signed-rank test; None if no deal differs.
    """

    first: str
    second: str
    deals: int
    only_first: int
    only_second: int
    wins_p: float
    points_difference: float
    points_difference_ci95: Interval | None
    points_t_p: float | None
    points_wilcoxon_p: float | None


@dataclass(frozen=True)
class Stored:
    """An evaluation, where it was read from and under which version of the environment it ran."""

    evaluation: Evaluation
    source: str
    environment: str


def compare(first: Evaluation, second: Evaluation) -> Comparison:
    """Compare two evaluations deal by deal.

    Raises:
        ScorpionError: if they differ in rules, step limit or deals; the text says in which.
    """
    _refuse_differences(first, second, "the two evaluations")
    at = {result.deal: result for result in second.deals}
    pairs = [(result, at[result.deal]) for result in first.deals]
    won = np.array([[r.outcome == "won" for r in pair] for pair in pairs])
    points = np.array([[r.points for r in pair] for pair in pairs])
    only_first = int((won[:, 0] & ~won[:, 1]).sum())
    only_second = int((won[:, 1] & ~won[:, 0]).sum())
    difference = points[:, 0] - points[:, 1]
    return Comparison(
        first=first.agent,
        second=second.agent,
        deals=len(pairs),
        only_first=only_first,
        only_second=only_second,
        wins_p=mcnemar_p(only_first, only_second),
        points_difference=float(difference.mean()),
        points_difference_ci95=mean_interval(difference),
        points_t_p=paired_t_p(points[:, 0], points[:, 1]),
        points_wilcoxon_p=wilcoxon_p(points[:, 0], points[:, 1]),
    )


def compare_all(evaluations: Sequence[Evaluation]) -> list[Comparison]:
    """Compare every two of several evaluations; see :func:`compare`."""
    return [compare(a, b) for a, b in itertools.combinations(evaluations, 2)]


def compare_stored(stored: Sequence[Stored]) -> list[Comparison]:
    """Compare every two of several evaluations read from files.

    Raises:
        ScorpionError: if two differ in rules, step limit, deals or version of the environment.
    """
    for a, b in itertools.combinations(stored, 2):
        which = a.source if a.source == b.source else f"{a.source} and {b.source}"
        if a.environment != b.environment:
            raise _incomparable(
                which, "the version of the environment", a.environment, b.environment
            )
        _refuse_differences(a.evaluation, b.evaluation, which)
    return compare_all([s.evaluation for s in stored])


def _refuse_differences(a: Evaluation, b: Evaluation, which: str) -> None:
    if a.rules != b.rules:
        names = (a.rules.name, b.rules.name)
        if names[0] == names[1]:
            raise _incomparable(which, f"what '{names[0]}' means", a.rules, b.rules)
        raise _incomparable(which, "the rules", *names)
    if a.max_steps != b.max_steps:
        raise _incomparable(which, "the step limit", a.max_steps, b.max_steps)
    boards = [{result.deal: result.board for result in e.deals} for e in (a, b)]
    if boards[0].keys() != boards[1].keys():
        raise _incomparable(which, "the deals", _span(a), _span(b))
    for deal, board in boards[0].items():
        if board != boards[1][deal]:
            raise ScorpionError(f"{which} cannot be compared: '{deal}' is not the same board.")


def _incomparable(which: str, what: str, first: object, second: object) -> ScorpionError:
    return ScorpionError(
        f"{which} cannot be compared: they differ in {what} ({first} against {second})."
    )


def _span(evaluation: Evaluation) -> str:
    deals = evaluation.deals
    return f"{len(deals)} deals from '{deals[0].deal}' to '{deals[-1].deal}'"
