"""The scripts that a person sees: render.py, play.py, replay.py, run as one runs them."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scorpion_agents.cli import play_loop
from scorpion_env import Game, replay

pytest.importorskip("click")

ROOT = Path(__file__).resolve().parents[3]


def run(
    script: str, *arguments: str | Path, text: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a script with `text` as its input; output is read as UTF-8."""
    env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / script), *map(str, arguments)],
        input=text,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**env, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=300,
        check=False,
    )


def all_labels(game: Game) -> list[str]:
    """Return the legal moves as one types them."""
    return [play_loop.move_label(game, action) for action in game.legal_actions().tolist()]


def written(path: Path) -> Path:
    game = Game.new(deal=23)
    replay.save(replay.from_game(game, [game.parse_move("6S>3"), game.parse_move("deal")]), path)
    return path


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_rendering_into_a_pipe_needs_no_more_than_ascii(encoding: str) -> None:
    done = run("render.py", "--agent", "random", "--deal", "7", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(
        r"Result: (won|lost) after \d+ moves, score \d+, runs .* on deal 7\)\.", last
    )


def test_rendering_shows_every_step_as_one_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    done = run("render.py", "--agent", "greedy", "--deal", "pysol:24", "--rules", "wasp",
               "--max-steps", "3", "--color", "always", "--symbols", "symbols", "--legal",
               "--save", path)  # fmt: skip
    assert done.returncode == 0
    assert "\x1b[31m" in done.stdout
    assert "\u2665" in done.stdout
    assert done.stdout.count("Legal moves (") == 4
    assert "Result: step limit reached after 3 moves" in done.stdout
    assert replay.check(path).moves == 3
    assert replay.load(path).outcome == "truncated"

    again = run("render.py", "--from-replay", path, "--format", "lines")
    assert again.returncode == 0
    assert again.stdout.count("Rules wasp. Score") == 4
    assert "The step limit ended the game." in again.stdout
    assert "Result: step limit reached after 3 moves" in again.stdout


def test_the_rendered_game_is_the_evaluated_one() -> None:
    from scorpion_agents import load_agent
    from scorpion_agents.evaluation.evaluate import evaluate

    result = evaluate(load_agent("random", "classic"), "classic", "11", seed=5).deals[0]
    done = run("render.py", "--agent", "random", "--deal", "11", "--seed", "5")
    assert f"after {result.moves} moves, score {result.points}, runs {result.runs} of 4" in (
        done.stdout
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--agent", "gredy"], "Did you mean 'greedy'?"),
        (["--rules", "clasic"], "Did you mean 'classic'?"),
        (["--deal", "pysol:0"], "does not exist"),
        (["--board", "/no/such/file"], "cannot be read"),
        (["--from-replay", "/no/such/file"], "cannot be read"),
        (["--from-replay", "game.jsonl", "--deal", "7"], "Leave out --deal"),
        (["--formt", "grid"], "--format"),
    ],
)
def test_rendering_refuses_bad_input_with_a_sentence(arguments: list[str], sentence: str) -> None:
    done = run("render.py", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_playing_over_a_pipe_says_the_score_after_each_command() -> None:
    done = run("play.py", "--deal", "7", text="deal\nundo\nquit\n")
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
    done = run("play.py", "--deal", "23", "--format", "lines", text=commands)
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

    again = run("play.py", "--from-replay", path, text="undo\nundo\nundo\n")
    assert again.returncode == 0
    assert "There is no move to take back." in again.stdout
    assert "Result: not finished after 0 moves, score 0" in again.stdout


def test_a_board_is_played_to_the_win(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    spades = " ".join(f"{rank}S" for rank in "KQJT98765432")
    board.write_text(f"Foundations: C D H\n{spades}\nAS\n" + "-\n" * 5)
    done = run("play.py", "--board", board, text="AS 1\nquit\n")
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
    done = run("play.py", "--rules", "double", "--deal", "7", text=commands)
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


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("variables", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colour_and_a_picture_of_its_size(
    tmp_path: Path, variables: dict[str, str], colored: bool
) -> None:
    import fcntl
    import pty
    import struct
    import termios

    path = written(tmp_path / "game.jsonl")
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 17, 40, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    command = [sys.executable, str(ROOT / "scripts" / "render.py"), "--from-replay", str(path),
               "--delay", "0"]  # fmt: skip
    with subprocess.Popen(
        command,
        stdout=follower,
        env={**env, "TERM": "xterm", "PYTHONIOENCODING": "ascii", **variables},
    ) as process:
        os.close(follower)
        output = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:  # how Linux says that the other end was closed
                break
            if not chunk:
                break
            output += chunk
    os.close(leader)
    assert process.returncode == 0
    text = output.decode("ascii").replace("\r\n", "\n")
    assert ("\x1b[" in text) is colored
    frames = re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n\nclassic ")
    assert len(frames) == 3
    for frame in frames[:-1]:
        assert len(frame.splitlines()) <= 16
        assert max(map(len, frame.splitlines())) <= 40


def test_replays_are_checked_and_the_wrong_line_is_named(tmp_path: Path) -> None:
    right, edited = written(tmp_path / "right.jsonl"), written(tmp_path / "edited.jsonl")
    lines = edited.read_text().splitlines()
    lines[1] = json.dumps({"move": "6S>4", "points": 5, "score": 5})
    edited.write_text("\n".join(lines))
    done = run("replay.py", "check", right)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{right}: right. classic, lost, 2 moves, 5 points.\n"
    done = run("replay.py", "check", edited, right)
    assert done.returncode == 2
    assert f"Error: {edited}, line 2: the move 6S>4 is refused" in done.stderr
    assert f"{right}: right." in done.stdout


@pytest.mark.parametrize("script", ["render.py", "play.py", "replay.py"])
def test_every_script_has_a_main_guard(script: str) -> None:
    text = (ROOT / "scripts" / script).read_text(encoding="utf-8")
    assert text.rstrip().endswith('if __name__ == "__main__":\n    main()')
