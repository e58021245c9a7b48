"""Models for other people: taken out of a run with what is known of them, and put in place.

An exported model is a folder of two files, weights and description, like every model here (see
:mod:`scorpion_agents.models.files`); neither can execute code. The description says how it was
trained and what it scored.
"""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import Any

from scorpion_agents.config.files import read_config_file
from scorpion_agents.evaluation.evaluate import Evaluation, evaluate
from scorpion_agents.models.description import Description, read_description, read_weights
from scorpion_agents.models.files import (
    MODEL_FILE,
    find_model,
    write_model,
)
from scorpion_agents.models.ppo import load_ppo
from scorpion_agents.players.greedy import GreedyAgent
from scorpion_agents.pretrained import PRETRAINED
from scorpion_agents.training.train import DEALS_FILE
from scorpion_env.environment.deal_lists import ALL, FRESH_WINNABLE, WINNABLE, read_deal_list
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import read_object
from scorpion_env.rules import PRESETS, Rules

TRAINED_ON = {
    ALL: "drawn from 2**32 and above, keyed by the seed",
    FRESH_WINNABLE: "drawn from 2**32 and above, keyed by the seed, those that the solver wins",
    WINNABLE: "the winnable deals that come with scorpion_env, from 1,000,000 up",
}
"""Which deals training plays; otherwise those of a list."""

SCORE_FIELDS = (
    *("games", "wins", "win_rate", "win_rate_ci95"),
    *("mean_points", "mean_points_ci95", "mean_runs", "moves_per_game"),
)
"""What a description keeps of an evaluation's summary."""


def export_model(run: Path, target: Path, deals: list[str]) -> Description:
    """Write the best model of a run folder, or the model of a folder, into a folder of its own.

    Args:
        run: The run folder or model folder.
        target: The new folder; it must not exist, or be empty.
        deals: The deals to measure it on, such as ``"0:20000"``; its scores are written down.

    Returns:
        The description.

    Raises:
        ScorpionError: if there is no model, it cannot be loaded, or the folder holds something.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ScorpionError(f"{target} is there already; name another folder.")
    source = find_model(run)
    about = read_description(source)
    agent = load_ppo(source, about.rules)
    told = dict(about.plain)
    training = _training(run)
    if training:
        told["training"] = training
    scores = [_score(evaluate(agent, about.rules, text), text, target) for text in deals]
    if scores:
        told["scores"] = scores
    write_model(target, read_weights(source, about), told)
    return read_description(target)


COMPARED_ON = "2000000:2000500"
"""Deals on which a model that is shared is compared with greedy; no page reports on them."""


def weaker_than_greedy(folder: Path) -> str | None:
    """Return the sentence that says so of a model that wins less than greedy, or None.

    Args:
        folder: The model folder, or a run folder.

    Raises:
        ScorpionError: if there is no model, or it cannot be loaded.
    """
    source = find_model(folder)
    rules = read_description(source).rules
    ours, greedy = (
        evaluate(player, rules, COMPARED_ON).summary()
        for player in (load_ppo(source, rules), GreedyAgent(rules))
    )
    if ours.wins >= greedy.wins:
        return None
    return (
        f"This model is weaker than greedy: of {ours.games} deals ({COMPARED_ON}) it wins "
        f"{ours.wins}, greedy {greedy.wins}."
    )


def import_model(folder: Path, *, replace: bool = False, into: Path = PRETRAINED) -> Path:
    """Make a model the pretrained one of the preset that it plays; return where it lies.

    Args:
        folder: The model folder, or a run folder.
        replace: Take the place of a model that is there.
        into: Where the pretrained models lie.

    Raises:
        ScorpionError: if the model cannot be loaded, plays no preset, or would replace another.
    """
    source = find_model(folder)
    about = read_description(source)
    rules = about.rules
    if PRESETS.get(rules.name) != rules:
        raise ScorpionError(
            f"The model in {source} plays rules '{rules.name}', which are no preset; name its "
            "folder as --agent instead."
        )
    load_ppo(source, rules)
    target = into / rules.name
    if (target / MODEL_FILE).exists() and not replace:
        raise ScorpionError(
            f"There is a pretrained model for '{rules.name}' already; --replace takes its place."
        )
    write_model(target, read_weights(source, about), about.plain)
    return target


def _training(run: Path) -> dict[str, Any]:
    """Return what a run folder says of its training, and of those before; nothing if it is none.

    Where the run's files lay is nobody else's business: paths in its configuration become names.
    """
    about, config = run / "run.json", run / "config.yaml"
    if not about.is_file() or not config.is_file():
        return {}
    found = read_object(about, "description of a run")
    try:
        settings, _ = read_config_file(config)
        kept = {key: found[key] for key in ("command", "started", "git_revision", "versions")}
        deals = settings.get("deals", ALL)
        if deals in TRAINED_ON:
            kept["deals"] = TRAINED_ON[deals]
        else:
            numbers = read_deal_list(run / DEALS_FILE)
            kept["deals"] = f"a list of {len(numbers):,} from {numbers.min()} to {numbers.max()}"
            settings["deals"] = Path(deals).name
        before = None if settings.get("start_from") is None else Path(settings["start_from"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ScorpionError(f"{run} is no whole run folder: {error}.") from error
    kept["config"] = settings
    if before is not None:
        settings["start_from"] = before.name
        kept["before"] = _training(before)
    return kept


def _score(measured: Evaluation, deals: str, target: Path) -> dict[str, Any]:
    summary = dataclasses.asdict(measured.summary())
    played = _option(measured.rules)
    command = f"python scripts/evaluate.py --agent {shlex.quote(target.name)}{played}"
    return {
        "deals": deals,
        "command": f"{command} --deals {shlex.quote(deals)}",
        "max_steps": measured.max_steps,
        **{field: summary[field] for field in SCORE_FIELDS},
    }


def _option(rules: Rules) -> str:
    return "" if rules.name == "classic" else f" --rules {shlex.quote(rules.name)}"
