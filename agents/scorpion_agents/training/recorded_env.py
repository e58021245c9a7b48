"""Games in flight that can be put on disk: their deals and the actions played in them so far.

A checkpoint holds no position. It holds, for each game, which episode it is and what was played in
it; the positions come about again by playing. So whatever a file says, no game is restored that the
rules do not allow, every deal is one that training may draw, and the form of the engine's records
may change between two releases.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from scorpion_env.deals import EVALUATION_DEALS
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules
from scorpion_env.sb3 import ScorpionVecEnv

GamesInFlight = dict[str, npt.NDArray[Any]]
"""``episodes``, ``deals`` (uint64) and ``lengths`` (int64), each ``(num_envs,)``, and ``actions``,
those of all games one after another, int64 ``(sum(lengths),)``."""


class RecordedVecEnv(ScorpionVecEnv):
    """The adapter for Stable-Baselines3, which also remembers what was played in each game.

    Takes the arguments of `ScorpionVecEnv`; `seed` must be given, since it names the deals.
    """

    def __init__(self, num_envs: int, rules: str | Rules, *, seed: int, **arguments: Any) -> None:
        super().__init__(num_envs, rules, seed=seed, **arguments)
        self._seed = seed
        self._played = np.zeros((num_envs, 64), np.int64)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions; return observations, rewards, dones and infos."""
        if self._lengths.max() == self._played.shape[1]:
            self._played = np.concatenate([self._played, np.zeros_like(self._played)], axis=1)
        self._played[np.arange(self.num_envs), self._lengths] = self._actions
        return super().step_wait()

    def games_in_flight(self) -> GamesInFlight:
        """Return what :meth:`resume_games` restores the games from."""
        played = np.arange(self._played.shape[1]) < self._lengths[:, None]
        return {
            "episodes": self._batch.games["episode"].copy(),
            "deals": self._batch.games["deal"].copy(),
            "lengths": self._lengths.copy(),
            "actions": self._played[played],
        }

    def resume_games(self, games: GamesInFlight) -> npt.NDArray[np.int8]:
        """Bring the games to where :meth:`games_in_flight` found them, instead of a reset.

        Args:
            games: What that method returned, in an environment with the same arguments.

        Returns:
            Observations, int8 ``(num_envs, cards, 7)``.

        Raises:
            ScorpionError: if the games cannot have come about in such an environment.
        """
        batch = self._batch
        names = ("episodes", "deals", "lengths", "actions")
        episodes, deals, lengths, actions = (games[name] for name in names)
        if (
            [games[name].dtype for name in names] != [np.uint64, np.uint64, np.int64, np.int64]
            or any(games[name].shape != (self.num_envs,) for name in names[:3])
            or episodes.min() < 1
            or not np.all((deals >= EVALUATION_DEALS) | np.isin(deals, batch.deals))
            or lengths.min() < 0
            or lengths.max() >= batch.max_steps
            or actions.shape != (lengths.sum(),)
        ):
            raise ScorpionError("The games in flight are damaged.")
        batch.key(self._seed)
        batch.games["episode"] = episodes - np.uint64(1)
        self._lengths[:] = lengths
        self._returns[:] = 0
        self._played = np.zeros((self.num_envs, max(64, int(lengths.max()) + 1)), np.int64)
        ends = np.cumsum(lengths)
        for i in range(self.num_envs):
            batch.start_next(i, deals[i : i + 1])
            played = actions[ends[i] - lengths[i] : ends[i]]
            self._played[i, : len(played)] = played
            try:
                self._returns[i] = batch.play_on(i, played.tolist())
            except ScorpionError as error:
                raise ScorpionError(f"The games in flight are damaged: {error}") from error
            self.reset_infos[i] = {"deal": batch.deal_name(i)}
        self._started = True
        return batch.seen.copy()
