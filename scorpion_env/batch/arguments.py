"""What environments and batches of games refuse among their arguments."""

from __future__ import annotations

import operator
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from scorpion_env.deals import MAX_SEED
from scorpion_env.errors import ScorpionError, shown, unknown
from scorpion_env.rules import MAX_STEPS, Rules

MAX_SCALE = 1e30

END_WHEN = ("stuck", "dead")
"""When a game that is not won is over."""


def checked_end(end_when: str, rules: Rules) -> bool | None:
    """Return what the kernels call `end_dead`: True, or None.

    Raises:
        ScorpionError: if there is no such end, or the variant can take back a lost game.
    """
    if end_when not in END_WHEN:
        raise ScorpionError(unknown("end_when", end_when, END_WHEN))
    if end_when == "stuck":
        return None
    if rules.undo_action:
        raise ScorpionError(
            f"end_when='dead' is not for rules '{rules.name}': undo can bring a dead game back."
        )
    return True


def checked_count(size: SupportsIndex, what: str = "game") -> int:
    """Return a number of games, or of something else.

    Raises:
        ScorpionError: if it is no whole number from 1 on.
    """
    try:
        count = operator.index(size)
    except TypeError:
        raise ScorpionError(
            f"The number of {what}s is a whole number, not {shown(size)}."
        ) from None
    if count < 1:
        raise ScorpionError(f"There must be at least 1 {what}, not {shown(count)}.")
    return count


def checked_steps(max_steps: int | None, rules: Rules) -> int:
    """Return a step limit, that of the rules for None.

    Raises:
        ScorpionError: if there cannot be such a limit.
    """
    if max_steps is None:
        return rules.max_steps
    if type(max_steps) is not int or not 1 <= max_steps <= MAX_STEPS:
        raise ScorpionError(
            f"max_steps must be a whole number from 1 to {MAX_STEPS}, not {shown(max_steps)}."
        )
    return max_steps


def checked_scale(reward_scale: float) -> float:
    """Return the factor of rewards.

    Raises:
        ScorpionError: if it is no finite number, or too large for rewards as float32.
    """
    try:
        usable = abs(reward_scale) <= MAX_SCALE  # a NaN is not
    except TypeError:
        usable = False
    if not usable:
        raise ScorpionError(
            f"reward_scale must be a finite number, at most {MAX_SCALE:g}, not "
            f"{shown(reward_scale)}."
        )
    return reward_scale


def checked_seed(seed: SupportsIndex) -> int:
    """Return a seed as an int.

    Raises:
        ScorpionError: if it is no whole number from 0 to 2**64 - 1.
    """
    try:
        number = operator.index(seed)
    except TypeError:
        raise ScorpionError(f"A seed is a whole number, not {shown(seed)}.") from None
    if not 0 <= number <= MAX_SEED:
        raise ScorpionError(f"A seed lies between 0 and {MAX_SEED}, not {shown(number)}.")
    return number


def checked_actions(actions: npt.ArrayLike, games: int) -> npt.NDArray[np.int64]:
    """Return the actions of a batch of games, int64 ``(games,)``.

    Raises:
        ScorpionError: if they are no whole numbers, or not one a game.
    """
    try:
        array = np.asarray(actions)
    except ValueError:
        raise ScorpionError(f"Actions must be whole numbers of shape ({games},).") from None
    if array.shape != (games,) or array.dtype.kind not in "iu":
        raise ScorpionError(
            f"Actions must be whole numbers of shape ({games},), not {array.dtype} {array.shape}."
        )
    return np.ascontiguousarray(array, np.int64)
