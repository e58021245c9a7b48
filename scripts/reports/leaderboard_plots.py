"""The pictures of docs/leaderboard.md and docs/experiments.md, from the tables that lie there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.labels import Point, name_points
from reports.leaderboard_rows import hardness_labels
from scorpion_agents.evaluation.intervals import wilson_interval

Row = dict[str, str]

SHORTEST = 1e-4
"""Milliseconds a move that the axis begins with; what took less is drawn there."""

ROOM = 3, 50
"""How many times less, and more, the axis shows than the fastest and the slowest take: the names
stand there."""

APART = 0.09
"""Steps of the axis between two agents' points on the same deals: their bars stand side by side."""


def plot_all(rows: Sequence[Row], curves: Sequence[Row], folder: Path) -> list[Path]:
    """Draw every picture there are figures for; return the files.

    Args:
        rows: Of the leaderboard.
        curves: Of docs/curves.csv.
        folder: Where the pictures go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, figure in draw_all(rows, curves).items():
        files.append(folder / f"{name}.png")
        figure.savefig(files[-1], metadata={"Software": None})
    return files


def draw_all(rows: Sequence[Row], curves: Sequence[Row]) -> dict[str, Figure]:
    """Return every picture there are figures for, by its name."""
    figures = {}
    for rules in dict.fromkeys(row["rules"] for row in rows):
        mine = [row for row in rows if row["rules"] == rules]
        if len(mine) > 1:
            figures[f"time-{rules}"] = _wins_against_time(rules, mine)
        hard = [row for row in mine if row["by_hardness"]]
        if hard:
            figures[f"hardness-{rules}"] = _wins_against_hardness(rules, hard)
    for rules in dict.fromkeys(row["rules"] for row in curves):
        mine = [row for row in curves if row["rules"] == rules]
        figures[f"learning-{rules}"] = _learning_curves(rules, mine)
    return figures


def _wins_against_time(rules: str, rows: Sequence[Row]) -> Figure:
    figure, axes = _new_figure(f"{rules}: wins against thinking time")
    points = []
    for row in rows:
        moves, wins, games = float(row["moves_a_game"]), int(row["wins"]), int(row["games"])
        low, high = wilson_interval(wins, games)
        milliseconds = 1000 * float(row["seconds_a_game"]) / max(moves, 1)
        percent = (100 * share for share in (wins / games, low, high))
        points.append(Point(row["agent"], max(milliseconds, SHORTEST), *percent))
    for point in points:
        bars = [[point.y - point.low], [point.high - point.y]]
        axes.errorbar([point.x], [point.y], bars, fmt="o", capsize=3)
    axes.set_xscale("log")
    times = [point.x for point in points]
    axes.set_xlim(min(times) / ROOM[0], max(times) * ROOM[1])
    axes.set_xlabel("milliseconds a move, one core")
    axes.set_ylabel("games won, %  (Wilson 95 %)")
    name_points(figure, axes, points)
    return figure


def _wins_against_hardness(rules: str, rows: Sequence[Row]) -> Figure:
    figure, axes = _new_figure(f"{rules}: wins against hardness of the deal")
    labels = hardness_labels()
    for place, row in enumerate(rows):
        counts = [tuple(map(int, part.split("/"))) for part in row["by_hardness"].split()]
        kept = [(i, wins, games) for i, (wins, games) in enumerate(counts) if games]
        shares = [100 * wins / games for _, wins, games in kept]
        ends = [wilson_interval(wins, games) for _, wins, games in kept]
        bars = [
            [share - 100 * low for share, (low, _) in zip(shares, ends, strict=True)],
            [100 * high - share for share, (_, high) in zip(shares, ends, strict=True)],
        ]
        aside = APART * (place - (len(rows) - 1) / 2)
        places = [i + aside for i, _, _ in kept]
        axes.errorbar(places, shares, bars, marker=".", linewidth=1, capsize=2, label=row["agent"])
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlabel("positions the solver looked at until it won")
    axes.set_ylabel("of the winnable deals, won, %")
    figure.legend(loc="outside right upper")
    return figure


def _learning_curves(rules: str, rows: Sequence[Row]) -> Figure:
    figure, axes = _new_figure(f"{rules}: learning, mean and range over seeds")
    for name in dict.fromkeys(row["curve"] for row in rows):
        mine = [row for row in rows if row["curve"] == name]
        at: dict[int, list[float]] = defaultdict(list)
        for row in mine:
            at[int(row["timesteps"])].append(100 * float(row["win_rate"]))
        seeds = len({row["seed"] for row in mine})
        steps = [step for step in sorted(at) if len(at[step]) == seeds]
        means = [float(np.mean(at[step])) for step in steps]
        label = f"{name} ({seeds} seed{'s' if seeds > 1 else ''})"
        (line,) = axes.plot([step / 1e6 for step in steps], means, marker=".", label=label)
        axes.fill_between(
            [step / 1e6 for step in steps],
            [min(at[step]) for step in steps],
            [max(at[step]) for step in steps],
            alpha=0.2,
            color=line.get_color(),
        )
    axes.set_xlabel("million steps")
    axes.set_ylabel("games won, %")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _new_figure(title: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8.5, 4.8), dpi=110, layout="constrained")
    axes = figure.subplots()
    axes.set_title(title)
    axes.grid(alpha=0.3)
    return figure, axes
