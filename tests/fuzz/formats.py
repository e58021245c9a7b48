"""A kind of file: how to make a good one, and all that reads it.

A reader of a damaged file returns, or refuses it with a sentence; anything else is a fault.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorpion_env import ScorpionError


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes:
        make: Writes good files into an empty folder; returns those that are damaged in turn.
        read: Calls all that reads them; ScorpionErrors are caught one by one.
        keeps: Whether a reader leaves a damaged file as it is.
        sign: Called after the damage: may write down the digest of what is there now, so that a
            reader looks further. Returns whether it did; a file that says that others are
            obsolete is then believed.
    """

    make: Callable[[Path], list[Path]]
    read: Callable[[Path], None]
    keeps: bool = True
    sign: Callable[[Path, random.Random], bool] | None = None


def refused(call: Callable[..., object], *arguments: Any) -> None:
    """Call a reader, which may refuse the file."""
    try:
        call(*arguments)
    except ScorpionError as error:
        text = str(error)
        assert text.strip(), "a refusal says why"
        assert len(text) < 5000, f"a refusal of {len(text)} characters: {text[:200]}"
