"""The adapter for Stable-Baselines3 and sb3-contrib; it alone imports them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import Wrapper
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from scorpion_env.batch.arguments import checked_actions, checked_seed
from scorpion_env.batch.games import Batch
from scorpion_env.batch.options import SHARED_ARGUMENTS, EnvArguments
from scorpion_env.batch.step_arrays import IS_ILLEGAL, IS_OVER, STATUS, StepArrays
from scorpion_env.batch.stepping import AUTORESET_SAME_STEP
from scorpion_env.environment.deal_lists import ALL, draw_deals, episode_start
from scorpion_env.environment.shown import positions
from scorpion_env.environment.spaces import (
    action_space,
    checked_render_mode,
    checked_scale,
    env_options,
    observation_space,
    refuse_arguments,
)
from scorpion_env.errors import ScorpionError
from scorpion_env.kernels.state import OUTCOMES, TRUNCATED, WON
from scorpion_env.rules import Rules, get_rules

if TYPE_CHECKING:
    from typing import Unpack

ARGUMENTS = (
    *("num_envs", "rules", "seed", *SHARED_ARGUMENTS),
    *("num_threads", "render_mode", "render_scale"),
)
"""Arguments of `ScorpionVecEnv`."""

RENDER_MODES = ["rgb_array"]


class _StackedRow(np.ndarray[Any, np.dtype[np.bool_]]):
    """The first of `Masks`, by which numpy finds out that they stand in one array already."""

    def __array_function__(
        self, func: Any, types: Any, args: Iterable[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        sequence, *others = args
        if func is np.stack and isinstance(sequence, Masks) and not others and not kwargs:
            return sequence.array.copy()
        return super().__array_function__(func, types, args, kwargs)


class Masks(list[npt.NDArray[np.bool_]]):
    """The masks of several games, an array each, for which ``np.stack`` is a single copy.

    sb3-contrib stacks them at every step; row by row, that takes longer than to play the step.

    Attributes:
        array: The masks as they stand in memory, bool ``(games, actions)``.
    """

    def __init__(self, array: npt.NDArray[np.bool_]) -> None:
        super().__init__(array)
        self.array = array
        if self:
            self[0] = self[0].view(_StackedRow)


class ScorpionVecEnv(VecEnv):
    """`num_envs` games of Scorpion as a Stable-Baselines3 ``VecEnv``, in one compiled call.

    ``MaskablePPO`` finds the masks by ``env_method("action_masks")``. The infos of a game that
    ended carry ``episode`` (return ``r``, length ``l``, seconds ``t``, as VecMonitor writes them),
    ``terminal_observation``, ``TimeLimit.truncated``, ``score``, ``runs``, ``moves``, ``outcome``
    and ``is_success``; all other infos are empty, but for ``illegal_action``.

    Every deal, the first one too, is drawn from 2**32 and above by a generator keyed by the seed,
    the place in the batch and the episode, so that training never sees an evaluation deal. To play
    chosen deals, use ``set_options([{"deal": 7}, …])`` before `reset`.

    Args:
        num_envs: Number of games.
        rules: A preset's name or `Rules`.
        seed: Keys the deals; drawn at random by default.
        reward, reward_scale, observation, illegal_action, max_steps, deals, end_when: See
            `ScorpionEnv`.
        num_threads: See `ScorpionVectorEnv`.
        render_mode: ``"rgb_array"`` lets `render` return one picture of all games.
        render_scale: Size of a game's picture, 640 by 480 pixels being 1.
    """

    def __init__(
        self,
        num_envs: int = 64,
        rules: str | Rules = "classic",
        *,
        seed: int | None = None,
        num_threads: int = 1,
        render_mode: str | None = None,
        render_scale: float = 1.0,
        **options: Unpack[EnvArguments],
    ) -> None:
        refuse_arguments(options, ARGUMENTS)
        self.rules = get_rules(rules)
        self.render_mode = checked_render_mode(render_mode, RENDER_MODES)
        self.render_scale = checked_scale(render_scale)
        self._batch = Batch(
            self.rules,
            num_envs,
            env_options(options),
            autoreset=AUTORESET_SAME_STEP,
            num_threads=num_threads,
        )
        draw_deals(self._batch, options.get("deals", ALL))
        self._new_arrays = self._batch.step_arrays(masked=False)
        super().__init__(num_envs, observation_space(self.rules), action_space(self.rules))
        self._actions = np.zeros(num_envs, np.int64)
        self._returns = np.zeros(num_envs, np.float64)
        self._lengths = np.zeros(num_envs, np.int64)
        self._start_time = time.time()
        self._started = False
        self.seed(seed)

    def reset(self) -> npt.NDArray[np.int8]:
        """Start an episode in every game; return observations, int8 ``(num_envs, cards, 7)``."""
        batch = self._batch
        if self._seeds[0] is not None:
            batch.key(self._seeds[0])
        for i, options in enumerate(self._options):
            unknown_options = set(options) - {"deal"}
            if unknown_options:
                raise ScorpionError(f"Unknown option '{unknown_options.pop()}'. Known: deal.")
            if options.get("deal") is not None:
                start = episode_start(options["deal"], self.rules)
                batch.games["episode"][i] += np.uint64(1)
                batch.start_episode(i, start)
            else:
                batch.start_next(i)
        self._reset_seeds()
        self._reset_options()
        self._started = True
        self._returns[:] = 0
        self._lengths[:] = 0
        self.reset_infos = [{"deal": batch.deal_name(i)} for i in range(self.num_envs)]
        return batch.seen.copy()

    def set_deals(self, deals: str | npt.ArrayLike) -> None:
        """Draw the deals of episodes that start from now on as the argument ``deals`` says."""
        draw_deals(self._batch, deals)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Key the deals from the next `reset` on; one seed serves all games of the batch."""
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self._seeds = [checked_seed(seed)] * self.num_envs
        return self._seeds

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set the options of the next `reset`: one for all games, or a list with one a game.

        Raises:
            ScorpionError: if there are not as many as games.
        """
        if isinstance(options, list) and len(options) != self.num_envs:
            raise ScorpionError(f"There are {len(options)} options for {self.num_envs} games.")
        super().set_options(options)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the actions, ints ``(num_envs,)``, for `step_wait`."""
        if not self._started:
            raise ScorpionError("Call reset() before the first step().")
        self._actions[:] = checked_actions(actions, self.num_envs)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions; return observations, rewards, dones and infos."""
        batch = self._batch
        results = self._new_arrays()
        ended, illegal = batch.step(self._actions, results)
        self._returns += results.rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        dones = results.ends[IS_OVER]
        if illegal:
            for i in np.flatnonzero(results.ends[IS_ILLEGAL]).tolist():
                infos[i]["illegal_action"] = int(self._actions[i])
        if ended:
            self._describe_ends(np.flatnonzero(dones), results, infos)
            self._returns[dones] = 0
            self._lengths[dones] = 0
        return results.seen["cards"], results.rewards.astype(np.float32), dones, infos

    def _describe_ends(
        self,
        places: npt.NDArray[np.intp],
        results: StepArrays,
        infos: list[dict[str, Any]],
    ) -> None:
        """Write what there is to say of the games that ended, column by column for speed."""
        batch = self._batch
        seconds = round(time.time() - self._start_time, 6)
        rows = zip(
            places.tolist(),
            batch.last_seen[places],
            self._returns[places].round(6).tolist(),
            self._lengths[places].tolist(),
            batch.games["deal"][places].tolist(),
            *results.numbers[STATUS:, places].tolist(),
            strict=True,
        )
        for place, seen, total, length, deal, status, score, runs, moves in rows:
            infos[place] |= {
                "terminal_observation": seen,
                "TimeLimit.truncated": status == TRUNCATED,
                "episode": {"r": total, "l": length, "t": seconds},
                "score": score,
                "runs": runs,
                "moves": moves,
                "outcome": OUTCOMES[status],
                "is_success": status == WON,
            }
            self.reset_infos[place] = {"deal": str(deal)}

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return a picture of each game, uint8 ``(480, 640, 3)`` times the scale, for `render`."""
        from scorpion_env.rendering import Status, render_picture

        if self.render_mode is None:
            return [None] * self.num_envs
        return [
            render_picture(board, self.rules, Status(**numbers), scale=self.render_scale)
            for board, numbers in positions(self._batch)
        ]

    def close(self) -> None:
        """Do nothing; the arrays go with the object."""

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return fresh masks, bool ``(num_envs, actions)``, True for the legal actions."""
        return self._batch.masks().view(np.bool_)

    def _indices(self, indices: VecEnvIndices) -> Sequence[int]:
        return list(self._get_indices(indices))

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the games have an attribute or method of that name."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the batch, once for each game."""
        return [getattr(self, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the whole batch.

        Raises:
            ScorpionError: if only some of the games are meant; they share their attributes.
        """
        if len(self._indices(indices)) != self.num_envs:
            raise ScorpionError("The games of a batch share their attributes; set them for all.")
        setattr(self, attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> Any:
        """Call ``action_masks`` for each game.

        The masks come as `Masks`, a list of fresh arrays, bool ``(actions,)``.

        Raises:
            AttributeError: if the games have no such method.
        """
        if method_name == "action_masks":
            masks = self.action_masks()
            return Masks(masks if indices is None else masks[self._indices(indices)])
        raise AttributeError(f"The games have no method '{method_name}'; they have 'action_masks'.")

    def env_is_wrapped(
        self, wrapper_class: type[Wrapper], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return False for each game: nothing wraps a single game of a batch."""
        return [False] * len(self._indices(indices))
