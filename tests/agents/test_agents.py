"""Agents see what a player sees, play only legal actions, and keep their promises."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from scorpion_agents import Agent, GreedyAgent, RandomAgent, load_agent
from scorpion_agents.base import null_moves
from scorpion_env import PRESETS, Rules, ScorpionError, ScorpionVectorEnv, get_rules
from scorpion_env.deals import deal_order
from scorpion_env.notation.move_text import action_text
from support import boards
from support.model import Model

QUICK = ("random", "greedy")
"""The agents that answer at once; those that search have their own tests."""

TUNING_DEALS = 1_000_000
"""Deals from here on may be used to look at how agents play; those below measure them."""


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
    observations, _ = env.reset(seed=TUNING_DEALS)
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


# --- null moves


@pytest.mark.parametrize("preset", PRESETS)
def test_null_moves_are_those_that_change_nothing(preset: str) -> None:
    rules = get_rules(preset)
    env = ScorpionVectorEnv(1, rules, autoreset_mode=AutoresetMode.DISABLED)
    rng = np.random.default_rng(1)
    for deal in range(TUNING_DEALS, TUNING_DEALS + 12):
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
    seen, _ = env.reset(seed=TUNING_DEALS)
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


# --- random


def test_random_is_uniform_over_useful_actions() -> None:
    agent = RandomAgent(get_rules("classic"))
    draws = (np.arange(1200) + 0.5) / 1200
    for observations, masks, _ in positions(agent, games=3, steps=10):
        useful = masks & ~null_moves(observations, masks, agent.rules)
        for game, mask in enumerate(useful):
            rows = np.full(len(draws), game)
            actions = agent.act(observations[rows], masks[rows], draws)
            found, counts = np.unique(actions, return_counts=True)
            assert (found == np.flatnonzero(mask)).all()
            assert counts.max() - counts.min() <= 1


def test_the_largest_draw_picks_the_last_action() -> None:
    agent = RandomAgent(get_rules("classic"))
    for observations, masks, _ in positions(agent, games=1, steps=1):
        largest = np.array([np.nextafter(1.0, 0.0)])
        last = np.flatnonzero(masks[0])[-1]
        assert agent.act(observations, masks, largest) == last


# --- greedy


def test_greedy_takes_a_run_before_it_flips() -> None:
    rules = get_rules("classic")
    board = boards.board(
        rules,
        [boards.run("H", "K", "2"), "KS AH", "<9S> 5S", "QS JS TS 8S 7S 4S 3S 2S AS 6S"],
    )
    assert choice(GreedyAgent(rules), board) == "AH>1"


def test_greedy_flips_before_it_places() -> None:
    rules = get_rules("classic")
    board = boards.board(
        rules,
        [
            "<9S> 5H",
            boards.run("H", "K", "6"),
            "KS",
            "TS QS JS",
            "AS 8S 7S 6S 5S 4S 3S 2S",
            "AH 4H 3H 2H",
        ],
    )
    assert choice(GreedyAgent(rules), board) == "5H>2"


def test_for_greedy_freeing_a_column_is_no_flip() -> None:
    rules = get_rules("classic")
    board = boards.board(
        rules,
        [
            "<9S> <8S> 5H",
            boards.run("H", "K", "6"),
            "KS QS",
            "JS",
            "AS TS 7S 6S 5S 4S 3S 2S",
            "4H",
            "AH 3H 2H",
        ],
    )
    assert choice(GreedyAgent(rules), board) == "5H>2"


def test_greedy_moves_a_king_that_takes_its_whole_run_along() -> None:
    rules = get_rules("classic")
    board = boards.board(
        rules, [boards.run("H"), boards.run("S", "K", "8"), "6S 7S 5S 4S 3S 2S AS"]
    )
    assert choice(GreedyAgent(rules), board).startswith("KH>")


@pytest.mark.parametrize("preset", ["classic", "scorpion-ii", "double", "scorpion-tail"])
def test_greedy_deals_the_reserve_when_only_moves_in_circles_are_left(preset: str) -> None:
    agent = GreedyAgent(get_rules(preset))
    dealt = 0
    for observations, masks, actions in positions(agent, games=50, steps=100):
        useful = masks & ~null_moves(observations, masks, agent.rules)
        chosen = actions == agent.rules.deal_action
        dealt += chosen.sum()
        if agent.rules.build == "suit" and agent.rules.decks == 1:
            assert (useful[chosen].sum(axis=1) == 1).all()
    assert dealt > 25


def test_greedy_chooses_undo_only_when_nothing_else_is_legal() -> None:
    agent = GreedyAgent(get_rules("open"))
    undone = 0
    for _, masks, actions in positions(agent, games=50, steps=60):
        chosen = actions == agent.rules.undo_action_index
        undone += chosen.sum()
        assert (masks[chosen].sum(axis=1) == 1).all()
    assert undone > 0


def test_greedy_does_not_move_in_circles_while_the_reserve_is_there() -> None:
    agent = GreedyAgent(get_rules("flexible"))
    for observations, _, _ in positions(agent, games=50, steps=150):
        last = observations
    assert (last[:, 0, 6] == 0).all()


def test_greedy_ignores_the_draws() -> None:
    agent = GreedyAgent(get_rules("classic"))
    for observations, masks, actions in positions(agent, games=20, steps=30):
        assert (agent.act(observations, masks, np.zeros(len(masks))) == actions).all()


@pytest.mark.parametrize("preset", ["classic", "double"])
def test_greedy_makes_20_000_decisions_a_second(preset: str) -> None:
    agent = GreedyAgent(get_rules(preset))
    decisions, seconds = 0, 0.0
    for observations, masks, _ in positions(agent, games=500, steps=12):
        began = time.process_time()
        agent.act(observations, masks, np.zeros(len(masks)))
        seconds += time.process_time() - began
        decisions += len(masks)
    assert decisions / seconds >= 20_000


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
