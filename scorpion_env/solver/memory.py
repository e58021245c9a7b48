"""What a search works in: records and arrays that Python sets aside and the kernels share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

SEARCH_DTYPE = np.dtype(
    [
        ("salt", np.uint64),
        ("nodes", np.int64),
        ("depth", np.int64),
        ("used", np.int64),  # keys in the table
        ("cut", np.int64),  # whether a line was cut for its length
        ("entered", np.int64),  # whether the position on top of the stack is in the table
        ("prune", np.int64),
    ],
    align=True,
)


def stack_dtype(legal: int) -> np.dtype[np.void]:
    """Return the record type of one depth of the stack, where at most `legal` actions are legal."""
    return np.dtype(
        [
            ("moves", np.int16, (legal,)),
            ("count", np.int64),  # how many moves there are
            ("tried", np.int64),  # how many of them were tried
        ],
        align=True,
    )


class SolverMemory(NamedTuple):
    """The memory of one search, reused by the next.

    Attributes:
        rules: A ``RULES_DTYPE`` record, without undo as an action and without a step limit.
        order: A ``PRECEDENCE_DTYPE`` record where `is_strict`, or else None: only the proofs that
            hold for the variant are compiled.
        work: A ``WORK_DTYPE`` record.
        state: A ``SEARCH_DTYPE`` record; all zero but `salt` and `prune` before a search begins.
        table: Keys of the positions entered, uint64, a power of two long, 0 = free.
        stack: Records of `stack_dtype`, one for each depth of a line, and one to spare.
        log: The undo log, int32.
    """

    rules: Any
    order: Any
    work: Any
    state: Any
    table: npt.NDArray[np.uint64]
    stack: Any
    log: npt.NDArray[np.int32]
