"""Masked PPO in one file: a network learns Scorpion from nothing but its own games.

Run it from the checkout, with the ``train`` extra installed::

    python examples/ppo.py
    python examples/ppo.py --steps 2000000 --seed 1

It prints a line every few updates: the points of the games that ended since, and how many steps it
plays a second. At the end it plays deals 0 to 499, which training never draws, and prints how many
it wins (with Wilson's interval) and its mean points beside those of random moves.

Proximal policy optimisation: Schulman et al., 2017. Generalised advantages: Schulman et al., 2016.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from scorpion_agents.evaluation.intervals import wilson_interval
from scorpion_env import ScorpionVectorEnv, get_rules
from scorpion_env.kernels.observation import COLUMN, PLACE, PLACE_TAKEN, VISIBLE
from scorpion_env.rollout import random_rollouts

RULES = "classic"
FIRST_TRAINING_DEAL = 1_000_000
"""Deals below are for evaluation."""


@dataclass(frozen=True)
class Settings:
    """What a training depends on; the defaults suit one core."""

    steps: int = 200_000
    seed: int = 0
    games: int = 128
    rollout: int = 32
    epochs: int = 4
    batch: int = 1024
    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    value_weight: float = 0.5
    entropy_weight: float = 0.01
    largest_gradient: float = 0.5
    reward_scale: float = 0.01
    hidden: int = 256


def features(observations: npt.NDArray[np.int8]) -> Tensor:
    """Return numbers near 0 and 1, float32 ``(B, features)``, for observations ``(B, 52, 7)``.

    The column of a card is one of eight kinds, "in none" included: eight numbers, one of them 1.
    """
    seen = torch.from_numpy(observations)
    column = nn.functional.one_hot(seen[:, :, COLUMN].long(), 8)
    counts = seen[:, :, COLUMN + 1 : VISIBLE] / 13  # row, cards on top, face-down cards
    taken = seen[:, :, PLACE, None] == PLACE_TAKEN
    cards = torch.cat([column, counts, taken, seen[:, :, VISIBLE:] / 3], dim=2)
    return cards.flatten(1)


class Network(nn.Module):
    """One body with two heads: the actor prefers actions, the critic expects points."""

    def __init__(self, inputs: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *(nn.Linear(inputs, hidden), nn.ReLU()), *(nn.Linear(hidden, hidden), nn.ReLU())
        )
        self.actor = nn.Linear(hidden, actions)
        self.critic = nn.Linear(hidden, 1)
        with torch.no_grad():
            self.actor.weight.mul_(0.01)  # begin with all actions about equally likely

    def forward(self, inputs: Tensor, masks: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution over actions and the expected return, float32 ``(B,)``."""
        body = self.body(inputs)
        logits = self.actor(body).masked_fill(~masks, -torch.inf)
        return Categorical(logits=logits, validate_args=False), self.critic(body).squeeze(-1)


class Rollout(NamedTuple):
    """What happened in `rollout` steps of all games; each tensor is ``(rollout, games, …)``."""

    inputs: Tensor
    masks: Tensor
    actions: Tensor
    log_probabilities: Tensor
    values: Tensor
    rewards: Tensor
    ended: Tensor


class Player:
    """Plays the network's games, from one rollout to the next."""

    def __init__(self, network: Network, settings: Settings) -> None:
        self.network = network
        self.settings = settings
        self.envs = ScorpionVectorEnv(
            settings.games, RULES, reward_scale=settings.reward_scale, mask_in_info=False
        )
        self.observations, _ = self.envs.reset(seed=FIRST_TRAINING_DEAL + settings.seed)
        self.points: list[int] = []

    @torch.no_grad()
    def play(self) -> tuple[Rollout, Tensor]:
        """Return a rollout, and the values of the positions that it ends in, ``(games,)``."""
        steps = []
        for _ in range(self.settings.rollout):
            inputs = features(self.observations)
            masks = torch.from_numpy(self.envs.action_masks())
            policy, values = self.network(inputs, masks)
            actions = policy.sample()
            self.observations, rewards, terminated, truncated, infos = self.envs.step(
                actions.numpy()
            )
            # A game that ended is followed by a new one at once; what it came to is in final_info.
            ended = terminated | truncated
            if ended.any():
                self.points += infos["final_info"]["score"][ended].tolist()
            paid = torch.from_numpy(rewards).float()
            log_p = policy.log_prob(actions)
            over = torch.from_numpy(ended)
            steps.append(Rollout(inputs, masks, actions, log_p, values, paid, over))
        rollout = Rollout(*map(torch.stack, zip(*steps, strict=True)))
        masks = torch.from_numpy(self.envs.action_masks())
        return rollout, self.network(features(self.observations), masks)[1]


