"""solve.py and survey.py as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scorpion_env.game import Game
from scorpion_env.replay import record, save
from scorpion_env.rules import PRESETS
from scorpion_env.solver import Solver
from support import boards
from support.commands import call_script, run_script

CLASSIC = PRESETS["classic"]
WON = boards.board(CLASSIC, ["KC QC JC TC 9C", boards.run("C", "8")])
LOST = boards.board(CLASSIC, ["KC QC JC TC 9C", "<8C> 7C 6C 5C 4C 3C 2C AC"])


def test_the_exit_code_says_the_verdict(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text(WON)
    found = run_script("solve.py", board)
    assert (found.returncode, found.stdout.split(":")[0]) == (0, "won")
    assert "8C>1" in found.stdout
    assert call_script("solve.py", "-", text=LOST).returncode == 1
    found = call_script("solve.py", "--deal", "141", "--node-limit", "5")
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
    found = call_script("solve.py", *arguments, text=given)
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr.startswith("Error: ")
    assert len(found.stderr.splitlines()) == 1


def test_unknown_cards_give_a_share_with_its_interval(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    text = boards.board(CLASSIC, ["<3C> KC QC JC TC 9C", "<AC> <2C> " + boards.run("C", "8", "4")])
    given = text.replace("<3C>", "<??>").replace("<AC>", "<??>").replace("<2C>", "<??>")
    found = call_script("solve.py", "-", "--samples", "40", "--json", str(out), text=given)
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
    found = call_script("solve.py", "--explain", str(replay))
    assert found.returncode == 1
    assert f"Move {len(actions)}, {game.last_move}, lost the game" in found.stdout


@pytest.mark.parametrize("way", ["file", "input"])
def test_a_board_may_begin_with_a_byte_order_mark(way: str, tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text(WON, encoding="utf-8-sig")
    if way == "file":
        found = call_script("solve.py", board)
    else:
        found = call_script("solve.py", "-", text="\ufeff" + WON)
    assert found.returncode == 0, found.stderr


def test_a_game_that_the_step_limit_ended_could_still_be_won(tmp_path: Path) -> None:
    replay = tmp_path / "game.replay"
    first = Game.new(17).parse_move(Solver(CLASSIC).solve(17).moves[0])
    save(record(17, CLASSIC, [first], truncated=True), replay)
    found = call_script("solve.py", "--explain", replay)
    assert found.returncode == 0
    assert "No single move lost the game; at its end it could still be won." in found.stdout
    save(record(17, CLASSIC, Solver(CLASSIC).solve(17).actions), replay)
    assert "at its end it is won." in call_script("solve.py", "--explain", replay).stdout
