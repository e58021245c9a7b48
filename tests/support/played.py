"""Positions from random games, as environments show them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from scorpion_agents import Agent
from scorpion_env import Game, Rules, ScorpionVectorEnv, replay
from scorpion_env.kernels.observation import TO_COME, VISIBLE
from scorpion_env.notation.move_text import action_text

FIRST_DEAL = 1_000_000
"""Deals from here on may be used to look at how agents play; those below measure them."""


def random_positions(rules: Rules, games: int, steps: int) -> Iterator[tuple[Any, Any]]:
    """The environment and what it shows in full, game by game, before each random step."""
    env = ScorpionVectorEnv(games, rules, observation="full", autoreset_mode="Disabled")
    seen, _ = env.reset(seed=FIRST_DEAL)
    rng = np.random.default_rng(0)
    live = np.ones(games, bool)
    for _ in range(steps):
        masks = env.action_masks()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        yield (seen[live], masks[live], actions[live]), live
        seen, _, terminated, truncated, _ = env.step(actions)
        live &= ~(terminated | truncated)
        if not live.any():
            return


def as_a_player_sees(observations: Any) -> Any:
    """Full observations without what a player does not see."""
    hidden = observations[:, :, VISIBLE] == 0
    shown = observations.copy()
    shown[hidden, :TO_COME] = 0
    return shown


def see(rules: Rules, board: str) -> tuple[Any, Any]:
    """Observation and mask of a board, with the leading dimension of one game."""
    env = ScorpionVectorEnv(1, rules, autoreset_mode=AutoresetMode.DISABLED)
    return env.reset(options={"board": board})[0], env.action_masks()


def choice(agent: Agent, board: str) -> str:
    """The move that an agent makes on a board."""
    action = agent.act(*see(agent.rules, board), np.zeros(1))
    return action_text(int(action[0]), agent.rules)


def positions(agent: Agent, games: int, steps: int) -> Iterator[tuple[Any, Any, Any]]:
    """Observations, masks and the agent's actions of games that go on, step by step."""
    env = ScorpionVectorEnv(games, agent.rules, autoreset_mode=AutoresetMode.DISABLED)
    observations, _ = env.reset(seed=FIRST_DEAL)
    live = np.ones(games, bool)
    draws = np.random.default_rng(0)
    for _ in range(steps):
        masks = env.action_masks()
        actions = np.zeros(games, np.int64)
        actions[live] = agent.act(observations[live], masks[live], draws.random(live.sum()))
        yield observations[live], masks[live], actions[live]
        observations, _, terminated, truncated, _ = env.step(actions)
        live &= ~(terminated | truncated)
        if not live.any():
            return


def short_game(path: Path) -> Path:
    """A replay of two moves, after which the game is lost."""
    game = Game.new(deal=23)
    replay.save(replay.from_game(game, [game.parse_move("6S>3"), game.parse_move("deal")]), path)
    return path
