"""The figures of docs/leaderboard.md: rows of agents on deals, and learning curves."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from scorpion_agents.evaluation.evaluate import Evaluation
from scorpion_agents.evaluation.intervals import wilson_interval
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import read_table
from scorpion_env.rules import PRESETS, Rules
from scorpion_env.solver import VERDICTS, Solver

DOCS = Path(__file__).resolve().parents[2] / "docs"
RESULTS = DOCS / "leaderboard.csv"
CURVES = DOCS / "curves.csv"
PLOTS = DOCS / "plots"

FIELDS = (
    "rules", "agent", "information", "first", "last", "games", "wins", "low", "high",
    "mean_points", "mean_runs", "moves_a_game", "winnable", "undecided", "by_hardness",
    "seconds_a_game", "version", "command",
)  # fmt: skip

KEY = ("rules", "agent", "first", "last")

NODE_LIMITS = {True: 1_000_000, False: 2000}
"""Positions the solver looks at in each deal, where its strict proofs hold and where not; the deals
that need more are counted as undecided."""

Row = dict[str, Any]

SHORT = {
    "classic": (
        "random",
        "runs/quick",
        "greedy",
        "pretrained",
        "playouts:256",
        "search+pretrained:16",
        "tree+pretrained:16",
        "oracle",
    ),
    "flexible": ("greedy", "pretrained", "memory+pretrained"),
}
"""The agents that the README shows, for each preset."""

HARDNESS = (53, 56, 62, 100, 400)
"""Upper bounds of the solver's nodes; a line that wins has about 50 moves, so few nodes are the
least that a win takes."""

CURVE_FIELDS = ("curve", "rules", "seed", "timesteps", "win_rate", "mean_points", "mean_runs")


def hardness_labels() -> list[str]:
    """Return what the groups of deals are called, the easiest first."""
    edges = [0, *HARDNESS]
    labels = [f"{low + 1} to {high}" for low, high in pairwise(edges)]
    return [f"up to {HARDNESS[0]}", *labels[1:], f"over {HARDNESS[-1]}"]


def count_by_hardness(won: Any, winnable: Any, nodes: Any) -> str:
    """Return how many deals of each group were won, and how many can be.

    Args:
        won: Which deals were won, bool ``(deals,)``.
        winnable: Which can be, bool ``(deals,)``.
        nodes: What the solver needed, int ``(deals,)``.

    Returns:
        Such as ``"12/30 7/40 …"``, one for each of `hardness_labels`.
    """
    group = np.searchsorted(HARDNESS, nodes, side="left")
    kinds = range(len(HARDNESS) + 1)
    counts = [(group == kind) & (winnable | won) for kind in kinds]
    return " ".join(f"{int((won & count).sum())}/{int(count.sum())}" for count in counts)


def row_of(evaluation: Evaluation, command: str, version: str) -> Row:
    """Return what the table keeps of an evaluation.

    Raises:
        ScorpionError: if it is not of a preset on successive seeded deals.
    """
    rules, names = evaluation.rules, [result.deal for result in evaluation.deals]
    first = int(names[0]) if names[0].isdecimal() else -1
    if PRESETS.get(rules.name) != rules or names != [str(first + i) for i in range(len(names))]:
        raise ScorpionError("The leaderboard is of presets on successive seeded deals.")
    found = evaluation.summary()
    strict, verdicts, nodes = _solved(rules, first, len(names))
    won = evaluation.column("outcome") == "won"
    decided = [verdicts == VERDICTS.index(name) for name in ("won", "lost", "unknown")]
    winnable, _, undecided = decided
    return {
        "rules": rules.name,
        "agent": evaluation.agent,
        "information": evaluation.information,
        "first": first,
        "last": first + len(names) - 1,
        "games": found.games,
        "wins": found.wins,
        "low": f"{found.win_rate_ci95[0]:.5f}",
        "high": f"{found.win_rate_ci95[1]:.5f}",
        "mean_points": f"{found.mean_points:.2f}",
        "mean_runs": f"{found.mean_runs:.4f}",
        "moves_a_game": f"{found.moves_per_game:.2f}",
        "winnable": int((winnable | won).sum()),
        "undecided": int((undecided & ~won).sum()),
        "by_hardness": count_by_hardness(won, winnable, nodes) if strict else "",
        "seconds_a_game": f"{found.seconds / found.games:.4f}",
        "version": version,
        "command": command,
    }


@cache  # several agents play the same deals
def _solved(rules: Rules, first: int, count: int) -> tuple[bool, Any, Any]:
    """Return whether the solver's proofs are strict, and for each deal its verdict and nodes."""
    solver = Solver(rules)
    return solver.strict, *solver.solve_deals(first, count, node_limit=NODE_LIMITS[solver.strict])


