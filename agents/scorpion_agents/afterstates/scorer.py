"""What a trained afterstate policy thinks of positions, computed without torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_agents.afterstates.describer import Describer
from scorpion_agents.afterstates.network import read_network, score
from scorpion_agents.base import Masks, Observations
from scorpion_env.rules import Rules

Scores = npt.NDArray[np.float64]


class Scorer:
    """The actor and the critic of an afterstate policy, compiled.

    Its answers depend neither on how many positions are asked about at once nor on their order, and
    they stay what they are when the policy learns on.

    Args:
        rules: The variant.
        weights: The policy's state dictionary, as arrays.
        activation: ``"relu"`` or ``"tanh"``.

    Raises:
        ScorpionError: if the features do not describe the variant, or the weights do not fit.
    """

    def __init__(
        self, rules: Rules, weights: Mapping[str, npt.NDArray[Any]], activation: str
    ) -> None:
        self._describer = Describer(rules)
        self._actor = read_network(weights, "actor", activation)
        self._critic = read_network(weights, "critic", activation)

    def logits(self, observations: Observations, masks: Masks) -> Scores:
        """Return the scores of actions, float64 ``(B, num_actions)``.

        Args:
            observations: int8 ``(B, 52, 7)``; hidden cards that a full one shows are not looked at.
            masks: bool ``(B, num_actions)``; where nothing is legal, the score is minus infinity.
        """
        after = self._describer.afterstates(observations, masks)
        scores = np.empty(len(after.games), np.float32)
        score(self._actor, after.cards, after.rest, scores)
        found = np.full(masks.shape, -np.inf)
        found[after.games, after.actions] = scores
        return found

    def values(self, observations: Observations) -> Scores:
        """Return the critic's values, float64 ``(B,)``, of observations int8 ``(B, 52, 7)``."""
        values = np.empty(len(observations), np.float32)
        score(self._critic, *self._describer.positions(observations), values)
        return values.astype(np.float64)
