"""What there is to draw of a batch of games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scorpion_env.batch.games import Batch
from scorpion_env.kernels.state import OUTCOMES
from scorpion_env.notation.board import Board


def positions(batch: Batch) -> Iterator[tuple[Board, dict[str, Any]]]:
    """Yield each game's board, and the numbers of `scorpion_env.rendering.Status`."""
    for i, g in enumerate(batch.games):
        numbers = {name: int(g[name]) for name in ("score", "moves", "runs")}
        yield batch.board(i), numbers | {"outcome": OUTCOMES[int(g["status"])]}
