"""The models that `--agent pretrained` plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorpion_agents import load_agent, pretrained
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.models.description import read_description
from scorpion_agents.pretrained import PRETRAINED, pretrained_folder, pretrained_presets
from scorpion_agents.training.export import import_model
from scorpion_env import PRESETS, Rules, ScorpionError
from support.models import make_model

LARGEST = 5_000_000
"""Bytes that a pretrained model may take in the repository."""


# --- import, and the pretrained agent


def test_an_imported_model_is_the_pretrained_one_of_its_preset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretrained, "PRETRAINED", tmp_path / "pretrained")
    model = make_model(tmp_path / "model", "wasp")
    with pytest.raises(ScorpionError, match=r"No pretrained agent plays rules 'wasp'; .*no preset"):
        load_agent("pretrained", "wasp")
    where = import_model(model, into=tmp_path / "pretrained")
    assert where.name == "wasp"
    agent = load_agent("pretrained", "wasp")
    assert agent.name == "pretrained"
    expected = evaluate(load_agent(model, "wasp"), "wasp", "0:10", max_steps=60)
    assert evaluate(agent, "wasp", "0:10", max_steps=60).deals == expected.deals


def test_rules_that_only_share_a_name_with_a_preset_have_no_pretrained_agent() -> None:
    with pytest.raises(ScorpionError, match="No pretrained agent plays"):
        pretrained_folder(Rules("classic", max_steps=77))


@pytest.mark.parametrize("preset", pretrained_presets())
def test_every_pretrained_model_is_whole_small_and_beats_greedy(preset: str) -> None:
    folder = PRETRAINED / preset
    assert sum(file.stat().st_size for file in folder.iterdir()) < LARGEST
    about = read_description(folder)
    assert about.rules == PRESETS[preset]
    assert {"training", "scores", "chosen_by"} <= about.plain.keys()
    ours, greedy = (
        evaluate(load_agent(name, preset), preset, "2000000:2000300").summary()
        for name in ("pretrained", "greedy")
    )
    assert ours.illegal_actions == 0
    assert ours.mean_points > greedy.mean_points
