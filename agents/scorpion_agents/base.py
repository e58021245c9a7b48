"""What every player is: the agent interface, and what a player can tell from an observation.

An agent plays a batch of games at once. It receives what a player sees (observations and masks)
and nothing else; one that looks under the cards says so with ``information = "oracle"``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT, KING
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.observation import (
    COLUMN,
    FACE_DOWN,
    ON_TOP,
    PLACE,
    PLACE_TABLEAU,
    ROW,
    VISIBLE,
)
from scorpion_env.rules import Rules

Observations = npt.NDArray[np.int8]
Masks = npt.NDArray[np.bool_]
Actions = npt.NDArray[np.int64]
Draws = npt.NDArray[np.float64]
Information = Literal["player", "oracle"]

UNSEEN, NOTHING = -1, -2
"""In the tables of :func:`read_tableau`: a face-down card; no card at all."""


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
    _mark_null_moves(
        observations,
        masks,
        rules.num_columns,
        rules.build == "colour",
        rules.runs == "taken",
        found,
    )
    return found


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


@compiled
def joins(upper: int, lower: int, colours: bool) -> bool:
    """Whether `upper` follows `lower` in a run: one rank lower, same suit (or other colour)."""
    if lower < 0 or upper < 0 or lower % CARDS_PER_SUIT != upper % CARDS_PER_SUIT + 1:
        return False
    suit_a = upper % CARDS_PER_DECK // CARDS_PER_SUIT
    suit_b = lower % CARDS_PER_DECK // CARDS_PER_SUIT
    if colours:  # the red suits, diamonds and hearts, are 1 and 2
        return bool((suit_a in (1, 2)) != (suit_b in (1, 2)))
    return bool(suit_a == suit_b)


@compiled
def read_tableau(observation: Any, piles: Any, heights: Any, down: Any) -> None:
    """Lay out the columns that an observation shows.

    Args:
        observation: int8 ``(cards, 7)``.
        piles: int16 ``(columns, cards)``, written: the cards of each column from the base,
            ``UNSEEN`` where one lies face down, ``NOTHING`` above the end.
        heights: int16 ``(columns,)``, written: how many cards each column holds.
        down: int16 ``(columns,)``, written: how many of them lie face down.
    """
    piles[:] = NOTHING
    heights[:] = 0
    down[:] = 0
    for card in range(observation.shape[0]):
        if observation[card, PLACE] != PLACE_TABLEAU or observation[card, VISIBLE] == 0:
            continue
        column = observation[card, COLUMN] - 1
        row = observation[card, ROW] - 1
        piles[column, row] = card
        heights[column] = max(heights[column], row + 1 + observation[card, ON_TOP])
        down[column] = observation[card, FACE_DOWN]
    for column in range(piles.shape[0]):
        piles[column, : down[column]] = UNSEEN


@compiled
def ends_in_run(pile: Any, height: int, colours: bool) -> bool:
    """Whether the last 13 cards of a pile (int16, base first) are a face-up run, king to ace."""
    base = height - CARDS_PER_SUIT
    if base < 0 or pile[base] < 0 or pile[base] % CARDS_PER_SUIT != KING:
        return False
    for row in range(base + 1, height):  # noqa: SIM110 (numba compiles the plain loop)
        if not joins(pile[row], pile[row - 1], colours):
            return False
    return True


@compiled
def _mark_null_moves(
    observations: Any, masks: Any, num_columns: int, colours: bool, taken: bool, found: Any
) -> None:
    cards = observations.shape[1]
    piles = np.empty((num_columns, cards), np.int16)
    heights = np.empty(num_columns, np.int16)
    down = np.empty(num_columns, np.int16)
    for game in range(observations.shape[0]):
        read_tableau(observations[game], piles, heights, down)
        for source in range(num_columns):
            base = piles[source, 0]
            if base < 0 or (taken and ends_in_run(piles[source], heights[source], colours)):
                continue
            for target in range(num_columns):
                if heights[target] == 0 and masks[game, base * num_columns + target]:
                    found[game, base * num_columns + target] = True
