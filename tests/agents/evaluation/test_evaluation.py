"""An evaluation plays each deal once, counts what happened, and can be repeated and compared."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorpion_agents import Agent, GreedyAgent, RandomAgent, load_agent
from scorpion_agents.evaluation.draws import deal_key, draw_numbers
from scorpion_agents.evaluation.evaluate import DealResult, Evaluation, evaluate
from scorpion_agents.evaluation.intervals import (
    mcnemar_p,
    mean_interval,
    wilcoxon_p,
    wilson_interval,
)
from scorpion_agents.evaluation.results import (
    Stored,
    compare,
    compare_stored,
    read_json,
    to_json,
    write_csv,
    write_json,
)
from scorpion_env import Rules, ScorpionError, get_rules
from scorpion_env.deals import SeededDeal, deal_order, parse_deal
from scorpion_env.notation.files import write_whole
from support.model import Model, pysol_order

ROOT = Path(__file__).resolve().parents[3]
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
        assert (observations[:, :, 0] != 0).all()
        return super().act(observations, masks, draws)


def result(deal: str, *, won: bool = False, points: int = 0) -> DealResult:
    return DealResult(deal, "won" if won else "lost", points, 0, 0, 10, 0)


def evaluation(*deals: DealResult, agent: str = "someone", **changes: Any) -> Evaluation:
    made = Evaluation(agent, "player", False, CLASSIC, 500, 0, deals, 1.0)
    return dataclasses.replace(made, **changes)


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


# --- figures


def test_a_summary_holds_the_figures_of_its_deals() -> None:
    found = evaluation(
        result("0", won=True, points=460), result("1", points=40), result("2", points=100)
    ).summary()
    assert (found.games, found.wins, found.lost, found.truncated) == (3, 1, 2, 0)
    assert found.win_rate == pytest.approx(1 / 3)
    assert found.mean_points == 200
    assert found.moves_per_win == 10
    low, high = found.mean_points_ci95 or (0, 0)
    assert (low + high) / 2 == pytest.approx(200)


def test_without_a_win_the_interval_is_wilsons_and_moves_per_win_are_unknown() -> None:
    found = evaluation(*(result(str(i)) for i in range(10))).summary()
    assert found.win_rate_ci95 == pytest.approx((0, 0.27753), abs=1e-4)
    assert found.moves_per_win is None
    assert found.mean_points_ci95 == (0, 0)


def test_statistics_agree_with_textbook_values() -> None:
    assert wilson_interval(5, 10) == pytest.approx((0.23659, 0.76341), abs=1e-4)
    assert mcnemar_p(2, 8) == pytest.approx(0.109375)
    assert mcnemar_p(0, 0) == 1
    assert mean_interval(np.array([3.0])) is None
    assert mean_interval(np.array([1.0, 2.0, 3.0])) == pytest.approx((-0.48414, 4.48414), abs=1e-4)
    assert wilcoxon_p(np.arange(5), np.arange(5)) is None


def test_a_comparison_pairs_the_deals() -> None:
    first = evaluation(result("0", won=True, points=9), result("1", points=5), agent="a")
    second = evaluation(result("1", won=True, points=7), result("0", points=1), agent="b")
    found = compare(first, second)
    assert (found.only_first, found.only_second, found.deals) == (1, 1, 2)
    assert found.points_difference == pytest.approx(3)
    assert found.wins_p == 1


# --- files


def test_a_result_file_says_all_that_it_depends_on(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    made = evaluate(GreedyAgent(CLASSIC), "classic", "0:20")
    write_json(path, [made], command="python scripts/evaluate.py")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["rules"] == "classic"
    assert data["versions"]["environment"] == "v0"
    assert (data["agent"], data["information"], data["stochastic"]) == ("greedy", "player", False)
    assert (data["max_steps"], data["command"]) == (500, "python scripts/evaluate.py")
    assert len(data["deals"]) == data["summary"]["games"] == 20
    assert set(data["deals"][7]) >= {"deal", "outcome", "points", "runs", "moves", "flips"}
    assert data["deals"][7]["deal"] == "7"


@pytest.mark.parametrize("agents", [("random",), ("random", "greedy")])
def test_what_was_written_is_read_back(tmp_path: Path, agents: tuple[str, ...]) -> None:
    rules = dataclasses.replace(CLASSIC, name="mine", max_steps=30)
    made = [evaluate(load_agent(name, rules), rules, "0:20") for name in agents]
    write_json(tmp_path / "out.json", made)
    assert [stored.evaluation for stored in read_json(tmp_path / "out.json")] == made
    assert json.loads((tmp_path / "out.json").read_text()) == json.loads(json.dumps(to_json(made)))


def test_the_csv_file_has_a_line_for_each_agent_and_deal(tmp_path: Path) -> None:
    made = [
        evaluate(load_agent(name, "classic"), "classic", "0:5") for name in ("random", "greedy")
    ]
    write_csv(tmp_path / "out.csv", made)
    with (tmp_path / "out.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(line["agent"], line["deal"]) for line in lines[4:6]] == [
        ("random", "4"),
        ("greedy", "0"),
    ]
    assert int(lines[0]["points"]) == made[0].deals[0].points


def test_a_file_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(ScorpionError, match="No space left"):
        write_whole(path, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]
    assert path.read_text() == "old"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"rules": "classic"}', "points 7"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ScorpionError, match="is no result file"):
        read_json(tmp_path / "x.json")


def other_rules() -> Rules:
    return dataclasses.replace(CLASSIC, max_steps=499)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rules": get_rules("wasp")}, r"the rules \(classic against wasp\)"),
        ({"rules": other_rules()}, "what 'classic' means"),
        ({"max_steps": 100}, r"the step limit \(500 against 100\)"),
        ({"deals": (result("0"), result("2"))}, "the deals"),
        ({"deals": (result("0"),)}, "the deals"),
        (
            {"deals": (result("0"), dataclasses.replace(result("1"), board="KS"))},
            "'1' is not the same board",
        ),
    ],
)
def test_results_that_differ_in_more_than_the_agent_are_not_compared(
    changes: dict[str, Any], sentence: str
) -> None:
    first = evaluation(result("0"), result("1"))
    second = dataclasses.replace(first, **changes)
    with pytest.raises(ScorpionError, match=sentence):
        compare(first, second)
    with pytest.raises(ScorpionError, match=f"a.json and b.json cannot be compared.*{sentence}"):
        compare_stored([Stored(first, "a.json", "v0"), Stored(second, "b.json", "v0")])


def test_results_of_two_environment_versions_are_not_compared() -> None:
    made = evaluation(result("0"), result("1"))
    with pytest.raises(ScorpionError, match=r"version of the environment \(v0 against v1\)"):
        compare_stored([Stored(made, "a.json", "v0"), Stored(made, "b.json", "v1")])


# --- the command line


def run(*arguments: str, encoding: str = "ascii") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "evaluate.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding},
    )


def test_the_script_measures_writes_and_compares(tmp_path: Path) -> None:
    random_file, greedy_file = tmp_path / "r.json", tmp_path / "g.json"
    for name, file in (("random", random_file), ("greedy", greedy_file)):
        done = run("--agent", name, "--deals", "0:30", "--json", str(file))
        assert done.returncode == 0, done.stderr
        assert "win rate" in done.stdout
        assert "\x1b" not in done.stdout
    compared = run("compare", str(random_file), str(greedy_file))
    both = run("--agent", "random", "--agent", "greedy", "--deals", "0:30")
    assert compared.returncode == both.returncode == 0
    paragraph = "random against greedy on the same 30 deals"
    assert paragraph in compared.stdout
    assert both.stdout[both.stdout.index(paragraph) :] in compared.stdout
    assert "run(" not in both.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--agnt", "random"), "Did you mean"),  # how click goes on depends on its version
        (("--agent", "randm"), "Did you mean 'random'?"),
        (("--agent", "random", "--rules", "clasic"), "Did you mean 'classic'?"),
        (("--agent", "random", "--deals", "9:3"), "the second number must be the larger one"),
        (("--agent", "random", "--deals", "0:5", "--deal", "7"), "not both"),
        (("--agent", "random", "--json", "nowhere/out.json"), "there is no folder nowhere"),
        (("--deals", "0:5"), "Say who plays"),
        (("compare", "nowhere.json", "nowhere.json"), "Cannot read nowhere.json"),
    ],
)
def test_bad_input_is_answered_with_a_sentence_and_code_2(
    arguments: tuple[str, ...], sentence: str
) -> None:
    refused = run(*arguments)
    assert refused.returncode == 2
    assert sentence in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_guard_turns_exceptions_into_exit_codes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from scorpion_agents.cli.options import main_guard

    def guarded(error: BaseException) -> int:
        @main_guard
        def main() -> None:
            raise error

        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0)

    assert guarded(ScorpionError("No such deal.")) == 2
    assert capsys.readouterr().err == "Error: No such deal.\n"
    assert guarded(KeyboardInterrupt()) == 130


def test_a_reader_that_leaves_early_sees_no_traceback() -> None:
    script = f"{sys.executable} {ROOT / 'scripts' / 'evaluate.py'}"
    done = subprocess.run(
        f"{script} --agent random --deals 0:5 | true",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.stderr == ""
