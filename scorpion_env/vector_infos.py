"""What a step of the vector environment hands out, as Gymnasium has it: a `_key` for each key."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.batch import Batch
from scorpion_env.frame import Frame
from scorpion_env.state import OUTCOMES, PLAYING

_OUTCOMES = np.array(OUTCOMES, object)


KEPT_BYTES = 2**20
"""Results of more bytes are made anew for each step: beside playing it, that costs little then."""


class Results:
    """The arrays of one step, and the infos that show them.

    Attributes:
        frame: What the kernels write.
        seen: Observations, int8 ``(num_envs, cards, 7)``.
        terminated, truncated: bool ``(num_envs,)``.
    """

    def __init__(self, batch: Batch, frame: Frame, everyone: npt.NDArray[np.bool_]) -> None:
        """Make the views of the arrays that are handed out.

        Args:
            batch: Whose steps they are.
            frame: The arrays; without masks, or observations, if it has no rows for them.
            everyone: All True, bool ``(num_envs,)``, read-only.
        """
        self.frame = frame
        self.seen = frame.seen["cards"] if len(frame.seen) else batch.seen
        self._make_views(batch, everyone)
        views = [*self._infos.values(), *self._final.values(), self.terminated, self.truncated]
        self._arrays = [*frame, self.seen, self._won, *(v for v in views if v is not everyone)]
        del views
        self._references = self._count_references()

    def _make_views(self, batch: Batch, everyone: npt.NDArray[np.bool_]) -> None:
        frame = self.frame
        self.terminated, self.truncated, self._over, self._won, self._illegal = frame.ends
        self._over.setflags(write=False)
        mask = frame.mask if len(frame.mask) else None
        *numbers, self._status = frame.numbers[:4]
        final = list(frame.numbers[4:])
        self._infos = number_infos(numbers, mask, everyone)
        self._last_seen = batch.last_seen
        self._final: dict[str, Any] = {}
        if final:
            width = frame.mask.shape[1]
            final_mask = None if mask is None else constant_rows(self._over, width)
            self._final = number_infos(final, final_mask, self._over)

    def is_free(self) -> bool:
        """Return whether nobody else holds any of the arrays, nor a view of one."""
        return self._count_references() == self._references

    def _count_references(self) -> int:
        return sum(map(sys.getrefcount, self._arrays))

    def infos(self) -> dict[str, Any]:
        """Return the infos of a step in which no game ended."""
        return self._infos.copy()

    def add_ends(self, infos: dict[str, Any]) -> None:
        """Add to the infos of a step what there is to say of the games that are over."""
        over = self._over
        places = over.nonzero()[0]
        if self._final:
            observations = np.empty(len(over), object)
            rows = self._last_seen.take(places, 0)
            observations[places] = np.fromiter(rows, object, len(rows))
            infos["final_obs"], infos["_final_obs"] = observations, over
            infos["final_info"], infos["_final_info"] = self._final.copy(), over
            infos = infos["final_info"]
        outcomes = np.empty(len(over), object)
        outcomes[places] = _OUTCOMES[self._status[places]]
        infos["outcome"], infos["_outcome"] = outcomes, over
        infos["is_success"], infos["_is_success"] = self._won, over

    def add_illegal(self, infos: dict[str, Any], actions: npt.NDArray[np.int64]) -> None:
        """Name the illegal actions, in the final infos where a game ended and was started anew."""
        illegal = self._illegal
        here = illegal & (self._status == PLAYING) if self._final else illegal.copy()
        infos["illegal_action"], infos["_illegal_action"] = np.where(here, actions, 0), here
        final = illegal & ~here
        if "final_info" in infos:
            infos["final_info"]["illegal_action"] = np.where(final, actions, 0)
            infos["final_info"]["_illegal_action"] = final


class ResultsMaker:
    """Gives each step of a batch arrays to be written to.

    Making the arrays of a step and the views of them takes as long as to play thirty games. So
    small ones are used again as soon as nobody holds any of them, which the interpreter's reference
    counts tell: whoever keeps a result finds it unchanged for ever, as if each step made its own.

    Args:
        batch: Whose steps they are.
        masked: Whether masks are wanted.
        copied: Whether a step's arrays stay as they are. Otherwise all steps write to the same.
    """

    def __init__(self, batch: Batch, *, masked: bool, copied: bool) -> None:
        self._batch = batch
        self._copied = copied
        self._last: Results | None = None
        self._before: Results | None = None
        self._new_frame = batch.frames(masked=masked, copied=copied)
        self._everyone = np.ones(batch.size, np.bool_)
        self._everyone.setflags(write=False)

    def __call__(self) -> Results:
        """Return what the next step is to be written to."""
        # Those of the last step are usually still held when the next one is asked for.
        results = self._before if self._copied else self._last
        if results is None or (self._copied and not results.is_free()):
            results = Results(self._batch, self._new_frame(), self._everyone)
            if self._copied and sum(array.nbytes for array in results.frame) > KEPT_BYTES:
                return results
        self._before, self._last = self._last, results
        return results

    def __getstate__(self) -> dict[str, Any]:
        # Copied one by one, views would no longer be views of what is written.
        return self.__dict__ | {"_last": None, "_before": None}


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
    return np.ndarray((len(values), width), np.int8, values, 0, (1, 0))
