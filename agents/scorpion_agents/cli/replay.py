"""Check replay files: ``python scripts/replay.py check game.jsonl``.

``scripts/render.py --from-replay game.jsonl`` shows one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from scorpion_agents.cli.options import EXIT_BAD_INPUT, HELP, main_guard, version_option
from scorpion_agents.cli.terminal import allow_any_text
from scorpion_env.errors import ReplayError
from scorpion_env.replay import check as check_replay
from scorpion_env.replay import load


@click.group(context_settings=HELP)
@version_option
def main() -> None:
    """Work with replay files."""


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@main_guard
def check(files: tuple[Path, ...]) -> None:
    """Play every move of FILES again and name the first line that does not match.

    Exits with 0 if all files are right, otherwise with 2.
    """
    allow_any_text()
    wrong = 0
    for path in files:
        try:
            game = check_replay(path)
        except ReplayError as error:
            wrong += 1
            click.echo(f"Error: {error}", err=True)
            continue
        outcome = load(path).outcome or "not finished"
        print(
            f"{path}: right. {game.rules.name}, {outcome}, {game.moves} moves, {game.score} points."
        )
    if wrong:
        sys.exit(EXIT_BAD_INPUT)
