"""Watch an agent play, or a game that was written down.

Examples:
    python scripts/render.py --agent greedy --deal 7
    python scripts/render.py --agent runs/classic --deal pysol:24 --legal --delay 1
    python scripts/render.py --from-replay game.jsonl --format lines
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from scorpion_agents import Agent, load_agent
from scorpion_agents.cli.options import (
    HELP,
    FiniteRange,
    check_writable,
    deal_option,
    main_guard,
    max_steps_option,
    played_rules,
    rules_option,
    seed_option,
    stochastic_option,
    trust_option,
    version_option,
)
from scorpion_agents.cli.terminal import (
    allow_any_text,
    board_option,
    first_position,
    legal_option,
    make_style,
    result_line,
    show_board,
    start_text,
    style_options,
)
from scorpion_agents.evaluation.draws import deal_key, draw_numbers
from scorpion_agents.players.memory import Player
from scorpion_env import replay
from scorpion_env.deals import Deal, parse_deal
from scorpion_env.env import ScorpionEnv
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.board import Board
from scorpion_env.notation.move_text import action_text
from scorpion_env.rendering import Status, Style, moved_card
from scorpion_env.rules import Rules

DEFAULT_DEAL = "7"
TERMINAL_DELAY = 0.3


@dataclass(frozen=True)
class Frame:
    """A picture of a game: the board, its numbers, and the action that led there, if any."""

    board: Board
    status: Status
    action: int | None = None
    illegal: bool = False


@click.command(context_settings=HELP)
@version_option
@click.option(
    "--agent",
    "agent_name",
    metavar="AGENT",
    help="Who plays: random, greedy (the default), pretrained, or the path of a run or model, "
    "which knows its rules.",
)
@deal_option
@board_option
@rules_option
@click.option(
    "--delay",
    type=FiniteRange(min=0, max=3600),
    metavar="SECONDS",
    help="Time between steps; 0.3 on a terminal, otherwise 0.",
)
@seed_option
@style_options
@legal_option
@max_steps_option
@stochastic_option
@trust_option
@click.option(
    "--from-replay",
    "replay_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Show this replay; rules, deal and moves are its own.",
)
@click.option(
    "--save",
    "save_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the game down as a replay.",
)
@click.pass_context
@main_guard
def main(
    context: click.Context,
    agent_name: str | None,
    deal: str | None,
    board_path: Path | None,
    rules: Rules,
    delay: float | None,
    seed: int,
    layout: str,
    color: str,
    symbols: str,
    legal: bool,
    max_steps: int | None,
    stochastic: bool,
    trust: bool,
    replay_path: Path | None,
    save_path: Path | None,
) -> None:
    """Play one game with an agent and print every step."""
    allow_any_text()
    style = make_style(layout, color, symbols, legal=legal)
    if delay is None:
        delay = TERMINAL_DELAY if sys.stdout.isatty() else 0.0
    if replay_path is not None:
        _refuse_beside_replay(context)
        show_replay(replay_path, style, delay)
        return
    if deal is not None and board_path is not None:
        raise ScorpionError("Give either --deal or --board, not both.")
    check_writable(save_path, read=[board_path])
    agent_name = agent_name or "greedy"
    rules = played_rules(context, rules, [agent_name])
    start = parse_deal(deal or DEFAULT_DEAL)
    if board_path is not None:
        start = first_position(board_path, rules, seed)
    agent = load_agent(agent_name, rules, stochastic=stochastic, trust=trust)
    env = ScorpionEnv(
        rules,
        observation="full" if agent.information == "oracle" else "player",
        max_steps=max_steps,
        mask_in_info=False,
    )
    frames: list[Frame] = []
    for frame in agent_frames(env, agent, start, seed):
        if frames:
            time.sleep(delay)
        if frame.illegal and frame.action is not None:
            print(f"Illegal, nothing changed: {action_text(frame.action, rules)}")
        show_board(frame.board, rules, frame.status, style)
        frames.append(frame)
    last = frames[-1].status
    print_result(last, rules, f"{agent.name} on {start_text(start)}")
    if save_path is not None:
        actions = [f.action for f in frames if f.action is not None and not f.illegal]
        truncated = last.outcome == "truncated"
        replay.save(replay.record(start, rules, actions, truncated=truncated), save_path)
        click.echo(f"Saved {save_path}.", err=True)


def agent_frames(env: ScorpionEnv, agent: Agent, start: Deal, seed: int) -> Iterator[Frame]:
    """Let an agent play an episode; yield the start and every step.

    The agent receives the same numbers as in an evaluation with that seed, and so plays the same.
    """
    options = {"deal": start}
    observation, info = env.reset(options=options)
    yield Frame(env.oracle_board(), _status(env, info, None))
    key = np.array([deal_key(start)], np.uint64)
    player = Player(agent)
    step, over = 0, False
    while not over:
        draws = draw_numbers(seed, key, np.array([step], np.uint64))
        actions = player.act([0], observation[None], env.action_masks()[None], draws)
        observation, _, terminated, truncated, info = env.step(actions[0])
        step += 1
        over = terminated or truncated
        illegal = "illegal_action" in info
        action = int(actions[0])
        status = _status(env, info, None if illegal else action)
        yield Frame(env.oracle_board(), status, action, illegal)


def _status(env: ScorpionEnv, info: dict[str, object], action: int | None) -> Status:
    outcome = info.get("outcome")
    legal = [] if outcome else np.flatnonzero(env.action_masks()).tolist()
    return Status(
        score=int(str(info["score"])),
        moves=int(str(info["moves"])),
        runs=int(str(info["runs"])),
        last_move=None if action is None else action_text(action, env.rules),
        legal_moves=list(dict.fromkeys(action_text(a, env.rules) for a in legal)),
        outcome=None if outcome is None else str(outcome),
        last_card=moved_card(action, env.rules),
    )


def show_replay(path: Path, style: Style, delay: float) -> None:
    """Print every position of a replay; a move that does not match ends it with the reason."""
    recorded = replay.load(path)
    rules = recorded.rules
    status = Status()
    for step, (game, action) in enumerate(replay.steps(recorded, name=str(path))):
        if step:
            time.sleep(delay)
        ended = step == len(recorded.played) and game.outcome is None
        status = Status(
            score=game.score,
            moves=game.moves,
            runs=game.runs,
            last_move=None if action is None else action_text(action, rules),
            legal_moves=game.legal_moves(),
            outcome=recorded.outcome if ended else game.outcome,
            last_card=moved_card(action, rules),
        )
        show_board(game.board(), rules, status, style)
    start = "a position" if recorded.deal is None else f"deal {recorded.deal}"
    print_result(status, rules, start)


def print_result(status: Status, rules: Rules, game: str) -> None:
    """Print the last line."""
    print(
        result_line(
            status.outcome,
            moves=status.moves,
            score=status.score,
            runs=status.runs,
            rules=rules,
            game=game,
        )
    )


def _refuse_beside_replay(context: click.Context) -> None:
    """Refuse options that a replay overrules, rather than ignore them."""
    given = click.core.ParameterSource.COMMANDLINE
    words = ("agent_name", "deal", "board_path", "rules", "seed", "max_steps", "save_path")
    for word in words:
        if context.get_parameter_source(word) == given:
            option = next(p for p in context.command.params if p.name == word).opts[0]
            raise ScorpionError(f"Leave out {option}: a replay has its own rules, deal and moves.")
