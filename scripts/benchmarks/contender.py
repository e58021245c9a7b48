"""What the parts of the benchmark share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Contender:
    """Something that is measured: `run` works for a while and returns how many steps it made.

    Where only a part of that time counts, `run` leaves it, in seconds, in its attribute `seconds`.
    """

    name: str
    run: Callable[[], int]
