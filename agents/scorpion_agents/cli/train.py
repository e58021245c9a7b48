"""Train a PPO agent, go on with a training, or train from several seeds.

Examples:
    python scripts/train.py
    python scripts/train.py --config configs/quick.yaml --seed 1
    python scripts/train.py --rules wasp --timesteps 2e6 --set n_steps=256
    python scripts/train.py --resume runs/wasp
    python scripts/train.py --config configs/quick.yaml --seeds 0:3 --run-dir runs/three
"""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from scorpion_agents.cli.options import (
    EXIT_INTERRUPTED,
    HELP,
    main_guard,
    named_rules,
    version_option,
)
from scorpion_agents.command import called_like_this, command_line
from scorpion_agents.config.files import DEFAULT_CONFIG, check_changes, load_config
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.config.variants import needs_of, pays_for_circles
from scorpion_env.errors import ScorpionError

if TYPE_CHECKING:
    from scorpion_agents.training.train import Stop, Trained

RUNS = Path("runs")

Threads = int | Literal["auto"]


def _read_threads(_: click.Context, __: click.Parameter, text: str | None) -> Threads | None:
    if text is None or text == "auto":
        return text  # type: ignore[return-value]  # mypy does not narrow a str by ==
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise click.BadParameter(f"should be a whole number from 1, or auto, not '{text}'.")
    return int(text)


@click.command(context_settings=HELP)
@version_option
@click.option(
    "--config",
    "config_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What and how to train; configs/default.yaml unless said otherwise.",
)
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a key of the configuration; may be repeated.",
)
@click.option(
    "--rules",
    metavar="PRESET",
    help="The variant: classic, flexible, wasp, ... or a JSON file with the fields of Rules.",
)
@click.option("--timesteps", type=float, help="Actions to play, over all games: 2e6.")
@click.option("--seed", type=int, help="Determines deals, network and play.")
@click.option("--seeds", metavar="FROM:TO", help="Train several seeds: 0:3 is 0, 1 and 2.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Seeds that run at once; as many as the processors allow by default.",
)
@click.option("--device", help="cpu, cuda, cuda:1, mps or auto.")
@click.option(
    "--threads",
    callback=_read_threads,
    metavar="N",
    help="Threads of each training, or auto; another number rounds differently.",
)
@click.option(
    "--run-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where everything goes; a new folder under runs/ by default.",
)
@click.option(
    "--resume",
    "resumed",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Go on with the training, or the seeds, in this folder.",
)
@main_guard
def main(
    config_path: Path | None,
    overrides: tuple[str, ...],
    rules: str | None,
    timesteps: float | None,
    seed: int | None,
    seeds: str | None,
    jobs: int | None,
    device: str | None,
    threads: Threads | None,
    run_dir: Path | None,
    resumed: Path | None,
) -> None:
    """Train MaskablePPO; Ctrl-C saves what there is and ends, --resume goes on from there."""
    if resumed is not None:
        changes: dict[str, Any] = {
            "--config": config_path,
            "--rules": rules,
            "--timesteps": timesteps,
            "--seed": seed,
            "--seeds": seeds,
            "--run-dir": run_dir,
        }
        for option, given in changes.items():
            if given is not None:
                raise ScorpionError(
                    f"{option} cannot be given with --resume: a run is resumed as it was started; "
                    "only --device, --threads, --set of how it learns and, for seeds, --jobs may "
                    "change."
                )
        check_changes(overrides)
        _resume(resumed, jobs, {"device": device, "threads": threads, "overrides": overrides})
        return
    if seed is not None and seeds is not None:
        raise ScorpionError("Give either --seed or --seeds.")
    if jobs is not None and seeds is None:
        raise ScorpionError("--jobs says how many of several seeds run at once; give --seeds.")
    options: dict[str, Any] = {
        "rules": rules,
        "timesteps": timesteps,
        "seed": seed,
        "device": device,
        "threads": threads,
    }
    config_path = config_path or DEFAULT_CONFIG
    needs = [] if rules is None else needs_of(named_rules(rules))
    config = load_config(config_path, overrides, options, needs=[need for need, _ in needs])
    _say_needs(needs, config)
    played = config.resolved.rules
    if pays_for_circles(played, config.reward):
        _say(
            f"Warning: under rules '{played.name}', reward: points pays for moving a card to and "
            "fro, and that is what will be learnt; --set reward=points-once."
        )
    if seeds is not None:
        from scorpion_agents.training.seeds import parse_seeds, start_seeds

        numbers = parse_seeds(seeds)
        folder = run_dir or _new_folder(config_path.stem, config, f"seeds{seeds.replace(':', '-')}")
        start_seeds(config, numbers, folder)
        _train_seeds(folder, jobs)
        return
    from scorpion_agents.training.train import (
        train,  # brings torch; a bad configuration ends before that
    )

    folder = run_dir or _new_folder(config_path.stem, config, f"seed{config.seed}")
    _finish(_interruptible(lambda stop: train(config, folder, stop=stop, say=_say)))


