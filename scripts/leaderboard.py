"""Keep the table of docs/leaderboard.md: who wins how many of which deals.

Examples:
    python scripts/evaluate.py --agent greedy --deals 0:20000 --json greedy.json
    python scripts/leaderboard.py add greedy.json     # into docs/leaderboard.csv
    python scripts/leaderboard.py                     # prints the table
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import click
from cli_common import main_guard

from agents.evaluation import Evaluation
from agents.results import read_json
from scorpion_env.errors import ScorpionError
from scorpion_env.files import read_object, write_whole
from scorpion_env.rules import PRESETS
from scorpion_env.solver import VERDICTS, Solver

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "leaderboard.csv"

FIELDS = (
    "rules", "agent", "information", "first", "last", "games", "wins", "low", "high",
    "mean_points", "mean_runs", "winnable", "undecided", "seconds_a_game", "version", "command",
)  # fmt: skip

KEY = ("rules", "agent", "first", "last")

NODE_LIMITS = {True: 1_000_000, False: 2000}
"""Positions the solver looks at in each deal, where its strict proofs hold and where not; the deals
that need more are counted as undecided."""

Row = dict[str, Any]


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
    solver = Solver(rules)
    verdicts, _ = solver.solve_deals(first, len(names), node_limit=NODE_LIMITS[solver.strict])
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
        "winnable": int((winnable | won).sum()),
        "undecided": int((undecided & ~won).sum()),
        "seconds_a_game": f"{found.seconds / found.games:.4f}",
        "version": version,
        "command": command,
    }


def read_rows(path: Path = RESULTS) -> list[dict[str, str]]:
    """Return the rows that are kept, in the order of the presets and then of the wins."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    order = list(PRESETS)
    return sorted(rows, key=lambda r: (order.index(r["rules"]), int(r["wins"]) / int(r["games"])))


def table(rows: list[dict[str, str]]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| rules | agent | deals | wins | 95 % | points | runs | of the winnable | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        agent = f"`{row['agent']}`" + (" (oracle)" if row["information"] == "oracle" else "")
        wins, games, winnable = (int(row[field]) for field in ("wins", "games", "winnable"))
        share = f"{wins / winnable:.0%}" if winnable and row["undecided"] == "0" else "-"
        cells = (
            f"`{row['rules']}`",
            agent,
            f"{row['first']}:{int(row['last']) + 1}",
            f"{wins / games:.2%}",
            f"{float(row['low']):.2%} to {float(row['high']):.2%}",
            f"{float(row['mean_points']):.1f}",
            f"{float(row['mean_runs']):.2f}",
            share,
            row["seconds_a_game"],
        )
        lines.append(f"| {' | '.join(cells)} |")
    commands = dict.fromkeys(row["command"] for row in rows)
    return "\n".join([*lines, "", "```bash", *commands, "```", ""])


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.pass_context
@main_guard
def main(context: click.Context) -> None:
    """Print the table of docs/leaderboard.md, or `add` result files to it."""
    if context.invoked_subcommand is None:
        click.echo(table(read_rows()), nl=False)


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@main_guard
def add(files: tuple[Path, ...]) -> None:
    """Add result files of `evaluate.py`; a row of the same agent, rules and deals is replaced."""
    rows: dict[tuple[str, ...], Row] = {
        tuple(row[k] for k in KEY): dict(row) for row in read_rows()
    }
    for path in files:
        data = read_object(path, "result file")
        for stored in read_json(path):
            version = data["versions"]["scorpion_env"]
            row = row_of(stored.evaluation, str(data.get("command", "")), version)
            rows[tuple(str(row[k]) for k in KEY)] = row
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows.values())
    write_whole(RESULTS, text.getvalue())
    click.echo(f"{RESULTS.name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
