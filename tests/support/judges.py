"""A judge of positions that search players can ask, and positions to ask about."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_agents.base import Actions, Draws, Masks, Observations, Returns, Valuer
from scorpion_env.env import ScorpionEnv
from scorpion_env.kernels.observation import VISIBLE
from scorpion_env.rules import PRESETS

CLASSIC = PRESETS["classic"]
DRAWS = np.array([0.3])
ASKED: dict[str, Any] = {"reward_scale": 0.01, "win_bonus": 500.0, "gamma": 1.0}


class Judge(Valuer):
    """Likes all actions alike, and expects the more wins the more cards lie face up."""

    def __init__(self) -> None:
        super().__init__("judge", CLASSIC)
        self.returns = Returns("win", 1.0, 0.0, 1.0)
        self.seen: list[Observations] = []

    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        return masks.argmax(axis=1)

    def log_probabilities(self, observations: Observations, masks: Masks) -> Any:
        return np.where(masks, -np.log(masks.sum(axis=1, keepdims=True)), -np.inf)

    def values(self, observations: Observations) -> Any:
        self.seen.append(observations.copy())
        return observations[:, :, VISIBLE].sum(axis=1) / 52


def some_start(deal: int) -> tuple[Any, Any]:
    env = ScorpionEnv(CLASSIC)
    seen, _ = env.reset(options={"deal": deal})
    return seen, env.action_masks()
