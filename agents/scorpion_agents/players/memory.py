"""Play that does not go back: games whose earlier positions are remembered.

An observation says nothing of what was played before. Where moves can be taken back by others, an
agent that chooses by the observation alone goes round in circles, for as long as the step limit
lets it. `Player` knows where each game has been, and takes the way back off its masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from scorpion_agents.base import Actions, Agent, Draws, Masks, Observations
from scorpion_agents.seen_game import Table, new_table, read_game
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.shuffle import mix64

MEMORY = "memory"
"""``memory+greedy`` is the greedy agent that remembers."""

_UNSEEN, _AT_BASE, _UNDER_RESERVE, _IN_CELL = -1, -2, -3, -4
"""What a card can lie on besides cards that are seen: one that is not; nothing, at the base of a
column; the same where reserve cards will be dealt to the column; or it is in a cell."""

_OFFSET = 4
"""Makes these numbers, and those of cards, start at 0."""

_NEW = 0
"""Stands for a position whose key cannot be known: cards are turned, or dealt."""


class RememberingAgent(Agent):
    """Plays as another agent does among the actions that do not lead back, see `Player`."""

    remembers = True

    def __init__(self, agent: Agent) -> None:
        super().__init__(f"{MEMORY}+{agent.name}", agent.rules)
        self.information = agent.information
        self.stochastic = agent.stochastic
        self._agent = agent

    def act(self, observations: Observations, masks: Masks, draws: Draws) -> Actions:
        """Choose an action in each of B games; see `Agent.act`."""
        return self._agent.act(observations, masks, draws)


class Player:
    """An agent that plays games, and what it remembers of them, if it does.

    Remembered are the positions that a game has been in, as far as a player can tell them apart: in
    equal ones equal cards lie on equal cards. The order of the columns says nothing, but as long as
    the reserve is to come, for which columns it is.

    Args:
        agent: Who plays.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self._table = new_table(agent.rules)
        self._visited: dict[int, set[int | tuple[int, int]]] = {}

    def act(
        self, games: Sequence[int], observations: Observations, masks: Masks, draws: Draws
    ) -> Actions:
        """Choose an action in each of B games.

        An agent that remembers is shown the masks without actions that lead to a position that the
        game has been in, and without undo, unless nothing else is legal. Where undo has hidden a
        card again, not every way back is known.

        Args:
            games: A number for each game, the same at each of its steps.
            observations: int8 ``(B, cards, 7)``, as for :meth:`scorpion_agents.base.Agent.act`.
            masks: bool ``(B, num_actions)``.
            draws: float64 ``(B,)``.

        Returns:
            int64 ``(B,)``.
        """
        if not self.agent.remembers:
            return self.agent.act(observations, masks, draws)
        now = np.empty(len(masks), np.uint64)
        after = np.full(masks.shape, _NEW, np.uint64)
        _find_keys(observations, masks, self._table, now, after)
        keys = now.tolist()
        ahead = masks.copy()
        for game, key, mask, keys_after in zip(games, keys, ahead, after, strict=True):
            visited = self._visited.setdefault(game, set())
            visited.add(key)
            legal = np.flatnonzero(mask)
            ways = zip(legal.tolist(), keys_after[legal].tolist(), strict=True)
            back = [way in visited or (key, action) in visited for action, way in ways]
            if not all(back):
                mask[legal[back]] = False
        actions = self.agent.act(observations, ahead, draws)
        for game, key, action in zip(games, keys, actions.tolist(), strict=True):
            self._visited[game].add((key, action))
        return actions

    def forget(self, games: Iterable[int]) -> None:
        """Forget games, which are over."""
        for game in games:
            self._visited.pop(game, None)


@compiled
def _term(card: Any, under: Any) -> Any:
    """Return the share in a position's key, uint64, of a card that lies on something."""
    return mix64(np.uint64(256 * (card + 1) + under + _OFFSET))


@compiled
def _find_keys(observations: Any, masks: Any, table: Table, now: Any, after: Any) -> None:
    """Find the keys of positions, uint64: sums of a share for each card that can be seen.

    Args:
        observations: int8 ``(B, cards, 7)``.
        masks: bool ``(B, num_actions)``.
        table: Where positions are laid out.
        now: Written: the keys of the positions, ``(B,)``.
        after: Written: those of the positions that legal actions lead to, ``(B, num_actions)``,
            but where cards are turned or dealt. Undo leads back, to whatever position.
    """
    g, rules = table.position[0], table.rules
    cards, columns = g.below.shape[0], g.end.shape[0]
    deal = cards * columns
    under = np.empty(cards, np.int16)  # what each card that is seen lies on
    ends = np.empty(columns, np.int16)  # what the next card of a column would lie on
    for game in range(observations.shape[0]):
        read_game(observations[game], False, table)
        key = mix64(np.uint64(g.reserve_left))
        ends[:] = _AT_BASE
        for i in range(g.reserve_left):
            ends[rules.reserve_columns[i]] = _UNDER_RESERVE
        for column in range(columns):
            end = g.end[column]
            for row in range(g.row[end] + 1 if end >= 0 else 0):
                card = g.pile[column, row]
                if g.playable[card]:
                    under[card] = ends[column]
                    key += _term(card, under[card])
                    ends[column] = card
                else:
                    ends[column] = _UNSEEN
        for i in range(rules.cells):
            if g.cells[i] >= 0:
                under[g.cells[i]] = _IN_CELL
                key += _term(g.cells[i], _IN_CELL)
        now[game] = key
        for action in range(masks.shape[1]):
            if not masks[game, action] or action == deal:
                continue
            if rules.undo_action and action == rules.num_actions - 1:
                after[game, action] = key
                continue
            card, place = action // columns, ends[action % columns]
            if action > deal:
                card, place = action - deal - 1, _IN_CELL
            if under[card] != _UNSEEN:
                after[game, action] = key - _term(card, under[card]) + _term(card, place)
