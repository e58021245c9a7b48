"""How the scripts print what agents reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from scorpion_agents.cli.options import make_console, make_table
from scorpion_agents.evaluation.comparison import Comparison
from scorpion_agents.evaluation.evaluate import Evaluation, Summary

if TYPE_CHECKING:
    from scorpion_agents.training.seeds import SeedsSummary, Spread

ROWS: Sequence[tuple[str, Callable[[Summary], str]]] = (
    ("games", lambda s: str(s.games)),
    ("wins", lambda s: str(s.wins)),
    ("win rate", lambda s: f"{s.win_rate:.2%}"),
    ("  95 % (Wilson)", lambda s: f"{s.win_rate_ci95[0]:.2%} to {s.win_rate_ci95[1]:.2%}"),
    ("mean points", lambda s: f"{s.mean_points:.1f}"),
    ("  95 %", lambda s: _interval(s.mean_points_ci95)),
    ("runs taken per game", lambda s: f"{s.mean_runs:.3f}"),
    ("cards flipped per game", lambda s: f"{s.mean_flips:.2f}"),
    ("moves per game", lambda s: f"{s.moves_per_game:.1f}"),
    ("moves per won game", lambda s: "-" if s.moves_per_win is None else f"{s.moves_per_win:.1f}"),
    ("stopped at step limit", lambda s: str(s.truncated)),
    ("illegal actions", lambda s: str(s.illegal_actions)),
    ("games per second", lambda s: f"{s.games_per_second:.0f}"),
)
"""The lines of the table: heading, and how to write the figure."""


def print_summaries(evaluations: Sequence[Evaluation]) -> None:
    """Print a table with a column for each agent."""
    first = evaluations[0]
    deals = first.deals
    which = deals[0].deal if len(deals) == 1 else f"{deals[0].deal} to {deals[-1].deal}"
    console = make_console()
    console.print(
        f"Rules {first.rules.name}, {len(deals)} deal{'s' * (len(deals) > 1)} ({which}), "
        f"step limit {first.max_steps}",
        markup=False,
        soft_wrap=True,
    )
    table = make_table(console, "", *map(_heading, evaluations))
    summaries = [evaluation.summary() for evaluation in evaluations]
    for heading, write in ROWS:
        table.add_row(heading, *map(write, summaries))
    console.print(table)


def print_comparisons(comparisons: Iterable[Comparison]) -> None:
    """Print a paragraph for each pair of agents."""
    console = make_console()
    for c in comparisons:
        console.print(
            f"\n{c.first} against {c.second} on the same {c.deals} deals:\n"
            f"  won by {c.first} alone {c.only_first}, by {c.second} alone {c.only_second} "
            f"(McNemar p = {_p(c.wins_p)})\n"
            f"  points {c.points_difference:+.1f} (95 %: {_interval(c.points_difference_ci95)}; "
            f"t-test p = {_p(c.points_t_p)}, Wilcoxon p = {_p(c.points_wilcoxon_p)})",
            markup=False,
            soft_wrap=True,
        )


def print_seeds(summary: SeedsSummary) -> None:
    """Print a line for each seed of a training, and what they have in common."""
    console = make_console()
    console.print(
        f"{len(summary.results)} seeds, each measured on deals {summary.final_deals} "
        f"({summary.games}) and chosen on others",
        markup=False,
        soft_wrap=True,
    )
    table = make_table(
        console, "seed", "steps", "best at", "chosen at", "wins", "95 % (Wilson)", "mean points"
    )
    for r in summary.results:
        low, high = r.win_rate_ci95
        table.add_row(
            str(r.seed),
            f"{r.timesteps:,}",
            f"{r.best_timesteps:,}",
            f"{r.chosen_win_rate:.2%}",
            f"{r.win_rate:.2%}",
            f"{low:.2%} to {high:.2%}",
            f"{r.mean_points:.1f}",
        )
    console.print(table)
    for heading, figure, write in (
        ("wins", summary.win_rate, "{:.2%}"),
        ("mean points", summary.mean_points, "{:.1f}"),
    ):
        console.print(f"{heading} over seeds: {_spread(figure, write)}", markup=False)


def _spread(figure: Spread, write: str) -> str:
    text = f"mean {write.format(figure.mean)}"
    if figure.sd is None or figure.ci95 is None:
        return text
    low, high, *ci = (write.format(x) for x in (figure.low, figure.high, *figure.ci95))
    return (
        f"{text}, standard deviation {write.format(figure.sd)}, from {low} to {high}, "
        f"95 % of the mean (Student) {ci[0]} to {ci[1]}"
    )


def _heading(evaluation: Evaluation) -> str:
    return escape(evaluation.agent) + (" (oracle)" if evaluation.information == "oracle" else "")


def _interval(interval: tuple[float, float] | None) -> str:
    return "-" if interval is None else f"{interval[0]:.1f} to {interval[1]:.1f}"


def _p(p: float | None) -> str:
    if p is None:
        return "-"
    return f"{p:.2g}" if p >= 1e-16 else "below 1e-16"
