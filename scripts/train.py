"""Train a PPO agent.

Examples:
    python scripts/train.py
    python scripts/train.py --config configs/quick.yaml --seed 1
    python scripts/train.py --rules wasp --timesteps 2e6 --set n_steps=256
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from cli_common import EXIT_INTERRUPTED, command_line, main_guard

from agents.config import DEFAULT_CONFIG, TrainConfig, load_config
from scorpion_env.rules import PRESETS, get_rules

if TYPE_CHECKING:
    from agents.training import Trained

RUNS = Path("runs")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--config",
    "config_path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT_CONFIG,
    metavar="FILE",
    help="What and how to train; configs/ppo_classic.yaml unless said otherwise.",
)
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a key of the configuration; may be repeated.",
)
@click.option("--rules", metavar="PRESET", help="The variant: classic, flexible, wasp, ...")
@click.option("--timesteps", type=float, help="Actions to play, over all games: 2e6.")
@click.option("--seed", type=int, help="Determines deals, network and play.")
@click.option("--device", help="cpu, cuda, cuda:1, mps or auto.")
@click.option(
    "--run-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where everything goes; a new folder under runs/ by default.",
)
@main_guard
def main(
    config_path: Path,
    overrides: tuple[str, ...],
    rules: str | None,
    timesteps: float | None,
    seed: int | None,
    device: str | None,
    run_dir: Path | None,
) -> None:
    """Train MaskablePPO; Ctrl-C saves what there is and ends."""
    options: dict[str, Any] = {
        "rules": rules,
        "timesteps": timesteps,
        "seed": seed,
        "device": device,
    }
    config = load_config(config_path, overrides, options)
    # Threads that spin while they wait make training eight times slower where cores are shared.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from agents.training import Stop, train  # brings torch; a bad configuration ends before that

    folder = run_dir or _new_folder(config_path.stem, config)
    stop = Stop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop.ask)
    trained = train(config, folder, stop=stop, say=_say)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    _say(f"{trained.steps} steps; everything is in {folder}")
    if trained.interrupted:
        _say("Interrupted; the model is saved.")
        sys.exit(EXIT_INTERRUPTED)
    _report(trained, config)


def _new_folder(name: str, config: TrainConfig) -> Path:
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    return RUNS / f"{name}-{get_rules(config.rules).name}-seed{config.seed}-{stamp}"


def _say(line: str) -> None:
    click.echo(line, err=True)


def _report(trained: Trained, config: TrainConfig) -> None:
    """Measure the agent, random and greedy on deals that neither training nor choice saw."""
    from tables import print_summaries

    from agents import load_agent
    from agents.evaluation import evaluate
    from agents.results import write_json

    rules = get_rules(config.rules)
    players = [load_agent(name, rules) for name in ("random", "greedy", trained.folder)]
    measured = [evaluate(p, rules, config.final_deals, max_steps=config.max_steps) for p in players]
    write_json(trained.folder / "final.json", measured, command=command_line())
    print_summaries(measured)
    played = rules.name if PRESETS.get(rules.name) == rules else str(trained.folder / "rules.json")
    agent = f"--agent {shlex.quote(str(trained.folder))} --rules {shlex.quote(played)}"
    click.echo("")
    click.echo(f"Watch it:    python scripts/render.py {agent} --deal 7")
    click.echo(f"Measure it:  python scripts/evaluate.py {agent} --deals 0:20000")
    click.echo(f"Curves:      tensorboard --logdir {shlex.quote(str(trained.folder))}")


if __name__ == "__main__":
    sys.exit(main())
