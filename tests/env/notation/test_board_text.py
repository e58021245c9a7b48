"""Boards as text: read back, completed, and refused with the place of the fault."""

from __future__ import annotations

import re

import pytest

from scorpion_env import Game
from scorpion_env.cards import card_text
from scorpion_env.errors import BoardError
from scorpion_env.notation.board_text import split_boards
from support.paths import DATA


def test_the_board_of_the_app_is_completed_and_played() -> None:
    boards = dict(split_boards((DATA / "app-example.txt").read_text()))
    before = boards["Before the first move"]
    texts = {Game.from_text(before, seed=s).to_text() for s in range(20)}
    assert len(texts) == 20
    game = Game.from_text(before, seed=1)
    assert Game.from_text(before, seed=1) == game
    cards = list(game.board().on_board())
    assert sorted(cards) == list(range(52))
    points = game.play("4H>7")
    assert game.to_text().splitlines()[-1].endswith("5H 4H 7S")
    assert points == 5


BOARD = Game.new(7).to_text()


@pytest.mark.parametrize(
    ("change", "line", "column", "words"),
    [
        (lambda t: t.replace("9S 3D 2H", "9S 3D 3D"), 1, 14, "twice"),
        (lambda t: t.replace("8C JS 8H", "8C JX 8H"), 6, 7, "no card"),
        (lambda t: t.replace("QC 8C", "QC <8C>"), 6, 4, "face-down card"),
        (lambda t: t.replace("4S 2D 6C", "4S 2D"), 8, None, "missing"),
        (lambda t: t.rsplit("\n", 2)[0] + "\n", 7, None, "columns"),
        (lambda t: t.replace("Talon", "Tallon"), 1, 1, "no heading"),
        (lambda t: t.replace("Talon: 9S 3D 2H", "Talon: 9S 3D"), 1, None, "reserve"),
        (lambda t: t.replace("Talon:", "Foundations: X\nTalon:"), 1, 14, "no suit"),
        (
            lambda t: t.replace("Talon:", "Foundations: H\nTalon:"),
            9,
            None,
            "on the board",
        ),
        (lambda t: "Cells: 7H\n" + t, None, None, "cells|twice"),
        (lambda t: t.replace("KH 5S", "KH <5S>"), 8, None, "face-down"),
        (lambda t: t.replace("9H KH 5S", "9H - 5S"), 8, None, "empty column"),
    ],
)
def test_a_bad_board_is_refused_with_its_place(change, line, column, words) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BoardError, match=words) as refusal:
        Game.from_text(change(BOARD))
    if line is not None:
        assert refusal.value.line == line
    if column is not None:
        assert refusal.value.column == column


def test_comments_case_and_ten_are_read() -> None:
    text = BOARD.replace("TH", "10h").replace("Talon:", "# a board\ntalon:") + "# the end\n"
    assert Game.from_text(text).to_text() == BOARD


def test_taken_runs_of_alternating_colours_are_read_back() -> None:
    rows = ["KC QH JC TH 9C 8H 7C 6H 5C 4H 3C 2H AC"]
    rest = [c for c in range(52) if card_text(c) not in rows[0].split()]
    columns = [rest[i::7] for i in range(7)]
    text = "Foundations: C\n" + "\n".join(" ".join(map(card_text, c)) for c in columns) + "\n"
    game = Game.from_text(text, "scorpion-tail")
    assert game.runs == 1
    assert game.to_text() == text


def test_a_comment_line_does_not_part_a_board() -> None:
    lines = BOARD.splitlines()
    text = "\n".join(["My board", *lines[:3], "# halfway", *lines[3:], "", "# the end"])
    boards = split_boards(text)
    assert [title for title, _ in boards] == ["My board"]
    assert Game.from_text(boards[0][1]).to_text() == BOARD


def test_a_title_may_start_with_any_word() -> None:
    assert [title for title, _ in split_boards(f"As printed\n{BOARD}\nis it so\n{BOARD}")] == [
        "As printed",
        "is it so",
    ]


@pytest.mark.parametrize("preset", ["double", "pysol-double"])
def test_ids_of_visible_cards_do_not_tell_of_hidden_copies(preset: str) -> None:
    text = Game.new(3, preset).to_text()
    hidden = re.findall(r"<(..)>", text)
    seen = Game.from_text(text, preset).observation()
    for shift in range(1, 20):
        other = re.sub(r"<..>", "<{}>", text).format(*hidden[shift:], *hidden[:shift])
        assert (Game.from_text(other, preset).observation() == seen).all()


def test_what_is_no_text_is_no_board() -> None:
    with pytest.raises(BoardError, match="a board is a text"):
        Game.from_text(None)  # type: ignore[arg-type]
