"""Training runs end to end, learns, saves, stops, and its models load without running code."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from scorpion_agents import load_agent
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.models.files import MODEL_FILE
from scorpion_agents.training import callback
from scorpion_agents.training.checkpoint import CHECKPOINT_FILE
from scorpion_agents.training.train import Stop, TrainingEnv, run_config, train
from scorpion_env import ScorpionError, replay
from scorpion_env.environment.deal_lists import read_deal_list
from support.runs import SMALL, run, weights_of


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
