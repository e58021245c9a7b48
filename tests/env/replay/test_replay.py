"""Replays: written, read, refused, checked."""

from __future__ import annotations

import json
import os
import random
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from scorpion_env import PRESETS, Game, Rules, get_rules, replay
from scorpion_env.deals import Position
from scorpion_env.errors import IllegalMove, ReplayError, ScorpionError
from scorpion_env.replay import Replay


def random_actions(game: Game, most: int = 60, seed: int = 0) -> list[int]:
    """Play random actions in a copy of a game and return them."""
    rng = random.Random(seed)
    game = game.copy()
    actions: list[int] = []
    while game.outcome is None and len(actions) < most:
        actions.append(int(rng.choice(game.legal_actions().tolist())))
        game.play(actions[-1])
    return actions


def classic() -> Replay:
    """Return a short game that was lost."""
    game = Game.new(deal=23)
    return replay.from_game(game, [game.parse_move(move) for move in ("6S>3", "deal")])


def lines_of(written: Replay) -> list[dict[str, Any]]:
    return [json.loads(line) for line in replay.dumps(written).splitlines()]


def text_of(lines: list[Any]) -> str:
    return "".join(f"{json.dumps(line)}\n" for line in lines)


@pytest.mark.parametrize("name", PRESETS)
def test_a_replay_is_read_as_it_was_written_and_plays_the_same_game(
    name: str, tmp_path: Path
) -> None:
    deals: list[int | str] = [7, "pysol:24"]
    for seed, deal in enumerate(deals):
        game = Game.new(deal, name)
        actions = random_actions(game, seed=seed)
        written = replay.record(deal, name, actions, truncated=True)
        replay.save(written, tmp_path / "game.jsonl")
        assert replay.load(tmp_path / "game.jsonl") == written
        end = replay.check(tmp_path / "game.jsonl")
        for action in actions:
            game.play(action)
        assert end == game
        assert (written.outcome, written.score) == (game.outcome or "truncated", game.score)
        assert [action for _, action in replay.steps(written)] == [None, *actions]


def test_the_file_looks_like_this() -> None:
    written = replay.record(7, "classic", [364, *Game.new(7).legal_actions().tolist()[:1]])
    header, deal, move, end = lines_of(written)
    assert header == {
        "format": "scorpion-replay",
        "version": 1,
        "package": written.package,
        "rules": "classic",
        "deal": "7",
        "board": None,
        "reward": "points",
    }
    assert deal == {"move": "deal", "points": 0, "score": 0}
    assert move == {"move": "5H>6", "points": 10, "score": 10}
    assert end == {"outcome": None, "moves": 2, "score": 10}
    assert replay.dumps(written).isascii()


def test_a_game_from_a_position_keeps_its_board() -> None:
    game = Game.new(deal=7)
    game.play("deal")
    for start in (
        Game.from_text(game.to_text()),
        Game(Position("7", game.board())),  # called like a deal, but it is another position
    ):
        written = replay.from_game(start, random_actions(start))
        assert (written.deal, written.board) == (None, game.to_text())
        assert replay.check(replay.loads(replay.dumps(written))).score == written.score


def test_rules_of_ones_own_are_written_whole() -> None:
    rules = Rules("mine", columns=(10, 4, 7, 7, 7, 7, 7), face_down=(0,) * 7)
    written = replay.record(3, rules, random_actions(Game.new(3, rules)))
    assert lines_of(written)[0]["rules"]["columns"] == [10, 4, 7, 7, 7, 7, 7]
    assert replay.loads(replay.dumps(written)).rules == rules
    replay.check(written)


def test_of_two_copies_the_one_that_was_moved_moves_again() -> None:
    written = replay.record(7, "double", random_actions(Game.new(7, "double"), 200))
    assert any(move.action is not None for move in written.played)
    assert replay.check(replay.loads(replay.dumps(written))).score == written.score


def test_an_undo_that_is_an_action_is_a_line_of_its_own() -> None:
    written = replay.record(7, "open", [364, 365, 364])
    assert [move.text for move in written.played] == ["deal", "undo", "deal"]
    assert written.moves == 1
    assert replay.check(replay.loads(replay.dumps(written))).moves == 1


