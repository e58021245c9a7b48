"""What is set for a variant, and what a command says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scorpion_agents.config.files import DEFAULT_CONFIG, load_config
from scorpion_agents.config.variants import moves_can_be_taken_back, needs_of, pays_for_circles
from scorpion_env import PRESETS, Game
from support.commands import call_script
from support.runs import CONFIG


@pytest.mark.parametrize("name", PRESETS)
def test_the_default_configuration_fits_every_variant(name: str) -> None:
    rules = PRESETS[name]
    needs = [need for need, _ in needs_of(rules)]
    config = load_config(DEFAULT_CONFIG, options={"rules": name}, needs=needs)
    assert config.resolved.rules == rules
    assert not pays_for_circles(rules, config.reward)


def test_only_where_moves_can_be_taken_back_is_the_reward_another_one() -> None:
    found = {name for name, rules in PRESETS.items() if not moves_can_be_taken_back(rules)}
    strict = {"classic", "traditional", "scorpion-ii", "pysol-scorpion-ii"}
    assert found == strict | {"three-blind-mice-dealt"} | (found & {"three-blind-mice"})
    assert needs_of(PRESETS["classic"]) == []


def _goes_back(name: str) -> bool:
    """Whether some deal has a move, and then another one, that lead back to the deal."""
    for deal in range(10):
        start = Game.new(deal, name)
        for first in start.legal_moves():
            after = start.copy()
            after.play(first)
            for second in after.legal_moves():
                back = after.copy()
                back.play(second)
                if second != "undo" and back.board().columns == start.board().columns:
                    return True
    return False


@pytest.mark.parametrize("name", ["classic", "traditional", "scorpion-ii", "wasp"])
def test_moves_can_be_taken_back_where_it_is_said(name: str) -> None:
    assert _goes_back(name) <= moves_can_be_taken_back(PRESETS[name])


def _train(tmp_path: Path, *arguments: Any) -> str:
    file = tmp_path / "c.yaml"
    file.write_text(CONFIG.model_copy(update={"final_deals": "0:3"}).to_yaml())
    folder = tmp_path / "run"
    done = call_script("train.py", "--config", file, "--run-dir", folder, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_what_is_set_is_said_with_its_reason(tmp_path: Path) -> None:
    said = _train(tmp_path, "--rules", "wasp", "--set", "gamma=0.9")
    assert "For rules 'wasp', reward: points-once, max_steps: 200 (moves can be taken back" in said
    assert "gamma" not in said
    assert "Warning" not in said


def test_a_reward_that_pays_for_circles_is_warned_of(tmp_path: Path) -> None:
    said = _train(tmp_path, "--set", "rules=wasp")
    assert "Warning: under rules 'wasp', reward: points pays for moving a card to and fro" in said
