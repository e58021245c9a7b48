"""The Gymnasium environment."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, SupportsIndex

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from scorpion_env.batch.arguments import checked_seed
from scorpion_env.batch.games import Batch
from scorpion_env.batch.options import SHARED_ARGUMENTS, EnvArguments
from scorpion_env.deals import EpisodeStart, SeededDeal, parse_position
from scorpion_env.environment.deal_lists import ALL, draw_deals, episode_start
from scorpion_env.environment.spaces import (
    action_space,
    checked_options,
    checked_render_mode,
    checked_scale,
    env_options,
    observation_space,
    refuse_arguments,
)
from scorpion_env.errors import ScorpionError, shown
from scorpion_env.kernels.state import LOST, OUTCOMES, PLAYING, TRUNCATED, WON, seen_dtype
from scorpion_env.notation.board import Board
from scorpion_env.notation.move_text import action_text
from scorpion_env.rules import Rules, get_rules

if TYPE_CHECKING:
    from typing import Unpack

OPTIONS = ("deal", "board")
"""Options of `ScorpionEnv.reset`."""

ARGUMENTS = ("rules", *SHARED_ARGUMENTS, "mask_in_info", "render_mode", "render_scale")
"""Arguments of `ScorpionEnv`."""


class ScorpionEnv(gym.Env[npt.NDArray[np.int8], np.int64]):
    """Scorpion solitaire.

    ## Description

    One deck lies in seven columns of seven; the first three cards of columns 1-4 are face down, and
    three cards are kept in reserve. Any face-up card moves with everything on top of it onto the
    next higher card of its suit; a king with its group goes to an empty column. The reserve is
    dealt once, to columns 1-3. King-to-ace runs of one suit are taken off; four of them win. The
    other variants of the family (``scorpion_env.PRESETS``) change these numbers.

    ## Action space

    ``Discrete(cards * columns + 1)``, for Classic ``Discrete(365)``: action ``card * columns +
    column`` moves a card with its group to a column, ``cards * columns`` deals the reserve. A card
    is ``13 * suit + rank``, suits C D H S = 0…3, ranks A = 0 … K = 12. Variants with cells that can
    be filled add one action a card, ``cards * columns + 1 + card``; ``open`` adds undo as the last.

    ## Observation space

    ``Box(int8, (cards, 7))``, a row a card: place (0 unknown, 1 tableau, 2 taken, 3 cell, 4
    reserve), column from 1, row from 1 at the base, cards on top of it, face-down cards in its
    column, visible (1 or 0), reserve cards still to come (the same in every row). A card that the
    player cannot see has zeros but for the last entry. ``observation="full"`` shows every card,
    which no player is: it is meant for solvers and for critics with privileged knowledge.

    ## Masks

    ``action_masks()`` returns a fresh bool array, True for legal actions; ``info["action_mask"]``
    is the same as int8. It is never all False while the game goes on, and all True once it is over.
    An illegal action changes nothing, earns 0, counts toward the step limit and stands in
    ``info["illegal_action"]``; ``illegal_action="terminate"`` ends the game as lost,
    ``"raise"`` raises `IllegalMove` and counts nothing.

    ## Rewards

    ``reward="points"``: +5 for a placement on a card of the same suit, +5 for a face-down card
    turned, +100 for a run taken, nothing else. ``"points-once"`` pays the placements of a card only
    the first time. ``"win"`` pays 1 for a win. `reward_scale` multiplies.

    ## Starting state

    ``reset(seed=s)`` deals deal *s*, the same cards for ever. Later resets without a seed draw
    deals of 2**32 and above from a generator keyed by the seed and the number of the episode.
    ``reset(options={"deal": 7})`` (or ``"pysol:24"``) and ``{"board": text}`` choose the start;
    ``{"deal": "winnable"}`` draws a deal that can be won. With ``deals="winnable"`` (a list of a
    thousand), ``"fresh-winnable"`` (any number of them, found while one plays) or a list of deal
    numbers, every episode without such an option is drawn from these deals, also that of
    ``reset(seed=s)``. (Which deals can be won was found by looking under the cards.)

    ## Episode end

    Terminated when the game is won, or when no legal action can change the position (up to the
    order of the columns): lost. Truncated after `max_steps` actions. A step after the end changes
    nothing and earns 0. ``info`` has ``score``, ``runs``, ``moves``; at the end also ``outcome``
    (``"won"``, ``"lost"``, ``"truncated"``) and ``is_success``; after a reset also ``deal``.

    With ``end_when="dead"`` a game is lost as soon as a step leads to where a quick proof says that
    nothing can be won any more. As this looks under the cards (oracle), it tells an agent more than
    a player knows: it is meant for training.

    ## Arguments

    ``rules``: a preset's name or `Rules`. ``reward``, ``reward_scale``, ``observation``,
    ``illegal_action`` (``"noop"``), ``deals`` (``"all"``), ``end_when`` (``"stuck"``): see above.
    ``max_steps``: step limit instead of the variant's. ``mask_in_info``: leave it False if you only
    use ``action_masks()``. ``render_mode``: ``"ansi"`` returns the board as text, ``"human"``
    prints it, ``"rgb_array"`` returns a picture, uint8 ``(480, 640, 3)``, times ``render_scale``
    (0.5 to 8; Pillow draws it).

    ## Version history

    * v0: first version.
    """

    metadata = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        rules: str | Rules = "classic",
        *,
        mask_in_info: bool = True,
        render_mode: str | None = None,
        render_scale: float = 1.0,
        **options: Unpack[EnvArguments],
    ) -> None:
        refuse_arguments(options, ARGUMENTS)
        self.rules = get_rules(rules)
        self.render_mode = checked_render_mode(render_mode, self.metadata["render_modes"])
        self.render_scale = checked_scale(render_scale)
        self._seen_dtype = seen_dtype(self.rules.cards)
        self._mask_size = self.rules.num_actions if mask_in_info else 0
        self._batch = Batch(self.rules, 1, env_options(options))
        draw_deals(self._batch, options.get("deals", ALL))
        self._keyed = False
        self._started = False
        self._over = False
        self._last_action: int | None = None
        self.observation_space = observation_space(self.rules)
        self.action_space = action_space(self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Deal *seed* is played (unless an option names another, or the environment draws
                from a list), and later episodes are drawn by it.
            options: ``{"deal": number or text}`` (or a `scorpion_env.deals.Position`) or
                ``{"board": text}``; unknown cards of the board are completed from the seed, or else
                at random.

        Returns:
            The observation, int8 ``(cards, 7)``, and the info.

        Raises:
            ScorpionError: if the seed, an option, the deal or the board is refused.
        """
        found = checked_options(options, OPTIONS)
        number = None if seed is None else checked_seed(seed)
        super().reset(seed=number)
        start = self._chosen_start(found, number)
        batch = self._batch
        if number is not None:
            batch.key(number)
            self._keyed = True
        elif not self._keyed:
            batch.key(int(self.np_random.integers(2**63)))
            self._keyed = True
        if start is not None:
            if number is None and self._started:
                self._batch.games[0]["episode"] += np.uint64(1)
            batch.start_episode(0, start)
        else:
            batch.start_next(0)
        self._started = True
        self._over = False
        self._last_action = None
        if self.render_mode == "human":
            self.render()
        g = batch.games[0]
        info: dict[str, Any] = {key: int(g[key]) for key in ("score", "runs", "moves")}
        if self._mask_size:
            info["action_mask"] = batch.masks()[0]
        info["deal"] = self.deal
        return batch.seen[0].copy(), info

    def _chosen_start(self, options: dict[str, Any], seed: int | None) -> EpisodeStart | None:
        if options.get("board") is not None:
            completion = seed if seed is not None else int(self.np_random.integers(2**32))
            return parse_position(options["board"], self.rules, completion)
        if options.get("deal") is not None:
            return episode_start(options["deal"], self.rules)
        return None if seed is None or len(self._batch.deals) else SeededDeal(seed)

    def step(
        self, action: SupportsIndex
    ) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play one action.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            ScorpionError: if the action lies outside the action space.
            IllegalMove: if it is illegal and ``illegal_action="raise"``.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if not self._started:
            raise gym.error.ResetNeeded("Call env.reset() before the first env.step().")
        try:
            index = operator.index(action)
        except TypeError:
            raise ScorpionError(f"An action is a whole number, not {shown(action)}.") from None
        batch = self._batch
        goes_on = not self._over
        seen, mask = np.empty(1, self._seen_dtype), np.empty(self._mask_size, np.int8)
        reward, status, illegal, score, runs, moves = batch.step_single(index, seen, mask)
        info: dict[str, Any] = {"score": score, "runs": runs, "moves": moves}
        if self._mask_size:
            info["action_mask"] = mask
        if illegal:
            info["illegal_action"] = index
        elif goes_on:
            self._last_action = index
        self._over = status != PLAYING
        if status != PLAYING:
            info["outcome"] = OUTCOMES[status]
            info["is_success"] = status == WON
        if self.render_mode == "human":
            self.render()
        return seen["cards"][0], reward, status in (WON, LOST), status == TRUNCATED, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return a fresh mask, bool ``(actions,)``, True for the legal actions."""
        return self._batch.masks()[0].view(np.bool_)

    @property
    def deal(self) -> str:
        """The text of the deal that is played, or the name of the position it started from."""
        return self._batch.deal_name(0)

    def oracle_board(self) -> Board:
        """Return the position with its hidden cards, which no player sees."""
        if not self._started:
            raise gym.error.ResetNeeded("Call env.reset() before env.oracle_board().")
        return self._batch.board(0)

    def render(self) -> Any:  # Gymnasium's RenderFrame
        """Return the board as text (``"ansi"``) or picture (``"rgb_array"``), or print it."""
        from scorpion_env.rendering import Status, ansi, moved_card, render_picture, show

        if self.render_mode is None:
            gym.logger.warn(
                "render() does nothing without a render mode; "
                'make the environment with render_mode="ansi", "human" or "rgb_array".'
            )
            return None
        if not self._started:
            raise gym.error.ResetNeeded("Call env.reset() before env.render().")
        g = self._batch.games[0]
        action = self._last_action
        last_move = None if action is None else action_text(action, self.rules)
        status = Status(
            score=int(g["score"]),
            moves=int(g["moves"]),
            runs=int(g["runs"]),
            last_move=last_move,
            outcome=OUTCOMES[int(g["status"])],
            last_card=moved_card(action, self.rules),
        )
        if self.render_mode == "ansi":
            return ansi(self.oracle_board(), self.rules, status)
        if self.render_mode == "rgb_array":
            return render_picture(self.oracle_board(), self.rules, status, scale=self.render_scale)
        show(self.oracle_board(), self.rules, status)
        return None
