"""A training that was killed goes on as if it had not been."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

from scorpion_agents import load_agent
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.training import callback
from scorpion_agents.training.checkpoint import (
    CHECKPOINT_FILE,
    Progress,
    read_checkpoint,
    write_checkpoint,
)
from scorpion_agents.training.curves import EVENT_FILES, ProgressFile
from scorpion_agents.training.machine import alone_in, chosen_threads
from scorpion_agents.training.train import Stop, TrainingEnv, is_complete, resume, run_config, train
from scorpion_env import ScorpionError

ROOT = Path(__file__).resolve().parents[3]
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
            monkeypatch.setattr(callback.Keeper, "save", lambda _: None)
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


def test_a_stop_loses_nothing_that_was_learnt(
    straight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, stop = tmp_path / "run", Stop()
    real_step, calls = TrainingEnv.step_wait, iter(range(10**6))

    def step(self: TrainingEnv) -> Any:
        if next(calls) == 36:  # in the fifth rollout, between two checkpoints
            stop.ask()
        return real_step(self)

    with monkeypatch.context() as patch:
        patch.setattr(TrainingEnv, "step_wait", step)
        result = train(CONFIG, folder, stop=stop, say=say_nothing)
    assert (result.interrupted, result.steps) == (True, 4 * 128)
    assert not is_complete(folder)
    assert not resume(folder, say=say_nothing).interrupted
    assert_same_run(straight, folder)


def test_an_error_in_the_middle_of_an_update_saves_what_was_before_it(
    straight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    calls = iter(range(10**6))

    def clip(*args: Any) -> None:
        if next(calls) == 5:  # each update of four batches clips four times
            raise OSError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr("torch.nn.utils.clip_grad_norm_", clip)
        with pytest.raises(OSError, match="out of memory"):
            train(CONFIG, folder, say=say_nothing)
    checkpoint = read_checkpoint(folder, CONFIG)
    assert checkpoint is not None
    weights = load_file(next((folder / "last").glob("*.safetensors")))
    for name, array in checkpoint.part("policy").items():
        np.testing.assert_array_equal(weights[name], array)
    assert checkpoint.progress.timesteps == 128


def test_a_best_model_of_steps_that_are_played_again_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    config = CONFIG.model_copy(update={"checkpoint_every": 10**9})
    with monkeypatch.context() as patch:
        kill_after(30, patch)
        with pytest.raises(Killed):
            train(config, folder, say=say_nothing)
    assert (folder / "best").is_dir()
    stop = Stop()
    stop.ask()
    resume(folder, stop=stop, say=say_nothing)
    assert not (folder / "best").exists()
    assert not (folder / "evaluations.csv").exists()
    assert not (folder / "progress.csv").exists()
    assert load_agent(folder, "classic").name


def test_a_run_with_a_list_of_deals_can_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deals = tmp_path / "easy.txt"
    deals.write_text("5000000001\n5000000002\n")
    monkeypatch.chdir(tmp_path)
    config = CONFIG.model_copy(update={"deals": "easy.txt"})
    train(config, Path("straight"), say=say_nothing)
    with monkeypatch.context() as patch:
        kill_after(21, patch)
        with pytest.raises(Killed):
            train(config, Path("run"), say=say_nothing)
    deals.unlink()
    (tmp_path / "elsewhere").mkdir()
    shutil.move("run", "elsewhere/moved")
    monkeypatch.chdir(tmp_path / "elsewhere")
    resume(Path("moved"), say=say_nothing)
    assert_same_state(tmp_path / "straight", Path("moved"))
    assert rows(tmp_path / "straight/progress.csv") == rows(Path("moved/progress.csv"))
    assert run_config(tmp_path / "straight").deals == str(tmp_path / "straight" / "deals.txt")


def test_a_checkpoint_is_also_due_after_some_minutes(tmp_path: Path) -> None:
    config = CONFIG.model_copy(update={"checkpoint_every": 10**9, "checkpoint_minutes": 1e-9})
    stop = Stop()
    found: list[int] = []

    class Watching(Stop):
        @property
        def asked(self) -> bool:  # looked at in every step
            checkpoint = read_checkpoint(tmp_path / "run", config)
            found.append(-1 if checkpoint is None else checkpoint.progress.timesteps)
            return len(found) > 20

        @asked.setter
        def asked(self, _: bool) -> None:
            """Never asked by anybody."""

    stop = Watching()
    train(config, tmp_path / "run", stop=stop, say=say_nothing)
    assert found[:20] == [0] * 8 + [128] * 8 + [256] * 4


# --- what cannot be resumed -----------------------------------------------------------------------


def copy_of(straight: Path, folder: Path) -> Path:
    """Return a copy of a run that says of itself that it is not complete."""
    shutil.copytree(straight, folder)
    checkpoint = read_checkpoint(folder, CONFIG)
    assert checkpoint is not None
    progress = checkpoint.progress.model_copy(update={"complete": False})
    write_checkpoint(folder, replace(checkpoint, progress=progress))
    return folder


def test_what_is_no_run_or_no_longer_that_run_is_refused(straight: Path, tmp_path: Path) -> None:
    with pytest.raises(ScorpionError, match=r"no run folder: there is no such folder"):
        resume(tmp_path / "nowhere")
    with pytest.raises(ScorpionError, match=r"no run folder: there is no config\.yaml in it"):
        resume(tmp_path)
    with pytest.raises(ScorpionError, match="is complete: it was trained for 1,280 steps"):
        resume(straight)
    folder = copy_of(straight, tmp_path / "run")
    config = folder / "config.yaml"
    config.write_text(config.read_text().replace("n_epochs: 2", "n_epochs: 3"))
    with pytest.raises(ScorpionError, match=r"n_epochs 2, but its config\.yaml now says 3"):
        resume(folder)


def test_a_run_that_another_process_holds_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with alone_in(folder):
        (folder / "config.yaml").write_text(CONFIG.to_yaml())
        with pytest.raises(ScorpionError, match="in use: another process trains into it"):
            resume(folder)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("games.actions", lambda a: a + 1000),
        ("games.actions", lambda a: a[:-1]),
        ("games.lengths", lambda a: a + 2**60),
        ("games.episodes", lambda a: a.astype(np.int8)),
        ("games.deals", lambda a: a % 1000),
        ("policy.action_net.bias", lambda a: a[:-1]),
        ("optimizer.0.exp_avg", lambda a: a[:-1]),
        ("random.torch", lambda a: a[:-1]),
        ("random.numpy", lambda a: a[:-1]),
        ("random.python", lambda a: a[:-1]),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused_and_nothing_is_lost(
    name: str, change: Callable[[Any], Any], straight: Path, tmp_path: Path
) -> None:
    folder = copy_of(straight, tmp_path / "run")
    checkpoint = read_checkpoint(folder, CONFIG)
    assert checkpoint is not None
    arrays = checkpoint.arrays | {name: change(checkpoint.arrays[name])}
    write_checkpoint(folder, replace(checkpoint, arrays=arrays))
    with pytest.raises(ScorpionError, match=r"checkpoint\.safetensors, written by .* torch"):
        resume(folder, say=say_nothing)
    assert load_agent(folder / "best", "classic").name


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04K\x01.", b"cut"])
def test_a_damaged_checkpoint_is_refused(content: bytes, straight: Path, tmp_path: Path) -> None:
    folder = copy_of(straight, tmp_path / "run")
    file = folder / CHECKPOINT_FILE
    file.write_bytes(file.read_bytes()[:-1] if content == b"cut" else content)
    with pytest.raises(ScorpionError, match=r"checkpoint\.safetensors cannot be read: "):
        resume(folder)


# --- curves ---------------------------------------------------------------------------------------


def test_lines_past_the_checkpoint_or_cut_short_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "progress.csv"
    path.write_text("a,time/total_timesteps,b\n1,128,\n2,256,\n3,384,7\n4,51")
    table = ProgressFile(path, 256)
    assert path.read_text() == "a,time/total_timesteps\n1,128\n2,256\n"
    table.write({"a": 5, "time/total_timesteps": 384, "c": np.float32(0.5)}, {"a": ("csv",)})
    assert path.read_text() == "a,time/total_timesteps,c\n1,128,\n2,256,\n,384,0.5\n"


# --- the machine ----------------------------------------------------------------------------------


def test_threads_are_as_many_as_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert chosen_threads("auto") == 3
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert chosen_threads("auto") == 4
    assert chosen_threads(7) == 7


def test_every_session_is_noted_with_threads_and_device(straight: Path, tmp_path: Path) -> None:
    folder = copy_of(straight, tmp_path / "run")
    lines: list[str] = []
    resume(folder, threads=2, say=lines.append)
    about = json.loads((folder / "run.json").read_text())
    assert (about["threads"], about["device"]) == (1, "cpu")
    (session,) = about["resumed"]
    assert (session["threads"], session["device"], session["timesteps"]) == (2, "cpu", 1280)
    assert any("threads 1 before, 2 now" in line for line in lines)


# --- the command line -----------------------------------------------------------------------------


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "scripts/train.py", *arguments],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )


@pytest.mark.parametrize(
    "option", [["--set", "seed=1"], ["--timesteps", "5"], ["--seeds", "0:2"], ["--config", "c"]]
)
def test_a_resumed_run_takes_no_other_configuration(option: list[str]) -> None:
    process = start("--resume", "anywhere", *option)
    _, errors = process.communicate()
    assert process.returncode == 2
    assert f"{option[0]} cannot be given with --resume" in errors
    assert "Traceback" not in errors


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def options(config: TrainConfig, path: Path) -> list[str]:
    path.write_text(config.to_yaml())
    return ["--config", str(path)]


@pytest.mark.slow
def test_a_process_killed_at_any_moment_resumes(straight: Path, tmp_path: Path) -> None:
    """Three times ``kill -9``, right after a line of the curves is written, while others are."""
    folder = tmp_path / "run"
    arguments = [*options(CONFIG, tmp_path / "c.yaml"), "--run-dir", str(folder)]
    for steps in (256, 640, 1024):
        process = start(*arguments)
        wait_for(lambda steps=steps: f",{steps}," in _text(folder / "progress.csv"))  # type: ignore[misc]
        process.kill()
        process.communicate()
        arguments = ["--resume", str(folder)]
    process = start(*arguments)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert (folder / "final.json").exists()
    assert_same_run(straight, folder)


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
