r"""Play Scorpion in the terminal by typed moves; also over a pipe.

Examples:
    python scripts/play.py --rules wasp --deal pysol:24
    printf 'deal\nundo\nquit\n' | python scripts/play.py --deal 7
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click

from scorpion_agents.cli.options import (
    HELP,
    deal_option,
    main_guard,
    rules_option,
    seed_option,
    version_option,
)
from scorpion_agents.cli.play_loop import Session
from scorpion_agents.cli.terminal import (
    allow_any_text,
    board_option,
    first_position,
    legal_option,
    make_style,
    result_line,
    start_text,
    style_options,
)
from scorpion_env import replay
from scorpion_env.deals import parse_deal
from scorpion_env.errors import ScorpionError
from scorpion_env.game import Game
from scorpion_env.rules import Rules

DEFAULT_DEAL = "7"
PROMPT = "> "
LINES_BELOW = 4  # a blank one, what the move did, that the game is over, the score


@click.command(context_settings=HELP)
@version_option
@rules_option
@deal_option
@board_option
@click.option(
    "--from-replay",
    "replay_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Go on with a game that was saved.",
)
@seed_option
@style_options
@legal_option
@click.pass_context
@main_guard
def main(
    context: click.Context,
    rules: Rules,
    deal: str | None,
    board_path: Path | None,
    replay_path: Path | None,
    seed: int,
    layout: str,
    color: str,
    symbols: str,
    legal: bool,
) -> None:
    """Play one game by typed moves; type help for the commands."""
    allow_any_text()
    if sum(source is not None for source in (deal, board_path, replay_path)) > 1:
        raise ScorpionError("Give only one of --deal, --board and --from-replay.")
    style = make_style(layout, color, symbols, legal=legal, below=LINES_BELOW)
    start = parse_deal(deal or DEFAULT_DEAL)
    actions: list[int] = []
    if replay_path is not None:
        recorded = replay.load(replay_path)
        given = context.get_parameter_source("rules") == click.core.ParameterSource.COMMANDLINE
        if given and recorded.rules != rules:
            raise ScorpionError(f"{replay_path} has rules '{recorded.rules.name}' of its own.")
        game = replay.start_game(recorded)
        name = "a position" if recorded.deal is None else start_text(parse_deal(recorded.deal))
        steps = replay.steps(recorded, name=str(replay_path))
        actions = [action for _, action in steps if action is not None]
    else:
        if board_path is not None:
            start = first_position(board_path, rules, seed)
        game = Game(start, rules)
        name = start_text(start)
    if sys.stdin.isatty():
        with suppress(ImportError):  # absent on Windows
            import readline  # noqa: F401 (gives the prompt a history and editing keys)
    session = Session(game, style, actions)
    session.open(name)
    while (line := read_command()) is not None:
        if not session.command(line):
            break
    played = session.game
    print(
        result_line(
            played.outcome,
            moves=played.moves,
            score=played.score,
            runs=played.runs,
            rules=played.rules,
            game=name,
        )
    )


def read_command() -> str | None:
    """Return the next line typed or piped in, None at the end of the input.

    A piped line is printed after the prompt, so that the output reads like a terminal's.
    """
    if sys.stdin.isatty():
        try:
            return input(PROMPT)
        except EOFError:
            print()
            return None
    line = sys.stdin.readline()
    if not line:
        return None
    print(f"{PROMPT}{line.strip()}")
    return line
