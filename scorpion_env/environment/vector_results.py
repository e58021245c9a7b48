"""What a step of the vector environment hands out, as Gymnasium has it: a `_key` for each key."""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.batch.games import Batch
from scorpion_env.batch.step_arrays import LAST_SCORE, STATUS, StepArrays
from scorpion_env.kernels.state import OUTCOMES, PLAYING

_OUTCOMES = np.array(OUTCOMES, object)


class Results:
    """The arrays of one step, and the infos that show them.

    Attributes:
        arrays: What the kernels write.
        seen: Observations, int8 ``(num_envs, cards, 7)``.
        rewards: float64 ``(num_envs,)``.
        terminated, truncated: bool ``(num_envs,)``.
    """

    def __init__(self, batch: Batch, arrays: StepArrays, everyone: npt.NDArray[np.bool_]) -> None:
        """Make the views of the arrays that are handed out, and the infos that show them.

        Args:
            batch: Whose steps they are.
            arrays: The arrays; without masks, or observations, if it has no rows for them.
            everyone: All True, bool ``(num_envs,)``, read-only.
        """
        self.arrays = arrays
        self.seen = arrays.seen["cards"] if batch.copied else batch.last_seen
        self.rewards = arrays.rewards.view()  # whose flags the caller may change
        self._last_seen = batch.last_seen if batch.copied else arrays.seen["cards"]
        self._objects: tuple[npt.NDArray[np.object_], ...] = ()
        self._fill_infos(everyone)
        results = [self.seen, self.rewards, self.terminated, self.truncated]
        owners = [array.base for array in arrays]
        held = [*arrays, *owners, *results, *self._infos_at_ends.values(), *self._final.values()]
        own = {id(array): array for array in held if array is not everyone}
        self._arrays = [array for array in own.values() if isinstance(array, np.ndarray)]
        del results, held, own, owners
        self._references = sum(map(getrefcount, self._arrays))

    def _fill_infos(self, everyone: npt.NDArray[np.bool_]) -> None:
        """Make the infos of steps in which no game ends, and of those in which some do."""
        arrays = self.arrays
        self.terminated, self.truncated, over, won, self._illegal = arrays.ends
        over.setflags(write=False)
        self._over = over
        mask = arrays.mask.view() if len(arrays.mask) else None
        numbers, self._status = arrays.numbers[:STATUS], arrays.numbers[STATUS]
        self._infos = number_infos(list(numbers), mask, everyone)
        success = {"_outcome": over, "is_success": won, "_is_success": over}
        self._final: dict[str, Any] = {}
        if len(arrays.numbers) <= LAST_SCORE:
            self._infos_at_ends = self._infos | success
            return
        final_mask = None if mask is None else constant_rows(over, mask.shape[1])
        self._final = number_infos(list(arrays.numbers[LAST_SCORE:]), final_mask, over) | success
        self._infos_at_ends = self._infos | {"_final_obs": over, "_final_info": over}

    def is_free(self) -> bool:
        """Return whether nobody else holds any of the arrays, nor a view of one."""
        return sum(map(getrefcount, self._arrays)) == self._references

    def infos(self, ended: int) -> dict[str, Any]:
        """Return the infos of a step in which so many games are over."""
        if not ended:
            return self._infos.copy()
        self._objects = ()
        infos = said_of_ends = self._infos_at_ends.copy()
        outcomes = np.empty(len(self._over), object)
        places = self._over.nonzero()[0]
        if self._final:
            rows = self._last_seen.take(places, 0)
            observations = np.empty(len(self._over), object)
            observations[places] = np.fromiter(rows, object, len(rows))
            infos["final_obs"] = observations
            self._objects = (observations, outcomes)
            infos["final_info"] = said_of_ends = self._final.copy()
        outcomes[places] = _OUTCOMES[self._status[places]]
        said_of_ends["outcome"] = outcomes
        return infos

    def let_go(self) -> None:
        """Let go of what the last infos said of games that ended: some hundred small arrays.

        That takes as long as to play some hundred games, so they are held until another thread can
        do it, which plays the fewer then, or these results are used again.
        """
        self._objects = ()

    def add_illegal(self, infos: dict[str, Any], actions: npt.NDArray[np.int64]) -> None:
        """Name the illegal actions, in the final infos where a game ended and was started anew."""
        illegal = self._illegal
        here = illegal & (self._status == PLAYING) if self._final else illegal.copy()
        final = illegal & ~here
        for whom, told in ((here, infos), (final, infos.get("final_info"))):
            if told is not None and whom.any():
                told["illegal_action"], told["_illegal_action"] = np.where(whom, actions, 0), whom


class ResultsMaker:
    """Gives each step of a batch arrays to be written to.

    Making the arrays of a step and the views of them takes as long as to play thirty games, and
    large ones cost a system call and new pages as well, if the system takes them back. So the last
    two results are kept, and used again if nobody holds any array of them when their turn comes,
    which the interpreter's reference counts tell: whoever keeps a result finds it unchanged for
    ever, as if each step made its own. Whatever a caller wrote into an array that he let go of is
    written over; only a shape, dtype or flag that he gave to the array itself stays.

    Args:
        batch: Whose steps they are.
        masked: Whether masks are wanted.
    """

    def __init__(self, batch: Batch, *, masked: bool) -> None:
        self._batch = batch
        self._copied = batch.copied
        self._last: Results | None = None
        self._before: Results | None = None
        self._new_arrays = batch.step_arrays(masked=masked)
        self._everyone = _everyone(batch.size)

    def __call__(self) -> Results:
        """Return what the next step is to be written to."""
        # Those of the last step are usually still held when the next one is asked for.
        results = self._before if self._copied else self._last
        if results is None or (self._copied and not results.is_free()):
            # Views: what is handed out has their owners as its base, whose shape and type anyone
            # can change, and the kernels trust those of the views.
            arrays = StepArrays._make(array.view() for array in self._new_arrays())
            results = Results(self._batch, arrays, self._everyone)
        self._before, self._last = self._last, results
        return results

    def __getstate__(self) -> dict[str, Any]:
        # Copied one by one, views would no longer be views of what is written.
        return self.__dict__ | {"_last": None, "_before": None, "_everyone": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._everyone = _everyone(self._batch.size)


def _everyone(size: int) -> npt.NDArray[np.bool_]:
    everyone = np.ones(size, np.bool_)
    everyone.setflags(write=False)
    return everyone


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
