"""Small networks, and models on disk with random weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.models.networks import empty_policy
from scorpion_agents.models.ppo import save_model

SMALL: dict[str, Any] = {
    "policy": "afterstate",
    "critic": "full",
    "encoder": [8],
    "net_arch": [8],
    "timesteps": 1024,
    "num_envs": 16,
    "n_steps": 16,
    "batch_size": 128,
    "n_epochs": 2,
    "threads": 1,
    "eval_every": 512,
    "eval_deals": "900000:900020",
    "checkpoint_every": 512,
}


def make_model(
    folder: Path, rules: str | dict[str, Any] = "classic", seed: int = 0, **changes: Any
) -> Path:
    """A model with random weights."""
    config = TrainConfig.model_validate(SMALL | {"rules": rules} | changes)
    torch.manual_seed(seed)
    policy = empty_policy(config)
    save_model(folder, policy, config, {"timesteps": 0, "seed": seed})
    return folder


def make_run(folder: Path, **changes: Any) -> Path:
    """A run folder as far as an export reads it."""
    make_model(folder / "best")
    config = TrainConfig.model_validate(SMALL | changes)
    (folder / "config.yaml").write_text(config.to_yaml())
    about = {"command": "python scripts/train.py", "started": "then", "git_revision": None}
    (folder / "run.json").write_text(json.dumps(about | {"versions": {}}))
    return folder
