"""Measure speed beside peers, in the same process and on the same core.

Everything is measured five times in turn, one thing after the other, so that a busy machine slows
all of them alike; only the ratios of the medians mean something. The second table holds the ratios
that the project asks of itself.

Examples:
    taskset -c 1 python scripts/benchmark.py
    python scripts/benchmark.py --only threads --only process
    python scripts/benchmark.py --only engine --only peers --json benchmark.json
    python scripts/benchmark.py --growth 1e8
    python scripts/benchmark.py --show benchmark.json
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import click
from rich.console import Console

import benchmarks.engine as names
from benchmarks.contender import Contender
from benchmarks.process import bytes_per_game, growth, start_times
from scorpion_agents.cli.options import (
    HELP,
    json_option,
    main_guard,
    make_console,
    make_table,
    version_option,
)
from scorpion_agents.command import command_line
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import read_object, write_whole

ROUNDS = 5
VECTOR_1024 = names.VECTOR.format(1024)

PACKAGES = (
    "scorpion-env",
    "numpy",
    "numba",
    "gymnasium",
    "envpool",
    "open-spiel",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
)
"""Distributions whose versions a result file names."""


def learning() -> Iterator[Contender]:
    """Yield what needs Stable-Baselines3, which is imported only for it."""
    from benchmarks.learning import learning as contenders

    return contenders()


GROUPS: dict[str, Callable[[], Iterable[Contender]]] = {
    "engine": names.engine,
    "scalar": names.scalar,
    "peers": names.peers,
    "learning": learning,
    "threads": names.threads,
    "process": lambda: (),
}

ASKED = (
    (VECTOR_1024, names.TAXI, 4.0),
    (names.ROLLOUT, names.TAXI, 6.0),
    (names.SCALAR, names.CART_POLE, 1.0),
    (VECTOR_1024, names.OPEN_SPIEL, 100.0),
    (names.SCALAR, names.OPEN_SPIEL, 3.0),
    (names.ADAPTER, names.IDLE_ADAPTER, 0.6),
    (names.PPO, names.IDLE_PPO, 0.97),
    (names.TWO_THREADS, names.ONE_THREAD, 1.7),
)
"""Ratios of medians, and what is asked of each."""

ASKED_SPREAD = 1.5
"""The most by which throughput may differ between the sizes of the vector environment."""

ASKED_BYTES = 2048
ASKED_SECONDS = {"cold, import and reset": 15.0, "warm, import and reset": 1.5}


@click.command(context_settings=HELP)
@version_option
@click.option(
    "--only",
    "groups",
    multiple=True,
    type=click.Choice(list(GROUPS)),
    help="Measure this group; may be repeated. All by default.",
)
@click.option(
    "--growth",
    "growth_steps",
    type=click.FloatRange(min=1),
    metavar="STEPS",
    help="Only play so many steps and say how much memory the process had before and after.",
)
@click.option(
    "--show",
    "shown",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Only print the tables of a result that --json wrote.",
)
@json_option
@main_guard
def main(
    groups: tuple[str, ...], growth_steps: float | None, shown: Path | None, json_path: Path | None
) -> None:
    """Print steps per second, medians of five rounds, and the ratios that are asked for."""
    warnings.simplefilter("ignore")
    if shown is not None:
        print_result(make_console(), read_result(shown))
        return
    result: dict[str, Any] = {"command": command_line(), "machine": machine()}
    if growth_steps is not None:
        before, after = growth(int(growth_steps))
        result["growth"] = {"steps": int(growth_steps), "before_mib": before, "after_mib": after}
    else:
        wanted = groups or tuple(GROUPS)
        rates = measure([c for group in wanted for c in GROUPS[group]()])
        medians = {name: statistics.median(values) for name, values in rates.items()}
        asked = list(compare(medians))
        if "process" in wanted:
            asked += measure_process()
        result |= {"steps_per_second": rates, "medians": medians, "asked": asked}
    print_result(make_console(), result)
    if json_path is not None:
        write_whole(json_path, json.dumps(result, indent=1) + "\n")


def read_result(path: Path) -> dict[str, Any]:
    """Return what a file holds that ``--json`` wrote.

    Raises:
        ScorpionError: if it is no such file.
    """
    result = read_object(path, "result of a benchmark")
    if not result.keys() & {"growth", "asked"}:
        raise ScorpionError(f"{path} is no result of a benchmark: it has no 'asked' in it.")
    return result


def print_result(console: Console, result: dict[str, Any]) -> None:
    """Print the tables of a result."""
    if "growth" in result:
        steps, before, after = result["growth"].values()
        console.print(f"{steps:,} steps: {before:.1f} MiB before, {after:.1f} MiB after")
        return
    print_rates(console, result["steps_per_second"], result["medians"])
    print_asked(console, result["asked"])


def machine() -> dict[str, Any]:
    """Return what a result depends on besides the code."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "processor": platform.processor() or platform.machine(),
        "processors": sorted(names.processors()),
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": versions,
    }


