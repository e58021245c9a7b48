"""survey.py as a user runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from scorpion_agents.cli.survey import Journal
from scorpion_env import ScorpionError
from support.commands import call_script, command_of, run_script


def test_a_survey_goes_on_after_a_kill_and_ends_with_the_same_file(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    arguments = ("--deals", "0:40", "--chunk", "10", "--processes", "1", "--csv", str(out))
    assert run_script("survey.py", *arguments).returncode == 0
    whole = out.read_bytes()
    assert whole.count(b"\n") == 1 + 4 + 1
    assert not (tmp_path / "out.csv.part").exists()
    out.unlink()
    journal = tmp_path / "out.csv.part"
    with subprocess.Popen(command_of("survey.py", *arguments)) as survey:
        while not journal.exists() or journal.read_bytes().count(b"\n") < 2:
            assert survey.poll() is None
        survey.kill()
    assert not out.exists()
    with journal.open("ab") as file:
        file.write(b'{"first": 30, "de')
    assert run_script("survey.py", *arguments).returncode == 0
    assert out.read_bytes() == whole


def test_a_journal_of_another_survey_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out.csv.part").write_text("{}\n")
    found = call_script("survey.py", "--deals", "0:10", "--csv", str(tmp_path / "out.csv"))
    assert found.returncode == 2
    assert len(found.stderr.splitlines()) == 1


ABOUT = {"rules": "classic", "node_limit": 5}
CHUNK = {"first": 0, "deals": 2, "won": 1, "lost": 1, "unknown": 0, "nodes": 9, "unknown_deals": []}


@pytest.mark.parametrize("first", ["", "{", '{"rules": "cl', "[1]", "\x00", "[" * 5000])
def test_a_journal_that_does_not_say_what_it_is_of_is_refused_and_kept(
    tmp_path: Path, first: str
) -> None:
    path = tmp_path / "wasp.csv.part"
    path.write_text(f"{first}\n{json.dumps(CHUNK)}\n", encoding="utf-8")
    with pytest.raises(ScorpionError, match="line 1: it does not say what it is a journal of"):
        Journal(path, ABOUT).open()
    assert json.dumps(CHUNK) in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "damaged",
    ["{", "null", "7", json.dumps(CHUNK | {"won": "1"}), json.dumps(CHUNK | {"won": 2}), "\udcff"],
)
def test_a_damaged_line_of_a_journal_is_measured_again(tmp_path: Path, damaged: str) -> None:
    other = CHUNK | {"first": 2}
    path = tmp_path / "wasp.csv.part"
    lines = [json.dumps(ABOUT), damaged, json.dumps(other)]
    path.write_bytes("\n".join([*lines, ""]).encode(errors="surrogateescape"))
    journal = Journal(path, ABOUT)
    journal.open()
    assert journal.chunks == {2: other}
