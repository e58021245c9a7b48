"""Count how many deals of a variant can be won; the solver looks under the cards (oracle).

Example:
    python scripts/survey.py --rules classic --deals 0:100000 --csv classic.csv

The deals are solved in chunks on several processes. Each finished chunk is added to a journal
beside the CSV file (its name and ".part"); the same command started again after a kill goes on from
there. The CSV file itself is written at the end, in the order of the deals, and is the same however
often the survey was interrupted: verdicts depend on the deal and the node limit only.
"""

from __future__ import annotations

import csv
import io
import json
import multiprocessing
import os
import time
from pathlib import Path
from typing import Any, TypeGuard

import click
from tqdm import tqdm

from scorpion_agents.cli.options import (
    HELP,
    MEGABYTE,
    check_writable,
    deals_option,
    main_guard,
    memory_limit_option,
    node_limit_option,
    rules_option,
    version_option,
)
from scorpion_agents.cli.terminal import allow_any_text
from scorpion_agents.command import command_line
from scorpion_agents.evaluation.intervals import wilson_interval
from scorpion_agents.evaluation.results import versions
from scorpion_env.deals import parse_deals
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import read_bytes, write_whole
from scorpion_env.rules import Rules
from scorpion_env.solver import MEMORY_LIMIT, NODE_LIMIT, VERDICTS, Solver

FIELDS = (
    "rules", "version", "command", "node_limit", "first", "last", "deals", "won", "lost", "unknown",
    "share_won", "low", "high", "nodes", "unknown_deals",
)  # fmt: skip
MAX_NAMED = 100
"""No more unknown deals than these are named in a row."""

Chunk = dict[str, Any]

_solver: Solver | None = None


def _start_worker(rules: Rules, memory_limit: int) -> None:
    global _solver  # noqa: PLW0603 - one solver for each process
    _solver = Solver(rules, memory_limit=memory_limit)


def _solve_chunk(job: tuple[int, int, int]) -> Chunk:
    first, count, node_limit = job
    assert _solver is not None
    verdicts, nodes = _solver.solve_deals(first, count, node_limit=node_limit)
    unknown = (verdicts == VERDICTS.index("unknown")).nonzero()[0]
    chunk: Chunk = {"first": first, "deals": count, "nodes": int(nodes.sum())}
    for index, verdict in enumerate(VERDICTS):
        chunk[verdict] = int((verdicts == index).sum())
    chunk["unknown_deals"] = [first + int(i) for i in unknown[:MAX_NAMED]]
    return chunk


# --- the journal --------------------------------------------------------------------------------


class Journal:
    """Finished chunks, one line of JSON each, under a line that says what they are of."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path = path
        self.about = about
        self.chunks: dict[int, Chunk] = {}

    def open(self) -> None:
        """Read what an interrupted survey left, or start anew.

        Raises:
            ScorpionError: if the journal is of another survey.
        """
        lines: list[bytes] = []
        if self.path.exists():
            content = read_bytes(self.path, "journal of a survey")
            lines = content[: content.rfind(b"\n") + 1].splitlines()  # a kill may tear the last one
        if lines:
            about = _read_line(lines[0])
            if not isinstance(about, dict):
                raise ScorpionError(
                    f"{self.path}, line 1: it does not say what it is a journal of; delete it to "
                    "begin the survey anew."
                )
            if about != self.about:
                raise ScorpionError(
                    f"{self.path} is left of another survey; give the same command, or delete it."
                )
            for line in lines[1:]:
                chunk = _read_line(line)
                if _is_chunk(chunk):  # a damaged one is measured again
                    self.chunks[chunk["first"]] = chunk
        self._write_anew()

    def _write_anew(self) -> None:
        lines = [self.about, *self.chunks.values()]
        write_whole(self.path, "".join(json.dumps(line) + "\n" for line in lines))

    def add(self, chunk: Chunk) -> None:
        """Keep a finished chunk: in one write, and on the disk before the next."""
        self.chunks[chunk["first"]] = chunk
        with self.path.open("ab") as file:
            file.write((json.dumps(chunk) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())


def _read_line(line: bytes) -> Any:
    """Return what a line of JSON holds, or None."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_chunk(value: Any) -> TypeGuard[Chunk]:
    counts = ("first", "deals", *VERDICTS, "nodes")
    return (
        isinstance(value, dict)
        and value.keys() == {*counts, "unknown_deals"}
        and all(type(value[field]) is int and value[field] >= 0 for field in counts)
        and sum(value[verdict] for verdict in VERDICTS) == value["deals"] > 0
        and isinstance(value["unknown_deals"], list)
        and all(type(deal) is int for deal in value["unknown_deals"])
    )


# --- the result ---------------------------------------------------------------------------------


