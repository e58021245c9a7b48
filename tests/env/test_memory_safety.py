"""Nothing that comes from Python, or is handed out to it, can corrupt what the kernels work on."""

from __future__ import annotations

import copy
import pickle
import random
import threading
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorpion_env import PRESETS, Game, IllegalMove, ScorpionEnv, ScorpionVectorEnv
from scorpion_env.deals import Position
from scorpion_env.errors import BoardError, ScorpionError
from scorpion_env.notation.board import Board

CLASSIC = PRESETS["classic"]
DEALT = Game.new(7).board()

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"columns": DEALT.columns[:6]}, "the board has 6 columns, but face_down has 7 numbers"),
    ({"columns": DEALT.columns[:6], "face_down": (0,) * 6}, "the board has 6 columns"),
    ({"columns": (DEALT.columns[1], *DEALT.columns[1:])}, "is there twice"),
    ({"columns": ((99,), *DEALT.columns[1:])}, "column 1 holds 99, which is no card id"),
    ({"columns": ((-2,), *DEALT.columns[1:])}, "column 1 holds -2, which is no card id"),
    ({"columns": ((True,), *DEALT.columns[1:])}, "column 1 holds True, which is no card id"),
    ({"columns": (("5H",), *DEALT.columns[1:])}, "column 1 holds '5H', which is no card id"),
    ({"columns": (list(DEALT.columns[0]), *DEALT.columns[1:])}, "are tuples"),
    ({"face_down": (8, 3, 3, 3, 0, 0, 0)}, "column 1 has 7 cards, of which 8 cannot"),
    ({"face_down": (-1, 3, 3, 3, 0, 0, 0)}, "column 1 has 7 cards, of which -1 cannot"),
    ({"face_down": (7, 3, 3, 3, 0, 0, 0)}, "the last card of a column is never face down"),
    ({"reserve": DEALT.reserve[:2]}, "the reserve of rules 'classic' has 3 cards"),
    ({"reserve": ()}, "3 card.s. missing"),
    ({"cells": (4,)}, "is there twice|have 0 cells"),
    ({"foundations": ("X",)}, "'X' is no suit"),
    ({"foundations": (7,)}, "foundations are letters"),
]


@pytest.mark.parametrize(("change", "words"), REFUSED)
def test_a_board_is_checked_as_its_text_would_be(change: dict[str, Any], words: str) -> None:
    env = ScorpionEnv()
    env.reset(seed=7)
    before = env.oracle_board()
    bad = Position("bad", replace(DEALT, **change))
    with pytest.raises(BoardError, match=words):
        env.reset(options={"deal": bad})
    assert env.oracle_board() == before
    with pytest.raises(BoardError, match=words):
        Game(bad)


cards = st.integers(-3, 60)
piles = st.lists(st.lists(cards, max_size=50).map(tuple), max_size=9).map(tuple)
boards = st.builds(
    Board,
    columns=piles,
    face_down=st.lists(st.integers(-2, 50), max_size=9).map(tuple),
    reserve=st.lists(cards, max_size=5).map(tuple),
    cells=st.lists(cards, max_size=5).map(tuple),
    foundations=st.lists(st.sampled_from("CDHSX"), max_size=5).map(tuple),
)


@settings(max_examples=200, deadline=None)
@given(boards, st.sampled_from(["classic", "wasp", "scorpion-head"]))
def test_any_board_is_refused_or_can_be_played(board: Board, preset: str) -> None:
    try:
        game = Game(Position("any", board), preset)
    except BoardError:
        return
    chance = random.Random(0)
    while game.outcome is None and game.moves < 60:
        game.play(chance.choice(game.legal_moves()))
    assert sorted(c for c in game.board().on_board() if c >= 0) == sorted(
        set(range(52)) - {c for c in range(52) if game.observation()[c, 0] == 2}
    )


def flatten_bases(array: Any) -> None:
    """Give another shape to whatever an array is a view of."""
    base = array.base
    while isinstance(base, np.ndarray):
        if base.flags.writeable and base.flags.contiguous:
            base.shape = (1, -1)
        base = base.base


@pytest.mark.parametrize("copied", [True, False])
def test_the_base_of_a_result_is_not_what_the_next_step_is_written_to(copied: bool) -> None:
    vector = ScorpionVectorEnv(4, copy=copied)
    same = ScorpionVectorEnv(4, copy=copied)
    observations, infos = vector.reset(seed=0)
    same.reset(seed=0)
    for array in (observations, *infos.values()):
        flatten_bases(array)
    for _ in range(40):
        actions = same.action_masks().argmax(axis=1)
        expected = same.step(actions)
        observations, *results, infos = vector.step(actions)
        assert results[0].tolist() == expected[1].tolist()
        assert infos["score"].tolist() == expected[4]["score"].tolist()
        assert (observations == expected[0]).all()
        for array in (observations, *results, *infos.values()):
            if isinstance(array, np.ndarray):
                flatten_bases(array)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_has_a_lock_of_its_own_and_plays_alike(way: Any) -> None:
    vector = ScorpionVectorEnv(3, copy=False)
    vector.reset(seed=0)
    other = way(vector)
    actions = vector.action_masks().argmax(axis=1)
    assert (vector.step(actions)[0] == other.step(actions)[0]).all()
    assert vector._batch._lock is not other._batch._lock


def test_threads_that_share_a_game_wait_for_each_other() -> None:
    env = ScorpionEnv("open")
    env.reset(seed=7)
    vector = ScorpionVectorEnv(8, "open")
    vector.reset(seed=0)
    game = Game.new(7)
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        chance = np.random.default_rng(seed)
        try:
            for _ in range(150):
                _, _, terminated, truncated, _ = env.step(int(chance.integers(366)))
                if terminated or truncated:
                    env.reset()
                vector.step(chance.integers(0, 366, 8))
                with suppress(IllegalMove, IndexError):
                    game.undo() if chance.random() < 0.5 else game.play(int(chance.integers(365)))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for board in (env.oracle_board(), game.board()):
        assert Game(Position("after", board), "open").board() == board


@pytest.mark.parametrize(
    "actions", [[1.7, 2.0], ["a", "b"], [[1, 2]], [1, 2, 3], [1, [2]], None, [True, False]]
)
def test_actions_that_are_none_are_refused_before_any_game_is_played(actions: Any) -> None:
    vector = ScorpionVectorEnv(2)
    vector.reset(seed=0)
    with pytest.raises(ScorpionError, match="Actions must be whole numbers of shape"):
        vector.step(actions)
    assert vector._batch.games["steps"].tolist() == [0, 0]
