"""Learning itself is a test: a short training must reach what random play does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorpion_agents import load_agent
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.training.train import train
from support.runs import run


@pytest.mark.slow
def test_the_afterstate_policy_learns_an_easy_variant_in_32_768_steps(tmp_path: Path) -> None:
    """On deals 0:1000 of Scorpion II, whose cards all lie open, after some ten seconds.

    Wins, with Wilson's interval: random 28.7 % (26.0 to 31.6), greedy 38.5 % (35.5 to 41.6),
    trained 40.4 % (37.4 to 43.5) with seed 0 and 42.7 % (39.7 to 45.8) with seed 1.
    """
    config = TrainConfig.model_validate(
        {
            "rules": "scorpion-ii",
            "policy": "afterstate",
            "critic": "full",
            "encoder": [32, 32],
            "net_arch": [64],
            "win_bonus": 200,
            "timesteps": 32_768,
            "num_envs": 128,
            "n_steps": 16,
            "batch_size": 512,
            "n_epochs": 4,
            "learning_rate": 2e-3,
            "gamma": 1.0,
            "threads": 1,
            "eval_every": 1_000_000,
            "eval_deals": "900000:900020",
            "checkpoint_every": 1_000_000,
        }
    )
    train(config, tmp_path / "run", say=lambda _: None)
    drawn, learnt = (
        evaluate(load_agent(name, "scorpion-ii"), "scorpion-ii", "0:1000").summary()
        for name in ("random", tmp_path / "run")
    )
    assert learnt.win_rate_ci95[0] > drawn.win_rate_ci95[1]
    assert learnt.illegal_actions == 0


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
