"""Seeded deals, compiled: which number a deal has, and how its deck is shuffled.

A 64-bit state starts at ``mix64(deal)``; each draw adds ``GAMMA`` to it and mixes the sum (this is
SplitMix64 [1]_). A number below *n* is ``(u * n) >> 32`` with *u* the upper 32 bits of a draw; a
draw is repeated if the lower 32 bits of the product lie below ``2**32 mod n``, so that all numbers
are equally likely [2]_. The deck starts in order of the card ids; for i from the last index down to
1, cards i and j change places, j below ``i + 1``.

.. [1] G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
.. [2] D. Lemire, "Fast random integer generation in an interval", 2019.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.kernels.compiled import compiled

GAMMA = np.uint64(0x9E3779B97F4A7C15)
"""What a SplitMix64 state grows by at every draw."""

_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)
_BIT_32 = np.uint64(1 << 32)
_U27, _U30, _U31, _U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@compiled
def mix64(x: Any) -> Any:
    """Return the SplitMix64 mixing function of a 64-bit number (uint64)."""
    x = (x ^ (x >> _U30)) * _MIX_1
    x = (x ^ (x >> _U27)) * _MIX_2
    return x ^ (x >> _U31)


@compiled
def episode_deal(seed: Any, slot: Any, episode: Any) -> Any:
    """Return the number of the deal that `episode` of game `slot` plays under `seed` (uint64).

    The numbers lie in 2**32 … 2**64 - 1, far from the evaluation deals, and depend on nothing
    else, so that no deal is changed by how the games before it went.
    """
    return mix64(mix64(mix64(seed) ^ slot) ^ episode) | _BIT_32


@compiled
def shuffle_deck(number: Any, order: Any, cards: Any) -> None:
    """Write the card ids of seeded deal `number` (uint64) in dealing order into `order` (int8)."""
    state = mix64(number)
    for i in range(cards):
        order[i] = i
    for i in range(cards - 1, 0, -1):
        n = np.uint64(i + 1)
        while True:
            state = state + GAMMA
            product = (mix64(state) >> _U32) * n
            low = product & _LOW_32
            if low >= n or low >= _BIT_32 % n:  # the first test spares most divisions
                break
        j = np.int64(product >> _U32)
        order[i], order[j] = order[j], order[i]
