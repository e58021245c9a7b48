"""What the three environments can be asked for, checked in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypedDict

import numpy as np
import numpy.typing as npt

from scorpion_env.batch.arguments import checked_end, checked_scale, checked_steps
from scorpion_env.batch.stepping import ILLEGAL_ACTIONS, ILLEGAL_RAISE
from scorpion_env.errors import ScorpionError, unknown
from scorpion_env.kernels.observation import observation_code
from scorpion_env.kernels.state import encode_rules
from scorpion_env.rewards import reward_code
from scorpion_env.rules import Rules


class EnvArguments(TypedDict, total=False):
    """The keyword arguments that the three environments have in common; see `EnvOptions`."""

    reward: str
    reward_scale: float
    observation: str
    illegal_action: str
    max_steps: int | None
    deals: str | npt.ArrayLike
    end_when: str


SHARED_ARGUMENTS = tuple(EnvArguments.__annotations__)
"""Their names."""


@dataclass(frozen=True)
class EnvOptions:
    """How games are played, paid and shown.

    Attributes:
        reward: A name in ``REWARDS``.
        reward_scale: Factor of every reward.
        observation: ``"player"`` or ``"full"``.
        illegal_action: ``"noop"``, ``"terminate"`` or ``"raise"``.
        max_steps: Step limit instead of the variant's.
        end_when: ``"stuck"``: a game is lost when no action can change the position.
            ``"dead"``: as soon as it is proved, under the cards (oracle), to be beyond winning.
    """

    reward: str = "points"
    reward_scale: float = 1.0
    observation: str = "player"
    illegal_action: str = "noop"
    max_steps: int | None = None
    end_when: str = "stuck"

    def record(self, rules: Rules) -> npt.NDArray[np.void]:
        """Return the rules and these options as the kernels read them, one ``RULES_DTYPE`` record.

        Raises:
            ScorpionError: if an option has no such value.
        """
        max_steps = checked_steps(self.max_steps, rules)
        if self.illegal_action not in ILLEGAL_ACTIONS:
            raise ScorpionError(unknown("illegal_action", self.illegal_action, ILLEGAL_ACTIONS))
        record = encode_rules(rules, max_steps)
        record["reward"] = reward_code(self.reward)
        record["reward_scale"] = checked_scale(self.reward_scale)
        record["observe_all"] = observation_code(self.observation)
        record["illegal_action"] = ILLEGAL_ACTIONS.index(self.illegal_action)
        checked_end(self.end_when, rules)
        return record

    @property
    def raises(self) -> bool:
        """Whether an illegal action raises."""
        return self.illegal_action == ILLEGAL_ACTIONS[ILLEGAL_RAISE]


class DealSource(Protocol):
    """Finds a deal of its own for the next episode of each game.

    Attributes:
        deals: uint64 ``(size,)``, one for each game.
    """

    deals: npt.NDArray[np.uint64]

    def ready(self, games: npt.NDArray[np.void], index: int | None = None) -> None:
        """Wait until `deals` holds what the games, or the one named, play next."""

    def ahead(self, games: npt.NDArray[np.void]) -> None:
        """Begin to find it, without waiting."""