def measure(contenders: list[Contender]) -> dict[str, list[float]]:
    """Return the steps per second of each contender in each round."""
    for contender in contenders:
        contender.run()  # compiles, fills caches
    rates: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for _ in range(ROUNDS):
        for contender in contenders:
            began = time.perf_counter()
            steps = contender.run()
            seconds = getattr(contender.run, "seconds", time.perf_counter() - began)
            rates[contender.name].append(steps / seconds)
    return rates


def compare(medians: dict[str, float]) -> Iterator[dict[str, Any]]:
    """Yield each ratio that is asked for, as far as both sides were measured."""
    for ours, theirs, least in ASKED:
        if ours in medians and theirs in medians:
            ratio = medians[ours] / medians[theirs]
            yield _asked(f"{ours} / {theirs}", ratio, f"at least {least:g}", ratio >= least)
    for kind in (names.VECTOR, names.VECTOR_IN_PLACE):
        sizes = [medians[name] for name in map(kind.format, names.SIZES) if name in medians]
        if len(sizes) == len(names.SIZES):
            spread = max(sizes) / min(sizes)
            what = f"{kind.format(names.SIZES)}, fastest / slowest"
            yield _asked(what, spread, f"at most {ASKED_SPREAD:g}", spread <= ASKED_SPREAD)


def measure_process() -> Iterator[dict[str, Any]]:
    """Yield memory and start times."""
    size = bytes_per_game()
    yield _asked("bytes a game", size, f"at most {ASKED_BYTES}", size <= ASKED_BYTES)
    for name, seconds in start_times().items():
        most = ASKED_SECONDS.get(name)
        limit = "-" if most is None else f"at most {most:g}"
        yield _asked(f"start, seconds: {name}", seconds, limit, most is None or seconds <= most)


def _asked(what: str, value: float, limit: str, reached: bool) -> dict[str, Any]:
    return {"what": what, "value": value, "asked": limit, "reached": reached}


def print_rates(console: Console, rates: dict[str, list[float]], medians: dict[str, float]) -> None:
    """Print the steps per second."""
    if not rates:
        return
    reference = medians.get(names.TAXI)
    table = make_table(console, "", "steps/s", "slowest", "fastest", "ratio to Taxi")
    for name, median in medians.items():
        ratio = "-" if reference is None else f"{median / reference:.2f}"
        low, high = min(rates[name]), max(rates[name])
        table.add_row(name, f"{median:,.0f}", f"{low:,.0f}", f"{high:,.0f}", ratio)
    console.print(table)


def print_asked(console: Console, asked: list[dict[str, Any]]) -> None:
    """Print what was asked for beside what was measured."""
    if not asked:
        return
    table = make_table(console, "", "measured", "asked", "reached")
    for row in asked:
        value = f"{row['value']:,.0f}" if row["value"] >= 1000 else f"{row['value']:.2f}"
        table.add_row(row["what"], value, row["asked"], "yes" if row["reached"] else "no")
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
