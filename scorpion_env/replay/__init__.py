"""Replays: whole games written down as JSON Lines, to be repeated, checked and shown.

:mod:`~scorpion_env.replay.replay` has the form; what it offers can be imported from here.
"""

from scorpion_env.replay.format import Replay, ReplayMove, dumps, loads
from scorpion_env.replay.replay import (
    MAX_FILE,
    check,
    from_game,
    load,
    record,
    save,
    start_game,
    steps,
)

__all__ = [
    "MAX_FILE",
    "Replay",
    "ReplayMove",
    "check",
    "dumps",
    "from_game",
    "load",
    "loads",
    "record",
    "save",
    "start_game",
    "steps",
]
