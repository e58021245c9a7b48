"""Environment steps, compiled: what a batch of games does in one call of `step`.

The rules are in :mod:`scorpion_env.kernels.play`. Here is what Gymnasium adds: illegal actions,
rewards, masks and observations kept up to date in place, ends, and the automatic start of the next
game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scorpion_env.batch.step_arrays import (
    IS_ILLEGAL,
    IS_OVER,
    IS_TERMINATED,
    IS_TRUNCATED,
    IS_WON,
    LAST_MOVES,
    LAST_RUNS,
    LAST_SCORE,
    MOVES,
    RUNS,
    SCORE,
    STATUS,
)
from scorpion_env.kernels.compiled import compiled, inlined
from scorpion_env.kernels.observation import observe_game, observe_move
from scorpion_env.kernels.play import conclude, play, start_deal
from scorpion_env.kernels.pointers import claim, pointer
from scorpion_env.kernels.shuffle import episode_deal
from scorpion_env.kernels.state import CHUNK, LOST, PLAYING, TRUNCATED, WON
from scorpion_env.proofs.pruning import WORK_DTYPE, is_dead
from scorpion_env.rewards import REWARD_POINTS, REWARD_POINTS_ONCE

ILLEGAL_ACTIONS = ("noop", "terminate", "raise")
"""What an illegal action does, besides costing a step and earning nothing."""

ILLEGAL_NOOP, ILLEGAL_TERMINATE, ILLEGAL_RAISE = range(3)

AUTORESET_DISABLED, AUTORESET_SAME_STEP, AUTORESET_NEXT_STEP = range(3)

AHEAD = 2
"""So many games before its turn, the memory that a game's mask is written to is asked for.

