"""An evaluation plays each deal once, counts what happened, and can be repeated and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorpion_agents import Agent, GreedyAgent, RandomAgent, load_agent
from scorpion_agents.evaluation.draws import deal_key, draw_numbers
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_env import ScorpionError, get_rules
from scorpion_env.deals import SeededDeal, deal_order, parse_deal
from scorpion_env.kernels.observation import PLACE
from support.model import Model
from support.pysol import pysol_order

CLASSIC = get_rules("classic")


class Recorder(Agent):
    """Plays as another agent does, and remembers the actions; one game at a time."""

    def __init__(self, player: Agent) -> None:
        super().__init__("recorder", player.rules)
        self.player = player
        self.actions: list[int] = []

    def act(self, observations: Any, masks: Any, draws: Any) -> Any:
        actions = self.player.act(observations, masks, draws)
        self.actions += actions.tolist()
        return actions


class Stubborn(Agent):
    """Plays action 0 whether it is legal or not."""

    def act(self, observations: Any, masks: Any, draws: Any) -> Any:
        return np.zeros(len(masks), np.int64)


class Oracle(RandomAgent):
    """Says that it sees hidden cards, and checks that it does."""

    information = "oracle"

    def act(self, observations: Any, masks: Any, draws: Any) -> Any:
        assert (observations[:, :, PLACE] != 0).all()
        return super().act(observations, masks, draws)


# --- playing


@pytest.mark.parametrize("name", ["random", "greedy"])
@pytest.mark.parametrize("preset", ["classic", "open", "double", "scorpion-head"])
def test_results_do_not_depend_on_how_many_games_run_at_once(preset: str, name: str) -> None:
    agent = load_agent(name, preset)
    deals = [*range(40, 20, -1), "pysol:24", "pysol:ms24"]
    found = {
        evaluate(agent, preset, deals, num_envs=num_envs, max_steps=120, seed=3).deals
        for num_envs in (1, 5, 64)
    }
    assert len(found) == 1
    assert [r.deal for r in found.pop()] == [str(deal) for deal in deals]


def test_a_deal_is_played_alike_whatever_other_deals_there_are() -> None:
    agent = RandomAgent(CLASSIC)
    together = evaluate(agent, "classic", "0:30").deals
    assert evaluate(agent, "classic", [17]).deals == together[17:18]


def test_the_seed_changes_what_chance_decides() -> None:
    agent = RandomAgent(CLASSIC)
    assert (
        evaluate(agent, "classic", "0:30", seed=1).deals != evaluate(agent, "classic", "0:30").deals
    )


@pytest.mark.parametrize("preset", ["classic", "wasp", "traditional", "three-blind-mice-dealt"])
def test_results_are_those_of_an_independent_model(preset: str) -> None:
    rules = get_rules(preset)
    for deal in (*range(8), "pysol:32000"):
        recorder = Recorder(RandomAgent(rules))
        (found,) = evaluate(recorder, rules, [deal]).deals
        order = pysol_order("32000") if isinstance(deal, str) else deal_order(deal, rules).tolist()
        model = Model.from_order(order, rules)
        for action in recorder.actions[1:]:  # the first warms the compiler up
            model.play(action)
        position = model.position
        assert found.points == position.score
        assert found.flips == position.flips
        assert found.runs == model.runs()
        assert found.moves == len(recorder.actions) - 1
        assert found.outcome == (model.outcome() or "truncated")


def test_illegal_actions_are_counted_and_change_nothing() -> None:
    found = evaluate(Stubborn("stubborn", CLASSIC), "classic", "0:5", max_steps=20)
    assert found.summary().illegal_actions == 100
    assert all(r.outcome == "truncated" and r.moves == r.points == 0 for r in found.deals)


def test_an_oracle_sees_hidden_cards_and_is_counted_alike() -> None:
    player, oracle = RandomAgent(CLASSIC), Oracle(CLASSIC)
    found = evaluate(oracle, "classic", "0:20")
    assert found.information == "oracle"
    assert found.deals == evaluate(player, "classic", "0:20").deals


def test_boards_are_played_from_where_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "boards.txt"
    runs = " ".join(r + "S" for r in "KQJT98765432")
    file.write_text(f"Nearly\nFoundations: C D H\n{runs}\nAS\n-\n-\n-\n-\n-\n", encoding="utf-8")
    (found,) = evaluate(GreedyAgent(CLASSIC), "classic", str(file)).deals
    assert (found.deal, found.outcome, found.points, found.moves) == ("Nearly", "won", 105, 1)
    assert found.board is not None


def test_a_board_that_is_won_already_takes_no_move(tmp_path: Path) -> None:
    file = tmp_path / "boards.txt"
    file.write_text("Done\nFoundations: C D H S\n" + "-\n" * 7, encoding="utf-8")
    (found,) = evaluate(RandomAgent(CLASSIC), "classic", str(file)).deals
    assert (found.outcome, found.moves, found.points, found.illegal) == ("won", 0, 0, 0)


@pytest.mark.parametrize(
    ("deals", "sentence"),
    [
        ([7, "7"], "Deal '7' is named twice"),
        ([], "no deals"),
        ("5:5", "holds no deals"),
        ("nowhere.txt", "names no deal"),
    ],
)
def test_wrong_deals_are_refused(deals: Any, sentence: str) -> None:
    with pytest.raises(ScorpionError, match=sentence):
        evaluate(RandomAgent(CLASSIC), "classic", deals)


def test_an_agent_for_other_rules_is_refused() -> None:
    with pytest.raises(ScorpionError, match="plays classic, not wasp"):
        evaluate(RandomAgent(CLASSIC), "wasp", "0:5")


def test_draws_are_uniform_and_depend_on_seed_deal_and_step() -> None:
    deals = np.arange(20_000, dtype=np.uint64)
    steps = np.zeros_like(deals)
    draws = draw_numbers(5, deals, steps)
    assert (draws >= 0).all()
    assert (draws < 1).all()
    assert abs(draws.mean() - 0.5) < 0.01
    assert np.histogram(draws, 10, (0, 1))[0].min() > 1800
    for others in (draw_numbers(6, deals, steps), draw_numbers(5, deals, steps + np.uint64(1))):
        assert abs(np.corrcoef(draws, others)[0, 1]) < 0.03
    assert draw_numbers(5, deals[7:8], steps[7:8]) == draws[7]


def test_every_deal_has_a_key_of_its_own() -> None:
    assert deal_key(SeededDeal(7)) == 7
    assert len({deal_key(parse_deal(d)) for d in ("24", "pysol:24", "pysol:ms24")}) == 3