def _say_needs(needs: list[tuple[dict[str, Any], str]], config: TrainConfig) -> None:
    """Say what was set for the variant, and why, but for what was overridden."""
    plain = config.model_dump(mode="json")
    for need, reason in needs:
        kept = [f"{key}: {plain[key]}" for key, value in need.items() if _same(plain[key], value)]
        if kept:
            _say(f"For rules '{config.resolved.rules.name}', {', '.join(kept)} ({reason}).")


def _same(plain: Any, value: Any) -> bool:
    return plain == value or plain == {"pi": value, "vf": value}


def _new_folder(name: str, config: TrainConfig, seeds: str) -> Path:
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    return RUNS / f"{name}-{config.resolved.rules.name}-{seeds}-{stamp}"


def _say(line: str) -> None:
    click.echo(line, err=True)


def _interruptible(work: Callable[[Stop], Any]) -> Any:
    """Do the work; Ctrl-C, or a request to end, lets it save and return early."""
    from scorpion_agents.training.train import Stop

    stop = Stop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop.ask)
    result = work(stop)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    return result


def _resume(folder: Path, jobs: int | None, changes: dict[str, Any]) -> None:
    from scorpion_agents.training.final import has_final
    from scorpion_agents.training.seeds import SEEDS_FILE
    from scorpion_agents.training.train import is_complete, resume

    if (folder / SEEDS_FILE).is_file():
        if any(given not in (None, ()) for given in changes.values()):
            raise ScorpionError(
                "Resume a seed's own folder to change its --device or --threads, or to --set a key."
            )
        _train_seeds(folder, jobs)
        return
    if jobs is not None:
        raise ScorpionError("--jobs says how many of several seeds run at once; this is one run.")
    if is_complete(folder) and not has_final(folder):
        _say(f"{folder} is trained to its end; what is left is to measure it.")
        _report(folder)
        return
    _finish(_interruptible(lambda stop: resume(folder, **changes, stop=stop, say=_say)))


def _finish(trained: Trained) -> None:
    _say(f"{trained.steps} steps; everything is in {trained.folder}")
    if trained.interrupted:
        _say("Interrupted; the model is saved.")
        _say_how_to_go_on(trained.folder)
        sys.exit(EXIT_INTERRUPTED)
    _report(trained.folder)


def _say_how_to_go_on(folder: Path) -> None:
    _say(f"Go on with: {called_like_this('train')} --resume {shlex.quote(str(folder))}")


def _report(folder: Path) -> None:
    """Measure the agent, random and greedy on deals that neither training nor choice saw."""
    from scorpion_agents.cli.tables import print_summaries
    from scorpion_agents.training.final import measure_final

    measured = measure_final(folder, command=command_line())
    print_summaries(measured)
    agent = f"--agent {shlex.quote(str(folder))}"
    click.echo("")
    click.echo(f"Watch it:    {called_like_this('render')} {agent} --deal 7")
    click.echo(f"Measure it:  {called_like_this('evaluate')} {agent} --deals 0:20000")
    click.echo(f"Curves:      tensorboard --logdir {shlex.quote(str(folder))}")


def _train_seeds(folder: Path, jobs: int | None) -> None:
    from scorpion_agents.cli.tables import print_seeds
    from scorpion_agents.training.seeds import train_seeds

    summary = _interruptible(
        lambda stop: train_seeds(folder, jobs=jobs, command=command_line(), stop=stop, say=_say)
    )
    if summary is None:
        _say("Interrupted; what was trained is saved.")
        _say_how_to_go_on(folder)
        sys.exit(EXIT_INTERRUPTED)
    print_seeds(summary)
    click.echo("")
    click.echo(f"Figures:     {folder / 'seeds.json'}")
    click.echo(f"Curves:      tensorboard --logdir {shlex.quote(str(folder))}")