def test_only_a_game_that_has_not_begun_is_recorded() -> None:
    game = Game.new(deal=7)
    game.play("deal")
    with pytest.raises(ReplayError, match="before the first move"):
        replay.from_game(game, [])
    with pytest.raises(ReplayError, match="Did you mean 'points'"):
        replay.record(7, "classic", [], reward="point")
    with pytest.raises(IllegalMove, match="AC goes on the next higher rank, not on 4C"):
        replay.record(7, "classic", [0])


def test_a_file_cut_anywhere_is_refused() -> None:
    text = replay.dumps(classic())
    for end in range(len(text) - 1):
        with pytest.raises(ReplayError, match=r"cut short|no header|empty"):
            replay.loads(text[:end])
    assert replay.loads(text[:-1]) == replay.loads(text)


def test_a_missing_line_in_the_middle_is_noticed() -> None:
    lines = lines_of(classic())
    assert len(lines) == 4
    for at, words in (
        (1, "line 2: 0 and 0 points make 0, but the score says 5"),
        (2, "line 3: the end counts 2 moves, but there are 1"),
    ):
        with pytest.raises(ReplayError, match=words):
            replay.check(replay.loads(text_of(lines[:at] + lines[at + 1 :])))


@pytest.mark.parametrize(
    ("at", "change", "sentence"),
    [
        (1, {"points": 500}, r"line 2: 0 and 500 points make 500, but the score says"),
        (1, {"points": True}, r"line 2: points must be a whole number"),
        (1, {"points": 5.0}, r"line 2: points must be a whole number"),
        (1, {"move": 7}, r"line 2: the move must be text"),
        (1, {"mvoe": "deal"}, r"line 2: 'mvoe' has no place"),
        (-1, {"score": 1}, r"the end says 1 points"),
        (-1, {"moves": 1}, r"the end counts 1 moves"),
        (-1, {"outcome": "drawn"}, r"there is no outcome \"drawn\""),
        (-1, {"outcome": ["won"]}, r"there is no outcome"),
        (0, {"format": "chess"}, r"no replay: its first line is no header"),
        (0, {"version": 2, "package": "9.0"}, r"version 2 \(by scorpion-env 9.0\).*; update"),
        (0, {"version": 0}, r"version 0.*record it anew"),
        (0, {"version": None}, r"version is missing"),
        (0, {"version": "1"}, r"version is missing"),
        (0, {"rules": "clasic"}, r"line 1: .*Did you mean 'classic'"),
        (0, {"rules": {"name": "x", "deks": 2}}, r"line 1: .*Did you mean 'decks'"),
        (0, {"rules": {"name": "x", "columns": "abc"}}, r"line 1: "),
        (0, {"rules": 7}, r"line 1: rules must be"),
        (0, {"deal": None}, r"either a deal or a board"),
        (0, {"deal": 7}, r"must be text in quotes"),
        (0, {"deal": "seven"}, r"line 1: 'seven' names no deal"),
        (0, {"deal": "9" * 5000}, r"line 1: "),
        (0, {"reward": "gold"}, r"line 1: there is no reward \"gold\""),
        (0, {"package": 1}, r"package must be"),
        (0, {"seed": 1}, r"line 1: 'seed' has no place"),
    ],
)
def test_an_edited_file_is_refused_with_one_sentence(
    at: int, change: dict[str, Any], sentence: str
) -> None:
    lines = lines_of(classic())
    lines[at].update(change)
    with pytest.raises(ReplayError, match=sentence) as refused:
        replay.loads(text_of(lines))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("key", ["package", "rules", "deal", "board", "reward"])
