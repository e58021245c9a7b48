"""The greedy player: what it prefers, and how fast."""

from __future__ import annotations

import time

import numpy as np
import pytest

from scorpion_agents import GreedyAgent
from scorpion_agents.base import null_moves
from scorpion_env import get_rules
from support import boards
from support.played import choice, positions

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
