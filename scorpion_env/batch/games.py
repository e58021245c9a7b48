"""A batch of games in arrays: what `Game` and all environments are made of."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from scorpion_env.batch.arguments import checked_count, checked_end
from scorpion_env.batch.board_records import load_board, read_board
from scorpion_env.batch.options import DealSource, EnvOptions
from scorpion_env.batch.step_arrays import StepArrays, StepArraysMaker
from scorpion_env.batch.stepping import (
    AUTORESET_DISABLED,
    AUTORESET_SAME_STEP,
    find_refused,
    observe_stale,
    start_next,
    start_seeded,
    step_games,
    step_single,
    write_masks,
)
from scorpion_env.batch.threads import Team
from scorpion_env.deals import Deal, EpisodeStart, Position, SeededDeal
from scorpion_env.errors import IllegalMove, ScorpionError
from scorpion_env.kernels.observation import observe_game
from scorpion_env.kernels.play import clear, conclude, start_order
from scorpion_env.kernels.state import (
    PLAYING,
    game_dtype,
    legal_capacity,
    log_capacity,
    seen_dtype,
)
from scorpion_env.notation.board import Board
from scorpion_env.rules import Rules

B = TypeVar("B", bound="Batch")


class Batch:
    """Games of one variant that are played side by side.

    Every array is reused from step to step; whoever hands one out copies it first.

    Compiled functions release the interpreter's lock: without a lock of its own two threads could
    write to one game at once. Calls from several threads wait for each other.

    Attributes:
        games: Record array ``(size,)``, see :func:`scorpion_env.kernels.state.game_dtype`.
    """

    def __init__(
        self,
        rules: Rules,
        size: int,
        options: EnvOptions | None = None,
        *,
        autoreset: int = AUTORESET_DISABLED,
        undo_actions: int = 0,
        num_threads: int = 1,
        copied: bool = True,
    ) -> None:
        """Allocate the arrays; no game is started yet.

        Args:
            rules: The variant.
            size: Number of games.
            options: How they are played, paid and shown.
            autoreset: When a game that ended starts anew.
            undo_actions: How many actions the undo log holds; at least the step limit is taken
                where undo is an action, otherwise 0 keeps no log.
            num_threads: How many threads share the games of a step; the results are the same.
            copied: Whether a step's observations are copied to its arrays.

        Raises:
            ScorpionError: if an argument or an option has no such value.
        """
        size = checked_count(size)
        options = options or EnvOptions()
        self._team = Team(size, checked_count(num_threads, "thread"))
        self.rules = rules
        self._num_actions = rules.num_actions  # found anew at each step it would cost one in ten
        self.size = size
        self.rules_record = options.record(rules)
        self.rules_record["autoreset"] = autoreset
        self.rules_record["copied"] = self.copied = copied
        self.max_steps = int(self.rules_record["max_steps"][0])
        self.deals = np.zeros(0, np.uint64)
        self._raises = options.raises
        self._end_dead = checked_end(options.end_when, rules)
        if rules.undo_action:
            undo_actions = max(undo_actions, self.max_steps)
        events = log_capacity(rules, undo_actions) if undo_actions else 0
        dtype = game_dtype(rules.cards, rules.num_columns, legal_capacity(rules))
        self.games = np.zeros(size, dtype)
        clear(self.games[0])
        self.games[:] = self.games[0]
        self.games["slot"] = np.arange(size)
        self.games["log_start"] = events * np.arange(size)
        self._same_step = autoreset == AUTORESET_SAME_STEP
        # A view, since `seen` can be handed out: its base is then not what the kernels trust.
        self._seen = np.zeros(size, seen_dtype(rules.cards)).view()
        self.log = np.zeros(size * events, np.int32)
        self._names: dict[int, tuple[int, str]] = {}
        self._lock = Lock()
        self._source: DealSource | None = None

    def draw_from(self, source: DealSource | None, deals: npt.NDArray[np.uint64]) -> None:
        """Draw the deals of episodes that start from now on from a source, or out of `deals`."""
        self._source = source
        self.deals = deals if source is None else source.deals
        self.rules_record["own_deals"] = source is not None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"_lock": Lock(), "_seen": state["_seen"].view()}

    # --- starting games -------------------------------------------------------------------------

    def key(self, seed: int | Sequence[int]) -> None:
        """Key the generator of deals: one seed for all games, or one for each."""
        self.games["seed"] = np.array(seed, np.uint64)
        self.games["episode"] = 0

    def start_seeded(self, numbers: npt.NDArray[np.uint64], chosen: npt.NDArray[np.bool_]) -> None:
        """Start the chosen games, bool ``(size,)``, on seeded deals, uint64 ``(size,)``."""
        with self._lock:
            for index in np.flatnonzero(chosen).tolist():
                self._names.pop(index, None)
            start_seeded(self.games, self.rules_record, chosen, numbers, self._seen)

    def start_next(self, index: int, deals: npt.NDArray[np.uint64] | None = None) -> None:
        """Start the next episode of one game on the deal that its key gives, out of `deals`."""
        drawn = self.deals if deals is None else deals
        if deals is None and self._source is not None:
            self._source.ready(self.games, index)
            drawn = self.deals[index : index + 1]
        with self._lock:
            self._names.pop(index, None)
            start_next(self.games[index], self.rules_record[0], self._seen[index], drawn)
        if self._source is not None and index == self.size - 1:  # the last of a reset
            self._source.ahead(self.games)

    def start_episode(self, index: int, start: EpisodeStart) -> None:
        """Start one game as `start` does, or `start_next` on one of several deals."""
        if isinstance(start, np.ndarray):
            self.start_next(index, start)
        else:
            self.start(index, start)

    def start(self, index: int, deal: Deal) -> None:
        """Start one game; a position has no unknown cards, see `scorpion_env.deals.as_deal`."""
        game, rules = self.games[index], self.rules_record[0]
        order = None if isinstance(deal, Position) else deal.order(self.rules)
        with self._lock:
            if isinstance(deal, Position):
                load_board(game, deal.board, self.rules)
                conclude(game, rules)
            else:
                start_order(game, rules, order)
            if isinstance(deal, SeededDeal):
                game["deal"] = deal.number
            self._names[index] = (int(game["episode"]), deal.name)
            observe_game(game, rules, self._seen[index], rules["observe_all"])

    # --- playing --------------------------------------------------------------------------------

    def step_single(
        self, action: int, seen: npt.NDArray[np.void], mask: npt.NDArray[np.int8]
    ) -> tuple[float, int, bool, int, int, int]:
        """Play one action in a batch of one game; see `scorpion_env.batch.stepping`.

        Args:
            action: The action.
            seen: Where the observation is written, one record; see `StepArrays`.
            mask: Where the mask is written, int8 ``(actions,)``, or ``(0,)`` for no mask.

        Raises:
            ScorpionError: if the action lies outside the action space; the game is unchanged.
            IllegalMove: if it is illegal where that is to be raised; likewise.
        """
        if not 0 <= action < self._num_actions:
            raise self._outside(action)
        if self._raises:
            self._check(np.array([action]))
        lock = self._lock
        lock.acquire()  # `with` takes twice as long
        try:
            result: tuple[float, int, bool, int, int, int] = step_single(
                self.games,
                self.rules_record,
                self.log,
                self._seen,
                action,
                seen,
                mask,
                self._end_dead,
            )
        finally:
            lock.release()
        return result

    def play_on(self, index: int, actions: Iterable[int]) -> float:
        """Play actions in one game of a batch, illegal ones too, as `step` would.

        Returns:
            The sum of the rewards.

        Raises:
            ScorpionError: if an action lies outside the action space, or ends the game.
        """
        row = slice(index, index + 1)
        tables = self.games[row], self.rules_record, self.log, self._seen[row]
        shown, mask = np.empty(1, self._seen.dtype), np.empty(0, np.int8)
        total = 0.0
        for action in actions:
            if not 0 <= action < self._num_actions:
                raise self._outside(action)
            with self._lock:
                reward, status, *_ = step_single(*tables, action, shown, mask, self._end_dead)
            total += reward
            if status != PLAYING:
                raise ScorpionError(f"Action {action} ends the game.")
        return total

    def _outside(self, action: int) -> ScorpionError:
        return ScorpionError(
            f"Action {action} is outside the action space 0 to {self.rules.num_actions - 1}."
        )

    def _check(self, actions: npt.NDArray[np.int64]) -> None:
        """Refuse actions, int64 ``(size,)``, that cannot be played at all."""
        index = find_refused(self.games, actions, self.rules_record[0])
        if index >= 0:
            raise self._refusal(index, int(actions[index]))

    def _refusal(self, index: int, action: int) -> ScorpionError:
        if not 0 <= action < self._num_actions:
            return self._outside(action)
        where = f" in game {index}" if self.size > 1 else ""
        return IllegalMove(f"Action {action} is illegal{where}.")

    def step_arrays(self, *, masked: bool) -> StepArraysMaker:
        """Return what makes arrays for the results of steps.

        Args:
            masked: Whether masks are wanted.
        """
        return StepArraysMaker(
            self.size,
            self._seen.dtype,
            self.rules.num_actions,
            copied=self.copied,
            masked=masked,
            same_step=self._same_step,
        )

    def step(
        self,
        actions: npt.NDArray[np.int64],
        results: StepArrays,
        meanwhile: Callable[[], None] | None = None,
    ) -> tuple[int, int]:
        """Play one action in each game, and write what came of it to arrays.

        Args:
            actions: int64 ``(size,)``.
            results: What is written to.
            meanwhile: What another thread, if there is one and it has the time, may call.

        Returns:
            How many games ended, and how many of the actions were illegal.

        Raises:
            ScorpionError: if an action lies outside the action space; no game is changed.
            IllegalMove: if an action is illegal where that is to be raised; likewise.
        """
        if self._source is not None:
            self._source.ready(self.games)
        tables = self.games, self.rules_record, self.log, self._seen
        arguments = (*tables, actions, *results, self.deals, self._end_dead)
        lock = self._lock
        lock.acquire()
        try:
            if self._team.others:
                ended, illegal = self._team.step(meanwhile, *arguments)
            else:
                ended, illegal = step_games(*arguments, 0, self.size)
        finally:
            lock.release()
        if ended < 0:
            raise self._refusal(illegal, int(actions[illegal]))
        if self._source is not None:
            self._source.ahead(self.games)
        return ended, illegal

    def copy(self: B) -> B:
        """Return an independent batch with the same games in the same positions."""
        return copy.deepcopy(self)

    def masks(self) -> npt.NDArray[np.int8]:
        """Return fresh masks, int8 ``(size, actions)``; all 1 in a game that is over."""
        masks = np.empty((self.size, self.rules.num_actions), np.int8)
        with self._lock:
            write_masks(self.games, masks)
        return masks

    @property
    def seen(self) -> npt.NDArray[np.int8]:
        """Observations, int8 ``(size, cards, 7)``: the array that every step changes."""
        with self._lock:
            observe_stale(self.games, self.rules_record, self._seen)
        return self.last_seen

    @property
    def last_seen(self) -> npt.NDArray[np.int8]:
        """That array as the last step left it, until `seen` is asked for.

        Where games are started anew in the step in which they end, and observations are copied, it
        holds the last ones of the games that ended.
        """
        seen: npt.NDArray[np.int8] = self._seen["cards"]
        return seen

    # --- looking --------------------------------------------------------------------------------

    def board(self, index: int) -> Board:
        """Return the position of one game, hidden cards included."""
        with self._lock:
            return read_board(self.games[index], self.rules)

    def deal_name(self, index: int) -> str:
        """Return the text of the deal, or the name of the position, that a game started from."""
        episode, name = self._names.get(index, (-1, ""))
        g = self.games[index]
        return name if episode == int(g["episode"]) else str(int(g["deal"]))