def test_a_header_without_one_of_its_keys_is_refused(key: str) -> None:
    lines = lines_of(classic())
    del lines[0][key]
    with pytest.raises(ReplayError, match=f"line 1: '{key}' is missing"):
        replay.loads(text_of(lines))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("\n", "no header"),
        ("[]\n", "no header"),
        ("[" * 100_000, "no header"),
        ("null\n", "no header"),
        ("import os\n", "no header"),
    ],
)
def test_what_is_no_replay_is_called_so(text: str, sentence: str) -> None:
    with pytest.raises(ReplayError, match=sentence):
        replay.loads(text)


def test_a_damaged_line_is_named() -> None:
    lines = replay.dumps(classic()).splitlines()
    for line in ("", "{", "7", '{"move": "deal", "move": "deal"}', '{"points": NaN}', "9" * 6000):
        with pytest.raises(ReplayError, match=r"line 3 is damaged"):
            replay.loads("\n".join([*lines[:2], line, *lines[2:]]))


def test_lines_after_the_end_are_refused() -> None:
    text = replay.dumps(classic())
    with pytest.raises(ReplayError, match="goes on after its end"):
        replay.loads(text + text.splitlines()[-1])


def test_the_first_line_that_does_not_match_is_named() -> None:
    lines = lines_of(replay.record(7, "classic", [364]))
    lines[0]["deal"] = "8"
    lines[1]["move"] = "4H>7"
    with pytest.raises(ReplayError, match=r"line 2: the move 4H>7 is refused: "):
        replay.check(replay.loads(text_of(lines)))


def test_points_that_the_game_does_not_pay_are_noticed() -> None:
    lines = lines_of(replay.record(7, "classic", [364]))
    lines[1].update(points=5, score=5)
    lines[2].update(score=5)
    with pytest.raises(ReplayError, match="line 2: deal earns 0 points, but the file says 5"):
        replay.check(replay.loads(text_of(lines)))


def test_an_outcome_that_the_game_has_not_is_noticed() -> None:
    lines = lines_of(replay.record(7, "classic", [364]))
    lines[2]["outcome"] = "won"
    with pytest.raises(ReplayError, match="line 3: the file says 'won', but the game goes on"):
        replay.check(replay.loads(text_of(lines)))
    lines = lines_of(classic())
    assert lines[-1]["outcome"] == "lost"
    for outcome in ("won", "truncated", None):
        lines[-1]["outcome"] = outcome
        with pytest.raises(ReplayError, match="but the game is lost"):
            replay.check(replay.loads(text_of(lines)))


def test_an_index_that_is_not_its_move_is_noticed() -> None:
    lines = lines_of(replay.record(7, "classic", [364]))
    lines[1]["action"] = 0
    with pytest.raises(ReplayError, match="line 2: action 0 is not deal"):
        replay.check(replay.loads(text_of(lines)))
    lines[1]["action"] = 10**30
    with pytest.raises(ReplayError, match="line 2: "):
        replay.check(replay.loads(text_of(lines)))


def test_a_board_that_is_none_is_refused_when_it_is_played() -> None:
    lines = lines_of(replay.record(7, "classic", []))
    lines[0].update(deal=None, board="AC AC\n")
    with pytest.raises(ReplayError, match=r"start of the replay is refused: line 1, column 4"):
        replay.check(replay.loads(text_of(lines)))


def test_saving_leaves_one_whole_file_or_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    replay.save(classic(), path)
    before = path.read_bytes()
    assert before.endswith(b"}\n")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ScorpionError, match="cannot be written: No space left"):
        replay.save(replay.record(8, "classic", []), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_a_saved_file_is_as_readable_as_any_other(tmp_path: Path) -> None:
    other, path = tmp_path / "other", tmp_path / "game.jsonl"
    other.write_text("")
    replay.save(classic(), path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(ReplayError, match="cannot be read"):
            replay.load(path)
    with pytest.raises(ScorpionError, match="cannot be written"):
        replay.save(classic(), tmp_path / "none" / "game.jsonl")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\x80\x02}q\x00.")
    with pytest.raises(ReplayError, match="no replay: it is no text"):
        replay.load(binary)


def test_every_refusal_is_one_that_the_scripts_print() -> None:
    assert issubclass(ReplayError, ScorpionError)
    assert get_rules("classic") == classic().rules
