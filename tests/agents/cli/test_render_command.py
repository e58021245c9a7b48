"""render.py as a user runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scorpion_env import replay
from support.commands import call_script, command_of, run_script, without_terminal
from support.played import short_game


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_rendering_into_a_pipe_needs_no_more_than_ascii(encoding: str) -> None:
    done = run_script("render.py", "--agent", "random", "--deal", "7", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(
        r"Result: (won|lost) after \d+ moves, score \d+, runs .* on deal 7\)\.", last
    )


def test_rendering_shows_every_step_as_one_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    done = call_script("render.py", "--agent", "greedy", "--deal", "pysol:24", "--rules", "wasp",
               "--max-steps", "3", "--color", "always", "--symbols", "symbols", "--legal",
               "--save", path)  # fmt: skip
    assert done.returncode == 0
    assert "\x1b[31m" in done.stdout
    assert "\u2665" in done.stdout
    assert done.stdout.count("Legal moves (") == 4
    assert "Result: step limit reached after 3 moves" in done.stdout
    assert replay.check(path).moves == 3
    assert replay.load(path).outcome == "truncated"

    again = call_script("render.py", "--from-replay", path, "--format", "lines")
    assert again.returncode == 0
    assert again.stdout.count("Rules wasp. Score") == 4
    assert "The step limit ended the game." in again.stdout
    assert "Result: step limit reached after 3 moves" in again.stdout


def test_the_rendered_game_is_the_evaluated_one() -> None:
    from scorpion_agents import load_agent
    from scorpion_agents.evaluation.evaluate import evaluate

    result = evaluate(load_agent("random", "classic"), "classic", "11", seed=5).deals[0]
    done = call_script("render.py", "--agent", "random", "--deal", "11", "--seed", "5")
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
    done = call_script("render.py", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("variables", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colour_and_a_picture_of_its_size(
    tmp_path: Path, variables: dict[str, str], colored: bool
) -> None:
    import fcntl
    import pty
    import struct
    import termios

    path = short_game(tmp_path / "game.jsonl")
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 17, 40, 0, 0))
    command = command_of("render.py", "--from-replay", path, "--delay", "0")
    with subprocess.Popen(
        command,
        stdout=follower,
        env=without_terminal() | {"TERM": "xterm", "PYTHONIOENCODING": "ascii", **variables},
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
