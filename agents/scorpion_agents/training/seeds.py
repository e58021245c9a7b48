"""One configuration trained from several seeds: a run folder each, and what they have in common.

Every seed is a process of its own, and its run is the one that ``--seed`` alone would give. The
parent folder holds ``seed-0``, ``seed-1``, … and ``seeds.json`` (configuration, seeds, and in the
end their figures with the spread over seeds).
"""

from __future__ import annotations

import json
import multiprocessing
import signal
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from scorpion_agents.config.schema import MAX_TRAINING_SEED, TrainConfig
from scorpion_agents.evaluation.intervals import Interval, mean_interval
from scorpion_agents.schemas import first_fault
from scorpion_agents.training.checkpoint import read_checkpoint
from scorpion_agents.training.final import has_final, read_final
from scorpion_agents.training.machine import alone_in, chosen_threads, usable_cpus
from scorpion_agents.training.seed_process import INTERRUPTED, run_seed
from scorpion_agents.training.stop import Stop
from scorpion_agents.training.train import CONFIG_FILE, is_complete, run_config
from scorpion_env.errors import ScorpionError, shortened
from scorpion_env.notation.files import read_object, write_whole

SEEDS_FILE = "seeds.json"


@dataclass(frozen=True)
class SeedResult:
    """What became of one seed.

    Attributes:
        seed: The seed.
        folder: Its run folder, below the parent.
        timesteps: Steps trained.
        best_timesteps: Steps after which the best model was found.
        chosen_win_rate, chosen_mean_points: Its figures on ``eval_deals``, by which it was chosen.
        win_rate, win_rate_ci95, mean_points: Its figures on ``final_deals``.
    """

    seed: int
    folder: str
    timesteps: int
    best_timesteps: int
    chosen_win_rate: float
    chosen_mean_points: float
    win_rate: float
    win_rate_ci95: Interval
    mean_points: float


@dataclass(frozen=True)
class Spread:
    """A figure over several seeds.

    Attributes:
        mean: Mean over the seeds.
        sd: Standard deviation over the seeds (n - 1); None for a single one.
        low, high: Smallest and largest.
        ci95: Student's interval of the mean, seeds as the sample; None for a single one.
    """

    mean: float
    sd: float | None
    low: float
    high: float
    ci95: Interval | None


@dataclass(frozen=True)
class SeedsSummary:
    """The figures of all seeds.

    Attributes:
        final_deals: The deals they were measured on.
        games: How many these are.
        results: One of each seed.
        win_rate, mean_points: Over the seeds, on ``final_deals``.
    """

    final_deals: str
    games: int
    results: tuple[SeedResult, ...]
    win_rate: Spread
    mean_points: Spread


def parse_seeds(text: str) -> list[int]:
    """Return the seeds that a text names: ``"0:3"`` is 0, 1, 2; ``"5"`` is 5.

    Raises:
        ScorpionError: if it names none.
    """
    first, colon, last = text.partition(":")
    if not all(part.isascii() and part.isdigit() for part in ((first, last) if colon else (text,))):
        raise ScorpionError(f"--seeds {text}: write first and end, such as 0:3 for 0, 1 and 2.")
    if max(len(first), len(last)) > len(str(MAX_TRAINING_SEED)):
        first, last = str(MAX_TRAINING_SEED + 1), ""
    seeds = range(int(first), int(last)) if last else range(int(first), int(first) + 1)
    if not 1 <= len(seeds) <= 1000:
        raise ScorpionError(f"--seeds {text}: names {len(seeds)} seeds; name 1 to 1000.")
    if seeds[-1] > MAX_TRAINING_SEED:
        raise ScorpionError(
            f"--seeds {shortened(text)}: a seed lies between 0 and {MAX_TRAINING_SEED}."
        )
    return list(seeds)


def start_seeds(config: TrainConfig, seeds: Sequence[int], parent: Path) -> None:
    """Write down which seeds are to be trained in a parent folder, which must be new or empty.

    Raises:
        ScorpionError: if the folder holds something already.
    """
    with alone_in(parent):
        if any(not path.name.startswith(".") for path in parent.iterdir()):
            raise ScorpionError(f"{parent} is not empty; name another --run-dir.")
        plan = {"seeds": list(seeds), "config": config.model_dump(mode="json")}
        write_whole(parent / SEEDS_FILE, json.dumps(plan, indent=2) + "\n")


