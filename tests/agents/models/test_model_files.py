"""Models on disk: loaded without running code, whole or refused."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sb3_contrib import MaskablePPO

from scorpion_agents import load_agent
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.models import files as model_files
from scorpion_agents.models import ppo
from scorpion_agents.models.files import MODEL_FILE, WEIGHTS_FILES
from scorpion_agents.models.networks import empty_policy
from scorpion_agents.training.train import TrainingEnv
from scorpion_env import ScorpionError
from support.runs import SMALL, weights_of


def test_models_that_do_not_fit_are_refused_with_the_reason(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(ScorpionError, match="plays rules 'classic', not 'wasp'"):
        load_agent(trained, "wasp")
    with pytest.raises(ScorpionError, match="no model"):
        load_agent(tmp_path, "classic")
    changes: list[tuple[Callable[[dict[str, Any]], dict[str, Any]], str]] = [
        (lambda d: d | {"version": 99}, "version 99"),
        (lambda d: d | {"format": "other"}, "does not describe"),
        (lambda d: d | {"network": d["network"] | {"net_arch": {"pi": [8], "vf": [8]}}}, "cannot"),
        (lambda d: d | {"network": d["network"] | {"extractor": "x"}}, "cannot"),
        (
            lambda d: d | {"network": d["network"] | {"extractor": "x"}},
            "'extractor' should be 'flat'",
        ),
        (lambda d: d | {"versions": [1]}, "is damaged: it says nothing of versions"),
        (
            lambda d: d | {"versions": {"torch": 2}},
            "damaged: 'versions.torch' .* string, not 2",
        ),
        (lambda d: {k: v for k, v in d.items() if k != "rules"}, "it says nothing of rules"),
        (lambda d: d | {"rules": 7}, "'rules' should be the name of a preset or an object, not 7"),
        (lambda d: d | {"values": 7}, "is damaged: it says nothing of values"),
        (lambda d: d | {"scores": [{"deals": "0:5"}]}, r"it says nothing of scores\.0\.win_rate"),
        (lambda d: d | {"timesteps": "many"}, "'timesteps' should be a valid integer"),
        (lambda d: d | {"weights": d["weights"] + "\0"}, "names no weights file"),
        (lambda d: d | {"weights_sha256": None}, "'weights_sha256' should be a valid string"),
        (lambda d: d | {"weights": "../" + d["weights"]}, "names no weights file"),
    ]
    for number, (change, words) in enumerate(changes):
        folder = tmp_path / str(number)
        folder.mkdir()
        best = weights_of(trained / "best")
        (folder / best.name).write_bytes(best.read_bytes())
        about = json.loads((trained / "best" / MODEL_FILE).read_text())
        (folder / MODEL_FILE).write_text(json.dumps(change(about)))
        with pytest.raises(ScorpionError, match=words):
            load_agent(folder, "classic")


def test_changed_weights_are_refused(trained: Path, tmp_path: Path) -> None:
    (tmp_path / MODEL_FILE).write_bytes((trained / "best" / MODEL_FILE).read_bytes())
    best = weights_of(trained / "best")
    weights = bytearray(best.read_bytes())
    weights[-1] ^= 1
    (tmp_path / best.name).write_bytes(bytes(weights))
    with pytest.raises(ScorpionError, match="was changed"):
        load_agent(tmp_path, "classic")


def test_a_writer_killed_between_weights_and_description_leaves_the_old_model(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "last"
    shutil.copytree(trained / "last", folder)
    before = load_agent(folder, "classic")
    config = TrainConfig.model_validate(SMALL)
    policy = empty_policy(config)

    def write_weights_alone(path: Path, data: str | bytes) -> None:
        if path.name == MODEL_FILE:
            raise KeyboardInterrupt
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    with monkeypatch.context() as patch:
        patch.setattr(model_files, "write_whole", write_weights_alone)
        with pytest.raises(KeyboardInterrupt):
            ppo.save_model(folder, policy, config, {})
    assert len(list(folder.glob(WEIGHTS_FILES))) == 2
    after = load_agent(folder, "classic")
    assert evaluate(after, "classic", "0:5").deals == evaluate(before, "classic", "0:5").deals
    ppo.save_model(folder, policy, config, {})
    assert weights_of(folder).name == json.loads((folder / MODEL_FILE).read_text())["weights"]


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("exploded"),))


def test_a_zip_is_never_loaded_without_trust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "foreign.zip").write_bytes(pickle.dumps(_Bomb()))
    with pytest.raises(ScorpionError, match="can execute code"):
        load_agent(tmp_path / "foreign.zip", "classic")
    assert not (tmp_path / "exploded").exists()
    MaskablePPO("MlpPolicy", TrainingEnv(2, "classic", seed=0), n_steps=2, batch_size=4).save(
        tmp_path / "own.zip"
    )
    with pytest.raises(ScorpionError, match="can execute code"):
        load_agent(tmp_path / "own.zip", "classic")
    trusted = load_agent(tmp_path / "own.zip", "classic", trust=True)
    assert not any(r.illegal for r in evaluate(trusted, "classic", "0:20", max_steps=60).deals)
