"""The exact solver (oracle): whether a deal, or a position, can be won at all.

:mod:`~scorpion_env.solver.solver` is where to begin; what it offers can be imported from here.
"""

from scorpion_env.solver.solver import (
    MEMORY_LIMIT,
    NODE_LIMIT,
    VERDICTS,
    Solution,
    Solver,
    solve,
)

__all__ = ["MEMORY_LIMIT", "NODE_LIMIT", "VERDICTS", "Solution", "Solver", "solve"]
