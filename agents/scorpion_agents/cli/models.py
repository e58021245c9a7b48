"""Take a trained model out of its run folder, look at one, or make one the pretrained agent.

Examples:
    python scripts/models.py export runs/wasp wasp-model --deals 0:20000
    python scripts/models.py show wasp-model
    python scripts/models.py import wasp-model
    python scripts/evaluate.py --agent pretrained --rules wasp
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorpion_agents.cli.options import HELP, main_guard, version_option
from scorpion_agents.cli.terminal import allow_any_text

if TYPE_CHECKING:
    from scorpion_agents.models.description import Description

MODEL = click.argument("model", type=click.Path(path_type=Path), metavar="MODEL")


@click.group(context_settings=HELP)
@version_option
def main() -> None:
    """Share trained models: two files, weights and description, which execute nothing."""
    allow_any_text()


@main.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
@click.option(
    "--deals",
    multiple=True,
    metavar="DEALS",
    help="Measure it on these deals and write its scores down; may be repeated.",
)
@main_guard
def export(run: Path, folder: Path, deals: tuple[str, ...]) -> None:
    """Write the best model of the run folder RUN into FOLDER, with all that is known of it."""
    from scorpion_agents.training.export import export_model, weaker_than_greedy

    _say(export_model(run, folder, list(deals)))
    _warn(weaker_than_greedy(folder))
    click.echo(f"Use it: --agent {folder}")


@main.command(name="import")
@MODEL
@click.option("--replace", is_flag=True, help="Take the place of the model that is there.")
@main_guard
def import_(model: Path, replace: bool) -> None:
    """Make MODEL what `--agent pretrained` plays on its preset."""
    from scorpion_agents.training.export import import_model, weaker_than_greedy

    where = import_model(model, replace=replace)
    _warn(weaker_than_greedy(where))
    click.echo(f"Use it: --agent pretrained --rules {where.name}")


@main.command()
@MODEL
@main_guard
def show(model: Path) -> None:
    """Print what the description of MODEL, a folder, says."""
    from scorpion_agents.models.description import read_description
    from scorpion_agents.models.files import find_model

    _say(read_description(find_model(model)))


def _warn(sentence: str | None) -> None:
    if sentence is not None:
        click.echo(f"Warning: {sentence}", err=True)


def _say(about: Description) -> None:
    lines = {
        "rules": about.rules.name,
        "policy": about.network.get("policy", "mlp"),
        "steps": about.timesteps,
        "seed": about.seed,
        "trained by": about.training.command,
        "versions": ", ".join(f"{name} {text}" for name, text in about.versions.items()),
    }
    for name, value in lines.items():
        if value is not None:
            click.echo(f"{name:12}{value}")
    for score in about.scores:
        low, high = score.win_rate_ci95
        click.echo(
            f"deals {score.deals}: wins {score.win_rate:.2%} ({low:.2%} to {high:.2%}), "
            f"mean points {score.mean_points:.1f}, runs {score.mean_runs:.3f}"
        )