def advantages(rollout: Rollout, next_values: Tensor, settings: Settings) -> Tensor:
    """Return how much better each action was than expected, float32 ``(rollout, games)``.

    An advantage is the error of the value plus the later errors of the same game, each step by
    ``gamma * gae_lambda`` less.
    """
    found = torch.zeros_like(rollout.rewards)
    later = torch.zeros_like(next_values)
    for step in reversed(range(len(found))):
        goes_on = 1.0 - rollout.ended[step].float()
        target = rollout.rewards[step] + settings.gamma * goes_on * next_values
        error = target - rollout.values[step]
        later = error + settings.gamma * settings.gae_lambda * goes_on * later
        found[step] = later
        next_values = rollout.values[step]
    return found


def update(
    network: Network,
    optimiser: torch.optim.Optimizer,
    rollout: Rollout,
    gains: Tensor,
    settings: Settings,
) -> None:
    """Improve the network on a rollout, several times over."""
    returns = (gains + rollout.values).flatten()
    gains = ((gains - gains.mean()) / (gains.std() + 1e-8)).flatten()
    inputs, masks, actions, old, *_ = (part.flatten(0, 1) for part in rollout)
    for _ in range(settings.epochs):
        order = torch.randperm(len(actions))
        for chosen in torch.split(order, settings.batch):
            policy, values = network(inputs[chosen], masks[chosen])
            # How much likelier the action is by now; beyond the clip there is nothing to gain.
            ratio = (policy.log_prob(actions[chosen]) - old[chosen]).exp()
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            policy_loss = -torch.min(ratio * gains[chosen], clipped * gains[chosen]).mean()
            value_loss = (values - returns[chosen]).square().mean()
            entropy = policy.entropy().mean()
            loss = policy_loss + settings.value_weight * value_loss
            loss = loss - settings.entropy_weight * entropy
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), settings.largest_gradient)
            optimiser.step()


def told(games: int, wins: int, points: float) -> str:
    """Return what a player's games came to, as text."""
    low, high = wilson_interval(wins, games)
    return f"{points:.1f} points, {wins} of {games} games won ({low:.1%} to {high:.1%})"


@torch.no_grad()
def evaluate(network: Network, games: int = 500) -> tuple[int, int, float]:
    """Play deals 0, 1, … once each, as in training; return games, wins, mean points."""
    envs = ScorpionVectorEnv(games, RULES, mask_in_info=False, autoreset_mode="DISABLED")
    observations, infos = envs.reset(seed=0)
    over = np.zeros(games, np.bool_)
    won = np.zeros(games, np.bool_)
    while not over.all():
        masks = torch.from_numpy(envs.action_masks())
        actions = network(features(observations), masks)[0].sample()
        observations, _, terminated, truncated, infos = envs.step(actions.numpy())
        over |= terminated | truncated
        won |= infos.get("is_success", won)
    return games, int(won.sum()), float(infos["score"].mean())


def train(settings: Settings, report_every: int = 10) -> Network:
    """Return a network that was trained as the settings say."""
    torch.set_num_threads(1)  # so small a network gains nothing from more
    torch.manual_seed(settings.seed)
    envs = ScorpionVectorEnv(1, RULES)
    inputs = features(envs.reset(seed=0)[0]).shape[1]
    network = Network(inputs, get_rules(RULES).num_actions, settings.hidden)
    optimiser = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, eps=1e-5)
    player = Player(network, settings)
    updates = settings.steps // (settings.games * settings.rollout)
    began = time.perf_counter()
    for number in range(1, updates + 1):
        rollout, next_values = player.play()
        gains = advantages(rollout, next_values, settings)
        update(network, optimiser, rollout, gains, settings)
        if number % report_every == 0 or number == updates:
            steps = number * settings.games * settings.rollout
            speed = steps / (time.perf_counter() - began)
            points = np.mean(player.points) if player.points else np.nan
            print(f"{steps:>9,} steps   {points:6.1f} points   {speed:,.0f} steps/s")
            player.points.clear()
    return network


def main() -> None:
    """Read the options, train and measure."""
    parser = argparse.ArgumentParser(description="Masked PPO on Scorpion, in one file.")
    parser.add_argument("--steps", type=int, default=Settings.steps)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    options = parser.parse_args()
    network = train(Settings(steps=options.steps, seed=options.seed))
    chance = random_rollouts(RULES, 0, 500)
    print(f"random:  {told(chance.games, chance.wins, chance.points / chance.games)}")
    print(f"trained: {told(*evaluate(network))}")


if __name__ == "__main__":
    main()
