"""A training whose numbers stop being finite ends at once, and nothing of it is kept.

A learning rate that is too large, or rewards out of all proportion, end in weights that are NaN.
The checks stand where they cost nothing: on a rollout before it is learnt from, on the weights
after the update, and on what the policy then says of a few games. What is written afterwards is the
last moment at which all of it was finite.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.models.files import not_finite
from scorpion_agents.training.recorded_env import RecordedVecEnv
from scorpion_env.errors import ScorpionError

PROBED = 32
"""Games in which the policy is asked for its values and logits."""

ROLLOUT = {
    "rewards": "a reward",
    "values": "a value of the critic",
    "log_probs": "a log-probability",
    "advantages": "an advantage",
}
"""Arrays of a rollout, and what one of their numbers is."""


LOSSES = ("loss", "value_loss", "policy_gradient_loss", "entropy_loss")
"""What Stable-Baselines3 records of an update."""


class Diverged(ScorpionError):
    """A training's numbers stopped being finite."""


class Guard:
    """Checks the numbers of a training.

    Args:
        config: What is trained.
        folder: The run folder, for the advice.
    """

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        self._config = config
        self._folder = folder

    def check_rollout(self, model: MaskablePPO) -> None:
        """Check what was played, before it is learnt from.

        Raises:
            Diverged: naming the first kind of number that is not finite.
        """
        for name, what in ROLLOUT.items():
            if not np.isfinite(getattr(model.rollout_buffer, name)).all():
                raise self._diverged(model, what)

    def check_update(self, model: MaskablePPO) -> None:
        """Check an update: losses, weights, optimiser, and what the policy makes of them.

        Raises:
            Diverged: naming the first kind of number that is not finite.
        """
        fault = fault_of(model)
        if fault is None and not all(
            math.isfinite(model.logger.name_to_value.get(f"train/{name}", 0.0)) for name in LOSSES
        ):
            fault = "a loss"
        if fault is not None:
            raise self._diverged(model, fault)

    @contextmanager
    def watch(self, model: MaskablePPO) -> Iterator[None]:
        """Say what an error came of, if it came of numbers that are not finite.

        Raises:
            Diverged: in place of what torch raises of such numbers.
        """
        try:
            yield
        except (ValueError, RuntimeError) as error:
            fault = None if isinstance(error, ScorpionError) else fault_of(model)
            if fault is None:
                raise
            raise self._diverged(model, fault) from error

    def _diverged(self, model: MaskablePPO, what: str) -> Diverged:
        rate = self._config.learning_rate(model._current_progress_remaining)
        return Diverged(
            f"The training ended at step {model.num_timesteps:,}: {what} is not finite. The last "
            f"good checkpoint is kept. Try a smaller learning_rate (now {rate:g}): --resume "
            f"{self._folder} --set learning_rate=VALUE; or, in a new run, a smaller reward_scale "
            f"(now {self._config.reward_scale:g})."
        )


def fault_of(model: MaskablePPO) -> str | None:
    """Return which number of a model is not finite, or None."""
    name = not_finite({k: v.cpu().numpy() for k, v in model.policy.state_dict().items()})
    if name is not None:
        return f"a weight of '{name}'"
    for state in model.policy.optimizer.state_dict()["state"].values():
        if not_finite({k: v.cpu().numpy() for k, v in state.items()}) is not None:
            return "a number of the optimiser"
    return _fault_of_play(model)


def _fault_of_play(model: MaskablePPO) -> str | None:
    """Look at what the policy says of some games; draws no random number."""
    env, seen = model.env, model._last_obs
    if seen is None or not isinstance(env, RecordedVecEnv):
        return None
    assert isinstance(seen, np.ndarray)
    with torch.inference_mode():
        observations = torch.from_numpy(seen[:PROBED]).to(model.device)
        values = model.policy.predict_values(observations)
        if not torch.isfinite(values).all():
            return "a value of the critic"
        try:
            chosen = model.policy.get_distribution(
                observations, action_masks=env.action_masks()[:PROBED]
            )
        except ValueError:  # the distribution checks its logits, where that is not switched off
            return "a logit of the actor"
        distribution: Any = chosen.distribution
        if not torch.isfinite(distribution.logits).all():
            return "a logit of the actor"
    return None
