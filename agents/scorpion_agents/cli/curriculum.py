"""Write a list of deals that can be won, the easiest first, to train on (oracle).

Example:
    python scripts/curriculum.py --deals 2000000:2010000 --easiest 0.5 --out easy.txt
    python scripts/train.py --set deals=easy.txt

Beside each number stands how easy the deal is: positions that the solver looked at until it won, or
the share of random games won.
"""

from __future__ import annotations

from pathlib import Path

import click
from tqdm import tqdm

from scorpion_agents.cli.options import (
    HELP,
    FiniteRange,
    check_writable,
    deals_option,
    main_guard,
    node_limit_option,
    rules_option,
    version_option,
)
from scorpion_agents.cli.terminal import allow_any_text
from scorpion_agents.command import command_line
from scorpion_env.deals import SeededDeal, parse_deals
from scorpion_env.environment.deal_lists import deal_list_text
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import write_whole
from scorpion_env.rules import Rules
from scorpion_env.winnable import MEASURES, by_difficulty

CHUNK = 200


def _numbers(deals: str, rules: Rules) -> list[int]:
    found = parse_deals(deals, rules)
    numbers = [deal.number for deal in found if isinstance(deal, SeededDeal)]
    if len(numbers) < len(found):
        raise ScorpionError(f"A list names seeded deals, such as 2000000:2010000, not '{deals}'.")
    return numbers


@click.command(context_settings=HELP)
@version_option
@rules_option
@deals_option
@click.option(
    "--by",
    "measure",
    type=click.Choice(MEASURES),
    default="nodes",
    show_default=True,
    help="Order by the solver's nodes, or by the share of random games won.",
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Random games for each deal.",
)
@node_limit_option(100_000, "A deal that needs more positions is left out.")
@click.option(
    "--easiest",
    type=FiniteRange(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="Keep only this share of the winnable deals, the easiest.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the list goes.",
)
@main_guard
def main(
    rules: Rules,
    deals: str | None,
    measure: str,
    games: int,
    node_limit: int,
    easiest: float,
    out: Path,
) -> None:
    """Write the winnable deals of a range, the easiest first; the solver looks under the cards."""
    allow_any_text()
    check_writable(out)
    numbers = _numbers(deals or "2000000:2010000", rules)
    found: list[tuple[float, int]] = []
    with tqdm(total=len(numbers), unit="deal", disable=None) as bar:
        for start in range(0, len(numbers), CHUNK):
            part = numbers[start : start + CHUNK]
            ordered, values = by_difficulty(
                part, rules, measure=measure, nodes=node_limit, games=games
            )
            found += zip(values.tolist(), ordered.tolist(), strict=True)
            bar.update(len(part))
    if not found:
        raise ScorpionError(f"None of the {len(numbers)} deals can be won within the node limit.")
    found.sort(reverse=measure == "random")
    kept = found[: max(1, round(easiest * len(found)))]
    notes = [f"{v:.3f} won" if measure == "random" else f"{v:.0f} nodes" for v, _ in kept]
    title = f"{rules.name}: {command_line()}"
    write_whole(out, deal_list_text([deal for _, deal in kept], title, notes))
    click.echo(f"{out}: {len(kept)} of {len(found)} winnable deals, of {len(numbers)} looked at")
