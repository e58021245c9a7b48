"""Short trainings, how they are killed, and when two of them are the same."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.models.files import WEIGHTS_FILES
from scorpion_agents.training import callback
from scorpion_agents.training.checkpoint import (
    Progress,
    read_checkpoint,
    write_checkpoint,
)
from scorpion_agents.training.curves import EVENT_FILES
from scorpion_agents.training.train import TrainingEnv, run_config, train
from support.commands import command_of
from support.paths import ROOT

SMALL: dict[str, Any] = {
    "timesteps": 1024,
    "num_envs": 16,
    "n_steps": 16,
    "batch_size": 128,
    "n_epochs": 1,
    "net_arch": [16],
    "threads": 1,
    "eval_every": 512,
    "eval_deals": "900000:900020",
    "checkpoint_every": 256,
}


def weights_of(folder: Path) -> Path:
    """Return the one weights file of a model folder."""
    (file,) = folder.glob(WEIGHTS_FILES)
    return file


def run(folder: Path, **changes: Any) -> Any:
    return train(TrainConfig.model_validate(SMALL | changes), folder, say=lambda _: None)


CONFIG = TrainConfig.model_validate(
    {
        "timesteps": 1280,
        "num_envs": 16,
        "n_steps": 8,
        "batch_size": 64,
        "n_epochs": 2,
        "net_arch": [16],
        "threads": 1,
        "learning_rate": {"start": 1e-2, "end": 1e-3},
        "ent_coef": {"start": 0.05, "end": 0.0},
        "clip_range": {"start": 0.3, "end": 0.1},
        "stats_window": 20,
        "eval_every": 384,
        "eval_deals": "900000:900020",
        "checkpoint_every": 256,
    }
)

CLOCKS = {"time/fps", "time/time_elapsed"}
"""The figures that a clock makes."""


class Killed(BaseException):
    """What stands for ``kill -9``: nothing of ours catches it, and nothing is saved after it."""


def kill_after(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the training die at the given call of one of its steps, before anything is saved."""
    left = [calls]

    def step(self: TrainingEnv) -> Any:
        left[0] -= 1
        if left[0] < 0:
            monkeypatch.setattr(callback.TrainingCallback, "save", lambda _: None)
            raise Killed
        return real_step(self)

    real_step = TrainingEnv.step_wait
    monkeypatch.setattr(TrainingEnv, "step_wait", step)


def say_nothing(_: str) -> None:
    """Receive the lines meant for people."""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [{k: v for k, v in row.items() if k not in CLOCKS} for row in csv.DictReader(file)]


def _numbers_in_name(file: Path) -> list[int]:
    """Second, process and how many of it: as text, the tenth file would come before the ninth."""
    return [int(number) for number in re.findall(r"\d+", file.name)]


def events(folder: Path) -> list[tuple[int, str, float]]:
    """Return what TensorBoard's files hold, in the order in which a reader finds it."""
    return [
        (event.step, value.tag, value.tensor.float_val[0])
        for file in sorted(folder.glob(EVENT_FILES), key=_numbers_in_name)
        for event in EventFileLoader(str(file)).Load()
        for value in event.summary.value
        if value.tag not in CLOCKS
    ]


def assert_same_state(one: Path, other: Path) -> tuple[Progress, Progress]:
    a, b = (read_checkpoint(folder, run_config(folder)) for folder in (one, other))
    assert a is not None
    assert b is not None
    assert a.arrays.keys() == b.arrays.keys()
    for name, array in a.arrays.items():
        np.testing.assert_array_equal(array, b.arrays[name], err_msg=name)
    return a.progress, b.progress


def assert_same_run(one: Path, other: Path) -> None:
    a, b = assert_same_state(one, other)
    assert a.model_dump(exclude={"minutes"}) == b.model_dump(exclude={"minutes"})
    for name in ("progress.csv", "evaluations.csv"):
        assert rows(one / name) == rows(other / name)
    assert events(one) == events(other)
    for name in ("best", "last"):
        files = [{f.name: f.read_bytes() for f in (run / name).iterdir()} for run in (one, other)]
        assert files[0] == files[1]
    assert not list(other.rglob("*.tmp"))


# --- what cannot be resumed -----------------------------------------------------------------------


def copy_of(straight: Path, folder: Path) -> Path:
    """Return a copy of a run that says of itself that it is not complete."""
    shutil.copytree(straight, folder)
    checkpoint = read_checkpoint(folder, CONFIG)
    assert checkpoint is not None
    progress = checkpoint.progress.model_copy(update={"complete": False})
    write_checkpoint(folder, replace(checkpoint, progress=progress))
    return folder


# --- the command line -----------------------------------------------------------------------------


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command_of("train.py", *arguments),
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
