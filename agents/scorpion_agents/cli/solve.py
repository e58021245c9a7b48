"""Say whether deals or positions can be won at all; the solver looks under the cards (oracle).

Examples:
    python scripts/solve.py --deal 7
    python scripts/solve.py --deals 0:1000 --rules scorpion-ii --json solved.json
    python scripts/solve.py board.txt        # or - for standard input; ?? stands for any card
    python scripts/solve.py --explain game.replay

Exit codes: 0 won, 1 lost, 3 unknown, 2 bad input, 130 interrupted. Of several deals, or several
ways to fill in unknown cards, 0 or 1 is said only where it holds for all of them.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from scorpion_agents.cli.options import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    HELP,
    MEGABYTE,
    FiniteRange,
    check_writable,
    chosen_deals,
    deal_option,
    deals_option,
    json_option,
    main_guard,
    make_console,
    make_table,
    memory_limit_option,
    node_limit_option,
    rules_option,
    seed_option,
    version_option,
)
from scorpion_agents.cli.terminal import allow_any_text
from scorpion_agents.command import command_line
from scorpion_agents.evaluation.intervals import wilson_interval
from scorpion_agents.evaluation.results import versions
from scorpion_env.deals import Deal, Position
from scorpion_env.errors import BoardError, ScorpionError
from scorpion_env.game import Game
from scorpion_env.notation.board import UNKNOWN, Board, complete_board
from scorpion_env.notation.board_text import parse_board
from scorpion_env.notation.files import as_text, read_text, write_whole
from scorpion_env.replay import load, steps
from scorpion_env.rules import PRESETS, Rules
from scorpion_env.solver import MEMORY_LIMIT, NODE_LIMIT, VERDICTS, Solution, Solver

EXIT_CODES = {"won": 0, "lost": 1, "unknown": 3}
MIXED = 3

assert not {EXIT_BAD_INPUT, EXIT_INTERRUPTED} & set(EXIT_CODES.values())


def _exit_code(verdicts: Iterable[str]) -> int:
    found = set(verdicts)
    return EXIT_CODES[found.pop()] if len(found) == 1 else MIXED


def _share(verdicts: Counter[str]) -> dict[str, Any]:
    """Return the counts, and the share won of those decided with its interval."""
    summary: dict[str, Any] = {verdict: verdicts[verdict] for verdict in VERDICTS}
    decided = verdicts["won"] + verdicts["lost"]
    if decided:
        low, high = wilson_interval(verdicts["won"], decided)
        summary |= {"share": verdicts["won"] / decided, "low": low, "high": high}
    return summary


def _share_text(summary: dict[str, Any]) -> str:
    text = ", ".join(f"{summary[verdict]} {verdict}" for verdict in VERDICTS)
    if "share" in summary:
        text += (
            f"; winnable {summary['share']:.1%} of those decided "
            f"(95 %: {summary['low']:.1%} to {summary['high']:.1%})"
        )
    return text


def _read_board(path: str, rules: Rules) -> Board:
    """Return the board of a file, or of standard input for ``-``."""
    if path == "-":
        path, text = "standard input", as_text(sys.stdin.buffer.read(), "standard input", "board")
    else:
        text = read_text(path, "board")
    try:
        return parse_board(text, rules)
    except BoardError as error:
        raise ScorpionError(f"{path}: {error}.") from None


def _starts(board: Board, rules: Rules, seed: int, samples: int) -> list[Deal]:
    """Return the position of a board, or several in which its unknown cards are filled in."""
    if UNKNOWN not in board.on_board():
        return [Position("board", board)]
    return [
        Position(f"completion {i}", complete_board(board, rules, seed + i)) for i in range(samples)
    ]


def _print_solution(solution: Solution) -> None:
    click.echo(f"{solution.verdict}: {solution.nodes} nodes, {solution.seconds:.3f} s")
    if solution.moves:
        click.echo(" ".join(solution.moves))


def _explain(path: Path, limits: dict[str, Any], memory: int) -> int:
    """Print, for each move of a replay, whether the game could be won before and after it."""
    replay = load(path)
    solver = Solver(replay.rules, memory_limit=memory)
    console = make_console()
    table = make_table(console, "move", "played", "before", "after")
    before = ""
    blamed: list[str] = []
    number = 0
    for game, action in steps(replay, name=str(path)):
        # Without undo, a lost game stays lost.
        stays_lost = before == "lost" and not replay.rules.undo_action
        after = "lost" if stays_lost else solver.solve(_position(game), **limits).verdict
        if action is not None:
            number += 1
            text = game.action_text(action)
            table.add_row(str(number), text, before, after)
            if before == "won" and after == "lost":
                blamed.append(f"Move {number}, {text}, lost the game: before it, it could be won.")
        before = after
    console.print(table)
    click.echo("The solver looks under the cards; no player could know all this.")
    at_end = {"won": "could still be won", "lost": "is lost", "unknown": "is unknown to the solver"}
    if replay.outcome == "won":
        at_end["won"] = "is won"
    for sentence in blamed or [f"No single move lost the game; at its end it {at_end[before]}."]:
        click.echo(sentence)
    return EXIT_CODES[before]


def _position(game: Game) -> Position:
    return Position("replay", game.board())


@click.command(context_settings=HELP)
@version_option
@click.argument("board", required=False, metavar="[BOARD]")
@rules_option
@deals_option
@deal_option
@seed_option
@node_limit_option(NODE_LIMIT)
@click.option(
    "--time-limit", type=FiniteRange(min=0, min_open=True), help="Seconds, for each deal."
)
@memory_limit_option(MEMORY_LIMIT, "Megabytes for the table of positions.")
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="In how many ways the unknown cards of a board are filled in.",
)
@click.option(
    "--explain",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="REPLAY",
    help="Say for each move of a game whether it could still be won.",
)
@json_option
@main_guard
def main(
    board: str | None,
    rules: Rules,
    deals: str | None,
    deal: str | None,
    seed: int,
    node_limit: int,
    time_limit: float | None,
    memory_limit: int,
    samples: int,
    explain: Path | None,
    json_path: Path | None,
) -> None:
    """Say whether deals, or the position of a BOARD file (- for standard input), can be won.

    The verdicts are won (with a line of moves), lost (proved) or unknown (a limit ended the
    search). The solver looks under the cards.
    """
    allow_any_text()
    limits: dict[str, Any] = {"node_limit": node_limit, "time_limit": time_limit}
    memory = memory_limit * MEGABYTE
    if sum(given is not None for given in (board, deals, deal, explain)) > 1:
        raise ScorpionError("Give one of BOARD, --deals, --deal and --explain.")
    check_writable(json_path, read=[board, deals, explain])
    if explain is not None:
        if json_path is not None:
            raise ScorpionError("--explain writes no JSON file.")
        sys.exit(_explain(explain, limits, memory))
    if board is not None:
        starts = _starts(_read_board(board, rules), rules, seed, samples)
    elif deals is None and deal is None:
        raise ScorpionError("Say what to solve: --deal 7, --deals 0:1000, a board file, or -.")
    else:
        starts = chosen_deals(deals, deal, rules, seed=seed)
    solver = Solver(rules, memory_limit=memory)
    verdicts: Counter[str] = Counter()
    results = []
    for start in tqdm(starts, unit="deal", disable=True if len(starts) == 1 else None):
        solution = solver.solve(start, **limits)
        verdicts[solution.verdict] += 1
        results.append(
            {
                "deal": start.name,
                "verdict": solution.verdict,
                "moves": list(solution.moves),
                "nodes": solution.nodes,
                "seconds": solution.seconds,
            }
        )
        if len(starts) == 1:
            _print_solution(solution)
        elif board is None:
            came_to = f"{solution.verdict}, {solution.nodes} nodes, {solution.seconds:.3f} s"
            tqdm.write(f"{start.name}: {came_to}", file=sys.stdout)
    summary = _share(verdicts)
    if len(starts) > 1:
        click.echo(_share_text(summary))
    if json_path is not None:
        data = {
            "rules": rules.name if PRESETS.get(rules.name) == rules else rules.as_dict(),
            "versions": versions(rules),
            "command": command_line(),
            "information": "oracle",
            "summary": summary,
            "deals": results,
        }
        write_whole(json_path, json.dumps(data, indent=1, allow_nan=False) + "\n")
    sys.exit(_exit_code(verdicts))
