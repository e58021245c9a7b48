"""The commands, as ``scorpion`` has them; ``scripts/*.py`` are doors to the same ones."""

from __future__ import annotations

import os
from importlib import import_module

import click

from scorpion_agents.command import PROGRAM
from scorpion_env.errors import unknown

# Before torch is imported, for every command: threads that spin while they wait make it many times
# slower where cores are shared.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

COMMANDS = {
    "train": "Train MaskablePPO; Ctrl-C saves what there is and ends, --resume goes on from there.",
    "evaluate": "Let agents play given deals (0:1000 unless said otherwise), each deal once.",
    "render": "Play one game with an agent and print every step.",
    "play": "Play one game by typed moves; type help for the commands.",
    "replay": "Work with replay files.",
    "solve": "Say whether deals, or the position of a BOARD file (- for standard input), can be "
    "won.",
    "survey": "Count the winnable, lost and unknown deals of a range; resumable.",
    "curriculum": "Write the winnable deals of a range, the easiest first; the solver looks under "
    "the cards.",
    "models": "Share trained models: two files, weights and description, which execute nothing.",
}
"""The commands, each a module here, and what they are for."""


class Commands(click.Group):
    """Commands that are imported when they are called: help and version need no library."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Return a command."""
        if cmd_name not in COMMANDS:
            raise click.UsageError(unknown("command", cmd_name, COMMANDS), ctx)
        try:
            command = import_module(f"{__name__}.{cmd_name}").main
        except ModuleNotFoundError as error:
            needed = f"This needs '{error.name}': pip install 'scorpion-env[train]'."
            raise click.UsageError(needed, ctx) from error
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of the commands, none of which is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from scorpion_env import __version__

        click.echo(f"{PROGRAM} {__version__}")
        context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Scorpion solitaire: train agents, measure them, watch them, play, solve.

    `scorpion COMMAND --help` tells of each.
    """
