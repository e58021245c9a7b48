"""The deals of PySolFC, from its own two generators."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from support.model import RANK_LETTERS, card


def microsoft_numbers(seed: int) -> Iterable[int]:
    """The 15-bit numbers of the Microsoft C library's generator."""
    while True:
        seed = (seed * 214013 + 2531011) % 2**32
        yield (seed >> 16) & 0x7FFF


def pysol_order(deal: str, decks: int = 1) -> list[int]:
    """Cards in dealing order of a PySolFC deal number such as ``"24"`` or ``"ms24"``."""
    pack = [card(r + s, deck) for deck in range(decks) for s in "CSHD" for r in RANK_LETTERS]
    number = int(deal.removeprefix("ms"))
    if deal.startswith("ms") or number < 32000:
        if decks == 1:
            pack = [card(r + s) for r in RANK_LETTERS for s in "CDHS"]
        numbers = iter(microsoft_numbers(number))
        for n in range(len(pack) - 1, 0, -1):
            j = next(numbers) % (n + 1)
            pack[n], pack[j] = pack[j], pack[n]
    else:
        generator = Random(number)
        for n in range(len(pack) - 1, 0, -1):
            j = int(generator.random() * (n + 1))
            pack[n], pack[j] = pack[j], pack[n]
    return pack[::-1]
