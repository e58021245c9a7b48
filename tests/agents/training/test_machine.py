"""What a training notes of the machine it runs on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scorpion_agents.training.machine import chosen_threads
from scorpion_agents.training.train import resume
from support.runs import copy_of

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
