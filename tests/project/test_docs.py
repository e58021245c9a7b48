"""The tables in docs/ are those that the scripts make from the committed results."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from scorpion_agents import load_agent
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_env.errors import ScorpionError
from support.paths import ROOT


def stem(path: Path) -> str:
    return path.stem


def between_markers(page: str, name: str = "table") -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text.count(f"<!-- {name} -->\n") == 1
    return text.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- /{name} -->")[0]


def test_the_table_of_presets_is_made_from_the_data() -> None:
    import presets

    shown = between_markers("docs/variants.md", "presets")
    assert shown == presets.table(), "run python scripts/presets.py and paste its output"


def test_the_table_of_winnability_is_made_from_the_surveys() -> None:
    import winnability

    expected = winnability.table(winnability.surveys())
    assert between_markers("docs/winnability.md") == expected, "run python scripts/winnability.py"


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "winnability").glob("*.csv")), ids=stem)
def test_a_survey_adds_up(path: Path) -> None:
    with path.open(newline="") as file:
        *rows, total = csv.DictReader(file)
    assert rows
    for field in ("deals", "won", "lost", "unknown", "nodes"):
        assert sum(int(row[field]) for row in rows) == int(total[field])
    assert int(total["won"]) + int(total["lost"]) + int(total["unknown"]) == int(total["deals"])


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "performance").glob("*.json")), ids=stem)
def test_the_page_of_performance_shows_the_results_that_are_kept(path: Path) -> None:
    from rich.console import Console

    import benchmark

    console = Console(width=200, record=True, file=io.StringIO(), highlight=False)
    benchmark.print_result(console, benchmark.read_result(path))
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    expected = "\n".join(["```", *lines, "```"])
    assert expected in page, f"paste what python scripts/benchmark.py --show {path} prints"


def test_what_is_no_result_of_a_benchmark_is_refused(tmp_path: Path) -> None:
    import benchmark

    (tmp_path / "x.json").write_text('{"steps": 1}')
    with pytest.raises(ScorpionError, match="no 'asked' in it"):
        benchmark.read_result(tmp_path / "x.json")


def test_the_leaderboard_is_made_from_its_rows() -> None:
    import reports.leaderboard_rows as leaderboard

    expected = leaderboard.table(leaderboard.read_rows())
    assert between_markers("docs/leaderboard.md") == expected, "run python scripts/leaderboard.py"


def test_the_results_of_the_readme_are_rows_of_the_leaderboard() -> None:
    import reports.leaderboard_rows as leaderboard

    rows = leaderboard.read_rows()
    expected = leaderboard.short_table(rows)
    assert len(expected.splitlines()) == 2 + sum(map(len, leaderboard.SHORT.values()))
    assert between_markers("README.md", "results") == expected, (
        "run python scripts/leaderboard.py short and paste its output"
    )


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((59, 100, 0), "59%"),
        ((59, 100, 50), "39% to 59%"),
        ((300, 1000, 1), "30%"),
        ((0, 0, 3), "-"),
    ],
)
def test_deals_that_are_undecided_leave_the_share_open(
    counts: tuple[int, int, int], text: str
) -> None:
    import reports.leaderboard_rows as leaderboard

    assert leaderboard.share(*counts) == text


def test_a_row_of_the_leaderboard_tells_what_was_played(tmp_path: Path) -> None:
    import reports.leaderboard_rows as leaderboard

    deals = [str(deal) for deal in range(20)]
    oracle = evaluate(load_agent("oracle", "classic"), "classic", deals)
    row = leaderboard.row_of(oracle, "a command", "1.0")
    assert (row["games"], row["first"], row["last"]) == (20, 0, 19)
    assert row["wins"] == row["winnable"] > 0
    shown = leaderboard.table([{key: str(value) for key, value in row.items()}])
    assert "| `classic` | `oracle` (oracle) | 0:20 |" in shown
    assert "| 100% |" in shown
    with pytest.raises(ScorpionError, match="successive"):
        leaderboard.row_of(evaluate(load_agent("greedy", "classic"), "classic", ["3", "1"]), "", "")


def test_pictures_are_drawn_from_rows_and_curves(tmp_path: Path) -> None:
    import reports.leaderboard_rows as data
    from reports import leaderboard_plots

    deals = [str(deal) for deal in range(30)]
    rows = []
    for name in ("oracle", "greedy"):
        row = data.row_of(evaluate(load_agent(name, "classic"), "classic", deals), "", "")
        rows.append({key: str(value) for key, value in row.items()})
        groups = [part.split("/") for part in row["by_hardness"].split()]
        assert sum(int(wins) for wins, _ in groups) == row["wins"]
        assert sum(int(games) for _, games in groups) == row["winnable"]
        assert len(groups) == len(data.hardness_labels())
    run = tmp_path / "run"
    run.mkdir()
    (run / "evaluations.csv").write_text(
        "timesteps,win_rate,mean_points,mean_runs,illegal_actions\n100,0.1,1,0,0\n200,0.2,2,0,0\n"
    )
    curves = [
        {key: str(value) for key, value in row.items()}
        for seed in (0, 1)
        for row in data.run_rows("mlp", run, "classic", seed)
    ]
    assert [row["timesteps"] for row in curves] == ["100", "200"] * 2
    files = leaderboard_plots.plot_all(rows, curves, tmp_path / "plots")
    kinds = ("time", "hardness", "learning")
    assert [path.name for path in files] == [f"{kind}-classic.png" for kind in kinds]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in files)
    with pytest.raises(ScorpionError, match="no evaluations"):
        data.run_rows("mlp", tmp_path, "classic", 0)


def test_no_label_of_a_picture_lies_on_another() -> None:
    import reports.leaderboard_rows as data
    from reports.labels import overlaps
    from reports.leaderboard_plots import draw_all

    kept = {path.stem for path in data.PLOTS.glob("*.png")}
    rules = {name.partition("-")[2] for name in kept}
    rows, curves = (
        [row for row in rows if row["rules"] in rules]
        for rows in (data.read_rows(), data.read_curves(data.CURVES))
    )
    figures = draw_all(rows, curves)
    assert set(figures) == kept != set()
    for name, figure in figures.items():
        assert overlaps(figure) == [], name


def test_labels_that_lie_on_each_other_are_found() -> None:
    from matplotlib.figure import Figure

    from reports.labels import overlaps

    figure = Figure()
    axes = figure.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, "one")
    axes.text(0.5, 0.51, "two")
    axes.text(0.1, 0.1, "three")
    assert overlaps(figure) == [("two", "one")]


def test_files_that_are_no_results_are_refused(tmp_path: Path) -> None:
    import winnability

    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ScorpionError, match="no survey"):
        winnability.surveys(tmp_path)
