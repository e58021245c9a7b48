"""The pictures of docs/leaderboard.md and docs/experiments.md, from the tables that lie there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # no window, whatever the machine

import matplotlib.pyplot as plt
import numpy as np

from reports.leaderboard_rows import hardness_labels
from scorpion_agents.evaluation.intervals import wilson_interval

Row = dict[str, str]


def plot_all(rows: Sequence[Row], curves: Sequence[Row], folder: Path) -> list[Path]:
    """Draw every picture there are figures for; return the files.

    Args:
        rows: Of the leaderboard.
        curves: Of docs/curves.csv.
        folder: Where the pictures go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for rules in dict.fromkeys(row["rules"] for row in rows):
        mine = [row for row in rows if row["rules"] == rules]
        if len(mine) > 1:
            files.append(_wins_against_time(rules, mine, folder / f"time-{rules}.png"))
        hard = [row for row in mine if row["by_hardness"]]
        if hard:
            files.append(_wins_against_hardness(rules, hard, folder / f"hardness-{rules}.png"))
    for rules in dict.fromkeys(row["rules"] for row in curves):
        mine = [row for row in curves if row["rules"] == rules]
        files.append(_learning_curves(rules, mine, folder / f"learning-{rules}.png"))
    return files


def _wins_against_time(rules: str, rows: Iterable[Row], path: Path) -> Path:
    figure, axes = _new_figure(f"{rules}: wins against thinking time")
    for row in rows:
        moves, wins, games = float(row["moves_a_game"]), int(row["wins"]), int(row["games"])
        x = 1000 * float(row["seconds_a_game"]) / max(moves, 1)
        low, high = wilson_interval(wins, games)
        share = wins / games
        bars = [[100 * (share - low)], [100 * (high - share)]]
        axes.errorbar([max(x, 1e-4)], [100 * share], bars, fmt="o", capsize=3)
        axes.annotate(
            row["agent"], (max(x, 1e-4), 100 * share), xytext=(6, 4), textcoords="offset points"
        )
    axes.set_xscale("log")
    axes.margins(x=0.15)  # room for the names
    axes.set_xlabel("milliseconds a move, one core")
    axes.set_ylabel("games won, %  (Wilson 95 %)")
    return _save(figure, path)


def _wins_against_hardness(rules: str, rows: Iterable[Row], path: Path) -> Path:
    figure, axes = _new_figure(f"{rules}: wins against hardness of the deal")
    labels = hardness_labels()
    for row in rows:
        counts = [tuple(map(int, part.split("/"))) for part in row["by_hardness"].split()]
        kept = [(i, wins, games) for i, (wins, games) in enumerate(counts) if games]
        shares = [100 * wins / games for _, wins, games in kept]
        ends = [wilson_interval(wins, games) for _, wins, games in kept]
        bars = [
            [share - 100 * low for share, (low, _) in zip(shares, ends, strict=True)],
            [100 * high - share for share, (_, high) in zip(shares, ends, strict=True)],
        ]
        places = [i for i, _, _ in kept]
        axes.errorbar(places, shares, bars, marker="o", capsize=3, label=row["agent"])
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlabel("positions the solver looked at until it won")
    axes.set_ylabel("of the winnable deals, won, %")
    figure.legend(loc="outside right upper")
    return _save(figure, path)


def _learning_curves(rules: str, rows: Sequence[Row], path: Path) -> Path:
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
    figure.legend(loc="outside right upper")
    return _save(figure, path)


def _new_figure(title: str) -> tuple[Any, Any]:
    figure, axes = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    return figure, axes


def _save(figure: Any, path: Path) -> Path:
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
    return path
