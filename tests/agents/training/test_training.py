"""Training runs end to end, learns, saves, stops, and its models load without running code."""

from __future__ import annotations

import csv
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO

from scorpion_agents import load_agent
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.models import files as model_files
from scorpion_agents.models import ppo
from scorpion_agents.models.files import MODEL_FILE, WEIGHTS_FILES
from scorpion_agents.training import callback
from scorpion_agents.training.checkpoint import CHECKPOINT_FILE
from scorpion_agents.training.train import Stop, TrainingEnv, run_config, train
from scorpion_env import ScorpionError, get_rules, replay
from scorpion_env.environment.deal_lists import read_deal_list

ROOT = Path(__file__).resolve().parents[3]
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


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "small"
    result = run(folder)
    assert result.steps == 1024
    assert not result.interrupted
    return folder


def test_a_run_folder_holds_what_it_takes_to_repeat_the_run(trained: Path) -> None:
    about = json.loads((trained / "run.json").read_text())
    assert {"command", "versions", "git_revision", "threads", "device"} <= about.keys()
    for name in ("config.yaml", "progress.csv", "evaluations.csv", CHECKPOINT_FILE):
        assert (trained / name).stat().st_size > 0
    for name in ("best", "last"):
        about = json.loads((trained / name / MODEL_FILE).read_text())
        assert about["weights"] == weights_of(trained / name).name
    assert not list(trained.rglob("*.tmp"))
    assert list(trained.glob("events.out.tfevents.*"))
    assert replay.check(trained / "best" / "best_game.jsonl").moves > 0


def test_the_same_seed_gives_the_same_parameters(trained: Path, tmp_path: Path) -> None:
    run(tmp_path / "again")
    weights = [weights_of(f / "last").read_bytes() for f in (trained, tmp_path / "again")]
    assert weights[0] == weights[1]
    run(tmp_path / "other", seed=1)
    assert weights_of(tmp_path / "other" / "last").read_bytes() != weights[0]


def test_a_folder_with_something_in_it_is_never_overwritten(trained: Path) -> None:
    before = (trained / "run.json").read_text()
    with pytest.raises(ScorpionError, match="not empty"):
        run(trained)
    assert (trained / "run.json").read_text() == before


@pytest.mark.parametrize("stochastic", [False, True])
def test_the_agent_plays_alike_in_batches_of_any_size(trained: Path, stochastic: bool) -> None:
    agent = load_agent(trained, "classic", stochastic=stochastic)
    one, many = (
        evaluate(agent, "classic", "0:40", num_envs=n, max_steps=60).deals for n in (1, 40)
    )
    assert one == many
    assert not any(result.illegal for result in one)


def test_a_sampled_action_is_always_legal(trained: Path) -> None:
    agent = load_agent(trained, "classic", stochastic=True)
    env = TrainingEnv(32, "classic", seed=0)
    seen, masks = env.reset(), env.action_masks()
    for draw in (0.0, 0.5, np.nextafter(1.0, 0.0)):
        actions = agent.act(seen, masks, np.full(32, draw))
        assert masks[np.arange(32), actions].all()


def test_null_moves_are_left_out_of_the_masks_unless_nothing_else_is_legal() -> None:
    env = TrainingEnv(64, "classic", seed=0, max_steps=60)
    env.reset()
    rng = np.random.default_rng(0)
    fewer = 0
    for _ in range(60):
        env.mask_null_moves = False
        every = env.action_masks()
        env.mask_null_moves = True
        masks = env.action_masks()
        assert masks.any(axis=1).all()
        assert not (masks & ~every).any()
        fewer += int((every & ~masks).sum())
        env.step((rng.random(every.shape) * every).argmax(axis=1))
    assert fewer > 0


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
        (lambda d: d | {"versions": [1]}, "says nothing of versions"),
        (lambda d: d | {"weights": "../" + d["weights"]}, "names no weights file"),
    ]
    for change, words in changes:
        folder = tmp_path / words.replace(" ", "-")
        folder.mkdir(exist_ok=True)
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
    policy = ppo.empty_policy(get_rules("classic"), config)

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


def test_an_error_in_the_middle_of_a_training_keeps_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(callback, "evaluate", fail)
    with pytest.raises(OSError, match="disk is full"):
        run(tmp_path / "run", checkpoint_every=10**9)
    assert load_agent(tmp_path / "run", "classic").name


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ScorpionError, match="cannot be made"):
        run(tmp_path / "file" / "run")


def test_without_a_terminal_progress_is_told_in_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callback, "LINE_EVERY", 0)
    lines: list[str] = []
    train(TrainConfig.model_validate(SMALL), tmp_path / "run", say=lines.append)
    assert any("no progress bar" in line for line in lines)
    assert any("of 1,024 steps" in line and "mean points" in line for line in lines)


def test_the_last_evaluation_is_in_the_curves(trained: Path) -> None:
    rows = list(csv.DictReader((trained / "progress.csv").open()))
    assert rows[-1]["eval/mean_points"]
    assert rows[-1]["time/total_timesteps"] == "1024"


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


def test_a_stop_saves_and_ends(tmp_path: Path) -> None:
    stop = Stop()
    stop.ask()
    result = train(
        TrainConfig.model_validate(SMALL), tmp_path / "run", stop=stop, say=lambda _: None
    )
    assert result.interrupted
    assert result.steps < 1024
    assert load_agent(tmp_path / "run", "classic").name
    with pytest.raises(KeyboardInterrupt):
        stop.ask()


def test_ctrl_c_saves_the_model_and_exits_with_130(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = subprocess.Popen(
        [
            *(sys.executable, "scripts/train.py", "--run-dir", str(folder)),
            *("--set", "num_envs=16", "--set", "n_steps=16", "--set", "batch_size=128"),
            *("--set", "threads=1", "--timesteps", "1e8"),
        ],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    deadline = time.monotonic() + 120
    while not (folder / "progress.csv").exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "the model is saved" in errors
    assert load_agent(folder, get_rules("classic")).name


@pytest.mark.slow
def test_a_short_training_beats_random_play(tmp_path: Path) -> None:
    """On deals 0:1000 of the easy Scorpion II, in about 40 seconds on one core.

    A random player reaches 366 points (354 to 378) and wins 28.7 % (26.0 to 31.6).
    """
    result = run(
        tmp_path / "run",
        rules="scorpion-ii",
        timesteps=80_000,
        num_envs=64,
        n_steps=32,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        net_arch=[128],
        eval_every=1_000_000,
        checkpoint_every=1_000_000,
    )
    agents = [load_agent(name, "scorpion-ii") for name in ("random", result.folder)]
    drawn, learnt = (evaluate(agent, "scorpion-ii", "0:1000").summary() for agent in agents)
    assert drawn.mean_points_ci95 is not None
    assert learnt.mean_points_ci95 is not None
    assert learnt.mean_points_ci95[0] > drawn.mean_points_ci95[1]


def test_a_run_that_draws_from_a_list_keeps_a_copy_of_it(tmp_path: Path) -> None:
    deals = tmp_path / "easy.txt"
    deals.write_text("1000005  # 14 nodes\n1000016\n")
    result = run(tmp_path / "run", deals=str(deals), end_when="dead")
    config = run_config(result.folder)
    assert read_deal_list(Path(config.deals)).tolist() == [1000005, 1000016]
    assert Path(config.deals).parent == result.folder
    env = TrainingEnv(4, "classic", seed=0, deals=read_deal_list(Path(config.deals)))
    env.reset()
    assert {info["deal"] for info in env.reset_infos} <= {"1000005", "1000016"}
