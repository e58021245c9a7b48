"""Gymnasium ids, one for each preset, made from the table of presets."""

from __future__ import annotations

import gymnasium as gym

from scorpion_env.rules import PRESETS

DEFAULT_ID = "Scorpion-v0"
"""Plays Classic unless it is given other rules."""


def register_envs() -> None:
    """Register every id with Gymnasium; ids that are registered already are left alone."""
    ids: dict[str, dict[str, str]] = {DEFAULT_ID: {}}
    ids |= {rules.gym_id: {"rules": name} for name, rules in PRESETS.items()}
    for env_id, kwargs in ids.items():
        if env_id not in gym.registry:
            gym.register(
                id=env_id,
                entry_point="scorpion_env.env:ScorpionEnv",
                vector_entry_point="scorpion_env.vector_env:ScorpionVectorEnv",
                kwargs=kwargs,
            )


def registered_ids() -> list[str]:
    """Return the ids that this package registers."""
    return [DEFAULT_ID, *(rules.gym_id for rules in PRESETS.values())]
