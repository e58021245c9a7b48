"""Files that training writes: models, run folders, checkpoints, plans of seeds."""

from __future__ import annotations

import functools
import hashlib
import json
import random
import shutil
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as save_arrays

from fuzz.formats import Format, refused
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.evaluation.results import write_json
from scorpion_agents.models.files import MODEL_FILE
from scorpion_agents.models.ppo import load_ppo
from scorpion_agents.players.random_agent import RandomAgent
from scorpion_agents.registry import rules_of
from scorpion_agents.training.checkpoint import (
    CHECKPOINT_FILE,
    read_checkpoint,
    write_checkpoint,
)
from scorpion_agents.training.curves import open_curves
from scorpion_agents.training.export import export_model
from scorpion_agents.training.final import read_final
from scorpion_agents.training.machine import note_session
from scorpion_agents.training.seeds import train_seeds
from scorpion_agents.training.stop import Stop
from scorpion_agents.training.train import is_complete, resume, run_config, train
from scorpion_env import PRESETS, ScorpionError, replay
from support.models import make_model, make_run
from support.runs import CONFIG, say_nothing

FLAT: dict[str, Any] = {"policy": "mlp", "critic": "player", "net_arch": [4]}


def _make_models(folder: Path) -> list[Path]:
    make_model(folder / "afterstate")
    make_model(folder / "flat", **FLAT)
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _sign_models(folder: Path, chance: random.Random) -> bool:
    """Let a description name the weights that are there."""
    if chance.random() < 0.5:
        return False
    for model in folder.iterdir():
        weights = next(model.glob("*.safetensors")).read_bytes()
        try:
            about = json.loads((model / MODEL_FILE).read_bytes())
            about["weights_sha256"] = hashlib.sha256(weights).hexdigest()
        except (ValueError, TypeError, RecursionError):
            continue
        (model / MODEL_FILE).write_text(json.dumps(about))
    return True


def _read_models(folder: Path) -> None:
    for model in folder.iterdir():
        refused(load_ppo, model, PRESETS["classic"])
        refused(rules_of, str(model))
        refused(export_model, model, folder.parent / "exported", [])
        shutil.rmtree(folder.parent / "exported", ignore_errors=True)


@functools.cache
def _trained() -> Path:
    """A short run of the flat network, made once in a process."""
    folder = Path(tempfile.mkdtemp()) / "run"
    train(CONFIG, folder, say=say_nothing, bar=False)
    evaluated = [evaluate(RandomAgent(PRESETS["classic"]), "classic", "0:4")]
    write_json(folder / "final.json", evaluated, command="x")
    return folder


def _make_run(folder: Path) -> list[Path]:
    shutil.copytree(_trained(), folder / "run")
    files = (file for file in (folder / "run").rglob("*") if file.is_file())
    return sorted(f for f in files if f.name not in (CHECKPOINT_FILE, ".lock"))


def _read_run(folder: Path) -> None:
    run = folder / "run"
    refused(lambda: run_config(run))
    refused(lambda: is_complete(run))
    refused(lambda: read_final(run))
    refused(lambda: load_ppo(run, PRESETS["classic"]))
    refused(lambda: export_model(run, folder.parent / "exported", []))
    shutil.rmtree(folder.parent / "exported", ignore_errors=True)
    refused(lambda: replay.check(run / "best" / "best_game.jsonl"))
    refused(lambda: note_session(run, PRESETS["classic"], threads=1, device="cpu", steps=0))

    def curves() -> None:
        with closing(open_curves(run, 640, lambda _: None)):
            pass

    refused(curves)


def _make_checkpoint(folder: Path) -> list[Path]:
    shutil.copytree(_unfinished(), folder / "run")
    return [folder / "run" / CHECKPOINT_FILE]


@functools.cache
def _unfinished() -> Path:
    """The same run with a checkpoint that says of itself that it is not complete."""
    folder = _trained().with_name("unfinished")
    shutil.copytree(_trained(), folder)
    checkpoint = read_checkpoint(folder, run_config(folder))
    assert checkpoint is not None
    progress = checkpoint.progress.model_copy(update={"complete": False})
    write_checkpoint(folder, replace(checkpoint, progress=progress))
    return folder


def _sign_checkpoint(folder: Path, chance: random.Random) -> bool:
    """Leave the digest out, as the first release did."""
    file = folder / "run" / CHECKPOINT_FILE
    try:
        with safe_open(file, framework="np") as written:
            header = dict(written.metadata() or {})
            arrays = {name: written.get_tensor(name) for name in written.keys()}  # noqa: SIM118
    except (SafetensorError, ValueError):
        return False
    if chance.random() < 0.5:
        return False
    header.pop("sha256", None)
    file.write_bytes(save_arrays(arrays, metadata=header))
    return True


def _read_checkpoint(folder: Path) -> None:
    stop = Stop()
    stop.ask()
    content = (folder / "run" / CHECKPOINT_FILE).read_bytes()
    try:
        resume(folder / "run", stop=stop, say=lambda _: None, bar=False)
    except ScorpionError:
        assert (folder / "run" / CHECKPOINT_FILE).read_bytes() == content
        return
    with safe_open(folder / "run" / CHECKPOINT_FILE, framework="np") as written:
        for name in written.keys():  # noqa: SIM118
            array = written.get_tensor(name)
            assert array.dtype.kind != "f" or np.isfinite(array).all(), name


def _make_seeds(folder: Path) -> list[Path]:
    make_run(folder / "seeds" / "seed-0")
    plan = {"seeds": [0, 1], "config": {"rules": "classic"}}
    (folder / "seeds" / "seeds.json").write_text(json.dumps(plan, indent=2))
    return [folder / "seeds" / "seeds.json"]


def _read_seeds(folder: Path) -> None:
    stop = Stop()
    stop.ask()
    refused(lambda: train_seeds(folder / "seeds", stop=stop, say=lambda _: None))


FORMATS = {
    "model": Format(_make_models, _read_models, sign=_sign_models),
    "run folder": Format(_make_run, _read_run, keeps=False),
    "checkpoint": Format(_make_checkpoint, _read_checkpoint, keeps=False, sign=_sign_checkpoint),
    "seeds": Format(_make_seeds, _read_seeds, keeps=False),
}
