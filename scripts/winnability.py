"""Print the table of docs/winnability.md, which is made from the surveys in docs/winnability/.

Example:
    python scripts/survey.py --rules wasp --deals 0:5000 --csv docs/winnability/wasp.csv
    python scripts/winnability.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from scorpion_agents.cli.options import HELP, main_guard, version_option
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import read_table
from scorpion_env.rules import PRESETS

SURVEYS = Path(__file__).resolve().parent.parent / "docs" / "winnability"


def surveys(folder: Path = SURVEYS) -> list[dict[str, str]]:
    """Return the last row of each survey, which is of all its deals, in the order of the presets.

    Raises:
        ScorpionError: if a file in the folder is no survey of a preset.
    """
    rows = []
    for path in folder.glob("*.csv"):
        found = read_table(path, "survey")
        if not found or found[-1].get("rules") not in PRESETS:
            raise ScorpionError(f"{path} is no survey of a preset, as scripts/survey.py writes it.")
        rows.append(found[-1])
    return sorted(rows, key=lambda row: list(PRESETS).index(row["rules"]))


def table(rows: list[dict[str, str]]) -> str:
    """Return the table and the commands that measured it, as Markdown."""
    lines = [
        "| rules | deals | won | lost (proved) | unknown | floor | ceiling | 95 % | node limit |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        won, unknown, deals = (int(row[field]) for field in ("won", "unknown", "deals"))
        cells = (
            f"`{row['rules']}`",
            f"{row['first']}:{int(row['last']) + 1}",
            row["won"],
            row["lost"],
            row["unknown"],
            f"{won / deals:.2%}",
            f"{(won + unknown) / deals:.2%}",
            f"{float(row['low']):.2%} to {float(row['high']):.2%}",
            f"{int(row['node_limit']):,}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", "```bash", *(row["command"] for row in rows), "```", ""])


@click.command(context_settings=HELP)
@version_option
@main_guard
def main() -> None:
    """Print the table of docs/winnability.md."""
    click.echo(table(surveys()), nl=False)


if __name__ == "__main__":
    sys.exit(main())