def _total(chunks: list[Chunk]) -> Chunk:
    total: Chunk = {"first": chunks[0]["first"]}
    for field in ("deals", *VERDICTS, "nodes"):
        total[field] = sum(chunk[field] for chunk in chunks)
    total["unknown_deals"] = [deal for chunk in chunks for deal in chunk["unknown_deals"]]
    return total


def _row(chunk: Chunk, about: dict[str, Any]) -> dict[str, Any]:
    low, high = wilson_interval(chunk["won"], chunk["deals"])
    if chunk["unknown"]:  # whatever the unknown ones are
        high = wilson_interval(chunk["won"] + chunk["unknown"], chunk["deals"])[1]
    return {
        **{field: about[field] for field in ("rules", "version", "command", "node_limit")},
        **{field: chunk[field] for field in ("first", "deals", *VERDICTS, "nodes")},
        "last": chunk["first"] + chunk["deals"] - 1,
        "share_won": f"{chunk['won'] / chunk['deals']:.6f}",
        "low": f"{low:.6f}",
        "high": f"{high:.6f}",
        "unknown_deals": " ".join(map(str, chunk["unknown_deals"][:MAX_NAMED])),
    }


def _write_csv(path: Path, chunks: list[Chunk], about: dict[str, Any]) -> None:
    """Write a row for each chunk and, last, one for all of them together."""
    text = io.StringIO()
    table = csv.DictWriter(text, FIELDS, lineterminator="\n")
    table.writeheader()
    for chunk in [*chunks, _total(chunks)]:
        table.writerow(_row(chunk, about))
    write_whole(path, text.getvalue())


def _read_range(deals: str, rules: Rules) -> tuple[int, int]:
    first, _, last = deals.partition(":")
    if not (first.isdecimal() and last.isdecimal()):
        raise ScorpionError(f"A survey counts seeded deals, such as 0:100000, not '{deals}'.")
    parse_deals(f"{first}:{int(first) + 1}", rules)
    if int(last) <= int(first):
        raise ScorpionError(f"'{deals}' holds no deals: the second number must be the larger one.")
    parse_deals(str(int(last) - 1), rules)
    return int(first), int(last)


@click.command(context_settings=HELP)
@version_option
@rules_option
@deals_option
@click.option(
    "--csv",
    "csv_path",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the result goes.",
)
@node_limit_option(NODE_LIMIT)
@memory_limit_option(MEMORY_LIMIT, "Megabytes for the table of positions, for each process.")
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    help="How many deals are solved at once; all cores unless said otherwise.",
)
@click.option(
    "--chunk",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Deals that are solved between two entries of the journal.",
)
@main_guard
def main(
    rules: Rules,
    deals: str | None,
    csv_path: Path,
    node_limit: int,
    memory_limit: int,
    processes: int,
    chunk: int,
) -> None:
    """Count the winnable, lost and unknown deals of a range; resumable."""
    allow_any_text()
    check_writable(csv_path, read=[deals])
    first, last = _read_range(deals or "0:1000", rules)
    about = {
        "rules": rules.name,
        "fields": rules.as_dict(),
        "version": versions(rules)["scorpion_env"],
        "command": command_line(),
        "deals": [first, last],
        "node_limit": node_limit,
        "memory_limit": memory_limit,
        "chunk": chunk,
    }
    journal = Journal(csv_path.with_name(csv_path.name + ".part"), json.loads(json.dumps(about)))
    journal.open()
    jobs = [
        (start, min(chunk, last - start), node_limit)
        for start in range(first, last, chunk)
        if start not in journal.chunks
    ]
    done = sum(c["deals"] for c in journal.chunks.values())
    began = time.perf_counter()
    with tqdm(total=last - first, initial=done, unit="deal", disable=None) as bar:
        context = multiprocessing.get_context("spawn")
        arguments = (rules, memory_limit * MEGABYTE)
        if jobs:
            with context.Pool(min(processes, len(jobs)), _start_worker, arguments) as pool:
                for result in pool.imap_unordered(_solve_chunk, jobs):
                    journal.add(result)
                    bar.update(result["deals"])
    seconds = time.perf_counter() - began
    chunks = [journal.chunks[start] for start in sorted(journal.chunks)]
    _write_csv(csv_path, chunks, about)
    journal.path.unlink()
    row = _row(_total(chunks), about)
    solved = last - first - done
    click.echo(
        f"{rules.name} {first}:{last}: {row['won']} won, {row['lost']} lost, {row['unknown']} "
        f"unknown; share won {row['share_won']} (95 %: {row['low']} to {row['high']}); "
        f"{1000 * seconds / max(solved, 1):.3f} ms a deal in {seconds:.0f} s"
    )
