"""replay.py as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import call_script, run_script
from support.played import short_game


def test_replays_are_checked_and_the_wrong_line_is_named(tmp_path: Path) -> None:
    right, edited = short_game(tmp_path / "right.jsonl"), short_game(tmp_path / "edited.jsonl")
    lines = edited.read_text().splitlines()
    lines[1] = json.dumps({"move": "6S>4", "points": 5, "score": 5})
    edited.write_text("\n".join(lines))
    done = run_script("replay.py", "check", right)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{right}: right. classic, lost, 2 moves, 5 points.\n"
    done = call_script("replay.py", "check", edited, right)
    assert done.returncode == 2
    assert f"Error: {edited}, line 2: the move 6S>4 is refused" in done.stderr
    assert f"{right}: right." in done.stdout
