"""Play that remembers: where games have been, and which actions lead back there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scorpion_agents import Agent, load_agent
from scorpion_agents.evaluation.evaluate import Evaluation, evaluate
from scorpion_agents.players.memory import Player, RememberingAgent
from scorpion_agents.players.random_agent import RandomAgent
from scorpion_env import Game, get_rules
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import PRESETS, Rules

WITH_UNDO = replace(get_rules("classic"), name="with-undo", undo_action=True)
"""Random play goes back often here."""

DRAWS = np.zeros(1)
GOES_BACK = ("flexible", "wasp", "how-they-run", "with-undo")


def position(game: Game) -> Any:
    """What tells positions of one game apart: all cards, columns in no order."""
    board, reserve = game.board(), game.rules.reserve_columns
    columns = [
        (cards, down, bool(board.reserve) and column in reserve)
        for column, (cards, down) in enumerate(zip(board.columns, board.face_down, strict=True))
        if cards
    ]
    return sorted(columns), board.reserve, sorted(board.cells), sorted(board.foundations)


class Wanderer(Agent):
    """Plays what it is told, and keeps the masks that it is shown."""

    remembers = True
    action = 0

    def act(self, observations: Any, masks: Any, draws: Any) -> Any:
        self.shown = masks[0]
        return np.array([self.action])


@pytest.mark.parametrize("rules", [*PRESETS.values(), WITH_UNDO], ids=lambda rules: rules.name)
def test_actions_that_lead_back_are_those_after_which_a_position_is_there_again(
    rules: Rules,
) -> None:
    rng = np.random.default_rng(0)
    back = 0
    for deal in range(4):
        game, agent = Game.new(deal, rules), Wanderer("wanderer", rules)
        player = Player(agent)
        visited: list[Any] = []
        while game.legal_mask().any() and len(visited) < 60:
            mask = game.legal_mask()
            visited.append(position(game))
            choices = np.flatnonzero(mask)
            if rng.random() < 0.7 and rules.deal_action in choices and len(choices) > 1:
                choices = choices[choices != rules.deal_action]
            agent.action = int(rng.choice(choices))
            player.act([deal], game.observation()[None], mask[None], DRAWS)
            expected = mask.copy()
            for action in np.flatnonzero(mask).tolist():
                trial = game.copy()
                trial.play(action)
                expected[action] = position(trial) not in visited
            if not expected.any():
                expected = mask
            if rules.undo_action:  # after undo, some ways back are not known
                assert (agent.shown | ~expected).all() or (agent.shown == mask).all()
            else:
                assert (agent.shown == expected).all()
            back += int((mask & ~agent.shown).sum())
            game.play(agent.action)
    assert back or rules.name not in GOES_BACK


def test_what_undo_takes_back_is_not_done_again() -> None:
    game, agent = Game.new(0, WITH_UNDO), Wanderer("wanderer", WITH_UNDO)
    player, deal = Player(agent), WITH_UNDO.deal_action
    for action in (deal, WITH_UNDO.undo_action_index, deal):
        agent.action = action or 0
        player.act([0], game.observation()[None], game.legal_mask()[None], DRAWS)
        game.play(agent.action)
    assert not agent.shown[deal]


def test_games_do_not_know_of_each_other_and_can_be_forgotten() -> None:
    rules = get_rules("flexible")
    game, agent = Game.new(3, rules), Wanderer("wanderer", rules)
    player = Player(agent)

    def shown(number: int, game: Game) -> Any:
        player.act([number], game.observation()[None], game.legal_mask()[None], DRAWS)
        return agent.shown

    shown(1, game)
    for action in game.legal_actions().tolist():
        trial = game.copy()
        trial.play(action)
        if (shown(1, trial) != trial.legal_mask()).any():
            break
    else:
        pytest.fail("no action can be taken back")
    assert (shown(2, trial) == trial.legal_mask()).all()
    player.forget([1, 7])
    assert (shown(1, trial) == trial.legal_mask()).all()


def test_a_remembering_agent_is_named_and_plays_as_the_other_where_nothing_leads_back() -> None:
    agent = load_agent("memory+greedy", "classic")
    assert (agent.name, agent.information, agent.remembers) == ("memory+greedy", "player", True)
    found, other = (
        evaluate(a, "classic", "0:50") for a in (agent, load_agent("greedy", "classic"))
    )
    assert found.deals == other.deals
    assert load_agent("memory+oracle", "classic").information == "oracle"
    assert load_agent("memory+search:4", "wasp").name == "memory+search:4"
    assert load_agent("memory+random", "classic").stochastic
    with pytest.raises(ScorpionError, match="Did you mean 'greedy'"):
        load_agent("memory+greddy", "classic")
    for nobody in ("memory+", "search+", "search+:4", "tree+:20ms"):
        with pytest.raises(ScorpionError, match=r"names nobody after the \+, such as \w+\+pre"):
            load_agent(nobody, "classic")


@pytest.mark.parametrize("rules", [get_rules("flexible"), WITH_UNDO], ids=lambda rules: rules.name)
def test_an_evaluation_goes_back_only_where_it_must(rules: Rules) -> None:
    agent = RememberingAgent(RandomAgent(rules))
    one, many = (
        evaluate(agent, rules, "0:6", num_envs=places, max_steps=60, keep_actions=True)
        for places in (1, 4)
    )
    assert one.deals == many.deals
    forgetful = evaluate(RandomAgent(rules), rules, "0:6", max_steps=60, keep_actions=True)
    assert returns(one, rules) == 0 < returns(forgetful, rules)


def returns(found: Evaluation, rules: Rules) -> int:
    """How often games went back to a position though another action led elsewhere."""
    count = 0
    for result in found.deals:
        game, visited = Game.new(result.deal, rules), []
        for action in result.actions or ():
            visited.append(position(game))
            elsewhere = False
            for other in game.legal_actions().tolist():
                trial = game.copy()
                trial.play(other)
                elsewhere |= position(trial) not in visited
            game.play(action)
            count += elsewhere and position(game) in visited
    return count
