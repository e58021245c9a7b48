"""The infos of the vector environment, in Gymnasium's form: each key with a `_key` beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.state import PLAYING


def number_infos(
    numbers: npt.NDArray[np.int64],
    mask: npt.NDArray[np.int8] | None,
    whom: npt.NDArray[np.bool_],
) -> dict[str, Any]:
    """Return scores, runs, moves and masks as Gymnasium's infos.

    Args:
        numbers: int64 ``(3, num_envs)``.
        mask: int8 ``(num_envs, actions)``, or None for no mask.
        whom: Which games each of them concerns, bool ``(4, num_envs)``.
    """
    score, runs, moves = numbers
    has_score, has_runs, has_moves, has_mask = whom
    infos: dict[str, Any] = {
        "score": score,
        "_score": has_score,
        "runs": runs,
        "_runs": has_runs,
        "moves": moves,
        "_moves": has_moves,
    }
    if mask is not None:
        infos["action_mask"], infos["_action_mask"] = mask, has_mask
    return infos


def constant_rows(values: npt.NDArray[np.bool_], width: int) -> npt.NDArray[np.int8]:
    """Return an int8 array ``(len(values), width)``, read-only, whose rows repeat one value each.

    The masks of games that are over are such: they allow every action, so that no softmax divides
    by zero, and the rows of other games are empty. Written out they would take longer than to play.
    """
    rows = np.ndarray((len(values), width), np.int8, values.view(np.int8), strides=(1, 0))
    rows.flags.writeable = False
    return rows


def add_illegal(
    infos: dict[str, Any],
    actions: npt.NDArray[np.int64],
    illegal: npt.NDArray[np.bool_],
    status: npt.NDArray[np.int8],
    same_step: bool,
) -> None:
    """Name the illegal actions, in the final infos where a game ended and was started anew."""
    here = illegal & (status == PLAYING) if same_step else illegal.copy()
    infos["illegal_action"], infos["_illegal_action"] = np.where(here, actions, 0), here
    final = illegal & ~here
    if "final_info" in infos:
        infos["final_info"]["illegal_action"] = np.where(final, actions, 0)
        infos["final_info"]["_illegal_action"] = final
