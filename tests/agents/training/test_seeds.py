"""Several seeds: each is trained as it would be alone, and their spread is told."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.training.checkpoint import read_checkpoint
from scorpion_agents.training.final import read_final
from scorpion_agents.training.seeds import SEEDS_FILE, parse_seeds, spread, start_seeds, train_seeds
from scorpion_agents.training.train import run_config, train
from scorpion_env import ScorpionError
from support.paths import ROOT

CONFIG = TrainConfig.model_validate(
    {
        "timesteps": 512,
        "num_envs": 16,
        "n_steps": 8,
        "batch_size": 64,
        "n_epochs": 1,
        "net_arch": [16],
        "threads": 1,
        "eval_every": 256,
        "eval_deals": "900000:900020",
        "final_deals": "0:20",
    }
)


@pytest.mark.parametrize(("text", "seeds"), [("0:3", [0, 1, 2]), ("7", [7]), ("4:5", [4])])
def test_seeds_are_named_by_first_and_end(text: str, seeds: list[int]) -> None:
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "3:3", "5:2", "a:b", "-1", "1:", ":3", "0:2000", "0,1"])
def test_a_text_that_names_no_seeds_is_refused(text: str) -> None:
    with pytest.raises(ScorpionError, match=f"--seeds {text}: "):
        parse_seeds(text)


def test_the_spread_is_that_over_seeds() -> None:
    found = spread([0.05, 0.06, 0.07])
    assert (found.low, found.high) == (0.05, 0.07)
    assert found.mean == pytest.approx(0.06)
    assert found.sd == pytest.approx(0.01)
    assert found.ci95 is not None
    assert list(found.ci95) == pytest.approx([0.06 - 0.024841, 0.06 + 0.024841], abs=1e-6)
    alone = spread([0.05])
    assert (alone.sd, alone.ci95) == (None, None)


def test_a_folder_with_something_in_it_is_no_parent(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    with pytest.raises(ScorpionError, match="is not empty"):
        start_seeds(CONFIG, [0], tmp_path)
    with pytest.raises(ScorpionError, match="cannot be read"):
        train_seeds(tmp_path)
    (tmp_path / SEEDS_FILE).write_text('{"seeds": ["../x"], "config": {}}')
    with pytest.raises(ScorpionError, match="it names no seeds"):
        train_seeds(tmp_path)


@pytest.mark.slow
def test_each_seed_is_trained_as_it_would_be_alone(tmp_path: Path) -> None:
    parent = tmp_path / "seeds"
    lines: list[str] = []
    start_seeds(CONFIG, [0, 1], parent)
    summary = train_seeds(parent, jobs=2, say=lines.append)
    assert summary is not None
    alone = tmp_path / "alone"
    train(CONFIG.model_copy(update={"seed": 1}), alone, say=lines.append)
    one, other = (read_checkpoint(f, run_config(f)) for f in (alone, parent / "seed-1"))
    assert one is not None
    assert other is not None
    for name, array in one.part("policy").items():
        assert (array == other.part("policy")[name]).all()
    figures = [read_final(parent / f"seed-{seed}").summary() for seed in (0, 1)]
    assert [result.mean_points for result in summary.results] == [f.mean_points for f in figures]
    assert summary.mean_points == spread([f.mean_points for f in figures])
    written = json.loads((parent / SEEDS_FILE).read_text())
    assert written["seeds"] == [0, 1]
    assert written["mean_points"]["mean"] == summary.mean_points.mean
    before = (parent / "seed-0" / "final.json").stat().st_mtime_ns
    assert train_seeds(parent, say=lines.append) == summary
    assert (parent / "seed-0" / "final.json").stat().st_mtime_ns == before


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends POSIX signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_seeds_processes_save_and_end_with_the_one_that_started_them(
    how: signal.Signals, tmp_path: Path
) -> None:
    config, parent = tmp_path / "c.yaml", tmp_path / "seeds"
    config.write_text(CONFIG.model_copy(update={"timesteps": 10**9}).to_yaml())
    errors = tmp_path / "errors.txt"
    with errors.open("w") as file:
        process = subprocess.Popen(
            [
                *(sys.executable, "scripts/train.py", "--config", str(config)),
                *("--seeds", "0:2", "--jobs", "2", "--run-dir", str(parent)),
            ],
            cwd=ROOT,
            stderr=file,
            start_new_session=True,
        )
        deadline = time.monotonic() + 120
        folders = [parent / "seed-0", parent / "seed-1"]
        while not all((folder / "progress.csv").exists() for folder in folders):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        workers = [int(n) for n in re.findall(r"process (\d+)", errors.read_text())]
        assert len(workers) == 2
        if how == signal.SIGINT:  # as a terminal does it: to all of them
            os.killpg(process.pid, how)
        else:
            process.kill()
        process.wait(timeout=60)
        while any(map(_is_alive, workers)) and time.monotonic() < deadline:
            time.sleep(0.1)
    assert not any(map(_is_alive, workers))
    for folder in folders:
        checkpoint = read_checkpoint(folder, run_config(folder))
        assert checkpoint is not None
        assert checkpoint.progress.timesteps > 0
    assert "Traceback" not in errors.read_text()
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)


@pytest.mark.parametrize(
    "text", ["4294967296", "4294967295:4294967297", "9" * 5000, "0:" + "9" * 99]
)
def test_a_seed_that_no_training_takes_is_refused_before_a_folder_is_made(text: str) -> None:
    with pytest.raises(ScorpionError, match="a seed lies between 0 and 4294967295"):
        parse_seeds(text)
