"""What a step of a batch of games hands out, as arrays that the kernels write."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

IS_TERMINATED, IS_TRUNCATED, IS_OVER, IS_WON, IS_ILLEGAL = range(5)
"""Rows of `StepArrays.ends`; `IS_OVER` and `IS_WON` also hold of games over before it."""

SCORE, RUNS, MOVES, STATUS, LAST_SCORE, LAST_RUNS, LAST_MOVES = range(7)
"""Rows of `StepArrays.numbers`; the last three are there only with autoreset in the same step, and
hold what games ended with that did end, 0 for others."""


class StepArrays(NamedTuple):
    """What one step of a batch of `size` games hands out.

    Attributes:
        seen: Observations, records ``(size,)``, see
            :func:`scorpion_env.kernels.state.seen_dtype`. Where they are not copied, only the last
            ones of games that are started anew in the same step, or no rows, if none is.
        mask: Legal actions, int8 ``(size, actions)``, or without rows.
        rewards: float64 ``(size,)``.
        ends: How games ended, bool ``(5, size)``, rows ``IS_TERMINATED`` to
            ``IS_ILLEGAL`` (whether the action was illegal).
        numbers: int64 ``(4, size)`` or ``(7, size)``, rows ``SCORE`` to ``LAST_MOVES``; the status
            is that before a new start.
    """

    seen: npt.NDArray[np.void]
    mask: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float64]
    ends: npt.NDArray[np.bool_]
    numbers: npt.NDArray[np.int64]


class StepArraysMaker:
    """Makes the arrays of one step after another, whose contents mean nothing yet.

    Args:
        size: Number of games.
        seen: Record type of an observation.
        num_actions: Length of a mask.
        copied: Whether observations are wanted.
        masked: Whether there is a place for masks.
        same_step: Whether games that end are started anew in the same step.
    """

    def __init__(
        self,
        size: int,
        seen: np.dtype[np.void],
        num_actions: int,
        *,
        copied: bool,
        masked: bool,
        same_step: bool,
    ) -> None:
        self._size = size
        self._type = seen
        self._shown = size if copied or same_step else 0
        self._mask = size if masked else 0, num_actions
        self._ends = IS_ILLEGAL + 1, size
        self._numbers = (LAST_MOVES if same_step else STATUS) + 1, size

    def __call__(self) -> StepArrays:
        """Return new arrays; it takes as long as a few games of a step, so it does nothing else."""
        return StepArrays(
            np.empty(self._shown, self._type),
            np.empty(self._mask, np.int8),
            np.empty(self._size),
            np.empty(self._ends, np.bool_),
            np.empty(self._numbers, np.int64),
        )
