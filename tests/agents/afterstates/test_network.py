"""The compiled network against torch's, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from scorpion_agents import load_agent
from scorpion_agents.afterstates.network import read_network, score
from scorpion_agents.afterstates.policy import AfterstatePolicy, SuitsNet
from scorpion_agents.models.ppo import PPOAgent
from scorpion_agents.pretrained import pretrained_presets
from scorpion_env import ScorpionError, get_rules
from support.played import random_positions

TOLERANCE = 1e-4


def some_positions(preset: str) -> tuple[Any, Any]:
    """Full observations and masks of random games, at every step of them."""
    found = [seen for seen, _ in random_positions(get_rules(preset), games=64, steps=30)]
    return np.concatenate([seen for seen, _, _ in found]), np.concatenate([m for _, m, _ in found])


def net(encoder: list[int], head: list[int], activation: type[nn.Module] = nn.ReLU) -> SuitsNet:
    torch.manual_seed(len(encoder) + len(head))
    scale = np.linspace(0.1, 2, 9).astype(np.float32)
    return SuitsNet(scale, encoder, head, activation)


def weights_of(module: nn.Module) -> dict[str, Any]:
    return {f"net.{name}": array.numpy() for name, array in module.state_dict().items()}


@pytest.mark.parametrize("activation", [nn.ReLU, nn.Tanh])
@pytest.mark.parametrize(("encoder", "head"), [([5], []), ([64, 64], [128, 64]), ([7, 40, 3], [1])])
def test_every_build_of_network_gives_torchs_numbers(
    encoder: list[int], head: list[int], activation: type[nn.Module]
) -> None:
    torchs = net(encoder, head, activation)
    ours = read_network(weights_of(torchs), "net", activation.__name__.lower())
    rng = np.random.default_rng(3)
    width = torchs.card_scale.shape[0]
    cards = rng.integers(0, 4, (50, 4, width), np.uint8) * (rng.random((50, 4, width)) < 0.3)
    cards = cards.astype(np.uint8)
    rest = rng.integers(0, 14, (50, 9), np.uint8)
    cards[0], rest[0] = 0, 0  # nothing to multiply
    scores = np.empty(50, np.float32)
    score(ours, cards, rest, scores)
    with torch.no_grad():
        expected = torchs(torch.from_numpy(cards), torch.from_numpy(rest)).numpy()
    assert np.abs(scores - expected).max() < TOLERANCE


@pytest.mark.parametrize("preset", pretrained_presets())
def test_the_shipped_models_choose_as_torch_chooses(preset: str) -> None:
    agent = load_agent("pretrained", preset)
    assert isinstance(agent, PPOAgent)
    policy = agent._policy
    assert isinstance(policy, AfterstatePolicy)
    seen, masks = some_positions(preset)
    logits = policy.scorer().logits(seen, masks)
    with torch.no_grad():
        distribution = policy.get_distribution(torch.from_numpy(seen), masks)
        values = policy.predict_values(torch.from_numpy(seen)).numpy()[:, 0]
    torchs: Any = distribution.distribution
    expected = torchs.logits.numpy()
    assert (logits.argmax(axis=1) == expected.argmax(axis=1)).all()
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    assert np.abs(log_p - expected)[masks].max() < TOLERANCE
    assert np.abs(policy.scorer().values(seen) - values).max() < TOLERANCE


def test_an_agent_keeps_the_weights_it_was_made_with() -> None:
    agent = load_agent("pretrained", "classic")
    assert isinstance(agent, PPOAgent)
    seen, masks = some_positions("classic")
    draws = np.zeros(len(masks))
    before = agent.act(seen, masks, draws)
    with torch.no_grad():
        for parameter in agent._policy.parameters():
            parameter.neg_()
    assert (agent.act(seen, masks, draws) == before).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda w: w.pop("net.card_scale"), "no afterstate policy: 'net.card_scale'"),
        (lambda w: w.pop("net.encoder.1.bias"), r"no afterstate policy: 'net.encoder.1.bias'"),
        (lambda w: w.update({"net.head.0.bias": np.zeros(3)}), "net.head has biases that do not"),
        (lambda w: w.update({"net.card_scale": np.zeros(3)}), "no afterstate policy"),
        (lambda w: w.update({"net.rest_scale": np.ones(8)}), "layers of the net do not fit"),
    ],
)
def test_weights_that_do_not_fit_are_refused(change: Any, sentence: str) -> None:
    weights = weights_of(net([6, 6], [5]))
    change(weights)
    with pytest.raises(ScorpionError, match=sentence):
        read_network(weights, "net", "relu")
