"""Boards as pictures: the size that was asked for, the same bytes, nothing that is hidden."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from stable_baselines3.common.env_util import make_vec_env

from scorpion_env import PRESETS, Game, Rules, ScorpionEnv, ScorpionVectorEnv
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.board import Board
from scorpion_env.rendering import Status, render_picture
from scorpion_env.rendering.picture import MARK, SUIT_COLOURS, suit_mask
from scorpion_env.sb3 import ScorpionVecEnv


def played(rules: Rules, moves: int) -> Game:
    game = Game.new(7, rules)
    for _ in range(moves):
        game.play(game.legal_moves()[0])
    return game


def picture(game: Game, scale: float = 1.0) -> Any:
    return render_picture(game.board(), game.rules, Status.of_game(game), scale=scale)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_every_variant_has_a_picture_of_the_same_size_and_bytes(rules: Rules) -> None:
    game = played(rules, 4)
    first = picture(game)
    assert (first.shape, first.dtype) == ((480, 640, 3), np.uint8)
    assert first.tobytes() == picture(played(rules, 4)).tobytes()
    assert first.tobytes() != picture(played(rules, 5)).tobytes()
    assert picture(game, 2.5).shape == (1200, 1600, 3)


def _other_hidden_cards(board: Board, game: Game) -> Board:
    """The board with the cards that no player sees in another order."""
    places = [(c, r) for c, down in enumerate(board.face_down) for r in range(down)]
    cards = [board.columns[c][r] for c, r in places] + list(board.reserve)
    turned = cards[1:] + cards[:1]
    columns = [list(column) for column in board.columns]
    for (c, r), card in zip(places, turned, strict=False):
        columns[c][r] = card
    reserve = tuple(turned[len(places) :])
    return replace(board, columns=tuple(map(tuple, columns)), reserve=reserve)


def test_nothing_that_is_hidden_can_be_seen() -> None:
    game = played(PRESETS["classic"], 3)
    other = _other_hidden_cards(game.board(), game)
    assert other != game.board()
    shown = render_picture(other, game.rules, Status.of_game(game))
    assert shown.tobytes() == picture(game).tobytes()


def test_the_last_move_has_a_frame_and_a_suit_its_colour() -> None:
    game = Game.new(7)
    assert not (picture(game) == MARK).all(axis=2).any()
    game.play("9H>2")
    framed = (picture(game) == MARK).all(axis=2)
    left = np.flatnonzero(framed.any(axis=0))
    assert 640 / 7 < left.min() < left.max() < 2 * 640 / 7 + 10  # the second column
    for colour in SUIT_COLOURS:
        assert (picture(game) == colour).all(axis=2).any()


@pytest.mark.parametrize("side", [3, 8, 20, 64])
def test_the_four_suits_have_shapes_of_their_own(side: int) -> None:
    shapes = [np.array(suit_mask(suit, side)) for suit in range(4)]
    for shape in shapes:
        assert shape.shape == (side, side)
        assert 0.2 < shape.mean() / 255 < 0.8
    assert len({shape.tobytes() for shape in shapes}) == 4


def test_a_column_of_all_cards_stays_in_the_picture() -> None:
    rules = PRESETS["classic"]
    columns = (tuple(range(52)), *[()] * 6)
    board = Board(columns=columns, face_down=(0,) * 7)
    drawn = render_picture(board, rules, Status())
    bottom = np.flatnonzero((drawn == (252, 251, 246)).all(axis=2).any(axis=1)).max()
    assert 440 < bottom < 480


def test_other_peoples_programs_get_their_pictures() -> None:
    env = make_vec_env("Scorpion-v0", n_envs=2)
    env.reset()
    images = env.get_images()
    assert [image is not None and image.shape for image in images] == [(480, 640, 3)] * 2
    single = gym.make("Scorpion-v0", render_mode="rgb_array", render_scale=0.5)
    single.reset(seed=7)
    vector = ScorpionVectorEnv(2, render_mode="rgb_array", render_scale=0.5)
    vector.reset(seed=7)
    frames = vector.render()
    assert frames is not None
    assert frames[0].tobytes() == np.asarray(single.render()).tobytes()
    adapter = ScorpionVecEnv(3, seed=0, render_mode="rgb_array")
    adapter.reset()
    tiled = adapter.render()
    assert tiled is not None
    assert tiled.shape[2] == 3


@pytest.mark.parametrize("scale", [0.1, 9, float("nan"), float("inf"), "1", None, True])
def test_a_scale_that_is_none_is_refused(scale: Any) -> None:
    for make in (ScorpionEnv, ScorpionVectorEnv, ScorpionVecEnv):
        with pytest.raises(ScorpionError, match=r"render_scale must be a number from 0\.5 to 8"):
            make(render_scale=scale)


def test_without_pillow_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    env = ScorpionEnv(render_mode="rgb_array")
    env.reset(seed=7)
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(ScorpionError, match=r"pip install 'scorpion-env\[render\]'"):
        env.render()
