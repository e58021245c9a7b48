"""What the environments have in common: spaces, arguments and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from scorpion_env.batch.options import EnvArguments, EnvOptions
from scorpion_env.errors import ScorpionError, nearest, shown, unknown
from scorpion_env.kernels.observation import observation_bounds
from scorpion_env.rules import Rules


def observation_space(rules: Rules) -> Any:  # Gymnasium's Box leaves its dtype open
    """Return ``Box(int8, (cards, 7))``; see :mod:`scorpion_env.kernels.observation`."""
    high = observation_bounds(rules)
    return spaces.Box(np.zeros_like(high), high, dtype=np.int8)


def batched_space(space: Any, size: int) -> Any:
    """Return Gymnasium's ``batch_space`` of an observation space, without a copy of it a game.

    Its bounds are the same for every game and stand in memory once: read-only arrays that repeat
    them. Written out, they would take as much memory as the games.
    """
    batched: Any = batch_space(space, size)
    for name in ("low", "high", "bounded_below", "bounded_above"):
        setattr(batched, name, np.broadcast_to(getattr(space, name), batched.shape))
    return batched


def action_space(rules: Rules) -> spaces.Discrete:
    """Return ``Discrete(actions)``; see :attr:`scorpion_env.Rules.num_actions`."""
    return spaces.Discrete(rules.num_actions)


def refuse_arguments(given: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse keyword arguments that an environment does not have.

    Raises:
        TypeError: naming the nearest known one and all of them.
    """
    known = list(known)
    for word in given:
        if word not in known:
            raise TypeError(
                f"unexpected keyword argument '{word}'.{nearest(word, known)} "
                f"Known: {', '.join(known)}."
            )


def env_options(given: EnvArguments) -> EnvOptions:
    """Return the options that keyword arguments stand for, but for `deals`."""
    others: Any = {name: value for name, value in given.items() if name != "deals"}
    return EnvOptions(**others)


def checked_options(options: Mapping[str, Any] | None, known: Iterable[str]) -> dict[str, Any]:
    """Return the options of a reset.

    Raises:
        ScorpionError: if an option is unknown, or a deal and a board are both given.
    """
    found = dict(options or {})
    for word in found:
        if word not in known:
            raise ScorpionError(unknown("option", word, known))
    if found.get("deal") is not None and found.get("board") is not None:
        raise ScorpionError("Give either the option 'deal' or the option 'board', not both.")
    return found


def checked_render_mode(mode: str | None, known: Iterable[str]) -> str | None:
    """Return a render mode.

    Raises:
        ScorpionError: if there is no such mode.
    """
    if mode is not None and mode not in known:
        raise ScorpionError(unknown("render_mode", mode, known))
    return mode


MIN_SCALE, MAX_SCALE = 0.5, 8.0
"""How large a picture can be, 640 by 480 pixels being 1."""


def checked_scale(scale: float) -> float:
    """Return the scale of pictures.

    Raises:
        ScorpionError: if it is no number from 0.5 to 8.
    """
    if type(scale) in (int, float) and MIN_SCALE <= scale <= MAX_SCALE:
        return float(scale)
    raise ScorpionError(
        f"render_scale must be a number from {MIN_SCALE:g} to {MAX_SCALE:g}, not {shown(scale)}."
    )
