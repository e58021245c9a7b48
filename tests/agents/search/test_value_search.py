"""The search player that asks a critic: what its kernel finds, and what it makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorpion_agents import load_agent
from scorpion_agents.base import Returns
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.models.files import MODEL_FILE
from scorpion_agents.models.ppo import PPOAgent, ValuingAgent
from scorpion_agents.search.determinizations import find_moves
from scorpion_agents.search.kernels import GONE, OPEN, OVER, Outcomes, SolverTable, sample_outcomes
from scorpion_agents.search.value_search import ValueSearchAgent
from scorpion_agents.seen_game import new_table
from scorpion_env.batch.board_records import read_board
from scorpion_env.deals import Position
from scorpion_env.env import ScorpionEnv
from scorpion_env.errors import ScorpionError
from scorpion_env.game import Game
from scorpion_env.kernels.state import seen_dtype
from scorpion_env.notation.move_text import action_text
from scorpion_env.rewards import REWARD_POINTS
from scorpion_env.solver import Solver, solve
from support import boards
from support.judges import ASKED, CLASSIC, DRAWS, Judge, some_start
from support.models import make_model


def solver_table(nodes: int) -> SolverTable:
    memory = Solver(CLASSIC).search_memory(nodes)
    return SolverTable(new_table(CLASSIC, conclusive=True)._replace(log=memory.log), memory, nodes)


def no_outcomes(count: int) -> Outcomes:
    """Room for what `count` actions come to."""
    return Outcomes(np.full(count, -1, np.int8), np.zeros(count), np.zeros(count, seen_dtype(52)))


def test_it_finds_what_each_action_makes_of_a_determinization() -> None:
    solver = solver_table(5000)
    table = solver.table
    moves = np.zeros(table.position.dtype["legal"].shape[0], np.int16)
    found_kinds = set()
    for deal in range(40):
        seen, _ = some_start(deal)
        _, _, useful = find_moves(seen, table, moves)
        actions, outcomes = moves[:useful].copy(), no_outcomes(useful)
        state = np.uint64(deal)
        found, _ = sample_outcomes(seen, solver, 40, state, actions, REWARD_POINTS, outcomes)
        if not found:
            assert (outcomes.kinds == -1).all()
            continue
        # This determinization still lies on the table.
        game = Game(Position("here", read_board(table.position[0], CLASSIC)))
        for action, outcome, paid, after in zip(actions.tolist(), *outcomes, strict=True):
            played = game.copy()
            played.play(action)
            here = Position("after", played.board())
            verdict = solve(here, CLASSIC, node_limit=5000).verdict
            assert outcome == (GONE if verdict != "won" else OPEN)
            found_kinds.add(int(outcome))
            if outcome != GONE:
                env = ScorpionEnv(CLASSIC, observation="full")
                expected, _ = env.reset(options={"board": played.to_text()})
                assert (after["cards"] == expected).all()
                assert paid == played.score - game.score
            else:
                assert paid == 0
    assert found_kinds == {GONE, OPEN}


def test_an_action_that_wins_is_over() -> None:
    text = boards.board(CLASSIC, ["KC QC JC TC 9C", boards.run("C", "8")])
    env = ScorpionEnv(CLASSIC)
    seen, _ = env.reset(options={"board": text})
    actions = np.flatnonzero(env.action_masks()).astype(np.int16)
    outcomes = no_outcomes(len(actions))
    state = np.uint64(0)
    sample_outcomes(seen, solver_table(100), 1, state, actions, REWARD_POINTS, outcomes)
    won = [action_text(int(action), CLASSIC) == "8C>1" for action in actions]
    assert (outcomes.kinds == OVER).tolist() == won
    assert sum(won) == 1


def test_the_critic_is_shown_all_cards_and_the_adviser_decides_where_nothing_can_be_won() -> None:
    judge = Judge()
    agent = ValueSearchAgent(CLASSIC, judge, samples=4)
    for deal in range(12):
        seen, masks = some_start(deal)
        judge.seen.clear()
        action = int(agent.act(seen[None], masks[None], DRAWS)[0])
        assert masks[action]
        if not judge.seen:
            assert action == masks.argmax()  # nothing could be won: the adviser decides
    assert judge.seen  # the critic is shown every card
    assert all((shown[:, :, 0] > 0).all() for shown in judge.seen)


def test_what_is_hidden_does_not_change_its_move() -> None:
    seen, masks = some_start(3)
    full = ScorpionEnv(CLASSIC, observation="full")
    shown, _ = full.reset(options={"deal": 3})
    shown[shown[:, 5] == 0] = seen[seen[:, 5] == 0]
    agent = ValueSearchAgent(CLASSIC, Judge(), samples=8)
    first = agent.act(seen[None], masks[None], DRAWS)
    assert agent.act(shown[None], masks[None], DRAWS) == first
    again = ValueSearchAgent(CLASSIC, Judge(), samples=8)
    assert (
        again.act(np.stack([seen, seen]), np.stack([masks, masks]), np.repeat(DRAWS, 2))[1]
        == (first[0])
    )


def test_a_trained_critic_is_asked_if_it_was_asked_for_wins(tmp_path: Path) -> None:
    valuing = load_agent(make_model(tmp_path / "win", **ASKED), CLASSIC)
    assert isinstance(valuing, ValuingAgent)
    seen, masks = some_start(5)
    log_p = valuing.log_probabilities(seen[None], masks[None])[0]
    assert np.isclose(np.exp(log_p).sum(), 1)
    assert (np.isfinite(log_p) <= masks).all()
    assert log_p.argmax() == valuing.act(seen[None], masks[None], DRAWS)[0]
    assert valuing.returns == Returns("points", 0.01, 500.0, 1.0)
    assert valuing.values(np.stack([seen, seen])).shape == (2,)
    agent = load_agent(f"search+{tmp_path / 'win'}:3", CLASSIC)
    assert isinstance(agent, ValueSearchAgent)
    assert agent.samples == 3
    found = evaluate(agent, CLASSIC, "0:3")
    assert found.summary().illegal_actions == 0
    assert found.information == "player"


@pytest.mark.parametrize(
    "other", [{"reward": "points-once"}, {"win_bonus": 0.0}, {"critic": "player"}]
)
def test_other_critics_are_not_asked(tmp_path: Path, other: dict[str, Any]) -> None:
    agent = load_agent(make_model(tmp_path / "other", **(ASKED | other)), CLASSIC)
    assert type(agent) is PPOAgent
    assert not isinstance(load_agent(f"search+{tmp_path / 'other'}:3", CLASSIC), ValueSearchAgent)


@pytest.mark.parametrize("reward", ["points", "win"])
def test_a_move_is_worth_its_reward_and_what_the_critic_expects_after_it(reward: str) -> None:
    judge = Judge()
    judge.returns = Returns(reward, 0.5, 10.0, 0.5)
    agent = ValueSearchAgent(CLASSIC, judge, samples=1)
    text = boards.board(CLASSIC, ["KC QC JC TC 9C", boards.run("C", "8")])
    env = ScorpionEnv(CLASSIC)
    seen, _ = env.reset(options={"board": text})
    actions = np.flatnonzero(env.action_masks()).astype(np.int16)
    outcomes, earned, _ = agent._sample(seen, actions, np.zeros(len(actions)), 0)
    for action, outcome, worth in zip(actions.tolist(), outcomes[0], earned[0], strict=True):
        played = ScorpionEnv(CLASSIC, reward=reward, reward_scale=0.5)
        played.reset(options={"board": text})
        after, paid, terminated, _, _ = played.step(action)
        expected = paid + 0.5 * (10 if terminated else judge.values(after[None])[0])
        assert (outcome == OVER) == terminated
        assert worth == (expected if outcome != GONE else 0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], "it says nothing of values"),
        ({"reward_scale": "4"}, "'reward_scale' should be a valid number, not '4'"),
        ({"gamma": 7}, "'gamma' should be less than or equal to 1, not 7"),
        ({"lambda": 1}, "'lambda' Extra inputs are not permitted"),
    ],
)
def test_a_description_with_bad_values_is_refused(
    tmp_path: Path, values: object, words: str
) -> None:
    folder = make_model(tmp_path / "win", **ASKED)
    about = json.loads((folder / MODEL_FILE).read_text())
    (folder / MODEL_FILE).write_text(json.dumps(about | {"values": values}))
    with pytest.raises(ScorpionError, match=words):
        load_agent(folder, CLASSIC)
