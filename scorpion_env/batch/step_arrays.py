"""What a step of a batch of games hands out, as arrays that the kernels write."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Frame(NamedTuple):
    """What one step of a batch of `size` games hands out.

    Attributes:
        seen: Observations, records ``(size,)``, see :func:`scorpion_env.kernels.state.seen_dtype`.
        Where
            they are not copied, only the last ones of games that are started anew in the same step,
            or no rows, if none is.
        mask: Legal actions, int8 ``(size, actions)``, or without rows.
        rewards: float64 ``(size,)``.
        ends: Whether a game was terminated, was truncated, is over, is won, and whether its action
            was illegal; bool ``(5, size)``. The third and fourth also hold of games that were over
            before the step.
        numbers: Scores, runs, moves and status, int64 ``(4, size)``, the status that before a new
            start; with autoreset in the same step ``(7, size)``: then scores, runs and moves of the
            games that ended, for others 0.
    """

    seen: npt.NDArray[np.void]
    mask: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float64]
    ends: npt.NDArray[np.bool_]
    numbers: npt.NDArray[np.int64]


class FrameMaker:
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
        self._ends = 5, size
        self._numbers = 7 if same_step else 4, size

    def __call__(self) -> Frame:
        """Return new arrays; it takes as long as a few games of a step, so it does nothing else."""
        return Frame(
            np.empty(self._shown, self._type),
            np.empty(self._mask, np.int8),
            np.empty(self._size),
            np.empty(self._ends, np.bool_),
            np.empty(self._numbers, np.int64),
        )
