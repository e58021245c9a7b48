"""A policy for MaskablePPO that scores each legal action by the position it leads to.

The actor sees what a player sees. For each legal action it reads the features of the afterstate
(:mod:`scorpion_agents.afterstates.describer`): one small encoder, the same for all four suits,
makes each suit's cards into a code; sum and maximum of the four codes, with what is said of the
position and of the move, give the score. Permuting the suits changes nothing. Legal actions are
few, so the network works on them alone, and never on the other hundreds.

The critic values the position before the move, with a network of the same build. Where the
environment shows every card (``observation="full"``), it uses them; the actor never does, and the
critic is needed in training only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn
from torch.nn import functional

from scorpion_agents.afterstates.describer import Afterstates, Describer
from scorpion_agents.afterstates.feature_names import CARD_SCALE, MOVE_SCALE, POSITION_SCALE
from scorpion_agents.afterstates.scorer import Scorer
from scorpion_agents.base import Masks, Observations
from scorpion_env.cards import CARDS_PER_SUIT
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules

FIRST_SCORES = 0.01
"""The last layer of the actor begins so small: all legal actions are about equally likely then."""

ILLEGAL = -1e8
"""Logit of an action that is not legal; its probability is exactly 0."""


@dataclass(frozen=True)
class Described:
    """B positions of a rollout with all that the policy reads of them.

    Attributes:
        after: What follows their legal actions.
        cards, rest: The positions themselves, as :meth:`Describer.positions` returns them.
    """

    after: Afterstates
    cards: npt.NDArray[np.uint8]
    rest: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, describer: Describer, observations: Observations, masks: Masks) -> Described:
        """Describe observations int8 ``(B, 52, 7)`` with masks bool ``(B, num_actions)``."""
        after = describer.afterstates(observations, masks)
        return cls(after, *describer.positions(observations))

    @classmethod
    def join(cls, parts: Sequence[Described]) -> Described:
        """Return what is described one after another as one."""
        return cls(
            Afterstates.join([part.after for part in parts]),
            np.concatenate([part.cards for part in parts]),
            np.concatenate([part.rest for part in parts]),
        )

    def take(self, positions: npt.NDArray[np.int64]) -> Described:
        """Return some of the positions, int64 ``(M,)``, in the order given."""
        return Described(self.after.take(positions), self.cards[positions], self.rest[positions])


class AfterstateBuffer(MaskableRolloutBuffer):
    """A rollout buffer that keeps what the policy read, so that no epoch describes it anew.

    Its samples carry, in the place of observations, what :class:`AfterstatePolicy` reads of them.
    A policy whose `record` is this buffer's `keep` hands that over as it plays; without it the
    buffer describes each rollout once.
    """

    def __init__(self, *args: Any, rules: Rules, **others: Any) -> None:
        self._describer = Describer(rules)
        self._kept: list[Described] = []
        super().__init__(*args, **others)

    def keep(self, described: Described) -> None:
        """Keep what the policy read of the positions of one step."""
        self._kept.append(described)

    def reset(self) -> None:
        """Forget the last rollout."""
        self._kept = []
        super().reset()

    def get(self, batch_size: int | None = None) -> Any:
        """Yield samples, in random order, of a full buffer."""
        if not self.generator_ready:
            steps, games = self.buffer_size, self.n_envs
            if len(self._kept) == steps:
                # The base class lays out game by game what was played step by step.
                order = np.arange(steps * games).reshape(steps, games).T.reshape(-1)
                self._described = Described.join(self._kept).take(order)
                self._kept = []
            else:
                flat = (self.swap_and_flatten(a) for a in (self.observations, self.action_masks))
                seen, masks = flat
                self._described = Described.of(self._describer, seen, masks.astype(np.bool_))
        yield from super().get(batch_size)

    def _get_samples(self, batch_inds: npt.NDArray[Any], env: Any = None) -> Any:
        samples: Any = super()._get_samples(batch_inds, env)
        return samples._replace(observations=self._described.take(batch_inds))


class SuitsNet(nn.Module):
    """A number for each position: suits encoded alike, pooled, and joined with the rest.

    Args:
        scale: Of the other features, float32 ``(rest,)``.
        encoder: Widths of the layers that encode a suit.
        head: Widths of the hidden layers after the pooling.
        activation: Between all layers.
    """

    card_scale: torch.Tensor
    rest_scale: torch.Tensor

    def __init__(
        self,
        scale: npt.NDArray[np.float32],
        encoder: Sequence[int],
        head: Sequence[int],
        activation: type[nn.Module],
    ) -> None:
        super().__init__()
        self._activation = activation()
        widths = [CARDS_PER_SUIT * len(CARD_SCALE), *encoder]
        self.encoder = nn.ModuleList(map(nn.Linear, widths[:-1], widths[1:]))
        widths = [2 * encoder[-1] + len(scale), *head, 1]
        self.head = nn.ModuleList(map(nn.Linear, widths[:-1], widths[1:]))
        self.register_buffer("card_scale", torch.from_numpy(np.tile(CARD_SCALE, CARDS_PER_SUIT)))
        self.register_buffer("rest_scale", torch.from_numpy(scale))

    def forward(self, cards: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
        """Return float32 ``(N,)`` for uint8 ``(N, 4, features of 13 cards)`` and ``(N, rest)``."""
        first = self.encoder[0]
        assert isinstance(first, nn.Linear)
        # Scaling the weights costs less than scaling the features.
        codes = functional.linear(cards.float(), first.weight * self.card_scale, first.bias)
        codes = self._activation(codes)
        for layer in self.encoder[1:]:
            codes = self._activation(layer(codes))
        x = torch.cat([codes.sum(1), codes.amax(1), rest.float() * self.rest_scale], dim=1)
        for layer in self.head[:-1]:
            x = self._activation(layer(x))
        return self.head[-1](x).squeeze(1)


class AfterstatePolicy(MaskableActorCriticPolicy):
    """Scores afterstates; see the module.

    Args:
        observation_space, action_space, lr_schedule: As every policy has them.
        rules: The variant.
        encoder: Widths of the layers that encode a suit, for actor and critic alike.
        net_arch: ``{"pi": [...], "vf": [...]}``, widths of the hidden layers after the pooling.
        activation_fn: Between all layers.

    Attributes:
        record: Receives what was read of the positions in which actions were chosen; None at first.

    Raises:
        ScorpionError: if the features do not describe the variant.
    """

    record: Callable[[Described], None] | None = None

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Any,
        rules: Rules,
        encoder: Sequence[int],
        net_arch: dict[str, list[int]],
        activation_fn: type[nn.Module] = nn.ReLU,
        **others: Any,
    ) -> None:
        self._rules = rules
        self._encoder = list(encoder)
        self._describer = Describer(rules)
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            net_arch=net_arch,
            activation_fn=activation_fn,
            **others,
        )

    def _build(self, lr_schedule: Any) -> None:
        assert isinstance(self.net_arch, dict)
        both = np.concatenate([POSITION_SCALE, MOVE_SCALE])
        activation = self.activation_fn
        self.actor = SuitsNet(both, self._encoder, self.net_arch["pi"], activation)
        self.critic = SuitsNet(POSITION_SCALE, self._encoder, self.net_arch["vf"], activation)
        last = self.actor.head[-1]
        assert isinstance(last, nn.Linear)
        with torch.no_grad():
            last.weight *= FIRST_SCORES
            last.bias.zero_()
        make_optimizer: Any = self.optimizer_class
        self.optimizer = make_optimizer(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {
            "rules": self._rules,
            "encoder": self._encoder,
        }

    # --- what MaskablePPO calls

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Choose an action in each of B games.

        Args:
            obs: int8 ``(B, 52, 7)``.
            deterministic: Whether to take the likeliest action instead of drawing one.
            action_masks: bool ``(B, num_actions)``.

        Returns:
            Actions int64 ``(B,)``, values ``(B, 1)`` and log-probabilities ``(B,)``.
        """
        described = Described.of(self._describer, obs.cpu().numpy(), _as_masks(action_masks))
        if self.record is not None:
            self.record(described)
        after = described.after
        log_p = self._log_probabilities(after)
        chosen = log_p.argmax(1) if deterministic else torch.multinomial(log_p.exp(), 1).squeeze(1)
        actions = torch.from_numpy(after.actions[after.starts[:-1] + chosen.cpu().numpy()])
        return actions.to(obs.device), self._values(described), _pick(log_p, chosen)

    def evaluate_actions(
        self, obs: torch.Tensor | Described, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return values ``(B, 1)``, log-probabilities ``(B,)`` and entropies ``(B,)``.

        `obs` may be what `AfterstateBuffer` has described already; the masks are then in it.
        """
        if not isinstance(obs, Described):
            obs = Described.of(self._describer, obs.cpu().numpy(), _as_masks(action_masks))
        after = obs.after
        log_p = self._log_probabilities(after)
        is_chosen = after.actions == actions.cpu().numpy()[after.games]
        chosen = torch.from_numpy(np.flatnonzero(is_chosen) - after.starts[:-1]).to(log_p.device)
        entropy = -(log_p.exp() * log_p).sum(1)
        return self._values(obs), _pick(log_p, chosen), entropy

    def predict_values(self, obs: Any) -> torch.Tensor:
        """Return the values of positions, ``(B, 1)``."""
        cards, rest = self._describer.positions(obs.cpu().numpy())
        return self.critic(*self._tensors(cards, rest)).unsqueeze(1)

    def get_distribution(self, obs: Any, action_masks: Any = None) -> MaskableDistribution:
        """Return the distribution over all actions, the illegal ones at probability 0."""
        masks = _as_masks(action_masks)
        after = self._describer.afterstates(obs.cpu().numpy(), masks)
        scores = self.actor(*self._tensors(after.cards, after.rest))
        logits = scores.new_full(masks.shape, ILLEGAL)
        logits[torch.from_numpy(after.games), torch.from_numpy(after.actions)] = scores
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        distribution.apply_masking(masks)
        return distribution

    def scorer(self) -> Scorer:
        """Return actor and critic, as they are now, compiled."""
        weights = {name: array.cpu().numpy() for name, array in self.state_dict().items()}
        is_tanh = issubclass(self.activation_fn, nn.Tanh)
        return Scorer(self._rules, weights, "tanh" if is_tanh else "relu")

    # --- inside

    def _tensors(self, *arrays: npt.NDArray[np.uint8]) -> Any:
        return (torch.from_numpy(array).to(self.device) for array in arrays)

    def _values(self, described: Described) -> torch.Tensor:
        return self.critic(*self._tensors(described.cards, described.rest)).unsqueeze(1)

    def _log_probabilities(self, after: Afterstates) -> torch.Tensor:
        """Return log-probabilities float32 ``(B, L)`` of each position's first, second, … action.

        L is the largest number of actions; the places that are left over have probability 0.
        """
        scores = self.actor(*self._tensors(after.cards, after.rest))
        counts = np.diff(after.starts)
        place = torch.from_numpy(np.arange(len(after.games)) - after.starts[after.games])
        games = torch.from_numpy(after.games)
        logits = scores.new_full((len(counts), int(counts.max())), ILLEGAL)
        logits = logits.index_put((games.to(scores.device), place.to(scores.device)), scores)
        return logits.log_softmax(1)


def _pick(log_p: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    return log_p.gather(1, chosen.unsqueeze(1)).squeeze(1)


def _as_masks(action_masks: Any) -> npt.NDArray[np.bool_]:
    if action_masks is None:
        raise ScorpionError("The afterstate policy scores legal actions alone: pass action_masks.")
    if isinstance(action_masks, torch.Tensor):
        action_masks = action_masks.cpu().numpy()
    masks = np.asarray(action_masks, np.bool_)
    return masks[None] if masks.ndim == 1 else masks