Where another thread has just read the last mask there, waiting for it would double the time.
"""


@inlined
def is_legal(g: Any, action: Any) -> Any:
    """Return whether an action is among the legal ones of a game that goes on."""
    found: Any = False
    for i in range(0, g.legal_count, CHUNK):
        for k in range(CHUNK):
            found |= g.legal[np.uintp(i + k)] == action
    return found


@inlined
def write_mask(g: Any, mask: Any, start: Any, num_actions: Any) -> None:
    """Write a game's mask from place `start` on: all 1 when it is over or was never started.

    `mask` is a pointer to int8.
    """
    if g.status != PLAYING or g.legal_count == 0:
        for i in range(num_actions):
            mask[start + i] = 1
        return
    for i in range(num_actions):
        mask[start + i] = 0
    for i in range(0, g.legal_count, CHUNK):
        for k in range(CHUNK):
            mask[start + g.legal[np.uintp(i + k)]] = 1


@compiled
def write_masks(games: Any, masks: Any) -> None:
    """Write the masks of a batch, int8 ``(size, actions)``."""
    for b in range(games.shape[0]):
        write_mask(games[b], pointer(masks), b * masks.shape[1], masks.shape[1])


@compiled
def _drawn_from(deals: Any, rules: Any, b: Any) -> Any:
    """Return the deals that game `b` draws its next one from: one of its own, or all of them."""
    return deals[b : b + 1] if rules.own_deals else deals


@compiled
def start_next(g: Any, rules: Any, seen: Any, deals: Any) -> None:
    """Start the next episode of a game, on the deal that its seed and slot give for it.

    That is one of `deals`, uint64, unless there are none in it.
    """
    g.episode += np.uint64(1)
    number = episode_deal(g.seed, g.slot, g.episode)
    if deals.shape[0]:
        number = deals[np.intp(number % np.uint64(deals.shape[0]))]
    start_deal(g, rules, number)
    observe_game(g, rules, seen, rules.observe_all)


@compiled
def start_seeded(games: Any, rules: Any, chosen: Any, numbers: Any, seen: Any) -> None:
    """Start the chosen games (bool) of a batch on seeded deals (uint64)."""
    for b in range(games.shape[0]):
        if chosen[b]:
            start_deal(games[b], rules[0], numbers[b])
            observe_game(games[b], rules[0], seen[b], rules[0].observe_all)


@compiled
def find_refused(games: Any, actions: Any, rules: Any) -> Any:
    """Return the first game whose action, of int64 ``(size,)``, is refused before a step, or -1.

    Refused are actions outside the action space, and illegal ones where that is to be raised.
    """
    num_actions = rules.num_actions
    outside: Any = False
    for b in range(games.shape[0]):
        outside |= np.uint64(actions[b]) >= np.uint64(num_actions)
    illegal = rules.illegal_action == ILLEGAL_RAISE
    if outside or illegal:
        for b in range(games.shape[0]):
            if np.uint64(actions[b]) >= np.uint64(num_actions):
                return b
            if illegal and games[b].status == PLAYING and not is_legal(games[b], actions[b]):
                return b
    return -1


@inlined
def _observe_anew(g: Any, rules: Any, seen: Any) -> None:
    """Write the observation of a game whose batch still shows the end of the one before."""
    if g.stale:
        observe_game(g, rules, seen, rules.observe_all)
        g.stale = 0


@compiled
def observe_stale(games: Any, rules: Any, seen: Any) -> None:
    """Write the observations of all games of a batch whose batch still shows the games before."""
    for b in range(games.shape[0]):
        _observe_anew(games[b], rules[0], seen[b])


@inlined
def reward_of(g: Any, reward: Any) -> Any:
    """Return what the last action of a game paid, by the code of a reward, before its scale."""
    if reward == REWARD_POINTS:
        return np.float64(g.points)
    if reward == REWARD_POINTS_ONCE:
        return np.float64(g.points - g.points_again)
    return 1.0 if g.status == WON else 0.0


@inlined
def _step_game(g: Any, rules: Any, log: Any, action: Any, seen: Any) -> Any:
    """Play one action in a game that goes on; return its reward."""
    g.illegal = 0
    g.steps += 1
    if not is_legal(g, action):
        g.illegal = 1
        g.points = g.points_again = 0
        if rules.illegal_action == ILLEGAL_TERMINATE:
            g.status = LOST
        elif g.steps >= rules.max_steps:
            g.status = TRUNCATED
        return 0.0
    columns = g.end.shape[0]
    runs = g.runs
    if action < g.below.shape[0] * columns:
        card = action // columns
        source = g.column[card]
        play(g, rules, action, log, seen)
        observe_move(g, rules, seen, card, source, runs, rules.observe_all)
    else:
        play(g, rules, action, log)
        observe_game(g, rules, seen, rules.observe_all)
    conclude(g, rules)
    return reward_of(g, rules.reward) * rules.reward_scale


@compiled
def _end_if_dead(g: Any, rules: Any) -> None:
    """End a game as lost that goes on but is proved to be beyond winning."""
    if g.status == PLAYING:
        work = np.empty(1, WORK_DTYPE)
        if is_dead(g, rules, work[0]):
            g.status = LOST


@compiled
def step_single(
    games: Any,
    rules: Any,
    log: Any,
    seen: Any,
    action: Any,
    shown: Any,
    mask: Any,
    end_dead: Any,
) -> Any:
    """Play one action in the only game of a batch.

    The observation is written to `shown`, records ``(1,)``, the mask to `mask`, int8 ``(actions,)``
    or ``(0,)`` for no mask. `end_dead` is True, or None so that the proofs are not even compiled.

    Returns:
        Reward, status, whether the action was illegal, score, runs, moves. A tuple of numbers costs
        Python far less than to read them from a record one by one.
    """
    g = games[0]
    reward = 0.0
    g.illegal = 0
    if g.status == PLAYING:
        reward = _step_game(g, rules[0], pointer(log), action, seen[0])
        if end_dead is not None:
            _end_if_dead(g, rules[0])
    shown[0] = seen[0]
    if mask.shape[0]:
        write_mask(g, pointer(mask), 0, mask.shape[0])
    return reward, g.status, g.illegal != 0, g.score, g.runs, g.moves


@compiled
def step_games(
    games: Any,
    rules: Any,
    log: Any,
    seen: Any,
    actions: Any,
    shown: Any,
    mask: Any,
    rewards: Any,
    ends: Any,
    numbers: Any,
    deals: Any,
    end_dead: Any,
    first: Any,
    stop: Any,
) -> Any:
    """Play one action in each of the games ``first`` … ``stop - 1`` of a batch.

    A game that is over is left as it is and earns nothing; with autoreset in the next step, it is
    started anew instead. With autoreset in the same step, a game that ends leaves its score,
    runs and moves in the last rows of `numbers`, and is started anew. Its last observation stays in
    `seen` until the next step, where observations are copied, and is left in `shown` where not. All
    that a step hands out, see `scorpion_env.batch.step_arrays.StepArrays`, is written while the
    game's record is in the cache; `mask` is left out if it has no rows. `deals` is that of
    `start_next`, `end_dead` that of `step_single`. The actions of a whole batch are looked at
    first; whoever plays it in parts has called `find_refused` before.

    Returns:
        How many games ended in this step, and how many of the actions were illegal; or -1 and the
        game whose action is refused, and then nothing is changed.
    """
    size = games.shape[0]
    if stop - first == size:
        found = find_refused(games, actions, rules[0])
        if found >= 0:
            return -1, found
    ended = refused = 0
    same_step = rules[0].autoreset == AUTORESET_SAME_STEP
    copied = rules[0].copied != 0
    all_shown = pointer(shown)
    events, masks, num_actions = pointer(log), pointer(mask), mask.shape[1]
    for b in range(first, stop):
        if b + AHEAD < stop:
            if mask.shape[0]:
                claim(masks, (b + AHEAD) * num_actions, num_actions)
            if copied:
                claim(all_shown, (b + AHEAD) * seen.itemsize, seen.itemsize)
        g = games[b]
        _observe_anew(g, rules[0], seen[b])
        reward = 0.0
        if g.status == PLAYING:
            reward = _step_game(g, rules[0], events, actions[b], seen[b])
            if end_dead is not None:
                _end_if_dead(g, rules[0])
            refused += g.illegal
        else:
            g.illegal = 0
            if rules[0].autoreset == AUTORESET_NEXT_STEP and g.reported:
                start_next(g, rules[0], seen[b], _drawn_from(deals, rules[0], b))
        rewards[b] = reward
        ends[IS_TERMINATED, b] = g.status == WON or g.status == LOST
        ends[IS_TRUNCATED, b] = g.status == TRUNCATED
        ends[IS_OVER, b] = g.status != PLAYING
        ends[IS_WON, b] = g.status == WON
        ends[IS_ILLEGAL, b] = g.illegal != 0
        numbers[STATUS, b] = g.status
        if same_step:
            numbers[LAST_SCORE, b] = numbers[LAST_RUNS, b] = numbers[LAST_MOVES, b] = 0
        anew = False
        if g.status != PLAYING:
            ended += 1
            g.reported = 1
            if same_step:
                numbers[LAST_SCORE, b] = g.score
                numbers[LAST_RUNS, b] = g.runs
                numbers[LAST_MOVES, b] = g.moves
                anew = True
                if not copied:
                    shown[b] = seen[b]
                start_next(
                    g, rules[0], shown[b] if copied else seen[b], _drawn_from(deals, rules[0], b)
                )
                g.stale = copied
        numbers[SCORE, b] = g.score
        numbers[RUNS, b] = g.runs
        numbers[MOVES, b] = g.moves
        if mask.shape[0]:
            write_mask(g, masks, b * num_actions, num_actions)
        if copied and not anew:
            shown[b] = seen[b]
    return ended, refused
