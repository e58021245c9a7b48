"""Which deals an environment draws from: all of them, those that can be won, or a list.

A list in a file holds a number a line; what follows a ``#`` is for people::

    # by_difficulty(winnable_deals("classic"))
    1000005
    1000016   # 14 nodes
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scorpion_env.batch.games import Batch
from scorpion_env.deals import MAX_SEED, EpisodeStart, Start, as_deal
from scorpion_env.errors import DealError, shortened, unknown
from scorpion_env.notation.files import read_text
from scorpion_env.rules import Rules

ALL, WINNABLE, FRESH_WINNABLE = "all", "winnable", "fresh-winnable"

DEALS = (ALL, WINNABLE, FRESH_WINNABLE)
"""What the argument ``deals`` of the environments can be, besides numbers."""


def deal_list(deals: str | npt.ArrayLike, rules: Rules) -> npt.NDArray[np.uint64]:
    """Return the seeded deals that episodes are drawn from, uint64; none in it stands for all.

    Args:
        deals: ``"all"``, ``"winnable"`` (a list of those that the solver has won, by looking under
            the cards: see :mod:`scorpion_env.winnable`), ``"fresh-winnable"`` (all, of which
            :class:`scorpion_env.environment.fresh_deals.FreshDeals` picks those that can be won),
            or the numbers of seeded deals.
        rules: The variant.

    Raises:
        DealError: if it is none of these.
    """
    if isinstance(deals, str):
        if deals in (ALL, FRESH_WINNABLE):
            return np.zeros(0, np.uint64)
        if deals == WINNABLE:
            from scorpion_env.winnable import winnable_deals

            return winnable_deals(rules)
        raise DealError(unknown("deals", deals, DEALS))
    try:
        numbers = np.asarray(deals)
    except ValueError:
        numbers = np.zeros((0, 0))
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or not len(numbers):
        raise DealError(
            f"deals must be one of {', '.join(DEALS)}, or the numbers of one or more seeded deals."
        )
    if numbers.min() < 0:
        raise DealError(f"Deal '{numbers.min()}' does not exist; the numbers go from 0.")
    return numbers.astype(np.uint64)


def draw_deals(batch: Batch, deals: str | npt.ArrayLike) -> None:
    """Let a batch draw its deals as the argument ``deals`` of the environments says.

    Raises:
        DealError: if there are no such deals.
    """
    numbers, source = deal_list(deals, batch.rules), None
    if isinstance(deals, str) and deals == FRESH_WINNABLE:
        from scorpion_env.environment.fresh_deals import FreshDeals  # brings the solver

        source = FreshDeals(batch.rules, batch.size)
    batch.draw_from(source, numbers)


def episode_start(deal: Start, rules: Rules) -> EpisodeStart:
    """Return what :meth:`scorpion_env.batch.games.Batch.start_episode` takes and does not refuse.

    Args:
        deal: What the reset option ``deal`` names, or a position.
        rules: The variant.

    Returns:
        The deal, or for ``"winnable"`` the seeded deals to draw from, uint64.

    Raises:
        ScorpionError: if there is no such deal.
    """
    if isinstance(deal, str) and deal == WINNABLE:
        return deal_list(WINNABLE, rules)
    return as_deal(deal, rules)


def read_deal_list(path: Path) -> npt.NDArray[np.uint64]:
    """Return the numbers in a file, uint64.

    Raises:
        DealError: if it cannot be read, a line is no number of a seeded deal, or there is none.
    """
    text = read_text(path, "text file of deal numbers", refusal=DealError)
    numbers = []
    for place, line in enumerate(text.splitlines(), start=1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        if not (word.isascii() and word.isdigit() and len(word) <= 20 and int(word) <= MAX_SEED):
            raise DealError(
                f"{path}, line {place}: a number from 0 to {MAX_SEED} is expected, not "
                f"'{shortened(word)}'."
            )
        numbers.append(int(word))
    if not numbers:
        raise DealError(f"{path} holds no deal.")
    return np.array(numbers, np.uint64)


def deal_list_text(numbers: Iterable[int], title: str, notes: Iterable[str] | None = None) -> str:
    """Return the text of a file that `read_deal_list` reads, with a note beside each number."""
    if notes is None:
        lines = [str(number) for number in numbers]
    else:
        lines = [f"{number}  # {note}" for number, note in zip(numbers, notes, strict=True)]
    return "\n".join([f"# {title}", *lines, ""])
