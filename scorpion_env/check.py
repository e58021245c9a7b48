"""A check that a variant behaves as its environments promise; ships with the package."""

from __future__ import annotations

import numpy as np
from gymnasium.utils.env_checker import check_env

from scorpion_env.env import ScorpionEnv
from scorpion_env.rules import Rules, get_rules
from scorpion_env.vector_env import ScorpionVectorEnv


def check(rules: str | Rules = "classic", *, episodes: int = 20) -> None:
    """Check the environments of a variant, your own `Rules` for example.

    Gymnasium's checker runs on `ScorpionEnv`; then random games are played to their ends, in which
    masks, observations, scores and ends must keep the contract, step by step alike in `ScorpionEnv`
    and `ScorpionVectorEnv`.

    Args:
        rules: A preset's name or `Rules`.
        episodes: Number of random games.

    Raises:
        AssertionError: naming the promise that is broken.
        RulesError: if the rules are refused.
    """
    found = get_rules(rules)
    check_env(ScorpionEnv(found), skip_render_check=True)
    env = ScorpionEnv(found)
    many = ScorpionVectorEnv(1, found, autoreset_mode="DISABLED")
    for deal in range(episodes):
        _check_episode(env, many, deal)


def _demand(holds: object, otherwise: str) -> None:
    """Raise even where Python leaves out assertions (``python -O``)."""
    if not holds:
        raise AssertionError(otherwise)


def _check_episode(env: ScorpionEnv, many: ScorpionVectorEnv, deal: int) -> None:
    rng = np.random.default_rng(deal)
    observation, info = env.reset(seed=deal)
    observations, _ = many.reset(seed=[deal])
    score, ended = 0.0, False
    while not ended:
        mask = env.action_masks()
        _demand(mask.any(), "a mask is all False while the game goes on")
        _demand((info["action_mask"] == mask).all(), "the two masks of a game differ")
        _demand(
            env.observation_space.contains(observation), "an observation lies outside its space"
        )
        _demand((observations[0] == observation).all(), "the vector environment sees another game")
        action = int(rng.choice(np.flatnonzero(mask)))
        observation, reward, terminated, truncated, info = env.step(action)
        observations, rewards, *ends, _ = many.step(np.array([action]))
        _demand(rewards[0] == reward, "the vector environment pays another reward")
        _demand([end[0] for end in ends] == [terminated, truncated], "the ends of a game differ")
        _demand("illegal_action" not in info, "an action of the mask was refused")
        score += reward
        _demand(info["score"] == score, "the rewards do not add up to the score")
        ended = terminated or truncated
    _demand(env.action_masks().all(), "a mask is not all True after the end")
    _demand(info["is_success"] == (info["outcome"] == "won"), "outcome and is_success disagree")
