"""What a position looks like after each legal action, in small numbers, for a network to score.

Every legal action of every game of a batch gives one *afterstate*: the position right after it, as
far as a player can see it. :mod:`scorpion_agents.afterstates.feature_names` says by which numbers
it is described; here is what describes whole batches, from observations and masks alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scorpion_agents.afterstates.feature_names import PER_CARD, PER_MOVE, PER_POSITION
from scorpion_agents.afterstates.kernels import describe_actions, describe_positions
from scorpion_agents.afterstates.seen_position import new_positions
from scorpion_agents.base import Masks, Observations
from scorpion_agents.seen_game import new_table
from scorpion_env.cards import CARDS_PER_DECK, CARDS_PER_SUIT
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules

SUITS = 4

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Afterstates:
    """What follows the legal actions of B positions, N in all.

    Attributes:
        games: int64 ``(N,)``, the position of each action, from 0, in ascending order.
        actions: int64 ``(N,)``, the actions.
        cards: uint8 ``(N, 4, 13 * PER_CARD)``, of each afterstate, the suits' cards, ace to king.
        rest: uint8 ``(N, PER_POSITION + PER_MOVE)``.
        starts: int64 ``(B + 1,)``, where the actions of each position begin, and N.
    """

    games: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]
    cards: Bytes
    rest: Bytes
    starts: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, masks: Masks) -> Afterstates:
        """Return what belongs to masks, bool ``(B, num_actions)``, features not yet written."""
        games, actions = np.nonzero(masks)
        return cls(
            games,
            actions,
            np.empty((len(games), SUITS, CARDS_PER_SUIT * PER_CARD), np.uint8),
            np.empty((len(games), PER_POSITION + PER_MOVE), np.uint8),
            np.searchsorted(games, np.arange(len(masks) + 1)),
        )

    @classmethod
    def join(cls, parts: Sequence[Afterstates]) -> Afterstates:
        """Return what is described one after another as one."""
        counts = np.concatenate([np.diff(part.starts) for part in parts])
        return cls(
            np.repeat(np.arange(len(counts)), counts),
            np.concatenate([part.actions for part in parts]),
            np.concatenate([part.cards for part in parts]),
            np.concatenate([part.rest for part in parts]),
            np.concatenate([[0], np.cumsum(counts)]),
        )

    def take(self, positions: npt.NDArray[np.int64]) -> Afterstates:
        """Return some of the positions, int64 ``(M,)``, in the order given."""
        counts = np.diff(self.starts)[positions]
        starts = np.concatenate([[0], np.cumsum(counts)])
        games = np.repeat(np.arange(len(positions)), counts)
        rows = np.arange(len(games)) + (self.starts[positions] - starts[:-1])[games]
        return Afterstates(games, self.actions[rows], self.cards[rows], self.rest[rows], starts)


def check_describable(rules: Rules) -> None:
    """Refuse variants whose positions these features do not describe.

    Raises:
        ScorpionError: for two decks, cells, building in alternating colours, or undo as an action.
    """
    unlike = {
        "two decks": rules.decks > 1,
        "cells": rules.cells > 0,
        "building in alternating colours": rules.build == "colour",
        "undo as an action": rules.undo_action,
    }
    found = [name for name, holds in unlike.items() if holds]
    if found:
        raise ScorpionError(
            f"The afterstate policy does not play rules '{rules.name}', which have "
            f"{' and '.join(found)}; use policy: mlp."
        )


class Describer:
    """Describes positions and afterstates of one variant.

    Raises:
        ScorpionError: if the variant is none that it describes; see `check_describable`.
    """

    def __init__(self, rules: Rules) -> None:
        check_describable(rules)
        self._table = new_table(rules)
        self._views = new_positions(2)

    def afterstates(self, observations: Observations, masks: Masks) -> Afterstates:
        """Describe what follows each legal action.

        Args:
            observations: int8 ``(B, 52, 7)``; hidden cards that a full one shows are not looked at.
            masks: bool ``(B, num_actions)``.
        """
        found = Afterstates.empty(masks)
        describe_actions(
            observations,
            found.games,
            found.actions,
            self._table,
            self._views,
            found.cards.reshape(-1, CARDS_PER_DECK, PER_CARD),
            found.rest,
        )
        return found

    def positions(self, observations: Observations) -> tuple[Bytes, Bytes]:
        """Describe positions with all that the observations show, hidden cards too if they do.

        Args:
            observations: int8 ``(B, 52, 7)``, the player's or full ones.

        Returns:
            uint8 ``(B, 4, 13 * PER_CARD)`` and uint8 ``(B, PER_POSITION)``.
        """
        games = len(observations)
        cards = np.empty((games, CARDS_PER_DECK, PER_CARD), np.uint8)
        rest = np.empty((games, PER_POSITION), np.uint8)
        describe_positions(observations, self._table, self._views, cards, rest)
        return cards.reshape(games, SUITS, -1), rest
