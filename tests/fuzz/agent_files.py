"""Files that measuring and configuring write and read: configurations, results, journals."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from fuzz.formats import Format, refused
from scorpion_agents.cli.survey import Journal
from scorpion_agents.config.files import load_config
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.evaluation.comparison import compare_stored
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.evaluation.results import read_json, write_json
from scorpion_agents.players.random_agent import RandomAgent
from scorpion_agents.registry import load_agent
from scorpion_env import PRESETS, ScorpionError

JOURNAL = {"rules": "classic", "deals": [0, 3000]}
CHUNK = {"first": 0, "deals": 10, "won": 3, "lost": 6, "unknown": 1, "nodes": 9}


def _make_config(folder: Path) -> list[Path]:
    file = folder / "config.yaml"
    file.write_text(run_text())
    return [file]


@functools.cache
def run_text() -> str:
    """A configuration that gives every key."""
    return "# comment\n" + TrainConfig().to_yaml()


def _read_config(folder: Path) -> None:
    refused(lambda: load_config(folder / "config.yaml"))


def _make_results(folder: Path) -> list[Path]:
    agents = [RandomAgent(PRESETS["classic"]), load_agent("greedy", "classic")]
    measured = [evaluate(agent, "classic", "0:6") for agent in agents]
    write_json(folder / "one.json", measured[:1], command="x")
    write_json(folder / "two.json", measured, command="x")
    return [folder / "one.json", folder / "two.json"]


def _read_results(folder: Path) -> None:
    def compare() -> None:
        compare_stored([s for name in ("one", "two") for s in read_json(folder / f"{name}.json")])

    refused(compare)


def _make_journal(folder: Path) -> list[Path]:
    lines = [json.dumps(JOURNAL)]
    lines += [json.dumps(CHUNK | {"first": 10 * i, "unknown_deals": [10 * i]}) for i in range(9)]
    (folder / "x.part").write_text("\n".join(lines) + "\n")
    return [folder / "x.part"]


def _read_journal(folder: Path) -> None:
    """The journal keeps every whole line of a chunk, whatever happened to the others."""
    content = (folder / "x.part").read_bytes()
    journal = Journal(folder / "x.part", JOURNAL)
    try:
        journal.open()
    except ScorpionError:
        assert (folder / "x.part").read_bytes() == content
        return
    for i in range(9):
        line = json.dumps(CHUNK | {"first": 10 * i, "unknown_deals": [10 * i]}).encode()
        whole = line in content[: content.rfind(b"\n") + 1].splitlines()
        assert not whole or 10 * i in journal.chunks


FORMATS = {
    "configuration": Format(_make_config, _read_config),
    "result": Format(_make_results, _read_results),
    "journal": Format(_make_journal, _read_journal, keeps=False),
}
