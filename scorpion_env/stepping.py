"""Environment steps, compiled: what a batch of games does in one call of `step`.

The rules are in :mod:`scorpion_env.kernels`. Here is what Gymnasium adds: illegal actions, rewards,
masks and observations kept up to date in place, ends, and the automatic start of the next game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.compiled import compiled
from scorpion_env.deals import episode_deal
from scorpion_env.kernels import conclude, play, start_deal
from scorpion_env.observation import observe_game, observe_move
from scorpion_env.rewards import REWARD_POINTS, REWARD_POINTS_ONCE
from scorpion_env.state import LOST, PLAYING, TRUNCATED, WON

ILLEGAL_ACTIONS = ("noop", "terminate", "raise")
"""What an illegal action does, besides costing a step and earning nothing."""

ILLEGAL_NOOP, ILLEGAL_TERMINATE, ILLEGAL_RAISE = range(3)

AUTORESET_DISABLED, AUTORESET_SAME_STEP, AUTORESET_NEXT_STEP = range(3)


@compiled
def write_mask(g: Any, mask: Any, b: Any) -> None:
    """Write a game's mask into row `b` of `mask`, uint8, that is all zero: all 1 at the end."""
    if g.status != PLAYING:
        mask[b, :] = 1
    else:
        for i in range(g.legal_count):
            mask[b, g.legal[i]] = 1


@compiled
def clear_mask(g: Any, mask: Any, b: Any) -> None:
    """Set to zero what `write_mask` wrote, before the game changes."""
    if g.status != PLAYING:
        mask[b, :] = 0
    else:
        for i in range(g.legal_count):
            mask[b, g.legal[i]] = 0


@compiled
def present(g: Any, rules: Any, settings: Any, mask: Any, seen: Any, b: Any) -> None:
    """Write mask and observation of a game that has just been started into their rows `b`."""
    mask[b, :] = 0
    write_mask(g, mask, b)
    observe_game(g, rules, seen, b, settings.observe_all)


@compiled
def start_next(g: Any, rules: Any, settings: Any, mask: Any, seen: Any, b: Any) -> None:
    """Start the next episode of a game, on the deal that its seed and slot give for it."""
    g.episode += np.uint64(1)
    start_deal(g, rules, episode_deal(g.seed, g.slot, g.episode))
    present(g, rules, settings, mask, seen, b)


@compiled
def start_seeded(
    games: Any, rules: Any, settings: Any, chosen: Any, numbers: Any, mask: Any, seen: Any
) -> None:
    """Start the chosen games (bool) of a batch on seeded deals (uint64)."""
    for b in range(games.shape[0]):
        if chosen[b]:
            start_deal(games[b], rules[0], numbers[b])
            present(games[b], rules[0], settings[0], mask, seen, b)


@compiled
def _step_game(
    g: Any, rules: Any, settings: Any, action: Any, mask: Any, seen: Any, b: Any, log: Any
) -> Any:
    """Play one action in a game that goes on; return its reward before scaling."""
    g.illegal = 0
    g.steps += 1
    if not mask[b, action]:
        g.illegal = 1
        g.points = g.points_again = 0
        if settings.illegal_action == ILLEGAL_TERMINATE or g.steps >= rules.max_steps:
            clear_mask(g, mask, b)
            g.status = LOST if settings.illegal_action == ILLEGAL_TERMINATE else TRUNCATED
            write_mask(g, mask, b)
        return 0.0
    clear_mask(g, mask, b)
    columns = g.end.shape[0]
    runs = g.runs
    if action < g.below.shape[0] * columns:
        card = action // columns
        source = g.column[card]
        play(g, rules, action, log)
        observe_move(g, rules, seen, b, card, source, runs, settings.observe_all)
    else:
        play(g, rules, action, log)
        observe_game(g, rules, seen, b, settings.observe_all)
    conclude(g, rules)
    write_mask(g, mask, b)
    if settings.reward == REWARD_POINTS:
        return float(g.points)
    if settings.reward == REWARD_POINTS_ONCE:
        return float(g.points - g.points_again)
    return 1.0 if g.status == WON else 0.0


@compiled
def step_single(
    games: Any, rules: Any, settings: Any, action: Any, mask: Any, seen: Any, log: Any
) -> Any:
    """Play one action in the only game of a batch.

    Returns:
        Reward, status, whether the action was illegal, score, runs, moves. A tuple of numbers costs
        Python far less than to read them from a record one by one.
    """
    g = games[0]
    reward = 0.0
    g.illegal = 0
    if g.status == PLAYING:
        reward = _step_game(g, rules[0], settings[0], action, mask, seen, 0, log)
        reward *= settings[0].reward_scale
    return reward, g.status, g.illegal != 0, g.score, g.runs, g.moves


@compiled
def step_games(
    games: Any,
    rules: Any,
    settings: Any,
    actions: Any,
    mask: Any,
    seen: Any,
    log: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
    final_games: Any,
    final_seen: Any,
) -> Any:
    """Play one action in every game of a batch.

    A game that is over is left as it is and earns nothing; with autoreset in the next step, it is
    started anew instead. With autoreset in the same step, a game that ends is copied to
    `final_games` and `final_seen` and started anew.

    Returns:
        How many games ended in this step, and how many of the actions were illegal.
    """
    ended = illegal = 0
    for b in range(games.shape[0]):
        g = games[b]
        if g.status == PLAYING:
            reward = _step_game(g, rules[0], settings[0], actions[b], mask, seen, b, log)
            rewards[b] = reward * settings[0].reward_scale
            illegal += g.illegal
        else:
            rewards[b] = 0.0
            g.illegal = 0
            if settings[0].autoreset == AUTORESET_NEXT_STEP and g.reported:
                start_next(g, rules[0], settings[0], mask, seen, b)
                terminated[b] = truncated[b] = False
                continue
        terminated[b] = g.status == WON or g.status == LOST
        truncated[b] = g.status == TRUNCATED
        if g.status != PLAYING:
            ended += 1
            g.reported = 1
            if settings[0].autoreset == AUTORESET_SAME_STEP:
                final_games[b] = g
                final_seen[b] = seen[b]
                start_next(g, rules[0], settings[0], mask, seen, b)
    return ended, illegal
