"""The native vector environment: many games in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from scorpion_env.batch.arguments import checked_actions, checked_count, checked_seed
from scorpion_env.batch.games import Batch
from scorpion_env.batch.options import SHARED_ARGUMENTS, EnvArguments
from scorpion_env.batch.stepping import (
    AUTORESET_DISABLED,
    AUTORESET_NEXT_STEP,
    AUTORESET_SAME_STEP,
)
from scorpion_env.deals import MAX_SEED, EpisodeStart, SeededDeal, parse_position
from scorpion_env.environment.deal_lists import ALL, draw_deals, episode_start
from scorpion_env.environment.shown import positions
from scorpion_env.environment.spaces import (
    action_space,
    batched_space,
    checked_options,
    checked_render_mode,
    checked_scale,
    env_options,
    observation_space,
    refuse_arguments,
)
from scorpion_env.environment.vector_results import ResultsMaker, number_infos
from scorpion_env.errors import ScorpionError, unknown
from scorpion_env.rules import Rules, get_rules

if TYPE_CHECKING:
    from typing import Unpack

OPTIONS = ("deal", "board", "reset_mask")
"""Options of `ScorpionVectorEnv.reset`."""

ARGUMENTS = (
    "num_envs",
    "rules",
    *SHARED_ARGUMENTS,
    "mask_in_info",
    "autoreset_mode",
    "copy",
    "num_threads",
    "render_mode",
    "render_scale",
)
"""Arguments of `ScorpionVectorEnv`."""

RENDER_MODES = ["ansi", "rgb_array"]

_AUTORESET = {
    AutoresetMode.DISABLED: AUTORESET_DISABLED,
    AutoresetMode.SAME_STEP: AUTORESET_SAME_STEP,
    AutoresetMode.NEXT_STEP: AUTORESET_NEXT_STEP,
}

Observations = npt.NDArray[np.int8]
Step = tuple[
    Observations,
    npt.NDArray[np.float64],
    npt.NDArray[np.bool_],
    npt.NDArray[np.bool_],
    dict[str, Any],
]


class ScorpionVectorEnv(gym.vector.VectorEnv[Observations, npt.NDArray[Any], npt.NDArray[Any]]):
    """`ScorpionEnv`, `num_envs` times over in one compiled call.

    Each game behaves as `ScorpionEnv` does, which describes actions, observations, masks, rewards
    and ends; equal deals give equal trajectories. ``gym.make_vec("Scorpion-v0", num_envs=64)``
    makes this class.

    ``reset(seed=s)`` deals s, s + 1, …; a list gives each game its own seed. Later deals are drawn
    by a generator keyed by seed, place in the batch and episode, whatever happens in other games.

    ``action_masks()`` returns bool ``(num_envs, actions)``. In ``infos``, ``score``, ``runs``,
    ``moves`` (int64) and ``action_mask`` (int8) have a leading dimension, and every key has
    Gymnasium's ``_key`` that says whom it concerns, bool ``(num_envs,)``; these are read-only,
    since keys share them. The property `deals` names the deals. Games that are over add ``outcome``
    and ``is_success``; with ``autoreset_mode=SAME_STEP`` (the default) these, with the other
    numbers of the last step, stand in ``infos["final_info"]`` and the last observation in
    ``final_obs``; the masks there, all 1 for a game that is over, are read-only. With ``DISABLED``
    a game that is over holds still and earns nothing until it is reset.

    Args:
        num_envs: Number of games.
        rules: A preset's name or `Rules`.
        reward, reward_scale, observation, illegal_action, max_steps, deals, end_when,
            mask_in_info: See `ScorpionEnv`.
        autoreset_mode: `gymnasium.vector.AutoresetMode` or its name.
        copy: Return arrays that stay as they are for as long as anybody holds them, or a part of
            them, and are used again then: reshape views of them, not the arrays in place. With
            False, the next step overwrites all arrays that a step returned.
        num_threads: How many threads share the games of a step; the results are the same for any
            number. More than one pays from about a thousand games on.
        render_mode: ``"ansi"`` lets `render` return a text for each game, ``"rgb_array"`` a
            picture, uint8 ``(480, 640, 3)``, times `render_scale` (0.5 to 8).
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "classic",
        *,
        mask_in_info: bool = True,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        copy: bool = True,
        num_threads: int = 1,
        render_mode: str | None = None,
        render_scale: float = 1.0,
        **options: Unpack[EnvArguments],
    ) -> None:
        refuse_arguments(options, ARGUMENTS)
        mode = _autoreset_mode(autoreset_mode)
        self.rules = get_rules(rules)
        self.num_envs = checked_count(num_envs)
        self.render_mode = checked_render_mode(render_mode, RENDER_MODES)
        self.render_scale = checked_scale(render_scale)
        self.metadata = {"render_modes": RENDER_MODES, "autoreset_mode": mode, "render_fps": 4}
        self._mask_in_info = mask_in_info
        self._copy = copy
        self._batch = Batch(
            self.rules,
            num_envs,
            env_options(options),
            autoreset=_AUTORESET[mode],
            num_threads=num_threads,
            copied=copy,
        )
        draw_deals(self._batch, options.get("deals", ALL))
        self._results = ResultsMaker(self._batch, masked=mask_in_info)
        self._started = False
        self.single_observation_space = observation_space(self.rules)
        self.single_action_space = action_space(self.rules)
        self.observation_space = batched_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Start an episode in every game, or in those that the option `reset_mask` selects.

        Args:
            seed: Game i plays deal ``seed + i``, or ``seed[i]``; without one, the next that its
                earlier seed gives.
            options: ``deal`` (one for all, or a sequence of `num_envs`; entries of games that are
                not reset are ignored), ``board`` (a text), ``reset_mask`` (bool ``(num_envs,)``).

        Returns:
            Observations, int8 ``(num_envs, cards, 7)``, and infos.

        Raises:
            ScorpionError: if the seed, an option, a deal or the board is refused.
        """
        found = checked_options(options, OPTIONS)
        chosen = self._chosen(found.get("reset_mask"))
        seeds = self._seeds(seed)
        starts = self._starts(found, seeds, chosen)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._key(seeds, chosen)
        self._start(seeds, starts, chosen)
        self._started = True
        batch = self._batch
        numbers = [batch.games[key].astype(np.int64) for key in ("score", "runs", "moves")]
        mask = batch.masks() if self._mask_in_info else None
        if mask is not None and not self._copy:
            shared = self._results().arrays.mask
            shared[:] = mask
            mask = shared.view()  # whose shape and flags the caller may change
        whom = chosen.copy()
        whom.setflags(write=False)
        infos = number_infos(numbers, mask, whom)
        return batch.seen.copy() if self._copy else batch.seen, infos

    def _chosen(self, reset_mask: Any) -> npt.NDArray[np.bool_]:
        if reset_mask is None:
            return np.ones(self.num_envs, np.bool_)
        mask = np.asarray(reset_mask)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ScorpionError(
                f"The option reset_mask must be a bool array of shape ({self.num_envs},) with at "
                f"least one True, not {mask.dtype} {mask.shape}."
            )
        if not self._started and not mask.all():
            raise ScorpionError("The first reset must start every game; leave reset_mask out.")
        return mask

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (Sequence, np.ndarray)):
            if len(seed) != self.num_envs:
                raise ScorpionError(f"There are {len(seed)} seeds for {self.num_envs} games.")
            return [None if s is None else checked_seed(s) for s in seed]
        first = checked_seed(seed)
        return [(first + i) & MAX_SEED for i in range(self.num_envs)]

    def _starts(
        self,
        options: dict[str, Any],
        seeds: list[int | None],
        chosen: npt.NDArray[np.bool_],
    ) -> Sequence[EpisodeStart | None] | None:
        if options.get("board") is not None:
            entropy = [s if s is not None else int(self.np_random.integers(2**32)) for s in seeds]
            return [parse_position(options["board"], self.rules, s) for s in entropy]
        deal = options.get("deal")
        if deal is None:
            return None
        if isinstance(deal, (list, tuple, np.ndarray)):
            if len(deal) != self.num_envs:
                raise ScorpionError(
                    f"The option deal names {len(deal)} deals for {self.num_envs} games."
                )
            return [
                episode_start(d, self.rules) if mine else None
                for d, mine in zip(deal, chosen, strict=True)
            ]
        return [episode_start(deal, self.rules)] * self.num_envs

    def _key(self, seeds: list[int | None], chosen: npt.NDArray[np.bool_]) -> None:
        """Key the deal generators of the chosen games that are given a seed, or have none yet."""
        games = self._batch.games
        if not self._started:
            self._batch.key(int(self.np_random.integers(2**63)))
        for i in np.flatnonzero(chosen).tolist():
            if seeds[i] is not None:
                games["seed"][i] = seeds[i]
                games["episode"][i] = 0

    def _start(
        self,
        seeds: list[int | None],
        starts: Sequence[EpisodeStart | None] | None,
        chosen: npt.NDArray[np.bool_],
    ) -> None:
        batch = self._batch
        if starts is None and len(batch.deals):
            seeds = [None] * self.num_envs
        if starts is None and None not in seeds:
            batch.start_seeded(np.array(seeds, np.uint64), chosen)
            return
        if starts is None:
            starts = [None if seed is None else SeededDeal(seed) for seed in seeds]
        for i in np.flatnonzero(chosen).tolist():
            start = starts[i]
            if start is None:
                batch.start_next(i)
                continue
            if seeds[i] is None and self._started:
                batch.games["episode"][i] += np.uint64(1)
            batch.start_episode(i, start)

    def step(self, actions: npt.NDArray[Any]) -> Step:
        """Play one action in every game, ints ``(num_envs,)``.

        Raises:
            ScorpionError: if an action lies outside the action space, or the array is of a wrong
                shape or type; no game is changed.
        """
        if not self._started:
            raise gym.error.ResetNeeded("Call env.reset() before the first env.step().")
        actions = checked_actions(actions, self.num_envs)
        results = self._results()
        ended, illegal = self._batch.step(actions, results.arrays, results.let_go)
        infos = results.infos(ended)
        if illegal:
            results.add_illegal(infos, actions)
        return results.seen, results.rewards, results.terminated, results.truncated, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return fresh masks, bool ``(num_envs, actions)``, True for the legal actions."""
        return self._batch.masks().view(np.bool_)

    @property
    def deals(self) -> list[str]:
        """The text of the deal that each game plays, or the name of its first position."""
        return [self._batch.deal_name(i) for i in range(self.num_envs)]

    def render(self) -> tuple[Any, ...] | None:
        """Return the board of each game, as text (``"ansi"``) or picture (``"rgb_array"``)."""
        from scorpion_env.rendering import Status, ansi, render_picture

        if self.render_mode is None:
            gym.logger.warn('render() does nothing without render_mode="ansi" or "rgb_array".')
            return None
        if not self._started:
            raise gym.error.ResetNeeded("Call envs.reset() before envs.render().")
        shown = [(board, Status(**numbers)) for board, numbers in positions(self._batch)]
        if self.render_mode == "ansi":
            return tuple(ansi(board, self.rules, status) for board, status in shown)
        scale = self.render_scale
        return tuple(render_picture(board, self.rules, s, scale=scale) for board, s in shown)


def _autoreset_mode(mode: str | AutoresetMode) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if str(mode).upper() in (known.name, known.value.upper()):
            return known
    raise ScorpionError(unknown("autoreset_mode", mode, [m.name for m in AutoresetMode]))
