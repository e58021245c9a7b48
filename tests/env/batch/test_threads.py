"""Threads that share a step: whoever comes, early, late or never, every game is played once."""

from __future__ import annotations

import gc
import threading
import time
from threading import Event
from typing import Any

import numpy as np
import pytest

from scorpion_env.batch.games import Batch
from scorpion_env.batch.options import EnvOptions
from scorpion_env.batch.step_arrays import StepArrays
from scorpion_env.batch.stepping import AUTORESET_SAME_STEP
from scorpion_env.batch.threads import (
    DONE,
    ENDED,
    ILLEGAL,
    NEXT,
    OPEN,
    TOO_EARLY,
    Team,
    step_shared,
)
from scorpion_env.rules import get_rules

SIZE, SHARE = 50, 7


def new_batch() -> Batch:
    """Games of which some end at once, when the reserve is dealt."""
    batch = Batch(
        get_rules("classic"), SIZE, EnvOptions(max_steps=1), autoreset=AUTORESET_SAME_STEP
    )
    batch.key(3)
    for i in range(SIZE):
        batch.start_next(i)
    return batch


def new_arrays(batch: Batch) -> StepArrays:
    arrays = batch.step_arrays(masked=True)()
    for array in arrays:
        array[...] = np.zeros((), array.dtype)
    return arrays


def play(batch: Batch, arrays: StepArrays, actions: Any, told: Any, thread: int) -> int:
    """Take a thread's part in a step."""
    tables = batch.games, batch.rules_record, batch.log, batch._seen
    shared = batch.deals, None, told, SHARE
    return int(step_shared(*tables, actions, *arrays, *shared, thread))


def state(batch: Batch, arrays: StepArrays) -> list[bytes]:
    return [array.tobytes() for array in (batch.games, batch.seen, *arrays)]


@pytest.fixture
def actions() -> Any:
    numbers = np.full(SIZE, 364)
    numbers[::3] = 0  # illegal in most games
    return numbers


@pytest.fixture
def expected(actions: Any) -> tuple[list[bytes], tuple[int, int]]:
    batch = new_batch()
    arrays = new_arrays(batch)
    counts = batch.step(actions, arrays)
    return state(batch, arrays), counts


def new_told(*first: int) -> Any:
    told = np.zeros(NEXT + len(first), np.int64)
    told[NEXT:] = first
    return told


@pytest.mark.parametrize("first", [(0, 25), (0, 16, 33)])
def test_a_thread_plays_the_games_of_those_that_never_come(
    first: tuple[int, ...], actions: Any, expected: Any
) -> None:
    batch = new_batch()
    arrays, told = new_arrays(batch), new_told(*first)
    assert play(batch, arrays, actions, told, 0) == -1
    assert told[DONE] == SIZE
    assert (state(batch, arrays), (told[ENDED], told[ILLEGAL])) == expected
    for thread in range(1, len(first)):  # they come when everything is done
        assert play(batch, arrays, actions, told, thread) == -1
    assert (state(batch, arrays), (told[ENDED], told[ILLEGAL])) == expected


def test_another_thread_plays_all_that_is_left(actions: Any, expected: Any) -> None:
    batch = new_batch()
    arrays, told = new_arrays(batch), new_told(0, 25)
    told[OPEN] = 1
    assert play(batch, arrays, actions, told, 1) == -1
    assert told[DONE] == SIZE
    assert (state(batch, arrays), (told[ENDED], told[ILLEGAL])) == expected


def test_other_threads_wait_until_the_actions_are_looked_at(actions: Any) -> None:
    batch = new_batch()
    arrays, told = new_arrays(batch), new_told(0, 25)
    before = state(batch, arrays)
    assert play(batch, arrays, actions, told, 1) == TOO_EARLY
    assert state(batch, arrays) == before


def test_nobody_plays_when_an_action_is_refused(actions: Any) -> None:
    batch = new_batch()
    arrays, told = new_arrays(batch), new_told(0, 25)
    before = state(batch, arrays)
    actions[41] = 400
    assert play(batch, arrays, actions, told, 0) == 41
    assert play(batch, arrays, actions, told, 1) == -1
    assert state(batch, arrays) == before


@pytest.mark.parametrize(
    ("size", "num_threads", "others"), [(1, 4, 0), (2, 2, 1), (128, 2, 1), (5, 9, 4), (900, 3, 2)]
)
def test_every_thread_of_a_team_has_a_game(size: int, num_threads: int, others: int) -> None:
    assert Team(size, num_threads).others == others


def test_steps_do_not_pile_up_for_a_thread_that_is_held_up(actions: Any, expected: Any) -> None:
    batch = new_batch()
    batch._team = team = Team(SIZE, 2)
    team._hire()
    held_up, go_on = Event(), Event()

    def hold_up() -> None:
        held_up.set()
        go_on.wait(60)

    team._desks[0].put(hold_up)
    assert held_up.wait(60)
    arrayss = [new_arrays(batch) for _ in range(20)]
    for arrays in arrayss:
        batch.key(3)
        for i in range(SIZE):
            batch.start_next(i)
        assert (batch.step(actions, arrays), state(batch, arrays)) == expected[::-1]
        assert team._desks[0].qsize() == 1
    go_on.set()


def test_a_user_who_interrupts_waits_for_the_games_that_are_being_played(
    actions: Any, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing = Event()

    def interrupted(*arguments: Any) -> int:
        *_, told, _share, thread = arguments
        if thread == 0:
            told[OPEN] = 1
            playing.wait(60)
            raise KeyboardInterrupt
        playing.set()
        time.sleep(0.3)
        return int(step_shared(*arguments))

    monkeypatch.setattr("scorpion_env.batch.threads.step_shared", interrupted)
    batch = new_batch()
    batch._team = Team(SIZE, 2)
    arrays = new_arrays(batch)
    with pytest.raises(KeyboardInterrupt):
        batch.step(actions, arrays)
    assert state(batch, arrays) == expected[0]


def test_a_step_that_never_begins_lets_the_other_threads_go(
    actions: Any, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = new_batch()
    batch._team = team = Team(SIZE, 2)
    with monkeypatch.context() as patched:
        patched.setattr("scorpion_env.batch.threads.step_shared", never_begun)
        with pytest.raises(MemoryError):
            batch.step(actions, new_arrays(batch))
    arrays, done = new_arrays(batch), Event()
    assert (batch.step(actions, arrays), state(batch, arrays)) == expected[::-1]
    team._desks[0].put(done.set)
    assert done.wait(60)


def test_a_thread_that_fails_is_heard(monkeypatch: pytest.MonkeyPatch, actions: Any) -> None:
    begun = Event()

    def failing(*arguments: Any) -> int:
        *_, told, _share, thread = arguments
        if thread == 1:
            begun.set()
            raise MemoryError
        told[OPEN] = 1
        begun.wait(60)
        return -1

    monkeypatch.setattr("scorpion_env.batch.threads.step_shared", failing)
    batch = new_batch()
    batch._team = Team(SIZE, 2)
    with pytest.raises(MemoryError):
        batch.step(actions, new_arrays(batch))


def never_begun(*arguments: Any) -> int:
    if arguments[-1] == 0:
        time.sleep(0.1)
        raise MemoryError
    return int(step_shared(*arguments))


def test_threads_end_with_their_team() -> None:
    team = Team(SIZE, 3)
    team._hire()
    threads = [thread for thread in threading.enumerate() if thread.name == "scorpion_env"]
    assert len(threads) >= 2
    before = len(threads)
    del team
    gc.collect()
    deadline = time.monotonic() + 60
    while sum(thread.is_alive() for thread in threads) > before - 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
