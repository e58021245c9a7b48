"""What the scripts that show boards share: options of the picture, and printing it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from scorpion_env.deals import Deal, Position, read_positions
from scorpion_env.notation.board import Board
from scorpion_env.rendering import FORMATS, Status, Style, render_board
from scorpion_env.rules import Rules

CHOICES = {"auto": None, "always": True, "never": False, "symbols": True, "letters": False}


board_option = click.option(
    "--board",
    "board_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Start from the first board of this file instead of a deal.",
)

legal_option = click.option(
    "--legal", is_flag=True, help="List the legal moves, mark the cards that can move."
)


def style_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a click command with ``--format``, ``--color`` and ``--symbols``."""
    for option in (
        click.option(
            "--symbols",
            type=click.Choice(["auto", "letters", "symbols"]),
            default="auto",
            show_default=True,
            help="Suits as letters or symbols; auto asks whether the output can show symbols.",
        ),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="auto: on a terminal, unless NO_COLOR is set.",
        ),
        click.option(
            "--format",
            "layout",
            type=click.Choice(FORMATS),
            default="grid",
            show_default=True,
            help="A grid, or plain lines for screen readers.",
        ),
    ):
        command = option(command)
    return command


def make_style(
    layout: str, color: str, symbols: str, *, legal: bool = False, below: int = 1
) -> Style:
    """Return the style that the options ask for, as far as standard output can show it.

    In a window, `below` lines are left free for what is printed under a picture.
    """
    style = Style.for_stream(
        sys.stdout, symbols=CHOICES[symbols], color=CHOICES[color], format=layout, legal=legal
    )
    return style if style.height is None else replace(style, height=max(1, style.height - below))


def allow_any_text() -> None:
    """Let no character that the console lacks end the script; it is shown as ``?``."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def show_board(board: Board, rules: Rules, status: Status, style: Style) -> None:
    """Print a board and a blank line, at once even into a pipe."""
    print(render_board(board, rules, status, style=style), end="\n\n", flush=True)


def first_position(path: Path, rules: Rules, seed: int) -> Position:
    """Return the first board of a file of boards.

    Raises:
        ScorpionError: if the file cannot be read or its boards are refused.
    """
    positions = read_positions(path, rules, seed=seed)
    if len(positions) > 1:
        click.echo(f"{path} holds {len(positions)} boards; the first is taken.", err=True)
    return positions[0]


def start_text(deal: Deal) -> str:
    """Return what a game that starts there is called."""
    return deal.name if isinstance(deal, Position) else f"deal {deal.name}"


def result_line(
    outcome: str | None, *, moves: int, score: int, runs: int, rules: Rules, game: str
) -> str:
    """Return the one line that says how a game ended."""
    ended = {"won": "won", "lost": "lost", "truncated": "step limit reached"}.get(
        outcome or "", "not finished"
    )
    counted = "1 move" if moves == 1 else f"{moves} moves"
    return (
        f"Result: {ended} after {counted}, score {score}, runs {runs} of {rules.num_runs} "
        f"({rules.name}, {game})."
    )
