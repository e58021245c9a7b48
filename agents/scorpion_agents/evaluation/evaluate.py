"""Evaluation: an agent plays given deals, each exactly once.

The games run side by side in a vector environment without automatic resets; a place that becomes
free takes the next deal of the list. What happens in a game depends on its deal, the seed and the
agent alone, so the results do not depend on how many games run at once.

See :mod:`scorpion_agents.evaluation.results` for files and comparisons.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from scorpion_agents.base import Actions, Agent, Information, Masks, Observations
from scorpion_agents.evaluation.draws import deal_key, draw_numbers
from scorpion_agents.evaluation.intervals import Interval, mean_interval, wilson_interval
from scorpion_agents.players.memory import Player
from scorpion_env.batch.arguments import checked_seed
from scorpion_env.deals import Deal, Position, Start, as_deal, parse_deals
from scorpion_env.errors import ScorpionError
from scorpion_env.kernels.observation import TO_COME, VISIBLE
from scorpion_env.notation.board_text import format_board
from scorpion_env.rules import Rules, get_rules
from scorpion_env.vector_env import ScorpionVectorEnv


@dataclass(frozen=True)
class DealResult:
    """How one game went.

    Attributes:
        deal: Text of the deal, or the name of the position it started from.
        outcome: ``"won"``, ``"lost"`` or ``"truncated"``.
        points: The app's score.
        runs: Runs taken (standing, where runs stay).
        flips: Face-down cards that were turned.
        moves: Moves played.
        illegal: Illegal actions the agent chose; they change nothing but cost a step.
        board: The board's text, if the game started from one.
        actions: The legal actions played, if they were kept.
    """

    deal: str
    outcome: str
    points: int
    runs: int
    flips: int
    moves: int
    illegal: int
    board: str | None = None
    actions: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Summary:
    """The figures of an evaluation; intervals hold the true value with 95 % confidence.

    Attributes:
        games, wins, lost, truncated: Numbers of games.
        win_rate: Share of games won, with Wilson's interval in `win_rate_ci95`.
        mean_points: Points a game, with Student's interval in `mean_points_ci95`.
        mean_runs, mean_flips, moves_per_game: Means over all games.
        moves_per_win: Mean over the games won; None without any.
        illegal_actions: Number of illegal actions in all games.
        seconds, games_per_second: Wall-clock time.
    """

    games: int
    wins: int
    lost: int
    truncated: int
    win_rate: float
    win_rate_ci95: Interval
    mean_points: float
    mean_points_ci95: Interval | None
    mean_runs: float
    mean_flips: float
    moves_per_game: float
    moves_per_win: float | None
    illegal_actions: int
    seconds: float
    games_per_second: float


@dataclass(frozen=True)
class Evaluation:
    """The games of one agent on given deals.

    Attributes:
        agent: The agent's name.
        information: What it was shown, ``"player"`` or ``"oracle"`` (hidden cards too).
        stochastic: Whether its play depends on `seed`.
        rules: The variant.
        max_steps: The step limit.
        seed: Made the numbers that it drew.
        deals: A result for each deal, in the order given.
        seconds: Wall-clock time.
    """

    agent: str
    information: Information
    stochastic: bool
    rules: Rules
    max_steps: int
    seed: int
    deals: tuple[DealResult, ...]
    seconds: float

    def column(self, field: str) -> npt.NDArray[Any]:
        """Return one field of every deal's result as an array."""
        return np.array([getattr(result, field) for result in self.deals])

    def summary(self) -> Summary:
        """Return the figures over all deals."""
        outcomes, points, moves = (self.column(f) for f in ("outcome", "points", "moves"))
        won = outcomes == "won"
        games, wins = len(won), int(won.sum())
        return Summary(
            games=games,
            wins=wins,
            lost=int((outcomes == "lost").sum()),
            truncated=int((outcomes == "truncated").sum()),
            win_rate=wins / games,
            win_rate_ci95=wilson_interval(wins, games),
            mean_points=float(points.mean()),
            mean_points_ci95=mean_interval(points),
            mean_runs=float(self.column("runs").mean()),
            mean_flips=float(self.column("flips").mean()),
            moves_per_game=float(moves.mean()),
            moves_per_win=float(moves[won].mean()) if wins else None,
            illegal_actions=int(self.column("illegal").sum()),
            seconds=self.seconds,
            games_per_second=games / max(self.seconds, 1e-9),
        )


