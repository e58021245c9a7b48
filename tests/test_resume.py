"""A training that was killed goes on as if it had not been."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

from agents import keeper, load_agent
from agents.checkpoint import read_checkpoint
from agents.config import TrainConfig
from agents.curves import EVENT_FILES
from agents.training import Stop, TrainingEnv, is_complete, resume, run_config, train

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
            monkeypatch.setattr(keeper.Keeper, "save", lambda _: None)
            raise Killed
        return real_step(self)

    real_step = TrainingEnv.step_wait
    monkeypatch.setattr(TrainingEnv, "step_wait", step)


def say_nothing(_: str) -> None:
    """Receive the lines meant for people."""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [{k: v for k, v in row.items() if k not in CLOCKS} for row in csv.DictReader(file)]


def events(folder: Path) -> list[tuple[int, str, float]]:
    """Return what TensorBoard's files hold, in the order in which a reader finds it."""
    return [
        (event.step, value.tag, value.tensor.float_val[0])
        for file in sorted(folder.glob(EVENT_FILES))
        for event in EventFileLoader(str(file)).Load()
        for value in event.summary.value
        if value.tag not in CLOCKS
    ]


def assert_same_run(one: Path, other: Path) -> None:
    a, b = (read_checkpoint(folder, run_config(folder)) for folder in (one, other))
    assert a is not None
    assert b is not None
    assert a.arrays.keys() == b.arrays.keys()
    for name, array in a.arrays.items():
        np.testing.assert_array_equal(array, b.arrays[name], err_msg=name)
    assert a.progress.model_dump(exclude={"minutes"}) == b.progress.model_dump(exclude={"minutes"})
    for name in ("progress.csv", "evaluations.csv"):
        assert rows(one / name) == rows(other / name)
    assert events(one) == events(other)
    for name in ("best", "last"):
        files = [{f.name: f.read_bytes() for f in (run / name).iterdir()} for run in (one, other)]
        assert files[0] == files[1]
    assert not list(other.rglob("*.tmp"))


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "straight"
    assert train(CONFIG, folder, say=say_nothing).steps == 1280
    return folder


def test_three_kills_leave_no_trace(
    straight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    go: Callable[[], object] = lambda: train(CONFIG, folder, say=say_nothing)  # noqa: E731
    for calls, steps in ((5, None), (21, 256), (30, 512)):
        with monkeypatch.context() as patch:
            kill_after(calls, patch)
            with pytest.raises(Killed):
                go()
        go = lambda: resume(folder, say=say_nothing)  # noqa: E731
        found = read_checkpoint(folder, CONFIG)
        assert (None if found is None else found.progress.timesteps) == steps
        if found is not None:
            assert load_agent(folder, "classic").name
    go()
    assert_same_run(straight, folder)


def test_a_stop_loses_nothing_that_was_learnt(straight: Path, tmp_path: Path) -> None:
    folder, stop = tmp_path / "run", Stop()
    lines: list[str] = []

    class StopAfter(TrainingEnv):
        pass

    def step(line: str) -> None:
        lines.append(line)

    stop.ask()
    result = train(CONFIG, folder, stop=stop, say=step)
    assert result.interrupted
    assert result.steps == 0
    assert not is_complete(folder)
    assert not resume(folder, say=say_nothing).interrupted
    assert_same_run(straight, folder)
