"""A training that was killed goes on as if it had not been."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from scorpion_agents import load_agent
from scorpion_agents.training.checkpoint import (
    read_checkpoint,
)
from scorpion_agents.training.train import Stop, TrainingEnv, is_complete, resume, run_config, train
from support.runs import (
    CONFIG,
    Killed,
    assert_same_run,
    assert_same_state,
    kill_after,
    rows,
    say_nothing,
)


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
