"""solve.py and survey.py as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scorpion_env.environment.deal_lists import read_deal_list
from scorpion_env.game import Game
from scorpion_env.replay import record, save
from scorpion_env.rules import PRESETS
from scorpion_env.solver import Solver
from support import boards

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"
CLASSIC = PRESETS["classic"]
WON = boards.board(CLASSIC, ["KC QC JC TC 9C", boards.run("C", "8")])
LOST = boards.board(CLASSIC, ["KC QC JC TC 9C", "<8C> 7C 6C 5C 4C 3C 2C AC"])


def run(script: str, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPTS / script), *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_exit_code_says_the_verdict(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text(WON)
    found = run("solve.py", str(board))
    assert (found.returncode, found.stdout.split(":")[0]) == (0, "won")
    assert "8C>1" in found.stdout
    assert run("solve.py", "-", given=LOST).returncode == 1
    found = run("solve.py", "--deal", "141", "--node-limit", "5")
    assert (found.returncode, found.stdout.split(":")[0]) == (3, "unknown")


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        (["-"], WON.replace(" QC", "")),
        (["-"], WON.replace("QC", "QX")),
        (["-", "--deal", "7"], WON),
        (["nowhere.txt"], ""),
        (["--deal", "clubs"], ""),
        (["--explain", "nowhere.replay"], ""),
        ([], ""),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments: list[str], given: str) -> None:
    found = run("solve.py", *arguments, given=given)
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr.startswith("Error: ")
    assert len(found.stderr.splitlines()) == 1


def test_unknown_cards_give_a_share_with_its_interval(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    text = boards.board(CLASSIC, ["<3C> KC QC JC TC 9C", "<AC> <2C> " + boards.run("C", "8", "4")])
    given = text.replace("<3C>", "<??>").replace("<AC>", "<??>").replace("<2C>", "<??>")
    found = run("solve.py", "-", "--samples", "40", "--json", str(out), given=given)
    assert found.returncode in (1, 3)
    summary = json.loads(out.read_text())["summary"]
    assert summary["won"] + summary["lost"] == 40
    assert summary["low"] <= summary["share"] <= summary["high"]


def test_the_move_that_lost_the_game_is_named(tmp_path: Path) -> None:
    solver = Solver(CLASSIC)
    deal = next(d for d in range(100) if solver.solve(d).verdict == "won")
    game = Game.new(deal)
    actions = []
    while solver.solve(game).verdict == "won":
        lost = []
        for action in game.legal_actions().tolist():
            after = game.copy()
            after.play(action)
            if solver.solve(after).verdict == "lost":
                lost.append(action)
        actions.append(lost[0] if lost else solver.solve(game).actions[0])
        game.play(actions[-1])
    replay = tmp_path / "game.replay"
    save(record(deal, CLASSIC, actions), replay)
    found = run("solve.py", "--explain", str(replay))
    assert found.returncode == 1
    assert f"Move {len(actions)}, {game.last_move}, lost the game" in found.stdout


def test_a_survey_goes_on_after_a_kill_and_ends_with_the_same_file(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    arguments = ("--deals", "0:40", "--chunk", "10", "--processes", "1", "--csv", str(out))
    assert run("survey.py", *arguments).returncode == 0
    whole = out.read_bytes()
    assert whole.count(b"\n") == 1 + 4 + 1
    assert not (tmp_path / "out.csv.part").exists()
    out.unlink()
    journal = tmp_path / "out.csv.part"
    with subprocess.Popen([sys.executable, str(SCRIPTS / "survey.py"), *arguments]) as survey:
        while not journal.exists() or journal.read_bytes().count(b"\n") < 2:
            assert survey.poll() is None
        survey.kill()
    assert not out.exists()
    with journal.open("ab") as file:
        file.write(b'{"first": 30, "de')
    assert run("survey.py", *arguments).returncode == 0
    assert out.read_bytes() == whole


def test_a_journal_of_another_survey_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out.csv.part").write_text("{}\n")
    found = run("survey.py", "--deals", "0:10", "--csv", str(tmp_path / "out.csv"))
    assert found.returncode == 2
    assert len(found.stderr.splitlines()) == 1


def test_a_curriculum_lists_winnable_deals_easiest_first(tmp_path: Path) -> None:
    out = tmp_path / "easy.txt"
    arguments = ["--deals", "2000000:2000060", "--out", str(out)]
    assert run("curriculum.py", *arguments).returncode == 0
    whole = read_deal_list(out).tolist()
    nodes = [Solver(CLASSIC).solve(deal).nodes for deal in whole]
    assert len(whole) > 3
    assert nodes == sorted(nodes)
    assert run("curriculum.py", *arguments, "--easiest", "0.5").returncode == 0
    assert read_deal_list(out).tolist() == whole[: round(len(whole) / 2)]
    assert run("curriculum.py", *arguments, "--by", "random", "--games", "20").returncode == 0
    assert set(read_deal_list(out).tolist()) == set(whole)
    found = run("curriculum.py", "--deals", "pysol:1", "--out", str(out))
    assert (found.returncode, len(found.stderr.splitlines())) == (2, 1)
