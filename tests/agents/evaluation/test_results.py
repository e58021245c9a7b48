"""Result files: written, read back, refused."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorpion_agents import GreedyAgent, load_agent
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.evaluation.results import read_json, to_json, write_csv, write_json
from scorpion_env import ScorpionError
from scorpion_env.notation.files import write_whole
from support.evaluations import CLASSIC, evaluation, result


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


Change = Callable[[dict[str, Any]], object]

DAMAGES: list[tuple[Change, str]] = [
    (lambda d: d["deals"][1].update(points="x"), "'deals.1.points' should be .* integer, not 'x'"),
    (lambda d: d["deals"][1].update(points="5"), "'deals.1.points' should be .* integer, not '5'"),
    (lambda d: d["deals"][1].update(points=10**30), "'deals.1.points' should be less than"),
    (lambda d: d["deals"][0].pop("runs"), "it says nothing of deals.0.runs"),
    (lambda d: d["deals"][0].update(pionts=7), "'deals.0.pionts' .*not 7"),
    (lambda d: d["deals"][0].update(outcome="drawn"), "'deals.0.outcome' .*'truncated', not 'dra"),
    (lambda d: d.update(deals=[5]), "'deals.0' should be an object, not 5"),
    (lambda d: d.update(deals=[]), "'deals' .* at least 1 item"),
    (lambda d: d.update(deals={}), "'deals' should be a valid list, not {}"),
    (lambda d: d.update(rules="clasic"), "Unknown preset 'clasic'. Did you mean 'classic'"),
    (lambda d: d.update(rules=["classic"]), "'rules' should be the name of a preset or an object"),
    (lambda d: d.update(rules={"name": "x", "columns": 7}), "columns is a list of numbers"),
    (lambda d: d.update(agent=None), "'agent' should be a valid string, not None"),
    (lambda d: d.update(information="all"), "'information' should be 'player' or 'oracle'"),
    (lambda d: d.update(stochastic="no"), "'stochastic' should be a valid boolean, not 'no'"),
    (lambda d: d.update(max_steps=0), "'max_steps' should be greater"),
    (lambda d: d.update(seed=0.5), "'seed' should be a valid integer, not 0.5"),
    (lambda d: d.update(versions=[1]), "'versions' should be an object"),
    (lambda d: d["versions"].pop("environment"), "it says nothing of versions.environment"),
    (lambda d: d["summary"].update(seconds=float("nan")), "'summary.seconds' .*not finite"),
    (lambda d: d.update(results=[]), "'results' .* at least 1 item"),
    (lambda d: d.update(results=[{"agent": "x"}]), "it says nothing of results.0.information"),
    (lambda d: d.update(results=7), "'results' should be a valid list, not 7"),
]


@pytest.mark.parametrize(("damage", "fault"), DAMAGES)
def test_a_damaged_file_is_refused_in_a_sentence_that_names_the_place(
    damage: Change, fault: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.json"
    data = json.loads(json.dumps(to_json([evaluation(result("0"), result("1", points=5))])))
    path.write_text(json.dumps(data))
    assert len(read_json(path)) == 1
    damage(data)
    path.write_text(json.dumps(data))
    with pytest.raises(ScorpionError, match=rf"x\.json is no result file .*: .*{fault}") as refusal:
        read_json(path)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 500
