"""One game: moves as text, refusals, undo, redo, copies."""

from __future__ import annotations

import copy
import pickle
import random
import re
from collections.abc import Callable

import numpy as np
import pytest

from scorpion_env import PRESETS, Game, IllegalMove, ScorpionError


def play_randomly(game: Game, moves: int, seed: int = 0) -> None:
    rng = random.Random(seed)
    for _ in range(moves):
        legal = [m for m in game.legal_moves() if m != "undo"]
        if game.outcome is not None or not legal:
            return
        game.play(rng.choice(legal))


def test_legal_moves_read_as_the_mask_does() -> None:
    game = Game.new(deal=7)
    assert game.legal_moves() == ["5H>6", "9H>2", "deal"]
    assert np.flatnonzero(game.legal_mask()).tolist() == game.legal_actions().tolist()
    assert game.legal_mask().shape == (365,)
    assert game.legal_mask().dtype == np.bool_


def test_a_move_is_played_by_text_or_by_index() -> None:
    one, two = Game.new(7), Game.new(7)
    assert one.play("9h > 2") == two.play(two.parse_move("9H>2")) == 5
    assert one == two
    assert one.last_move == "9H>2"
    assert one.play(np.int64(364)) == 0
    assert one.last_move == "deal"


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("KS>7", "A king goes to an empty column only, not on 5S."),
        ("3D>1", "3D is not in play yet."),
        ("8D>3", "8D lies face down."),
        ("9H>7", "9H is in column 7 already."),
        ("3S>4", "Rule: the cards must be of the same suit."),
        ("5H>2", "5H goes on the next higher rank, not on TH."),
        ("undo", "'undo' is no move; write 4H>7 or deal."),
        ("dael", "'dael' is no move; write 4H>7 or deal. Did you mean 'deal'?"),
        ("4H>8", "'4H>8' is no move: '8' is no column from 1 to 7."),
        ("1H>2", "'1H>2' is no move: '1H' is no card; write rank and suit, such as 7H or TS."),
        (365, "Action 365 is outside the action space 0 to 364."),
        (-1, "Action -1 is outside the action space 0 to 364."),
    ],
)
def test_each_refusal_has_its_reason_and_changes_nothing(move: str | int, words: str) -> None:
    game = Game.new(7)
    before = game.to_text()
    with pytest.raises(IllegalMove, match=f"^{re.escape(words)}"):
        game.play(move)
    assert game.to_text() == before
    assert (game.score, game.moves, game.can_undo) == (0, 0, False)


def test_a_second_deal_and_a_move_after_the_end_are_refused() -> None:
    game = Game.new(7)
    game.play("deal")
    with pytest.raises(IllegalMove, match="already dealt"):
        game.play("deal")
    play_randomly(game, 1000)
    assert game.outcome in ("won", "lost")
    with pytest.raises(IllegalMove, match="The game is over"):
        game.play("deal")


@pytest.mark.parametrize("preset", PRESETS)
def test_undo_to_the_start_and_redo_to_the_end(preset: str) -> None:
    game = Game.new(3, preset)
    start = game.to_text()
    texts = []
    rng = random.Random(5)
    for _ in range(90):
        legal = [m for m in game.legal_moves() if m != "undo"]
        if game.outcome is not None or not legal:
            break
        texts.append((game.to_text(), game.score, game.runs, game.flips))
        game.play(rng.choice(legal))
    end = (game.to_text(), game.score, game.outcome)
    for text in reversed(texts):
        assert game.undo()
        assert (game.to_text(), game.score, game.runs, game.flips) == text
    assert game.to_text() == start
    assert not game.undo()
    while game.redo():
        pass
    assert (game.to_text(), game.score, game.outcome) == end


def test_the_last_100_actions_can_be_taken_back() -> None:
    game = Game.new(3, "flexible")
    play_randomly(game, 150)
    assert game.moves == 150
    count = 0
    while game.undo():
        count += 1
    assert count == 100
    assert game.moves == 50


def test_open_takes_back_every_action_as_an_action() -> None:
    game = Game.new(7, "open")
    play_randomly(game, 300)
    played = game.moves
    assert played > 30
    while game.can_undo:
        before = game.score
        assert game.play("undo") == game.score - before
        played -= 1
    assert played == game.moves == game.score == 0
    assert game == Game.new(7, "open")


def test_a_new_move_forgets_what_could_be_redone() -> None:
    game = Game.new(7)
    game.play("9H>2")
    game.undo()
    assert game.can_redo
    game.play("deal")
    assert not game.can_redo
    assert not game.redo()


@pytest.mark.parametrize("way", ["copy", "copy.copy", "deepcopy", "pickle"])
def test_copies_are_independent(way: str) -> None:
    game = Game.new(7)
    game.play("9H>2")
    ways: dict[str, Callable[[Game], Game]] = {
        "copy": lambda g: g.copy(),
        "copy.copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "pickle": lambda g: pickle.loads(pickle.dumps(g)),
    }
    twin = ways[way](game)
    assert twin == game
    twin.play("deal")
    assert game.moves == 1
    assert twin.undo()
    assert twin.undo()
    assert twin == Game.new(7)


def test_repr_evaluates_back() -> None:
    game = Game.new("pysol:24", "wasp")
    assert eval(repr(game)) == game
    game.play("deal")
    assert eval(repr(game)).to_text() == game.to_text()


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(ScorpionError, match="Did you mean 'classic'"):
        Game.new(7, "clasic")
