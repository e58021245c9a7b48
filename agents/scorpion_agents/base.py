"""What every player is: the agent interface, and which moves change nothing.

An agent plays a batch of games at once. It receives what a player sees (observations and masks)
and nothing else; one that looks under the cards says so with ``information = "oracle"``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from scorpion_agents.seen_game import Table, new_table, read_game
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.legal import is_null
from scorpion_env.rules import Rules

Observations = npt.NDArray[np.int8]
Masks = npt.NDArray[np.bool_]
Actions = npt.NDArray[np.int64]
Draws = npt.NDArray[np.float64]
Information = Literal["player", "oracle"]


class Agent(ABC):
    """Someone who plays Scorpion.

    Attributes:
        name: What tables and result files call it.
        information: ``"player"`` sees what a player sees; ``"oracle"`` also sees hidden cards, and
            is given the observations of ``observation="full"``.
        stochastic: Whether its play depends on the draws.
        remembers: Whether it is not to go back to positions that a game has been in; whoever plays
            games with it does so by :class:`scorpion_agents.players.memory.Player`.
        rules: The variant it plays.
    """

    information: Information = "player"
    stochastic: bool = False
    remembers: bool = False

    def __init__(self, name: str, rules: Rules) -> None:
        self.name = name
        self.rules = rules

    @abstractmethod
    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        """Choose an action in each of B games.

        An agent keeps no state between calls, so that the play of a game depends on nothing but
        that game.

        Args:
            observations: int8 ``(B, cards, 7)``, as :class:`scorpion_env.ScorpionEnv` describes.
            masks: bool ``(B, num_actions)``, true where an action is legal; no row is all false.
            draws: float64 ``(B,)`` in [0, 1): one random number a game, made by the caller from
                (seed, deal, step), for agents that leave something to chance.

        Returns:
            int64 ``(B,)``, a legal action of each game.
        """

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}' for {self.rules.name}>"


def null_moves(observations: Observations, masks: Masks, rules: Rules) -> Masks:
    """Return which legal actions are null moves.

    A null move takes a whole column to an empty column without completing a run: it is worth
    nothing and changes nothing but the order of the columns. A base king whose column ends in a
    complete run, which the move takes off the table, is no null move.

    Args:
        observations: int8 ``(B, cards, 7)``.
        masks: bool ``(B, num_actions)``.
        rules: The variant.

    Returns:
        bool ``(B, num_actions)``, a subset of `masks`.
    """
    found = np.zeros_like(masks)
    _mark_null_moves(observations, masks, new_table(rules), found)
    return found


@compiled
def _mark_null_moves(observations: Any, masks: Any, table: Table, found: Any) -> None:
    g = table.position[0]
    columns = g.end.shape[0]
    for game in range(observations.shape[0]):
        read_game(observations[game], False, table)
        for source in range(columns):
            base = g.pile[source, 0]
            if g.end[source] < 0 or not g.playable[base] or not is_null(g, table.rules, base):
                continue
            for target in range(columns):
                if g.end[target] < 0 and masks[game, base * columns + target]:
                    found[game, base * columns + target] = True


@dataclass(frozen=True)
class Returns:
    """What values are the values of: the sum of rewards, each step's worth `gamma` of the last's.

    Attributes:
        reward: A name in :data:`scorpion_env.rewards.REWARDS`.
        reward_scale: Factor of every reward.
        win_bonus: What a win earns beside, before the factor.
        gamma: The discount.
    """

    reward: str
    reward_scale: float
    win_bonus: float
    gamma: float

    @property
    def win(self) -> float:
        """What a win alone earns."""
        return self.reward_scale * (self.win_bonus + (self.reward == "win"))


class Valuer(Agent):
    """An agent that can say how good actions and positions are; search players ask it.

    Attributes:
        returns: What its values mean.
    """

    returns: Returns

    @abstractmethod
    def log_probabilities(
        self, observations: Observations, masks: Masks
    ) -> npt.NDArray[np.float64]:
        """Return with which probability it takes each action, as logarithms.

        Args:
            observations: int8 ``(B, cards, 7)``, the player's.
            masks: bool ``(B, num_actions)``.

        Returns:
            float64 ``(B, num_actions)``, minus infinity where nothing is legal.
        """

    @abstractmethod
    def values(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return what it will still earn from positions, playing without what they show.

        Args:
            observations: Full ones, int8 ``(B, cards, 7)``, of games that go on.

        Returns:
            float64 ``(B,)``, in the units of `returns`.
        """
