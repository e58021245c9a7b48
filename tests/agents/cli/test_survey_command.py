"""survey.py as a user runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

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