def read_rows(path: Path = RESULTS) -> list[dict[str, str]]:
    """Return the rows that are kept, in the order of the presets and then of the wins."""
    if not path.exists():
        return []
    rows = read_table(path, "table of results")
    order = list(PRESETS)
    return sorted(rows, key=lambda r: (order.index(r["rules"]), int(r["wins"]) / int(r["games"])))


def share(wins: int, winnable: int, undecided: int) -> str:
    """Return which share of the deals that can be won was won: from … to, if some are undecided."""
    if not winnable:
        return "-"
    least, most = f"{wins / (winnable + undecided):.0%}", f"{wins / winnable:.0%}"
    return most if least == most else f"{least} to {most}"


def table(rows: list[dict[str, str]]) -> str:
    """Return the table of docs/leaderboard.md, and the commands of its rows, as Markdown."""
    lines = [
        "| rules | agent | deals | wins | 95 % | points | runs | of the winnable | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        of_the_winnable = share(int(row["wins"]), int(row["winnable"]), int(row["undecided"]))
        runs = f"{float(row['mean_runs']):.2f}"
        lines.append(_line(*_result(row), runs, of_the_winnable, row["seconds_a_game"]))
    commands = dict.fromkeys(row["command"] for row in rows)
    return "\n".join([*lines, "", "```bash", *commands, "```", ""])


def short_table(rows: list[dict[str, str]]) -> str:
    """Return the README's table, a part of the other, as Markdown."""
    lines = ["| rules | agent | deals | wins | 95 % | points |", "|---|---|---|---|---|---|"]
    lines += [_line(*_result(row)) for row in rows if row["agent"] in SHORT.get(row["rules"], ())]
    return "\n".join([*lines, ""])


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _result(row: dict[str, str]) -> tuple[str, ...]:
    """Return who played what, and with which result, as both tables say it."""
    agent = f"`{row['agent']}`" + (" (oracle)" if row["information"] == "oracle" else "")
    wins, games = int(row["wins"]), int(row["games"])
    low, high = wilson_interval(wins, games)
    return (
        f"`{row['rules']}`",
        agent,
        f"{row['first']}:{int(row['last']) + 1}",
        f"{wins / games:.2%}",
        f"{low:.2%} to {high:.2%}",
        row["mean_points"],
    )


def read_curves(path: Path) -> list[Row]:
    """Return the evaluations of training runs that are kept."""
    if not path.exists():
        return []
    return read_table(path, "table of results")


def run_rows(name: str, run: Path, rules: str, seed: int) -> list[dict[str, Any]]:
    """Return the rows of the evaluations of a run folder.

    Raises:
        ScorpionError: if it holds none.
    """
    file = run / "evaluations.csv"
    if not file.is_file():
        raise ScorpionError(f"{run} holds no evaluations.csv; name the run folder of a training.")
    found = read_table(file, "table of results")
    given = {"curve": name, "rules": rules, "seed": seed}
    return [given | {field: row[field] for field in CURVE_FIELDS[3:]} for row in found]
