"""Networks: what a configuration describes, with random weights, and what model files say of it."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from scorpion_agents.afterstates.policy import AfterstateBuffer, AfterstatePolicy
from scorpion_agents.config.schema import TrainConfig
from scorpion_env.environment.spaces import action_space, observation_space
from scorpion_env.kernels.observation import (
    COLUMN,
    FACE_DOWN,
    ON_TOP,
    PLACE,
    PLACE_TAKEN,
    ROW,
    TO_COME,
)

_ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class FlatExtractor(BaseFeaturesExtractor):
    """Every card's row as numbers near 0 and 1, one card after another: the baseline.

    A card gives a one-hot column (with one more place for "in no column"), its row, the cards on
    top of it and the face-down cards of its column (each divided by 13), whether it was taken, and
    whether the player sees it; the reserve cards to come are given once.
    """

    def __init__(self, observation_space: spaces.Box) -> None:
        cards, _ = observation_space.shape
        self._columns = int(observation_space.high[0, COLUMN]) + 1
        super().__init__(observation_space, cards * (self._columns + 5) + 1)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the features, float32 ``(B, features)``, of observations ``(B, cards, 7)``."""
        column = observations[:, :, COLUMN].long()
        numbers = observations[:, :, [ROW, ON_TOP, FACE_DOWN]] / 13.0
        taken = observations[:, :, PLACE, None] == PLACE_TAKEN
        seen = observations[:, :, PLACE, None] > 0
        one_hot = nn.functional.one_hot(column, self._columns)
        rows = torch.cat([one_hot.float(), numbers, taken.float(), seen.float()], dim=2)
        to_come = observations[:, 0, TO_COME, None] / 3.0
        return torch.cat([rows.flatten(1), to_come], dim=1)


EXTRACTORS: dict[str, type[BaseFeaturesExtractor]] = {"flat": FlatExtractor}


POLICIES: dict[str, type[MaskableActorCriticPolicy]] = {
    "mlp": MaskableActorCriticPolicy,
    "afterstate": AfterstatePolicy,
}


def policy_arguments(config: TrainConfig) -> dict[str, Any]:
    """Return the ``policy_kwargs`` of the network that a configuration describes."""
    arguments: dict[str, Any] = {
        "net_arch": {"pi": list(config.net_arch.pi), "vf": list(config.net_arch.vf)},
        "activation_fn": _ACTIVATIONS[config.activation],
    }
    if config.policy == "afterstate":
        return arguments | {"rules": config.resolved.rules, "encoder": list(config.encoder)}
    return arguments | {"features_extractor_class": EXTRACTORS[config.extractor]}


def buffer_arguments(config: TrainConfig) -> dict[str, Any]:
    """Return the arguments of ``MaskablePPO`` that say which rollout buffer the policy needs."""
    if config.policy == "mlp":
        return {}
    return {
        "rollout_buffer_class": AfterstateBuffer,
        "rollout_buffer_kwargs": {"rules": config.resolved.rules},
    }


def share_descriptions(model: MaskablePPO) -> None:
    """Let the rollout buffer keep what the policy reads as it plays, where they can."""
    if isinstance(model.policy, AfterstatePolicy):
        assert isinstance(model.rollout_buffer, AfterstateBuffer)
        model.policy.record = model.rollout_buffer.keep


def describe_network(config: TrainConfig) -> dict[str, Any]:
    """Return what a model file says of its network: all that it takes to build it anew."""
    keys = {"policy", "extractor", "encoder", "net_arch", "activation", "mask_null_moves"}
    return config.model_dump(mode="json", include=keys)


def describe_values(config: TrainConfig) -> dict[str, Any]:
    """Return what a model file says of its critic's values: which returns they estimate."""
    keys = {"critic", "reward", "reward_scale", "win_bonus", "gamma"}
    return config.model_dump(mode="json", include=keys)


def empty_policy(config: TrainConfig) -> MaskableActorCriticPolicy:
    """Return the network that a configuration describes, with random weights."""
    rules = config.resolved.rules
    return POLICIES[config.policy](
        observation_space(rules), action_space(rules), lambda _: 0.0, **policy_arguments(config)
    )
