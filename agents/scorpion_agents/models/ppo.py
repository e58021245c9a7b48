"""PPO agents: trained policies that play, written to files and loaded from them.

Models are folders that execute nothing when they are loaded, see
:mod:`scorpion_agents.models.files`. Stable-Baselines3's zip files can run code when they are read;
they are loaded only on request (``trust``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

import scorpion_env
from scorpion_agents.afterstates.policy import AfterstatePolicy
from scorpion_agents.base import (
    Actions,
    Agent,
    Draws,
    Masks,
    Observations,
    Returns,
    Valuer,
    null_moves,
)
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.models.description import (
    MODEL_FORMAT,
    MODEL_VERSION,
    read_description,
    read_weights,
)
from scorpion_agents.models.files import (
    MODEL_FILE,
    find_model,
    not_finite,
    write_model,
)
from scorpion_agents.models.networks import describe_network, describe_values, empty_policy
from scorpion_agents.schemas import first_fault
from scorpion_env.environment.spaces import action_space, observation_space
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules

CHUNK = 64
"""Games are fed to the network in batches of exactly so many: the rounding of a matrix product can
depend on its size, and no decision shall depend on how many games run at once."""


def without_null_moves(observations: Observations, masks: Masks, rules: Rules) -> Masks:
    """Return the masks without null moves, except where nothing else is legal."""
    useful = masks & ~null_moves(observations, masks, rules)
    return np.where(useful.any(axis=1, keepdims=True), useful, masks)


class PPOAgent(Agent):
    """A trained policy: it takes the likeliest legal action, or draws one.

    An afterstate policy plays with the weights that it has when the agent is made.
    """

    def __init__(
        self,
        name: str,
        rules: Rules,
        policy: MaskableActorCriticPolicy,
        *,
        mask_null_moves: bool,
        stochastic: bool = False,
    ) -> None:
        super().__init__(name, rules)
        self.stochastic = stochastic
        self._policy = policy
        self._mask_null_moves = mask_null_moves
        self._scorer = policy.scorer() if isinstance(policy, AfterstatePolicy) else None
        policy.set_training_mode(False)

    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        """Choose an action in each of B games; see `Agent.act`."""
        logits = self._scores(observations, masks)
        if not self.stochastic:
            return logits.argmax(axis=1)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1)
        # The last action with any weight takes what rounding leaves of the interval.
        drawn = (weights <= (draws * weights[:, -1])[:, None]).sum(axis=1)
        last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return np.minimum(drawn, last)

    def _scores(self, observations: Observations, masks: Masks) -> Any:
        """Return float64 ``(B, num_actions)``, minus infinity for what it never does."""
        if self._mask_null_moves:
            masks = without_null_moves(observations, masks, self.rules)
        if self._scorer is not None:
            return self._scorer.logits(observations, masks)
        parts = range(0, len(observations), CHUNK)
        chunks = [self._logits(observations[i : i + CHUNK]) for i in parts]
        return np.where(masks, np.concatenate(chunks), -np.inf)

    def _logits(self, observations: Observations) -> Any:
        games = len(observations)
        padded = np.zeros((CHUNK, *observations.shape[1:]), np.float32)
        padded[:games] = observations
        policy = self._policy
        with torch.inference_mode():
            features = policy.pi_features_extractor(torch.from_numpy(padded).to(policy.device))
            latent = policy.mlp_extractor.forward_actor(features)
            logits = policy.action_net(latent)
        return logits[:games].cpu().numpy().astype(np.float64)


class ValuingAgent(PPOAgent, Valuer):
    """A trained policy whose critic saw all cards in training, and what its values mean."""

    def __init__(
        self,
        name: str,
        rules: Rules,
        policy: AfterstatePolicy,
        returns: Returns,
        *,
        mask_null_moves: bool,
        stochastic: bool = False,
    ) -> None:
        super().__init__(
            name, rules, policy, mask_null_moves=mask_null_moves, stochastic=stochastic
        )
        self.returns = returns

    def log_probabilities(self, observations: Observations, masks: Masks) -> Any:
        """Return float64 ``(B, num_actions)``; see `Valuer.log_probabilities`."""
        scores = self._scores(observations, masks)
        scores = scores - scores.max(axis=1, keepdims=True)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    def values(self, observations: Observations) -> Any:
        """Return float64 ``(B,)`` for full observations; see `Valuer.values`."""
        assert self._scorer is not None
        return self._scorer.values(observations)


# --- models on disk -----------------------------------------------------------------------------


def save_model(
    folder: Path,
    policy: MaskableActorCriticPolicy,
    config: TrainConfig,
    about: dict[str, Any],
) -> None:
    """Write a policy as weights and description; a reader finds the old model or the new one.

    Args:
        folder: Where to; made if need be.
        policy: The network.
        config: The configuration it was trained with.
        about: What else the description says, for people: steps, command, scores.
    """
    description = {
        "format": MODEL_FORMAT,
        "version": MODEL_VERSION,
        "rules": config.resolved.rules.as_dict(),
        "network": describe_network(config),
        "values": describe_values(config),
        "versions": {"scorpion_env": scorpion_env.__version__, "torch": str(torch.__version__)},
        **about,
    }
    weights = {k: v.cpu().contiguous() for k, v in policy.state_dict().items()}
    refuse_not_finite(weights, f"The model for {folder}")
    write_model(folder, save_tensors(weights), description)


def refuse_not_finite(weights: Mapping[str, torch.Tensor], whose: str) -> None:
    """Refuse weights with which nothing can be computed.

    Raises:
        ScorpionError: naming the first of them.
    """
    name = not_finite({k: v.numpy() for k, v in weights.items()})
    if name is not None:
        raise ScorpionError(f"{whose} holds weights that are not finite, in '{name}'.")


def load_ppo(
    path: str | Path, rules: Rules, *, stochastic: bool = False, trust: bool = False
) -> PPOAgent:
    """Return the agent of a run folder (its best model, else its last) or of a model folder.

    Args:
        path: The folder, or with `trust` a zip file of MaskablePPO.
        rules: The variant that it is to play.
        stochastic: Draw actions instead of taking the likeliest.
        trust: Read a zip file, which can execute code.

    Raises:
        ScorpionError: if there is no such model, it is damaged, or it plays another variant.
    """
    path = Path(path)
    if path.is_file() and path.suffix != ".zip":
        raise ScorpionError(f"{path} is no model by itself; name the folder that it lies in.")
    if path.is_file():
        return _load_zip(path, rules, stochastic=stochastic, trust=trust)
    return _load_folder(find_model(path), path, rules, stochastic=stochastic)


def _load_folder(folder: Path, path: Path, rules: Rules, *, stochastic: bool) -> PPOAgent:
    about = read_description(folder)
    if about.rules != rules:
        raise ScorpionError(
            f"The model in {folder} plays rules '{about.rules.name}', not '{rules.name}'."
        )
    try:
        described = about.network | about.values | {"rules": rules.as_dict()}
        config = TrainConfig.model_validate(described)
        policy = empty_policy(config)
        weights = load_tensors(read_weights(folder, about))
        refuse_not_finite(weights, f"The model in {folder}")
        policy.load_state_dict(weights)
    except ScorpionError:
        raise
    except (ValueError, KeyError, RuntimeError, SafetensorError) as error:
        written = about.versions.get("scorpion_env", "unknown")
        raise ScorpionError(
            f"The model in {folder}, written by scorpion_env {written}, cannot be loaded by "
            f"scorpion_env {scorpion_env.__version__}: {_reason(error)}"
        ) from error
    options: dict[str, Any] = {"mask_null_moves": config.mask_null_moves, "stochastic": stochastic}
    returns = Returns(config.reward, config.reward_scale, config.win_bonus, config.gamma)
    # What "points-once" pays depends on what was placed before, which no position tells.
    tells = config.critic == "full" and config.reward != "points-once" and returns.win > 0
    if isinstance(policy, AfterstatePolicy) and tells:
        return ValuingAgent(str(path), rules, policy, returns, **options)
    return PPOAgent(str(path), rules, policy, **options)


def start_from(policy: MaskableActorCriticPolicy, path: Path, config: TrainConfig) -> None:
    """Give a policy the weights of an earlier model, of whatever rules, with the same network.

    Args:
        policy: Its weights are replaced.
        path: A run folder (its last model) or a model folder.
        config: What the policy was made by.

    Raises:
        ScorpionError: if there is no such model, it is damaged, or its network is another one.
    """
    folder = path / "last" if (path / "last" / MODEL_FILE).is_file() else find_model(path)
    about = read_description(folder)
    network = describe_network(config)
    for key in network.keys() | about.network.keys():
        if about.network.get(key) != network.get(key):
            raise ScorpionError(
                f"The model in {folder} has {key} {about.network.get(key)}, this configuration "
                f"{network.get(key)}; start_from needs the same network."
            )
    try:
        weights = load_tensors(read_weights(folder, about))
        refuse_not_finite(weights, f"The model in {folder}")
        policy.load_state_dict(weights)
    except (RuntimeError, SafetensorError) as error:
        raise ScorpionError(f"The model in {folder} cannot be loaded: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return f"{first_fault(error)}."
    return str(error).splitlines()[0]


def _load_zip(path: Path, rules: Rules, *, stochastic: bool, trust: bool) -> PPOAgent:
    if not trust:
        raise ScorpionError(
            f"{path} can execute code when it is loaded. Name the run folder or a folder with "
            f"{MODEL_FILE} instead; if you know where the file comes from, add --trust."
        )
    try:
        model = MaskablePPO.load(path, device="cpu")
    except Exception as error:  # whatever a damaged or foreign file leads to
        raise ScorpionError(f"{path} is no model of MaskablePPO: {error}") from error
    if model.action_space != action_space(rules) or model.observation_space != observation_space(
        rules
    ):
        raise ScorpionError(f"The model in {path} was not trained on rules '{rules.name}'.")
    return PPOAgent(str(path), rules, model.policy, mask_null_moves=True, stochastic=stochastic)
