"""What an action pays: the app's point table and the rewards made from it.

The score of a game is always the app's. A reward is what an environment hands to a learner for one
action; see :data:`REWARDS`.
"""

from __future__ import annotations

from scorpion_env.errors import ScorpionError, unknown

PLACEMENT_POINTS = 5
"""Paid when the placed card has the suit of the card that receives it."""

FLIP_POINTS = 5
"""Paid when a face-down card is turned, also under a run that was taken."""

RUN_POINTS = 100
"""Paid when a run is taken off the tableau."""

REWARD_POINTS, REWARD_POINTS_ONCE, REWARD_WIN = 0, 1, 2

REWARDS = {
    "points": REWARD_POINTS,
    "points-once": REWARD_POINTS_ONCE,
    "win": REWARD_WIN,
}
"""Names of the rewards.

* ``points``: the app's table to the letter; undo gives the points back.
* ``points-once``: as ``points``, but a card's same-suit placement pays only the first time in a
  game, which closes the endless shuttle of the Flexible rules.
* ``win``: 1 when the game is won, 0 otherwise.
"""


def reward_code(name: str) -> int:
    """Return the number by which the kernels know a reward.

    Raises:
        ScorpionError: if there is no reward of that name.
    """
    if name not in REWARDS:
        raise ScorpionError(unknown("reward", name, REWARDS))
    return REWARDS[name]
