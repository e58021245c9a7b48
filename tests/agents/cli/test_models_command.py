"""models.py as a user runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import call_script, run_script
from support.models import make_run


def test_the_commands_export_and_show(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    done = run_script("models.py", "export", run, tmp_path / "out", "--deals", "900000:900010")
    assert done.returncode == 0, done.stderr
    assert "deals 900000:900010: wins" in done.stdout
    assert "Warning: This model is weaker than greedy: of 500 deals" in done.stderr
    shown = call_script("models.py", "show", tmp_path / "out")
    assert shown.stdout.splitlines() == done.stdout.splitlines()[:-1]


REFUSALS: list[tuple[Callable[[Path], list[object]], str]] = [
    (lambda path: ["export", path / "none", path / "out"], "holds no model"),
    (lambda path: ["show", path], "holds no model"),
    (lambda path: ["import", path], "holds no model"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSALS)
def test_bad_input_is_refused_in_a_sentence(
    arguments: Callable[[Path], list[object]], words: str, tmp_path: Path
) -> None:
    refused = call_script("models.py", *arguments(tmp_path))
    assert refused.returncode == 2
    assert refused.stderr.startswith("Error: ")
    assert words in refused.stderr
