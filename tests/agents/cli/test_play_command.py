"""The scripts that a person sees: render.py, play.py, replay.py, run as one runs them."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from scorpion_agents.cli import play_loop
from scorpion_env import Game, replay
from support.commands import call_script, run_script


def all_labels(game: Game) -> list[str]:
    """Return the legal moves as one types them."""
    return [play_loop.move_label(game, action) for action in game.legal_actions().tolist()]


def test_playing_over_a_pipe_says_the_score_after_each_command() -> None:
    done = run_script("play.py", "--deal", "7", text="deal\nundo\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    parts = done.stdout.split("\n> ")
    assert [part.split("\n")[0] for part in parts[1:]] == ["deal", "undo", "quit"]
    assert all(re.search(r"^Score 0, [01] moves?\.$", part, re.MULTILINE) for part in parts)
    assert done.stdout.splitlines()[-1].startswith("Result: not finished after 0 moves")


def test_a_whole_game_is_played_saved_and_taken_up_again(tmp_path: Path) -> None:
    path, other = tmp_path / "my game.jsonl", tmp_path / "precious.txt"
    other.write_text("mine")
    commands = f"""
        9c 5
        6d to 5
        7D 7
        6S 7
        moves
        hint
        6S 3
        dael
        4H@2 7
        DEAL
        hint
        undo
        undo
        redo
        redo
        redo
        deal
        save {path}
        save {other}
        save
        help
    """
    done = call_script("play.py", "--deal", "23", "--format", "lines", text=commands)
    assert (done.returncode, done.stderr) == (0, "")
    out = done.stdout
    assert "9C cannot be seen yet: it lies face down or in the reserve." in out
    assert "6D cannot be seen yet: it lies face down or in the reserve." in out
    assert "Rule: the cards must be of the same suit." in out
    assert "6S goes on the next higher rank, not on KS." in out
    assert "Legal moves (" in out
    assert "Hint: " in out
    assert "6S>3: 5 points.\nScore 5, 1 move." in out
    assert "Did you mean 'deal'?" in out
    assert "There is no 4H at 2." in out
    assert "Nothing more can change: the game is lost. You may still undo." in out
    assert "The game is over; undo takes the last move back." in out
    assert "Taken back: deal." in out
    assert "There is no move to play again." in out
    assert "The game is over: it is lost." in out
    assert f"{other} is there and is no replay" in out
    assert "Name a file" in out
    assert out.splitlines()[-1] == (
        "Result: lost after 2 moves, score 5, runs 0 of 4 (classic, deal 23)."
    )
    assert other.read_text() == "mine"
    assert replay.check(path).outcome == "lost"

    again = call_script("play.py", "--from-replay", path, text="undo\nundo\nundo\n")
    assert again.returncode == 0
    assert "There is no move to take back." in again.stdout
    assert "Result: not finished after 0 moves, score 0" in again.stdout


def test_a_board_is_played_to_the_win(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    spades = " ".join(f"{rank}S" for rank in "KQJT98765432")
    board.write_text(f"Foundations: C D H\n{spades}\nAS\n" + "-\n" * 5)
    done = call_script("play.py", "--board", board, text="AS 1\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "AS>1: 105 points.\nYou have won with 105 points in 1 move" in done.stdout
    assert "Result: won after 1 move, score 105, runs 4 of 4" in done.stdout


def test_two_copies_that_could_go_are_told_apart() -> None:
    game = Game.new(deal=7, rules="double")
    rng = random.Random(4)
    typed = []
    while not (labels := [label for label in all_labels(game) if "@" in label]):
        typed.append(rng.choice(all_labels(game)))
        game.play(play_loop.parse_command(game, typed[-1]))
    text = labels[0].split("@")[0] + ">" + labels[0].split(">")[1]
    commands = "\n".join([*typed, text, labels[0], "help"])
    done = call_script("play.py", "--rules", "double", "--deal", "7", text=commands)
    same = [label for label in labels if (label[:2], label[-1]) == (text[:2], text[-1])]
    assert f"Two cards {text[:2]} can go there; write {' or '.join(same)}." in done.stdout
    assert f"{text}: " in done.stdout
    assert "4H@3 7" in done.stdout


@pytest.mark.parametrize("name", ["double", "pysol-double", "how-they-run"])
def test_every_legal_move_has_a_text_of_its_own(name: str) -> None:
    rng = random.Random(1)
    game = Game.new(deal=1, rules=name)
    for _ in range(40):
        labels = all_labels(game)
        assert len(set(labels)) == len(labels)
        for label, action in zip(labels, game.legal_actions().tolist(), strict=True):
            if label != "deal":
                assert play_loop.parse_command(game, label) == action
                assert play_loop.parse_command(game, label.lower().replace(">", " ")) == action
        if not labels:
            return
        game.play(rng.choice(game.legal_actions().tolist()))
