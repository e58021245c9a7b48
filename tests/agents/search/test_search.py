"""The players that search: what they see, what they choose, what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from scorpion_agents import load_agent
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.search.playouts import PlayoutAgent
from scorpion_agents.search.solver_search import OracleAgent, SearchAgent
from scorpion_env.deals import Position
from scorpion_env.env import ScorpionEnv
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.move_text import action_text
from scorpion_env.rollout import greedy_rollouts
from scorpion_env.rules import PRESETS, Rules, get_rules
from scorpion_env.solver import Solver, solve
from support import boards

CLASSIC = PRESETS["classic"]
DRAWS = np.array([0.3])


def test_where_all_cards_are_seen_it_wins_what_can_be_won() -> None:
    solver = Solver("scorpion-ii")
    verdicts, _ = solver.solve_deals(0, 12)
    for deal in range(12):
        game = ScorpionEnv("scorpion-ii")
        seen, _ = game.reset(options={"deal": deal})
        agent = SearchAgent(PRESETS["scorpion-ii"], samples=4, nodes=20_000)
        while (seen[:, 6] > 0).any():  # until the reserve, whose cards are hidden, is dealt
            seen = game.step(game.rules.deal_action)[0]
        here = Position("here", game.oracle_board())
        winnable = solve(here, game.rules, node_limit=200_000).verdict == "won"
        over = not game.action_masks().any()
        outcome = None
        while not over:
            action = agent.act(seen[None], game.action_masks()[None], DRAWS)[0]
            seen, _, terminated, truncated, info = game.step(int(action))
            over, outcome = terminated or truncated, info.get("outcome")
        assert (outcome == "won") == winnable
    assert set(verdicts.tolist()) == {0, 1}


def test_what_is_hidden_does_not_change_its_move() -> None:
    agent = SearchAgent(CLASSIC, samples=8)
    env = ScorpionEnv(CLASSIC)
    seen, _ = env.reset(seed=3)
    masks = env.action_masks()
    first = agent.act(seen[None], masks[None], DRAWS)
    full = ScorpionEnv(CLASSIC, observation="full")
    shown, _ = full.reset(seed=3)
    assert not (shown == seen).all()
    shown[shown[:, 5] == 0] = seen[seen[:, 5] == 0]
    assert agent.act(shown[None], masks[None], DRAWS) == first
    assert SearchAgent(CLASSIC, samples=8).act(seen[None], masks[None], DRAWS) == first


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "deals"), [("classic", 100), ("scorpion-ii", 80), ("wasp", 20)])
def test_the_oracle_wins_every_deal_that_can_be_won(preset: str, deals: int) -> None:
    rules = get_rules(preset)
    verdicts, _ = Solver(rules).solve_deals(0, deals, node_limit=200_000)
    agent = OracleAgent(rules)
    found = evaluate(agent, rules, [str(deal) for deal in range(deals)])
    assert (found.column("outcome") == "won").tolist() == (verdicts == 0).tolist()
    assert found.information == "oracle"
    alone = evaluate(agent, rules, [str(deal) for deal in range(deals)], num_envs=1)
    assert alone.deals == found.deals


@pytest.mark.parametrize("preset", ["flexible", "scorpion-tail", "farmers-wife"])
def test_the_oracle_keeps_to_its_line_where_moves_can_be_taken_back(preset: str) -> None:
    rules = get_rules(preset)
    solver = Solver(rules)
    solved = (solver.solve(str(deal), node_limit=20_000) for deal in range(50))
    deal, line = next((i, found.actions) for i, found in enumerate(solved) if found.actions)
    (result,) = evaluate(OracleAgent(rules), rules, [str(deal)]).deals
    assert result.outcome == "won"
    assert result.moves == len(line)


@pytest.mark.slow
def test_searching_wins_more_than_the_greedy_player() -> None:
    deals = [str(deal) for deal in range(1_000_000, 1_000_150)]
    search = evaluate(SearchAgent(CLASSIC, samples=16), CLASSIC, deals).summary()
    greedy = evaluate(load_agent("greedy", CLASSIC), CLASSIC, deals).summary()
    assert search.wins > greedy.wins
    assert search.illegal_actions == 0


def test_it_takes_the_one_move_that_wins() -> None:
    text = boards.board(CLASSIC, ["KC QC JC TC 9C", boards.run("C", "8")])
    env = ScorpionEnv(CLASSIC)
    seen, _ = env.reset(options={"board": text})
    for agent in (SearchAgent(CLASSIC), load_agent("search:5ms", CLASSIC)):
        action = agent.act(seen[None], env.action_masks()[None], DRAWS)[0]
        assert action_text(int(action), CLASSIC) == "8C>1"


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ("search:", "budget is a number of determinizations, .* not ''"),
        ("search:many", "not 'many'"),
        ("search:0", "must be greater than 0, and finite"),
        ("search:-3ms", "must be greater than 0, and finite"),
        ("search:nanms", "must be greater than 0, and finite"),
        ("search:infms", "must be greater than 0, and finite"),
        ("search+", r"names nobody after the \+"),
        ("search+nobody", "Unknown agent 'nobody'"),
        ("playouts:", "not ''"),
        ("playouts:0", "must be greater than 0, and finite"),
        ("playouts:1e999ms", "must be greater than 0, and finite"),
    ],
)
def test_bad_budgets_are_refused(budget: str, words: str) -> None:
    with pytest.raises(ScorpionError, match=words):
        load_agent(budget, CLASSIC)


def test_playouts_take_the_move_that_wins_and_see_nothing_hidden() -> None:
    text = boards.board(CLASSIC, ["KC QC JC TC 9C", boards.run("C", "8")])
    env = ScorpionEnv(CLASSIC)
    seen, _ = env.reset(options={"board": text})
    for name in ("playouts", "playouts:5ms"):
        action = load_agent(name, CLASSIC).act(seen[None], env.action_masks()[None], DRAWS)[0]
        assert action_text(int(action), CLASSIC) == "8C>1"
    seen, _ = env.reset(seed=3)
    shown, _ = ScorpionEnv(CLASSIC, observation="full").reset(seed=3)
    shown[shown[:, 5] == 0] = seen[seen[:, 5] == 0]
    masks = np.repeat(env.action_masks()[None], 2, axis=0)
    agent = PlayoutAgent(CLASSIC, samples=16)
    one, two = agent.act(np.stack([seen, shown]), masks, np.repeat(DRAWS, 2))
    assert one == two
    assert agent.act(shown[None], masks[:1], DRAWS) == one


@pytest.mark.parametrize("name", ["flexible", "open", "scorpion-head", "double", "traditional"])
def test_playouts_play_every_kind_of_variant(name: str) -> None:
    found = evaluate(load_agent("playouts:2", name), name, ["0", "1"], max_steps=60)
    assert found.agent == "playouts:2"
    assert found.summary().illegal_actions == 0


@pytest.mark.slow
def test_playouts_win_more_than_the_greedy_moves_they_play_out() -> None:
    deals = [str(deal) for deal in range(1_000_000, 1_000_300)]
    found = evaluate(PlayoutAgent(CLASSIC, samples=32), CLASSIC, deals).summary()
    greedy = greedy_rollouts(CLASSIC, 1_000_000, 300, seed=1)
    assert found.wins > greedy.wins
    assert found.mean_points > greedy.points / 300


def test_other_variants_are_searched_too() -> None:
    rules: Rules = PRESETS["flexible"]
    found = evaluate(load_agent("search+random:2", rules), rules, ["0", "1"], max_steps=60)
    assert found.agent == "search+random:2"
    assert found.summary().illegal_actions == 0
