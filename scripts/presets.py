"""Print the table of docs/variants.md, which is made from the presets."""

from __future__ import annotations

import sys
from itertools import groupby

import click

from scorpion_agents.cli.options import HELP, main_guard, version_option
from scorpion_env import PRESETS, Rules


def table() -> str:
    """Return the table as Markdown, one row a preset."""
    lines = [
        "| preset | id | cards | columns (face down) | reserve | cells | actions | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for rules in PRESETS.values():
        cells = (
            f"`{rules.name}`",
            f"`{rules.gym_id}`",
            str(rules.cards),
            _columns(rules),
            str(rules.reserve or "-"),
            str(rules.cells or "-"),
            str(rules.num_actions),
            rules.description,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _columns(rules: Rules) -> str:
    """Return equal neighbouring columns together, such as ``4x7 (3), 3x7``."""
    pairs = zip(rules.columns, rules.face_down, strict=True)
    groups = [(len(list(same)), dealt, down) for (dealt, down), same in groupby(pairs)]
    return ", ".join(
        f"{count}x{dealt}" + (f" ({down})" if down else "") for count, dealt, down in groups
    )


@click.command(context_settings=HELP)
@version_option
@main_guard
def main() -> None:
    """Print the table of docs/variants.md."""
    click.echo(table(), nl=False)


if __name__ == "__main__":
    sys.exit(main())
