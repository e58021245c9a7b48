"""What a step of a batch of games hands out, as arrays that the kernels write."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Frame(NamedTuple):
    """What one step of a batch of `size` games hands out.

    Attributes:
        seen: Observations, records ``(size,)`` or ``(0,)``; see
            :func:`scorpion_env.state.seen_dtype`.
        mask: Legal actions, int8 ``(size, actions)``, or without rows.
        rewards: float64 ``(size,)``.
        ends: Whether a game was terminated, and whether truncated, bool ``(2, size)``.
        numbers: Scores, runs and moves, int64 ``(3, size)``; with autoreset in the same step
            ``(6, size)``: then those of the games that ended, for others 0.
    """

    seen: npt.NDArray[np.void]
    mask: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float64]
    ends: npt.NDArray[np.bool_]
    numbers: npt.NDArray[np.int64]


def new_frame(
    size: int,
    seen: np.dtype[np.void],
    num_actions: int,
    *,
    copied: bool,
    masked: bool,
    same_step: bool,
) -> Frame:
    """Return arrays for the results of a step, whose contents mean nothing yet.

    Args:
        size: Number of games.
        seen: Record type of an observation.
        num_actions: Length of a mask.
        copied: Whether there is a place for observations.
        masked: Whether there is a place for masks.
        same_step: Whether games that end are started anew in the same step.
    """
    return Frame(
        seen=np.empty(size if copied else 0, seen),
        mask=np.empty((size if masked else 0, num_actions), np.int8),
        rewards=np.empty(size, np.float64),
        ends=np.empty((2, size), np.bool_),
        numbers=np.empty((6 if same_step else 3, size), np.int64),
    )
