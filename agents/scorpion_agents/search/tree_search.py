"""A player that looks two moves ahead, as far as it will be able to see."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_agents.base import Valuer
from scorpion_agents.search.kernels import OPEN, OVER, Outcomes
from scorpion_agents.search.tree_kernels import Replies, reply
from scorpion_agents.search.value_search import PRIOR, SAMPLES, ValueSearchAgent
from scorpion_env.rules import Rules

TREE = "tree"

FIRST_MOVES = 3
"""So many of its moves, the best by what is known without replies, are looked at more closely."""


class TreeSearchAgent(ValueSearchAgent):
    """Weighs a move by the best reply to whatever it will turn up.

    It fills in the hidden cards as :class:`scorpion_agents.search.value_search.ValueSearchAgent`
    does. After each of its best moves it sorts the determinizations by what the player will see
    then: those that look alike are one information set, and must be answered alike. Each such group
    is worth what the best answer to it earns on average, by solver, critic and actor as before, and
    the move the mean over the groups. So a card that a move turns up is known afterwards, and one
    that it does not is not; for these two moves there is no strategy fusion.

    Args:
        rules: The variant.
        valuer: Actor and critic.
        samples: Determinizations for each move that can be won.
        milliseconds: Time for each move instead; then its play depends on the machine.
    """

    prefix = TREE

    def __init__(
        self,
        rules: Rules,
        valuer: Valuer,
        *,
        samples: int = SAMPLES,
        milliseconds: float | None = None,
    ) -> None:
        super().__init__(rules, valuer, samples=samples, milliseconds=milliseconds)
        positions = self._chunk * FIRST_MOVES
        actions = positions * len(self._moves)
        self._replies = Replies(
            views=np.zeros(positions, self._seen.dtype),
            starts=np.zeros(positions + 1, np.int64),
            actions=np.zeros(actions, np.int16),
            outcomes=Outcomes(
                kinds=np.zeros(actions, np.int8),
                rewards=np.zeros(actions),
                seen=np.zeros(actions, self._seen.dtype),
            ),
        )

    def _expect(
        self,
        places: npt.NDArray[np.int64],
        earned: npt.NDArray[np.float64],
        log_p: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        asked = self._valuer.returns
        values = super()._expect(places, earned, log_p)
        worth = earned.copy()
        worth.flat[places] += asked.gamma * values
        best = np.argsort(-(worth.mean(axis=0) + PRIOR * asked.win * log_p))[:FIRST_MOVES]
        close = np.flatnonzero(np.isin(places % len(log_p), best))
        if len(close):
            values[close] = self._answered(places[close])
        return values

    def _answered(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return what is earned from open positions on if their groups are answered best."""
        replies, asked = self._replies, self._valuer.returns
        reply(self._seen, places, self._solver, self._reward, replies)
        starts = replies.starts[: len(places) + 1]
        count = int(starts[-1])
        kinds, rewards = replies.outcomes.kinds[:count], replies.outcomes.rewards[:count]
        earned = asked.reward_scale * (rewards + asked.win_bonus * (kinds == OVER))
        goes_on = np.flatnonzero(kinds == OPEN)
        if len(goes_on):
            after = replies.outcomes.seen["cards"][goes_on]
            earned[goes_on] += asked.gamma * self._valuer.values(after)

        groups: dict[bytes, list[int]] = {}
        views = replies.views["cards"]
        for i in range(len(places)):
            groups.setdefault(views[i].tobytes(), []).append(i)
        firsts = [group[0] for group in groups.values()]
        masks = np.zeros((len(firsts), self.rules.num_actions), np.bool_)
        for row, i in enumerate(firsts):
            masks[row, replies.actions[starts[i] : starts[i + 1]]] = True
        log_p = self._valuer.log_probabilities(views[firsts], masks)
        found = np.zeros(len(places))
        for row, group in enumerate(groups.values()):
            first = group[0]
            actions = replies.actions[starts[first] : starts[first + 1]]
            each = np.stack([earned[starts[i] : starts[i + 1]] for i in group])
            worth = each.mean(axis=0) + PRIOR * asked.win * log_p[row, actions]
            found[group] = each[:, worth.argmax()]
        return found
