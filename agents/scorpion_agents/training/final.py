"""The final figures of a run: its best model beside players that learnt nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scorpion_agents import load_agent
from scorpion_agents.evaluation.evaluate import Evaluation, evaluate
from scorpion_agents.evaluation.results import read_json, write_json
from scorpion_agents.training.train import run_config

FINAL_FILE = "final.json"

COMPARED_WITH = ("random", "greedy")


def measure_final(
    folder: Path, *, command: str = "", progress: Callable[[int], object] | None = None
) -> list[Evaluation]:
    """Measure random, greedy and the run's agent on the ``final_deals`` of its configuration.

    The figures by which the best model was chosen flatter it; these deals neither training nor
    choice saw. They go into ``final.json``.

    Args:
        folder: The run folder.
        command: The command to note in the file.
        progress: Called with the number of games that have just ended.

    Raises:
        ScorpionError: if the folder holds no run with a model.
    """
    config = run_config(folder)
    rules, deals = config.resolved.rules, config.resolved.final_deals
    players = [load_agent(name, rules) for name in (*COMPARED_WITH, folder)]
    measured = [
        evaluate(player, rules, deals, max_steps=config.max_steps, progress=progress)
        for player in players
    ]
    write_json(folder / FINAL_FILE, measured, command=command)
    return measured


def has_final(folder: Path) -> bool:
    """Whether the final figures of a run were written."""
    return (folder / FINAL_FILE).is_file()


def read_final(folder: Path) -> Evaluation:
    """Return the final figures of a run's agent.

    Raises:
        ScorpionError: if they cannot be read.
    """
    return read_json(folder / FINAL_FILE)[-1].evaluation
