"""What agents leave to chance: numbers made from seed, deal and step, the same in every run."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_agents.base import Draws
from scorpion_env.deals import Deal, Position, SeededDeal
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.shuffle import mix64
from scorpion_env.notation.board_text import format_board


def draw_numbers(seed: int, deals: npt.NDArray[np.uint64], steps: npt.NDArray[np.uint64]) -> Draws:
    """Return a random number in [0, 1) for each (seed, deal, step), float64 ``(B,)``.

    Args:
        seed: A whole number from 0 to 2**64 - 1.
        deals: Keys of the deals, uint64 ``(B,)``; see :func:`deal_key`.
        steps: Numbers of the actions played so far, uint64 ``(B,)``.
    """
    draws = np.empty(len(deals), np.float64)
    _fill_draws(np.uint64(seed), deals, steps, draws)
    return draws


@compiled
def _fill_draws(seed: Any, deals: Any, steps: Any, draws: Any) -> None:
    for i in range(draws.shape[0]):
        number = mix64(mix64(mix64(seed) ^ deals[i]) ^ steps[i])
        draws[i] = (number >> np.uint64(11)) * 2.0**-53


def deal_key(deal: Deal) -> int:
    """Return the 64-bit number by which a deal enters the draws: its own number if it has one."""
    if isinstance(deal, SeededDeal):
        return deal.number
    text = format_board(deal.board) if isinstance(deal, Position) else deal.name
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
