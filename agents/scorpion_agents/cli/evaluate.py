"""Measure agents on given deals, or compare what earlier measurements wrote.

Examples:
    python scripts/evaluate.py --agent random --agent greedy --deals 0:1000
    python scripts/evaluate.py --agent runs/classic --deals 0:5000 --json ppo.json
    python scripts/evaluate.py compare ppo.json greedy.json
"""

from __future__ import annotations

from pathlib import Path

import click
from tqdm import tqdm

from scorpion_agents import load_agent
from scorpion_agents.cli.options import (
    HELP,
    check_writable,
    chosen_deals,
    deal_option,
    deals_option,
    json_option,
    main_guard,
    max_steps_option,
    played_rules,
    rules_option,
    seed_option,
    stochastic_option,
    trust_option,
    version_option,
)
from scorpion_agents.cli.tables import print_comparisons, print_summaries
from scorpion_agents.cli.terminal import allow_any_text
from scorpion_agents.command import command_line
from scorpion_agents.evaluation.comparison import compare_all, compare_stored
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.evaluation.results import (
    read_json,
    save_replays,
    write_csv,
    write_json,
)
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules


@click.group(invoke_without_command=True, context_settings=HELP)
@version_option
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="AGENT",
    help="random, greedy, pretrained, playouts, search, search+pretrained, tree+pretrained, "
    "oracle, or the path of a run folder or model, which knows its rules; several are compared.",
)
@rules_option
@deals_option
@deal_option
@seed_option
@stochastic_option
@click.option(
    "--num-envs",
    type=click.IntRange(min=1),
    default=256,
    show_default=True,
    help="Games played at once; changes the speed, never the results.",
)
@max_steps_option
@json_option
@click.option(
    "--csv",
    "csv_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write one line a deal and agent to this file.",
)
@click.option(
    "--save-replays",
    "replay_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write a replay of every game into this folder.",
)
@trust_option
@click.pass_context
@main_guard
def main(
    context: click.Context,
    agents: tuple[str, ...],
    rules: Rules,
    deals: str | None,
    deal: str | None,
    seed: int,
    stochastic: bool,
    num_envs: int,
    max_steps: int | None,
    json_path: Path | None,
    csv_path: Path | None,
    replay_folder: Path | None,
    trust: bool,
) -> None:
    """Let agents play given deals (0:1000 unless said otherwise), each deal once.

    Several agents play the same deals and are compared deal by deal. The command
    `compare A.json B.json` compares result files instead.
    """
    allow_any_text()
    if context.invoked_subcommand is not None:
        return
    if not agents:
        raise ScorpionError("Say who plays: --agent random, --agent greedy or --agent PATH.")
    if len(set(agents)) < len(agents):
        raise ScorpionError("An agent is named twice.")
    check_writable(json_path, csv_path, read=[deals])
    rules = played_rules(context, rules, agents)
    starts = chosen_deals(deals, deal, rules, seed=seed)
    players = [load_agent(name, rules, stochastic=stochastic, trust=trust) for name in agents]
    evaluations = []
    for player in players:
        with tqdm(total=len(starts), desc=player.name, unit="game", disable=None) as bar:
            evaluations.append(
                evaluate(
                    player,
                    rules,
                    starts,
                    seed=seed,
                    max_steps=max_steps,
                    num_envs=num_envs,
                    keep_actions=replay_folder is not None,
                    progress=bar.update,
                )
            )
    if json_path is not None:
        write_json(json_path, evaluations, command=command_line())
    if csv_path is not None:
        write_csv(csv_path, evaluations)
    if replay_folder is not None:
        for evaluation in evaluations:
            save_replays(replay_folder, evaluation)
    print_summaries(evaluations)
    print_comparisons(compare_all(evaluations))


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@main_guard
def compare(files: tuple[Path, ...]) -> None:
    """Compare result files of the same rules, deals, step limit and environment version."""
    stored = [entry for file in files for entry in read_json(file)]
    if len(stored) < 2:
        raise ScorpionError("There is nothing to compare: name two result files.")
    comparisons = compare_stored(stored)
    print_summaries([entry.evaluation for entry in stored])
    print_comparisons(comparisons)