def evaluate(
    agent: Agent,
    rules: str | Rules,
    deals: str | Sequence[Start],
    *,
    seed: int = 0,
    max_steps: int | None = None,
    num_envs: int = 256,
    keep_actions: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Evaluation:
    """Let an agent play each deal once.

    Args:
        agent: Who plays.
        rules: The variant.
        deals: Deals, or a text such as ``"0:1000"`` that names them.
        seed: Makes, with deal and step, the numbers that the agent draws.
        max_steps: Step limit instead of the variant's.
        num_envs: How many games run at once; it changes the speed, never the results.
        keep_actions: Keep the actions of every game, for replays.
        progress: Called with the number of games that have just ended.

    Raises:
        ScorpionError: if a deal does not exist or is named twice, or the agent plays other rules.
    """
    rules = get_rules(rules)
    seed = checked_seed(seed)
    if agent.rules != rules:
        raise ScorpionError(f"Agent '{agent.name}' plays {agent.rules.name}, not {rules.name}.")
    starts = _checked_deals(deals, rules, seed)
    _Table(agent, rules, starts[:1], seed, max_steps, 1).step()  # compiles what is not yet
    table = _Table(agent, rules, starts, seed, max_steps, num_envs)
    table.keep_actions = keep_actions
    began = time.perf_counter()
    while table.busy():
        ended = table.step()
        if progress is not None and ended:
            progress(ended)
    return Evaluation(
        agent=agent.name,
        information=agent.information,
        stochastic=agent.stochastic,
        rules=rules,
        max_steps=rules.max_steps if max_steps is None else max_steps,
        seed=seed,
        deals=table.results(),
        seconds=time.perf_counter() - began,
    )


def _checked_deals(deals: str | Sequence[Start], rules: Rules, seed: int) -> list[Deal]:
    given = parse_deals(deals, rules, seed=seed) if isinstance(deals, str) else deals
    starts = [as_deal(start, rules) for start in given]
    if not starts:
        raise ScorpionError("There are no deals to play.")
    names: set[str] = set()
    for start in starts:
        if start.name in names:
            raise ScorpionError(f"Deal '{start.name}' is named twice; each deal is played once.")
        names.add(start.name)
    return starts


class _Table:
    """The places at which the games are played, and the deals that wait for one.

    The arrays with leading dimension `places` describe the game at each place, those with `deals`
    the results so far.
    """

    def __init__(
        self,
        agent: Agent,
        rules: Rules,
        starts: list[Deal],
        seed: int,
        max_steps: int | None,
        num_envs: int,
    ) -> None:
        if num_envs < 1:
            raise ScorpionError(f"There must be at least 1 game at once, not {num_envs}.")
        places = min(num_envs, len(starts))
        self._player = Player(agent)
        self._seed = seed
        self._starts = starts
        self._env = ScorpionVectorEnv(
            places,
            rules,
            observation="full" if agent.information == "oracle" else "player",
            max_steps=max_steps,
            mask_in_info=False,
            autoreset_mode=AutoresetMode.DISABLED,
        )
        self._keys = np.array([deal_key(start) for start in starts], np.uint64)
        self._dealt = places
        self._deal_at = np.arange(places)
        self._live = np.ones(places, np.bool_)
        self._steps = np.zeros(places, np.uint64)
        self._numbers = {
            field: np.zeros(len(starts), np.int64)
            for field in ("points", "runs", "flips", "moves", "illegal")
        }
        self._outcomes = np.full(len(starts), None, dtype=object)
        self.keep_actions = False
        self._actions: list[list[int]] = [[] for _ in starts]
        self._observations, _ = self._env.reset(options={"deal": starts[:places]})
        self._down = _face_down(self._observations)

    def busy(self) -> bool:
        """Whether a game still goes on."""
        return bool(self._live.any())

    def step(self) -> int:
        """Play one action in every game that goes on; return how many ended."""
        live, deal_at = self._live, self._deal_at
        masks = self._env.action_masks()
        actions = np.zeros(len(live), np.int64)
        actions[live] = self._choose(self._observations[live], masks[live])
        illegal = live & ~masks[np.arange(len(live)), actions]
        if self.keep_actions:
            for place in np.flatnonzero(live & ~illegal).tolist():
                self._actions[deal_at[place]].append(int(actions[place]))
        self._numbers["illegal"][deal_at[illegal]] += 1
        self._observations, _, terminated, truncated, infos = self._env.step(actions)
        self._steps += np.uint64(1)
        ended = live & (terminated | truncated)
        if not ended.any():
            return 0
        self._record(ended, infos)
        self._deal_next(ended)
        return int(ended.sum())

    def _choose(self, observations: Observations, masks: Masks) -> Actions:
        live = self._live
        deals = self._deal_at[live]
        draws = draw_numbers(self._seed, self._keys[deals], self._steps[live])
        return self._player.act(deals.tolist(), observations, masks, draws)

    def _record(self, ended: npt.NDArray[np.bool_], infos: dict[str, Any]) -> None:
        deals = self._deal_at[ended]
        self._player.forget(deals.tolist())
        for field, key in (("points", "score"), ("runs", "runs"), ("moves", "moves")):
            self._numbers[field][deals] = infos[key][ended]
        left = _face_down(self._observations[ended])
        self._numbers["flips"][deals] = self._down[ended] - left
        self._outcomes[deals] = infos["outcome"][ended]

    def _deal_next(self, ended: npt.NDArray[np.bool_]) -> None:
        """Start the next deals at the places where games ended, as far as there are any."""
        free = np.flatnonzero(ended)
        taken = free[: len(self._starts) - self._dealt]
        self._live[free[len(taken) :]] = False
        if not len(taken):
            return
        self._deal_at[taken] = np.arange(self._dealt, self._dealt + len(taken))
        self._dealt += len(taken)
        reset_mask = np.zeros(len(ended), np.bool_)
        reset_mask[taken] = True
        self._observations, _ = self._env.reset(
            options={
                "deal": [self._starts[deal] for deal in self._deal_at],
                "reset_mask": reset_mask,
            }
        )
        self._steps[taken] = 0
        self._down[taken] = _face_down(self._observations[taken])

    def results(self) -> tuple[DealResult, ...]:
        """Return the result of every deal."""
        numbers = {field: values.tolist() for field, values in self._numbers.items()}
        return tuple(
            DealResult(
                deal=start.name,
                outcome=self._outcomes[i],
                board=format_board(start.board) if isinstance(start, Position) else None,
                actions=tuple(self._actions[i]) if self.keep_actions else None,
                **{field: values[i] for field, values in numbers.items()},
            )
            for i, start in enumerate(self._starts)
        )


def _face_down(observations: Observations) -> npt.NDArray[np.int64]:
    """Return how many cards of each game's tableau lie face down, int64 ``(B,)``."""
    unseen = (observations[:, :, VISIBLE] == 0).sum(axis=1, dtype=np.int64)
    return unseen - observations[:, 0, TO_COME]
