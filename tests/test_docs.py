"""The tables in docs/ are those that the scripts make from the committed results."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def scripts_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])


def between_markers(page: str) -> str:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return text.partition("<!-- table -->\n")[2].partition("<!-- /table -->")[0]


def test_the_table_of_winnability_is_made_from_the_surveys() -> None:
    import winnability

    expected = winnability.table(winnability.surveys())
    assert between_markers("winnability.md") == expected, "run python scripts/winnability.py"


def test_a_survey_adds_up() -> None:
    for path in sorted((ROOT / "docs" / "winnability").glob("*.csv")):
        with path.open(newline="") as file:
            *rows, total = csv.DictReader(file)
        for field in ("deals", "won", "lost", "unknown", "nodes"):
            assert sum(int(row[field]) for row in rows) == int(total[field]), path
        assert int(total["won"]) + int(total["lost"]) + int(total["unknown"]) == int(total["deals"])
