"""Keep the table of docs/leaderboard.md: who wins how many of which deals.

Examples:
    python scripts/evaluate.py --agent greedy --deals 0:20000 --json greedy.json
    python scripts/leaderboard.py add greedy.json     # into docs/leaderboard.csv
    python scripts/leaderboard.py                     # prints the table
    python scripts/leaderboard.py short               # prints the README's rows
    python scripts/leaderboard.py curve "mlp" runs/a runs/b    # learning curves, one run a seed
    python scripts/leaderboard.py plot                # draws docs/plots/*.png
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from reports.leaderboard_rows import (
    CURVE_FIELDS,
    CURVES,
    DOCS,
    FIELDS,
    KEY,
    PLOTS,
    RESULTS,
    Row,
    read_curves,
    read_rows,
    row_of,
    run_rows,
    short_table,
    table,
)
from scorpion_agents.cli.options import HELP, main_guard, version_option
from scorpion_agents.evaluation.results import read_json
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import read_object, write_whole
from scorpion_env.rules import PRESETS


@click.group(invoke_without_command=True, context_settings=HELP)
@version_option
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
    _write(RESULTS, FIELDS, rows.values())
    click.echo(f"{RESULTS.name}: {len(rows)} rows")


@main.command()
@main_guard
def short() -> None:
    """Print the README's rows of the table."""
    click.echo(short_table(read_rows()), nl=False)


@main.command()
@click.argument("name")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@main_guard
def curve(name: str, runs: tuple[Path, ...]) -> None:
    """Keep the evaluations of training runs, one a seed, as the learning curve NAME."""
    from scorpion_agents.training.train import run_config

    rows: list[Row] = [dict(row) for row in read_curves(CURVES) if row["curve"] != name]
    for run in runs:
        config = run_config(run)
        rows += run_rows(name, run, config.resolved.rules.name, config.seed)
    _write(CURVES, CURVE_FIELDS, rows)
    click.echo(f"{CURVES.name}: {len(rows)} rows")


@main.command()
@click.option(
    "--rules", "presets", multiple=True, default=("classic", "flexible"), show_default=True,
    type=click.Choice(list(PRESETS)), help="Whose pictures; can be given several times.",
)  # fmt: skip
@main_guard
def plot(presets: tuple[str, ...]) -> None:
    """Draw the pictures of the docs from the rows and curves that are kept."""
    try:
        from reports.leaderboard_plots import plot_all
    except ModuleNotFoundError as error:
        raise ScorpionError(
            f"To draw, '{error.name}' is needed: pip install 'scorpion-env[plots]'."
        ) from error
    rows, curves = (
        [row for row in kept if row["rules"] in presets]
        for kept in (read_rows(), read_curves(CURVES))
    )
    for path in plot_all(rows, curves, PLOTS):
        click.echo(path.relative_to(DOCS.parent))


def _write(path: Path, fields: Sequence[str], rows: Iterable[Row]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue())


if __name__ == "__main__":
    main()
