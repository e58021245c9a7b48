"""Results of an evaluation: written, read back, compared, refused."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from scorpion_agents import GreedyAgent, load_agent
from scorpion_agents.evaluation.evaluate import evaluate
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
from scorpion_env.notation.files import write_whole
from support.evaluations import CLASSIC, evaluation, result


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
