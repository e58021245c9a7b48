"""What a step of the vector environment hands out, as Gymnasium has it: a `_key` for each key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.frame import Frame
from scorpion_env.state import OUTCOMES, PLAYING

_OUTCOMES = np.array(OUTCOMES, object)


class Results:
    """The arrays of one step, and the infos that show them.

    Where every step writes to the same arrays, the views of them are made once for all steps: at 64
    games, making them takes a quarter as long as to play.

    Attributes:
        frame: What the kernels write.
        terminated, truncated: bool ``(num_envs,)``.
    """

    def __init__(
        self,
        frame: Frame,
        everyone: npt.NDArray[np.bool_],
        final_seen: npt.NDArray[np.int8] | None,
    ) -> None:
        """Make the views.

        Args:
            frame: The arrays; without masks if it has no rows for them.
            everyone: All True, bool ``(num_envs,)``, read-only.
            final_seen: The last observations, int8 ``(num_envs, cards, 7)``, if games that end are
                started anew in the same step; what is said of them then stands in ``final_info``.
        """
        self.frame = frame
        self._final_seen = final_seen
        self.terminated, self.truncated, self._over, self._won = frame.ends
        self._over.setflags(write=False)
        self._mask = frame.mask if len(frame.mask) else None
        numbers = list(frame.numbers)
        self._final_numbers = numbers[3:]
        self._infos = number_infos(numbers[:3], self._mask, everyone)
        self._final: dict[str, Any] = {}

    def infos(self) -> dict[str, Any]:
        """Return the infos of a step in which no game ended."""
        return self._infos.copy()

    def add_ends(self, infos: dict[str, Any], status: npt.NDArray[np.int64]) -> None:
        """Add to the infos of a step what there is to say of the games that are over.

        Args:
            infos: Of the step.
            status: Of each game, int64 ``(num_envs,)``.
        """
        over = self._over
        places = over.nonzero()[0]
        if self._final_seen is not None:
            if not self._final:
                width = self.frame.mask.shape[1]
                mask = None if self._mask is None else constant_rows(over, width)
                self._final = number_infos(self._final_numbers, mask, over)
            observations = np.empty(len(over), object)
            observations[places] = np.fromiter(self._final_seen.take(places, 0), object)
            infos["final_obs"], infos["_final_obs"] = observations, over
            infos["final_info"], infos["_final_info"] = self._final.copy(), over
            infos = infos["final_info"]
        outcomes = np.empty(len(over), object)
        outcomes[places] = _OUTCOMES.take(status.take(places))
        infos["outcome"], infos["_outcome"] = outcomes, over
        infos["is_success"], infos["_is_success"] = self._won, over


def number_infos(
    numbers: Sequence[npt.NDArray[np.int64]],
    mask: npt.NDArray[np.int8] | None,
    whom: npt.NDArray[np.bool_],
) -> dict[str, Any]:
    """Return scores, runs, moves and masks as Gymnasium's infos.

    Args:
        numbers: Scores, runs and moves, int64 ``(num_envs,)`` each.
        mask: int8 ``(num_envs, actions)``, or None for no mask.
        whom: Which games they concern, bool ``(num_envs,)``, read-only: all keys share it.
    """
    score, runs, moves = numbers
    infos: dict[str, Any] = {
        "score": score,
        "_score": whom,
        "runs": runs,
        "_runs": whom,
        "moves": moves,
        "_moves": whom,
    }
    if mask is not None:
        infos["action_mask"], infos["_action_mask"] = mask, whom
    return infos


def constant_rows(values: npt.NDArray[np.bool_], width: int) -> npt.NDArray[np.int8]:
    """Return an int8 array ``(len(values), width)`` whose rows repeat one value each.

    The masks of games that are over are such: they allow every action, so that no softmax divides
    by zero, and the rows of other games are empty. Written out they would take longer than to play.
    It can be written only if `values` can.
    """
    return np.ndarray((len(values), width), np.int8, values, strides=(1, 0))


def add_illegal(
    infos: dict[str, Any],
    actions: npt.NDArray[np.int64],
    illegal: npt.NDArray[np.bool_],
    status: npt.NDArray[np.int64],
    same_step: bool,
) -> None:
    """Name the illegal actions, in the final infos where a game ended and was started anew."""
    here = illegal & (status == PLAYING) if same_step else illegal.copy()
    infos["illegal_action"], infos["_illegal_action"] = np.where(here, actions, 0), here
    final = illegal & ~here
    if "final_info" in infos:
        infos["final_info"]["illegal_action"] = np.where(final, actions, 0)
        infos["final_info"]["_illegal_action"] = final
