"""Agents see what a player sees, play only legal actions, and keep their promises."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from scorpion_agents import load_agent
from scorpion_agents.base import null_moves
from scorpion_env import PRESETS, ScorpionError, ScorpionVectorEnv, get_rules
from scorpion_env.deals import deal_order
from support import boards
from support.model import Model
from support.played import FIRST_DEAL, positions, see

QUICK = ("random", "greedy")
"""The agents that answer at once; those that search have their own tests."""


# --- null moves


@pytest.mark.parametrize("preset", PRESETS)
def test_null_moves_are_those_that_change_nothing(preset: str) -> None:
    rules = get_rules(preset)
    env = ScorpionVectorEnv(1, rules, autoreset_mode=AutoresetMode.DISABLED)
    rng = np.random.default_rng(1)
    for deal in range(FIRST_DEAL, FIRST_DEAL + 12):
        observations, _ = env.reset(seed=deal)
        model = Model.from_order(deal_order(deal, rules).tolist(), rules)
        for _ in range(40):
            masks = env.action_masks()
            expected = {a for a in model.card_moves() if not model.changes_something(a)}
            assert set(np.flatnonzero(null_moves(observations, masks, rules)[0])) == expected
            action = rng.choice(np.flatnonzero(masks[0]))
            model.play(int(action))
            observations, _, terminated, truncated, _ = env.step(np.array([action]))
            if terminated[0] or truncated[0]:
                break


def test_a_king_that_takes_its_whole_run_along_makes_no_null_move() -> None:
    rules = get_rules("classic")
    uncovered = boards.board(
        rules, [boards.run("H"), boards.run("S", "K", "8"), boards.run("S", "7")]
    )
    observations, masks = see(rules, uncovered)
    null = null_moves(observations, masks, rules)
    king_h, king_s = 38, 51
    assert not null[0, king_h * 7 : king_h * 7 + 7].any()
    assert null[0, king_s * 7 : king_s * 7 + 7].sum() == 4  # the empty columns


# --- every agent, every preset


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("preset", PRESETS)
def test_actions_are_legal_and_null_moves_a_last_resort(preset: str, name: str) -> None:
    agent = load_agent(name, preset)
    for observations, masks, actions in positions(agent, games=20, steps=80):
        rows = np.arange(len(actions))
        assert actions.dtype == np.int64
        assert masks[rows, actions].all()
        useful = masks & ~null_moves(observations, masks, agent.rules)
        if name == "greedy" and agent.rules.undo_action_index is not None:
            useful[:, agent.rules.undo_action_index] = False  # it would sooner make a null move
        assert useful[rows, actions][useful.any(axis=1)].all()


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("preset", ["classic", "double", "how-they-run"])
def test_an_answer_does_not_depend_on_the_other_games(preset: str, name: str) -> None:
    agent = load_agent(name, preset)
    draws = np.random.default_rng(2).random(16)
    for observations, masks, _ in positions(agent, games=16, steps=20):
        together = agent.act(observations, masks, draws[: len(masks)])
        for i in reversed(range(len(masks))):
            one = slice(i, i + 1)
            assert agent.act(observations[one], masks[one], draws[one]) == together[one]


@pytest.mark.parametrize("preset", ["classic", "flexible", "double", "farmers-wife"])
@pytest.mark.parametrize("name", [*QUICK, "search:4", "playouts:4", "oracle"])
def test_agents_keep_to_masks_that_leave_out_legal_actions(preset: str, name: str) -> None:
    agent = load_agent(name, preset)
    view = "full" if agent.information == "oracle" else "player"
    env = ScorpionVectorEnv(4, preset, observation=view, autoreset_mode=AutoresetMode.SAME_STEP)
    seen, _ = env.reset(seed=FIRST_DEAL)
    rng = np.random.default_rng(0)
    for _ in range(15):
        masks = env.action_masks()
        some = masks & (rng.random(masks.shape) < 0.4)
        some = np.where(some.any(axis=1, keepdims=True), some, masks)
        actions = agent.act(seen, some, rng.random(4))
        assert some[np.arange(4), actions].all()
        seen = env.step(actions)[0]


def test_the_observation_and_the_mask_are_left_as_they_are() -> None:
    for name in QUICK:
        agent = load_agent(name, "classic")
        for observations, masks, _ in positions(agent, games=5, steps=10):
            before = observations.copy(), masks.copy()
            agent.act(observations, masks, np.zeros(len(masks)))
            assert (observations == before[0]).all()
            assert (masks == before[1]).all()


# --- loading


def test_an_unknown_agent_is_refused_with_the_nearest_known_one() -> None:
    with pytest.raises(ScorpionError, match=r"Unknown agent 'gredy'. Did you mean 'greedy'\?"):
        load_agent("gredy", "classic")


def test_agents_say_what_they_see() -> None:
    for name in QUICK:
        agent = load_agent(name, "wasp")
        assert agent.name == name
        assert agent.information == "player"
        assert agent.rules == get_rules("wasp")