def train_seeds(
    parent: Path,
    *,
    jobs: int | None = None,
    command: str = "",
    stop: Stop | None = None,
    say: Callable[[str], None] = print,
) -> SeedsSummary | None:
    """Train every seed of a parent folder that is not trained yet, or not to its end.

    Args:
        parent: The folder; see :func:`start_seeds`.
        jobs: How many seeds run at once; as many as the processors allow by default.
        command: The command to note in the result files.
        stop: Ends the trainings early, each with everything saved.
        say: Receives the lines meant for people.

    Returns:
        The figures; None if the trainings were stopped.

    Raises:
        ScorpionError: if the folder holds no seeds, or a training failed.
    """
    stop = stop or Stop()
    config, seeds = _read_plan(parent)
    threads = chosen_threads(config.threads)
    jobs = jobs or max(1, usable_cpus() // threads)
    with alone_in(parent):
        left = [seed for seed in seeds if not _measured(parent / f"seed-{seed}")]
        say(
            f"{len(seeds)} seeds, {len(left)} to train, {jobs} at once with {threads} threads "
            f"each, into {parent}"
        )
        failed = _Workers(config, parent, command, stop, say).run(left, jobs)
        if stop.asked:
            return None
        if failed:
            names = ", ".join(map(str, failed))
            raise ScorpionError(f"Seed {names} failed; --resume {parent} tries again.")
        summary = summarise(parent)
        plan = {"seeds": seeds, "config": config.model_dump(mode="json"), "command": command}
        text = json.dumps(plan | asdict(summary), indent=2, allow_nan=False)
        write_whole(parent / SEEDS_FILE, text + "\n")
        return summary


def summarise(parent: Path) -> SeedsSummary:
    """Return the figures of the seeds of a parent folder, all trained and measured.

    Raises:
        ScorpionError: if a seed's figures are not there.
    """
    config, seeds = _read_plan(parent)
    results = []
    games = 0
    for seed in seeds:
        folder = parent / f"seed-{seed}"
        found = read_final(folder).summary()
        checkpoint = read_checkpoint(folder, run_config(folder))
        if checkpoint is None or checkpoint.progress.best is None:
            raise ScorpionError(f"{folder} holds no complete training.")
        best = checkpoint.progress.best
        games = found.games
        results.append(
            SeedResult(
                seed=seed,
                folder=folder.name,
                timesteps=checkpoint.progress.timesteps,
                best_timesteps=best.timesteps,
                chosen_win_rate=best.win_rate,
                chosen_mean_points=best.mean_points,
                win_rate=found.win_rate,
                win_rate_ci95=found.win_rate_ci95,
                mean_points=found.mean_points,
            )
        )
    return SeedsSummary(
        final_deals=config.final_deals,
        games=games,
        results=tuple(results),
        win_rate=spread([result.win_rate for result in results]),
        mean_points=spread([result.mean_points for result in results]),
    )


def spread(values: Sequence[float]) -> Spread:
    """Return mean and spread of one number a seed."""
    return Spread(
        mean=statistics.fmean(values),
        sd=statistics.stdev(values) if len(values) > 1 else None,
        low=min(values),
        high=max(values),
        ci95=mean_interval(np.array(values)),
    )


def _read_plan(parent: Path) -> tuple[TrainConfig, list[int]]:
    file = parent / SEEDS_FILE
    data = read_object(file, "list of seeds")
    seeds = data.get("seeds")
    if not isinstance(seeds, list) or not all(
        type(seed) is int and 0 <= seed <= MAX_TRAINING_SEED for seed in seeds
    ):
        raise ScorpionError(f"{file} is damaged: it names no seeds.")
    try:
        return TrainConfig.model_validate(data.get("config")), seeds
    except ValidationError as error:
        raise ScorpionError(f"{file} is damaged: {first_fault(error)}.") from error


def _measured(folder: Path) -> bool:
    return (folder / CONFIG_FILE).is_file() and is_complete(folder) and has_final(folder)


# --- processes ------------------------------------------------------------------------------------


class _Workers:
    """Runs the seeds, some at a time, and ends them when it is asked to or ends itself."""

    def __init__(
        self,
        config: TrainConfig,
        parent: Path,
        command: str,
        stop: Stop,
        say: Callable[[str], None],
    ) -> None:
        self._config = config
        self._parent = parent
        self._command = command
        self._stop = stop
        self._say = say
        self._context = multiprocessing.get_context("spawn")
        self._running: dict[int, tuple[BaseProcess, Connection]] = {}

    def run(self, seeds: Sequence[int], jobs: int) -> list[int]:
        """Run all seeds, `jobs` at once; return those that failed."""
        waiting = list(seeds)
        failed: list[int] = []
        told = False
        try:
            while self._running or (waiting and not self._stop.asked):
                while waiting and len(self._running) < jobs and not self._stop.asked:
                    self._start(waiting.pop(0))
                wait([process.sentinel for process, _ in self._running.values()], timeout=0.2)
                if self._stop.asked and not told:
                    told = True
                    for _, connection in self._running.values():
                        connection.close()
                failed += self._ended()
        finally:
            for process, _ in self._running.values():  # asked twice: they end at once
                process.terminate()
                process.join()
        return failed

    def _start(self, seed: int) -> None:
        config = self._config.model_copy(update={"seed": seed})
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=run_seed, args=(config, self._parent / f"seed-{seed}", self._command, theirs)
        )
        # From its first instruction on: Ctrl-C reaches all, and the parent passes it on.
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        process.start()
        signal.signal(signal.SIGINT, handler)
        theirs.close()
        self._running[seed] = process, ours
        self._say(f"seed {seed}: process {process.pid}")

    def _ended(self) -> list[int]:
        """Let go of the processes that have ended; return the seeds of those that failed."""
        failed = []
        for seed, (process, connection) in list(self._running.items()):
            if process.is_alive():
                continue
            process.join()
            connection.close()
            del self._running[seed]
            if process.exitcode not in (0, INTERRUPTED):
                failed.append(seed)
                self._say(f"seed {seed}: failed, with exit code {process.exitcode}")
        return failed
