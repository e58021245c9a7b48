"""Checkpoints: when they are written, and which are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorpion_agents import load_agent
from scorpion_agents.training.checkpoint import (
    CHECKPOINT_FILE,
    read_checkpoint,
    write_checkpoint,
)
from scorpion_agents.training.machine import alone_in
from scorpion_agents.training.train import Stop, resume, train
from scorpion_env import ScorpionError
from support.runs import CONFIG, copy_of, say_nothing


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


def test_what_is_no_run_or_no_longer_that_run_is_refused(straight: Path, tmp_path: Path) -> None:
    with pytest.raises(ScorpionError, match=r"no run folder: there is no such folder"):
        resume(tmp_path / "nowhere")
    with pytest.raises(ScorpionError, match=r"no run folder: there is no config\.yaml in it"):
        resume(tmp_path)
    with pytest.raises(ScorpionError, match="is complete: it was trained for 1,280 steps"):
        resume(straight)
    folder = copy_of(straight, tmp_path / "run")
    config = folder / "config.yaml"
    config.write_text(config.read_text().replace("gamma: 0.99", "gamma: 0.9"))
    with pytest.raises(ScorpionError, match=r"gamma 0\.99, but its config\.yaml now says 0\.9"):
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
