"""Result files of evaluations.

A file holds one JSON object: ``rules``, ``versions``, ``command``, ``max_steps``, ``seed``; of the
agent ``agent``, ``information``, ``stochastic``; ``summary``, and ``deals``, one object a deal.
When several agents were evaluated at once, the last five stand once an agent in the list
``results``, followed by ``comparisons``.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

import scorpion_env
from scorpion_agents.base import Information
from scorpion_agents.evaluation.comparison import Stored, compare_all
from scorpion_agents.evaluation.evaluate import DealResult, Evaluation
from scorpion_agents.schemas import STORED, StoredRules, checked
from scorpion_env import replay
from scorpion_env.deals import Position, Start
from scorpion_env.notation.board_text import parse_board
from scorpion_env.notation.files import make_folder, read_object, write_whole
from scorpion_env.rules import PRESETS, Rules

PACKAGES = ("numpy", "numba", "gymnasium", "scipy", "torch", "stable-baselines3", "sb3-contrib")
"""Packages whose versions a result file states, as far as they are installed."""

CSV_FIELDS = ("agent", "deal", "outcome", "points", "runs", "flips", "moves", "illegal")


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
    files: list[Path] = []
    taken: set[str] = set()
    for result in evaluation.deals:
        name = "".join(c if c.isalnum() or c in "-_." else "-" for c in result.deal)[:80]
        stem = base = f"{_file_stem(evaluation.agent)}-{name}"
        count = 1
        while stem.lower() in taken:  # some file systems tell no case
            count += 1
            stem = f"{base}-{count}"
        taken.add(stem.lower())
        files.append(folder / f"{stem}.jsonl")
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

Number = Annotated[int, Field(ge=-(2**31), lt=2**31)]


class _Versions(BaseModel):
    model_config = STORED

    environment: str


class _Deal(BaseModel):
    model_config = STORED | ConfigDict(extra="forbid")

    deal: str
    outcome: Literal["won", "lost", "truncated"]
    points: Number
    runs: Number
    flips: Number
    moves: Number
    illegal: Number
    board: str | None = None


class _Timing(BaseModel):
    model_config = STORED

    seconds: float


class _Played(BaseModel):
    """What a file says of an agent."""

    model_config = STORED

    agent: str
    information: Information
    stochastic: bool
    summary: _Timing
    deals: Annotated[list[_Deal], Field(min_length=1)]


class _Conditions(BaseModel):
    """What a file says once for all agents."""

    model_config = STORED

    rules: StoredRules
    versions: _Versions
    max_steps: Annotated[int, Field(ge=1)]
    seed: int


class _OneAgent(_Conditions, _Played):
    pass


class _Agents(_Conditions):
    results: Annotated[list[_Played], Field(min_length=1)]


def read_json(path: Path) -> list[Stored]:
    """Return the evaluations that a result file holds.

    Raises:
        ScorpionError: if the file cannot be read or is no result file; the text names the place.
    """
    data = read_object(path, "result file")
    refusal = "is no result file of an evaluation"
    if "results" in data:
        several = checked(_Agents, data, path, refusal)
        return [_stored(several, played, path) for played in several.results]
    one = checked(_OneAgent, data, path, refusal)
    return [_stored(one, one, path)]


def _stored(under: _Conditions, played: _Played, path: Path) -> Stored:
    evaluation = Evaluation(
        agent=played.agent,
        information=played.information,
        stochastic=played.stochastic,
        rules=under.rules,
        max_steps=under.max_steps,
        seed=under.seed,
        deals=tuple(DealResult(**dict(deal)) for deal in played.deals),
        seconds=played.summary.seconds,
    )
    return Stored(evaluation, str(path), under.versions.environment)
