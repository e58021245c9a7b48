"""A single game that can be taken back: what `scorpion_env.Game` is made of."""

from __future__ import annotations

import numpy as np

from scorpion_env.batch.games import Batch
from scorpion_env.batch.stepping import is_legal
from scorpion_env.kernels.play import conclude, play, undo
from scorpion_env.kernels.state import log_capacity


class SingleGame(Batch):
    """A batch of one game, which is played without what environments add, and keeps a log."""

    def play(self, action: int) -> None:
        """Play a legal action in a batch of one game, without what environments add.

        Raises:
            IllegalMove: if it is none; another thread may have played since the caller looked.
        """
        with self._lock:
            if not is_legal(self.games[0], action):
                raise self._refusal(0, action)
            self._make_room_in_log()
            play(self.games[0], self.rules_record[0], action, self.log)
            conclude(self.games[0], self.rules_record[0])

    def undo(self) -> None:
        """Take back the last action in a batch of one game that keeps a log, if it has one."""
        with self._lock:
            if not self.games["log_actions"][0]:
                return
            undo(self.games[0], self.rules_record[0], self.log)
            conclude(self.games[0], self.rules_record[0])

    def _make_room_in_log(self) -> None:
        most = int(self.games["log_events"][0]) + log_capacity(self.rules, 1)
        if most > len(self.log):
            self.log = np.concatenate([self.log, np.zeros(2 * most, np.int32)])
