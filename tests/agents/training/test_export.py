"""Models leave a run with what is known of them, and come to be what `--agent pretrained` plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scorpion_agents import load_agent
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.models.description import read_description
from scorpion_agents.models.files import MODEL_FILE
from scorpion_agents.pretrained import PRETRAINED
from scorpion_agents.training.export import export_model, import_model, weaker_than_greedy
from scorpion_env import Rules, ScorpionError
from support.models import make_model, make_run

# --- export


def test_an_exported_model_plays_as_in_the_run_and_says_what_it_is(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    about = export_model(run, tmp_path / "out", ["900000:900020"])
    told = json.loads((tmp_path / "out" / MODEL_FILE).read_text())
    assert told["training"]["command"] == about.training.command == "python scripts/train.py"
    assert told["training"]["config"]["policy"] == "afterstate"
    assert "2**32" in told["training"]["deals"]
    (score,) = told["scores"]
    again = evaluate(load_agent(tmp_path / "out", "classic"), "classic", "900000:900020").summary()
    assert score["games"] == 20
    assert score["mean_points"] == again.mean_points
    assert tuple(score["win_rate_ci95"]) == again.win_rate_ci95
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_an_export_tells_of_the_training_that_a_run_started_from(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first")
    second = make_run(tmp_path / "second", start_from=str(first), deals="winnable")
    training = export_model(second, tmp_path / "out", []).plain["training"]
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
    about = export_model(run, tmp_path / "out", ["900000:900002"]).plain
    assert about["training"]["deals"] == "a list of 2 from 5000000001 to 5000000004"
    assert str(tmp_path) not in json.dumps(about)
    deals.unlink()
    with pytest.raises(ScorpionError, match="no whole run folder"):
        export_model(run, tmp_path / "again", [])


def test_a_model_folder_without_a_run_can_be_exported_too(tmp_path: Path) -> None:
    about = export_model(make_model(tmp_path / "model"), tmp_path / "out", [])
    assert "training" not in about.plain
    assert load_agent(tmp_path / "out", "classic").name


def test_an_export_overwrites_nothing(tmp_path: Path) -> None:
    model = make_model(tmp_path / "model")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious").touch()
    with pytest.raises(ScorpionError, match="is there already"):
        export_model(model, tmp_path / "out", [])
    with pytest.raises(ScorpionError, match="holds no model"):
        export_model(tmp_path / "nowhere", tmp_path / "new", [])


def test_an_import_replaces_a_model_only_on_request(tmp_path: Path) -> None:
    first, second = (make_model(tmp_path / name, seed=seed) for seed, name in enumerate("ab"))
    where = import_model(first, into=tmp_path / "pretrained")
    with pytest.raises(ScorpionError, match="--replace"):
        import_model(second, into=tmp_path / "pretrained")
    assert read_description(where).seed == 0
    import_model(second, into=tmp_path / "pretrained", replace=True)
    assert read_description(where).seed == 1
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


def test_a_model_is_called_weaker_than_greedy_if_it_is(tmp_path: Path) -> None:
    assert weaker_than_greedy(PRETRAINED / "classic") is None
    said = weaker_than_greedy(make_model(tmp_path / "model"))
    assert said is not None
    assert said.startswith(
        "This model is weaker than greedy: of 500 deals (2000000:2000500) it wins"
    )
