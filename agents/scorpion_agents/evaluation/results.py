"""Result files of evaluations, and comparisons of agents on the same deals.

A file holds one JSON object: ``rules``, ``versions``, ``command``, ``max_steps``, ``seed``; of the
agent ``agent``, ``information``, ``stochastic``; ``summary``, and ``deals``, one object a deal.
When several agents were evaluated at once, the last five stand once an agent in the list
``results``, followed by ``comparisons``.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import scorpion_env
from scorpion_agents.evaluation.evaluate import DealResult, Evaluation
from scorpion_agents.evaluation.intervals import (
    Interval,
    mcnemar_p,
    mean_interval,
    paired_t_p,
    wilcoxon_p,
)
from scorpion_env import replay
from scorpion_env.deals import Position, Start
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.board_text import parse_board
from scorpion_env.notation.files import make_folder, read_object, write_whole
from scorpion_env.rules import PRESETS, Rules, get_rules

PACKAGES = ("numpy", "numba", "gymnasium", "scipy", "torch", "stable-baselines3", "sb3-contrib")
"""Packages whose versions a result file states, as far as they are installed."""

CSV_FIELDS = ("agent", "deal", "outcome", "points", "runs", "flips", "moves", "illegal")


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


def environment_version(rules: Rules) -> str:
    """Return the version that Gymnasium knows the variant under, such as ``v0``."""
    return rules.gym_id.rsplit("-", 1)[-1]


def versions(rules: Rules) -> dict[str, str]:
    """Return the versions of all that a result may depend on."""
    found = {
        "environment": environment_version(rules),
        "scorpion_env": scorpion_env.__version__,
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


# --- comparing ----------------------------------------------------------------------------------


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


# --- writing ------------------------------------------------------------------------------------


def to_json(evaluations: Sequence[Evaluation], *, command: str = "") -> dict[str, Any]:
    """Return the object of a result file for one agent, or for several on the same deals."""
    first = evaluations[0]
    head = {
        "rules": _rules_data(first.rules),
        "versions": versions(first.rules),
        "command": command,
        "max_steps": first.max_steps,
        "seed": first.seed,
    }
    results = [_agent_data(evaluation) for evaluation in evaluations]
    if len(results) == 1:
        return head | results[0]
    comparisons = [dataclasses.asdict(c) for c in compare_all(evaluations)]
    return head | {"results": results, "comparisons": comparisons}


def _rules_data(rules: Rules) -> str | dict[str, Any]:
    """Return the name of a preset, or the plain data of rules of one's own."""
    return rules.name if PRESETS.get(rules.name) == rules else rules.as_dict()


def _agent_data(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "agent": evaluation.agent,
        "information": evaluation.information,
        "stochastic": evaluation.stochastic,
        "summary": dataclasses.asdict(evaluation.summary()),
        "deals": [
            {
                k: v
                for k, v in dataclasses.asdict(result).items()
                if v is not None and k != "actions"
            }
            for result in evaluation.deals
        ],
    }


def write_json(path: Path, evaluations: Sequence[Evaluation], *, command: str = "") -> None:
    """Write a result file whole.

    Raises:
        ScorpionError: if the file cannot be written.
    """
    data = to_json(evaluations, command=command)
    write_whole(path, json.dumps(data, indent=1, allow_nan=False) + "\n")


def write_csv(path: Path, evaluations: Sequence[Evaluation]) -> None:
    """Write a table with one line an agent and deal.

    Raises:
        ScorpionError: if the file cannot be written.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(CSV_FIELDS)
    for evaluation in evaluations:
        for result in evaluation.deals:
            fields = (getattr(result, field) for field in CSV_FIELDS[1:])
            table.writerow((evaluation.agent, *fields))
    write_whole(path, text.getvalue())


def save_replays(folder: Path, evaluation: Evaluation) -> list[Path]:
    """Write a replay of each game of an evaluation that kept its actions; return the files.

    Raises:
        ScorpionError: if a file cannot be written.
    """
    make_folder(folder)
    files = []
    for result in evaluation.deals:
        name = "".join(c if c.isalnum() or c in "-_." else "-" for c in result.deal)
        files.append(folder / f"{_file_stem(evaluation.agent)}-{name}.jsonl")
        replay.save(game_replay(result, evaluation.rules), files[-1])
    return files


def game_replay(result: DealResult, rules: Rules) -> replay.Replay:
    """Return the replay of a game whose actions were kept."""
    start: Start = result.deal
    if result.board is not None:
        start = Position(result.deal, parse_board(result.board, rules))
    truncated = result.outcome == "truncated"
    return replay.record(start, rules, result.actions or (), truncated=truncated)


def _file_stem(agent: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in agent).strip("-") or "agent"


# --- reading ------------------------------------------------------------------------------------


def read_json(path: Path) -> list[Stored]:
    """Return the evaluations that a result file holds.

    Raises:
        ScorpionError: if the file cannot be read or is no result file.
    """
    data = read_object(path, "result file")
    try:
        return [
            Stored(_read_evaluation(data | result), str(path), str(data["versions"]["environment"]))
            for result in data.get("results", [{}])
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise ScorpionError(
            f"{path} is no result file of an evaluation: {type(error).__name__}, {error}."
        ) from error


def _read_evaluation(data: dict[str, Any]) -> Evaluation:
    return Evaluation(
        agent=data["agent"],
        information=data["information"],
        stochastic=data["stochastic"],
        rules=get_rules(data["rules"]),
        max_steps=data["max_steps"],
        seed=data["seed"],
        deals=tuple(DealResult(**deal) for deal in data["deals"]),
        seconds=data["summary"]["seconds"],
    )
