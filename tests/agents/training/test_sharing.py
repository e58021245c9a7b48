"""Models leave a run with what is known of them, and come to be what `--agent pretrained` plays."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorpion_agents import load_agent, pretrained
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.models.files import MODEL_FILE, read_description
from scorpion_agents.pretrained import PRETRAINED, pretrained_folder, pretrained_presets
from scorpion_agents.training.export import export_model, import_model
from scorpion_env import PRESETS, Rules, ScorpionError, get_rules
from support.models import SMALL, make_model

ROOT = Path(__file__).resolve().parents[3]
LARGEST = 5_000_000
"""Bytes that a pretrained model may take in the repository."""


def make_run(folder: Path, **changes: Any) -> Path:
    """A run folder as far as an export reads it."""
    make_model(folder / "best")
    config = TrainConfig.model_validate(SMALL | changes)
    (folder / "config.yaml").write_text(config.to_yaml())
    about = {"command": "python scripts/train.py", "started": "then", "git_revision": None}
    (folder / "run.json").write_text(json.dumps(about | {"versions": {}}))
    return folder


# --- export


def test_an_exported_model_plays_as_in_the_run_and_says_what_it_is(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    about = export_model(run, tmp_path / "out", ["900000:900020"])
    assert read_description(tmp_path / "out") == json.loads(
        (tmp_path / "out" / MODEL_FILE).read_text()
    )
    assert about["training"]["command"] == "python scripts/train.py"
    assert about["training"]["config"]["policy"] == "afterstate"
    assert "2**32" in about["training"]["deals"]
    (score,) = about["scores"]
    again = evaluate(load_agent(tmp_path / "out", "classic"), "classic", "900000:900020").summary()
    assert score["games"] == 20
    assert score["mean_points"] == again.mean_points
    assert score["win_rate_ci95"] == again.win_rate_ci95
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_an_export_tells_of_the_training_that_a_run_started_from(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first")
    second = make_run(tmp_path / "second", start_from=str(first), deals="winnable")
    training = export_model(second, tmp_path / "out", [])["training"]
    assert "winnable" in training["deals"]
    assert "2**32" in training["before"]["deals"]
    assert "before" not in training["before"]
    assert training["config"]["start_from"] == "first"


def test_an_export_does_not_tell_where_files_lay(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first")
    deals = tmp_path / "run" / "deals.txt"
    deals.parent.mkdir()
    deals.write_text("5000000001\n5000000004\n")
    run = make_run(tmp_path / "run", deals=str(deals), start_from=str(first))
    about = export_model(run, tmp_path / "out", ["900000:900002"])
    assert about["training"]["deals"] == "a list of 2 from 5000000001 to 5000000004"
    assert str(tmp_path) not in json.dumps(about)
    deals.unlink()
    with pytest.raises(ScorpionError, match="no whole run folder"):
        export_model(run, tmp_path / "again", [])


def test_a_model_folder_without_a_run_can_be_exported_too(tmp_path: Path) -> None:
    about = export_model(make_model(tmp_path / "model"), tmp_path / "out", [])
    assert "training" not in about
    assert load_agent(tmp_path / "out", "classic").name


def test_an_export_overwrites_nothing(tmp_path: Path) -> None:
    model = make_model(tmp_path / "model")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious").touch()
    with pytest.raises(ScorpionError, match="is there already"):
        export_model(model, tmp_path / "out", [])
    with pytest.raises(ScorpionError, match="holds no model"):
        export_model(tmp_path / "nowhere", tmp_path / "new", [])


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


def test_an_import_replaces_a_model_only_on_request(tmp_path: Path) -> None:
    first, second = (make_model(tmp_path / name, seed=seed) for seed, name in enumerate("ab"))
    where = import_model(first, into=tmp_path / "pretrained")
    with pytest.raises(ScorpionError, match="--replace"):
        import_model(second, into=tmp_path / "pretrained")
    assert read_description(where)["seed"] == 0
    import_model(second, into=tmp_path / "pretrained", replace=True)
    assert read_description(where)["seed"] == 1
    assert len(list(where.iterdir())) == 2


def test_a_damaged_or_nameless_model_is_not_imported(tmp_path: Path) -> None:
    model = make_model(tmp_path / "model")
    (weights,) = model.glob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(ScorpionError, match="was changed"):
        import_model(model, into=tmp_path / "pretrained")
    own = Rules("mine", max_steps=77).as_dict()
    with pytest.raises(ScorpionError, match="'mine', which are no preset"):
        import_model(make_model(tmp_path / "own", own), into=tmp_path / "pretrained")
    assert not (tmp_path / "pretrained").exists()


def test_rules_that_only_share_a_name_with_a_preset_have_no_pretrained_agent() -> None:
    with pytest.raises(ScorpionError, match="No pretrained agent plays"):
        pretrained_folder(Rules("classic", max_steps=77))


@pytest.mark.parametrize("preset", pretrained_presets())
def test_every_pretrained_model_is_whole_small_and_beats_greedy(preset: str) -> None:
    folder = PRETRAINED / preset
    assert sum(file.stat().st_size for file in folder.iterdir()) < LARGEST
    about = read_description(folder)
    assert get_rules(about["rules"]) == PRESETS[preset]
    assert {"training", "scores", "chosen_by"} <= about.keys()
    ours, greedy = (
        evaluate(load_agent(name, preset), preset, "2000000:2000300").summary()
        for name in ("pretrained", "greedy")
    )
    assert ours.illegal_actions == 0
    assert ours.mean_points > greedy.mean_points


# --- the commands


def models(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/models.py", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_commands_export_and_show(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    done = models("export", run, tmp_path / "out", "--deals", "900000:900010")
    assert done.returncode == 0, done.stderr
    assert "deals 900000:900010: wins" in done.stdout
    shown = models("show", tmp_path / "out")
    assert shown.stdout.splitlines() == done.stdout.splitlines()[:-1]


REFUSALS: list[tuple[Callable[[Path], list[object]], str]] = [
    (lambda path: ["export", path / "none", path / "out"], "holds no model"),
    (lambda path: ["show", path], "holds no model"),
    (lambda path: ["import", path], "holds no model"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSALS)
def test_bad_input_is_refused_in_a_sentence(
    arguments: Callable[[Path], list[object]], words: str, tmp_path: Path
) -> None:
    refused = models(*arguments(tmp_path))
    assert refused.returncode == 2
    assert refused.stderr.startswith("Error: ")
    assert words in refused.stderr
