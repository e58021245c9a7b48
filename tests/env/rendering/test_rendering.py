"""Boards as text: what is shown, what is never shown, and what fits where."""

from __future__ import annotations

import ast
import io
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import pytest

import scorpion_env.rendering
from scorpion_env import PRESETS, Game, ScorpionError, get_rules
from scorpion_env.cards import card_text
from scorpion_env.notation.board import UNKNOWN, Board
from scorpion_env.notation.board_text import parse_board
from scorpion_env.rendering import Status, Style, ansi, render_board, show
from scorpion_env.rules import Rules

CLASSIC = get_rules("classic")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
CARD = re.compile(r"\b[A23456789TJQK][CDHS]\b")
SUITS = "\u2663\u2666\u2665\u2660"

DEAL_7 = """\
classic   score 10   2 moves   runs 0 of 4   last move deal
Reserve: dealt
Runs taken: none

  1    2    3    4    5    6    7
 ##   ##   ##   ##   QC   2C   4S
 ##   ##   ##   ##   8C   8S   2D
 3C   ##   ##   ##   JS   7H   6C
>9S   9C   JC   2S   8H   KD   3S
      JH   JD   5D   AC   QH   9H
      4H   TC   TD   AS   7C   KH
      TH   KS   6D   4D   6H   5S
     >3D  >2H             5H
                          3H
                          AH
                          4C
(> last move)"""

DEAL_7_LINES = """\
Rules classic. Score 10. 2 moves. 0 of 4 runs.
Last move: deal the reserve.
Reserve: dealt.
Column 1, 4 cards: 2 face down, 3C, 9S just moved.
Column 2, 8 cards: 3 face down, 9C, JH, 4H, TH, 3D just moved.
Column 3, 8 cards: 3 face down, JC, JD, TC, KS, 2H just moved.
Column 4, 7 cards: 3 face down, 2S, 5D, TD, 6D.
Column 5, 7 cards: QC, 8C, JS, 8H, AC, AS, 4D.
Column 6, 11 cards: 2C, 8S, 7H, KD, QH, 7C, 6H, 5H, 3H, AH, 4C.
Column 7, 7 cards: 4S, 2D, 6C, 3S, 9H, KH, 5S.
Legal moves, 5: 3C to column 6; 2D to column 2; 3D to column 5; AH to column 3; 8S to column 1."""


class Stream(io.StringIO):
    """A text stream with an encoding of its own that may say it is a terminal."""

    def __init__(self, encoding: str | None, *, terminal: bool = False) -> None:
        super().__init__()
        self._encoding = encoding
        self._terminal = terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding  # type: ignore[return-value]  # None is the case to be tested

    def isatty(self) -> bool:
        return self._terminal


def positions(name: str, moves: int = 25) -> Iterator[Game]:
    """Yield every position of a random game."""
    rng = random.Random(name)
    game = Game.new(deal=7, rules=name)
    for _ in range(moves):
        yield game
        legal = [move for move in game.legal_moves() if move != "undo"]
        if not legal:
            return
        game.play(rng.choice(legal))


def long_game() -> Game:
    """Return a position with long columns: runs are built and stay, face-down cards too."""
    game = Game.new(deal=7, rules="flexible")
    rng = random.Random(3)
    for _ in range(60):
        game.play(rng.choice(game.legal_moves()))
    return game


def draw(game: Game, style: Style, *, card: int | None = None) -> str:
    return render_board(game.board(), game.rules, Status.of_game(game, last_card=card), style=style)


def shown_cards(text: str) -> Counter[str]:
    """Count the card names in the grid and in the cells above it."""
    head, _, grid = text.partition("\n\n")
    _, _, cells = head.partition("Cells:")
    return Counter(CARD.findall(f"{cells} {grid}"))


def visible_cards(board: Board) -> Counter[str]:
    cards = [c for column, down in zip(board.columns, board.face_down, strict=True)
             for c in column[down:]]  # fmt: skip
    return Counter(card_text(card) for card in [*cards, *board.cells] if card >= 0)


def after_the_deal() -> Game:
    game = Game.new(deal=7)
    game.play("5H>6")
    game.play("deal")
    return game


def test_a_board_looks_like_this() -> None:
    game = after_the_deal()
    assert ansi(game.board(), CLASSIC, Status.of_game(game)) == DEAL_7


def test_the_plain_lines_read_like_this() -> None:
    assert draw(after_the_deal(), Style(format="lines", legal=True)) == DEAL_7_LINES


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("layout", ["grid", "lines"])
def test_hidden_cards_are_never_shown(name: str, layout: str) -> None:
    style = Style(format=layout, legal=True)
    for game in positions(name):
        board, rules, status = game.board(), game.rules, Status.of_game(game)
        columns = [
            (UNKNOWN,) * down + column[down:]
            for column, down in zip(board.columns, board.face_down, strict=True)
        ]
        blank = replace(board, columns=tuple(columns), reserve=(UNKNOWN,) * len(board.reserve))
        picture = render_board(board, rules, status, style=style)
        assert picture == render_board(blank, rules, status, style=style)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("size", [(80, None), (33, None), (12, None), (80, 24), (40, 12)])
def test_every_visible_card_is_shown_once_within_the_width(
    name: str, size: tuple[int, int | None]
) -> None:
    width, height = size
    style = Style(width=width, height=height)
    for game in positions(name):
        text = draw(game, style)
        assert max(map(len, text.splitlines())) <= width
        assert shown_cards(text) == visible_cards(game.board())


def test_fourteen_columns_fit_80_characters_side_by_side() -> None:
    text = draw(Game.new(7, "double"), Style())
    assert re.search(r"^ +1 .* 14$", text, re.MULTILINE)


def test_fourteen_columns_are_drawn_in_two_bands_of_seven_where_the_window_is_narrow() -> None:
    headings = re.findall(r"^ +\d+(?: +\d+)*$", draw(Game.new(7, "double"), Style(width=60)), re.M)
    assert [heading.split()[0] for heading in headings] == ["1", "8"]


def test_long_columns_fold_to_the_window_and_lose_no_card() -> None:
    game = long_game()
    longest = max(map(len, game.board().columns))
    whole = draw(game, Style())
    assert len(whole.splitlines()) > longest
    for height in (24, 18, 16):
        text = draw(game, Style(height=height))
        assert len(text.splitlines()) <= height
        assert shown_cards(text) == shown_cards(whole)
    assert "2#" in text
    assert "goes on" in text


@pytest.mark.parametrize("symbols", [False, True])
@pytest.mark.parametrize("name", ["classic", "scorpion-head", "double"])
def test_colour_says_nothing_that_the_characters_do_not_say(name: str, symbols: bool) -> None:
    for game in positions(name):
        plain = draw(game, Style(legal=True, symbols=symbols))
        colored = draw(game, Style(legal=True, symbols=symbols, color=True))
        assert ESCAPE.search(colored)
        assert ESCAPE.sub("", colored) == plain


def test_plain_lines_have_neither_symbols_nor_colour() -> None:
    text = draw(after_the_deal(), Style(format="lines", symbols=True, color=True))
    assert text.isascii()
    assert text.replace("\n", "").isprintable()


def test_symbols_are_as_wide_as_letters() -> None:
    for game in positions("double"):
        letters, symbols = draw(game, Style()), draw(game, Style(symbols=True))
        table = str.maketrans(dict(zip(SUITS, "CDHS", strict=True)))
        assert symbols.translate(table) == letters


@pytest.mark.parametrize(
    ("encoding", "symbols"),
    [("ascii", False), ("cp1252", False), ("cp437", False), ("utf-8", True), ("cp65001x", False),
     ("utf-16", True), (None, False)],
)  # fmt: skip
def test_symbols_are_used_only_where_the_encoding_has_them(
    encoding: str | None, symbols: bool
) -> None:
    stream = Stream(encoding)
    assert Style.for_stream(stream, environ={}).symbols is symbols
    assert Style.for_stream(stream, symbols=True, environ={}).symbols is symbols
    assert Style.for_stream(stream, symbols=False, environ={}).symbols is False
    game = after_the_deal()
    show(game.board(), game.rules, Status.of_game(game), stream)
    assert stream.getvalue().endswith("\n")


@pytest.mark.parametrize("language", ["ja_JP.UTF-8", "zh_CN.UTF-8", "ko_KR.UTF-8"])
def test_letters_are_used_where_symbols_may_be_two_characters_wide(language: str) -> None:
    stream = Stream("utf-8", terminal=True)
    assert not Style.for_stream(stream, environ={"LANG": language}).symbols
    assert Style.for_stream(stream, environ={"LANG": "de_DE.UTF-8"}).symbols


def test_only_a_terminal_gets_colour_and_only_if_it_wants_it() -> None:
    terminal, pipe = Stream("utf-8", terminal=True), Stream("utf-8")
    usual = {"TERM": "xterm-256color"}
    assert Style.for_stream(terminal, environ=usual).color
    assert not Style.for_stream(pipe, environ=usual).color
    assert not Style.for_stream(terminal, environ={**usual, "NO_COLOR": "1"}).color
    assert Style.for_stream(terminal, environ={**usual, "NO_COLOR": ""}).color
    assert not Style.for_stream(terminal, environ={"TERM": "dumb"}).color
    assert Style.for_stream(pipe, color=True, environ=usual).color
    assert not Style.for_stream(terminal, color=False, environ=usual).color


def test_only_a_terminal_limits_the_height(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "47")
    monkeypatch.setenv("LINES", "19")
    style = Style.for_stream(Stream("utf-8", terminal=True))
    assert (style.width, style.height) == (47, 18)
    style = Style.for_stream(Stream("utf-8"))
    assert (style.width, style.height) == (80, None)


def test_a_closed_stream_is_no_terminal() -> None:
    stream = io.StringIO()
    stream.close()
    assert not Style.for_stream(stream).color


@pytest.mark.parametrize("arguments", [{"format": "grd"}, {"width": 0}, {"height": -1}])
def test_an_impossible_style_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(ScorpionError, match=r"grid|positive"):
        Style(**arguments)  # type: ignore[arg-type]


def board_of(*columns: str, rules: Rules = CLASSIC) -> Board:
    """Return a board with these columns and the missing runs taken."""
    present = {word[-1] for column in columns for word in column.split() if word != "-"}
    taken = " ".join(suit for suit in "CDHS" if suit not in present)
    return parse_board("\n".join([f"Foundations: {taken}", *columns]), rules)


HEARTS = "KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H AH"


def test_the_moved_card_is_marked_not_the_cards_on_it() -> None:
    board = board_of("KH QH", "-", *["-"] * 4, HEARTS[6:])
    text = ansi(board, CLASSIC, Status(last_move="QH>1"))
    assert re.findall(r">\w\w", text.split("\n\n")[1]) == [">QH"]


def test_a_column_whose_run_was_taken_by_the_move_is_marked() -> None:
    board = parse_board("Foundations: H C D\n-\n-\n-\n-\n-\n" + "\n".join(
        [HEARTS.replace("H", "S")[:5], HEARTS.replace("H", "S")[6:]]), CLASSIC)  # fmt: skip
    text = ansi(board, CLASSIC, Status(last_move="AH>3", runs=3))
    assert "> 3" in text
    assert "Runs taken: H C D" in text
    lines = render_board(board, CLASSIC, Status(last_move="AH>3"), style=Style(format="lines"))
    assert "Column 3: empty, a run was just taken from it." in lines
    assert "Runs taken: hearts, clubs and diamonds." in lines


def test_a_card_moved_to_a_cell_is_marked_there() -> None:
    game = Game.new(7, "scorpion-head")
    move = next(move for move in game.legal_moves() if move.endswith(">cell"))
    game.play(move)
    assert f"Cells:>{move[:2]}" in draw(game, Style())
    assert f"Cells: {move[:2]} just moved, empty" in draw(game, Style(format="lines"))


def test_of_two_copies_the_one_that_moved_is_marked() -> None:
    game = Game.new(7, "double")
    rules, board = game.rules, game.board()
    cards = [24, 23, 0, 23 + 52]  # QD JD AC JD: either knave of diamonds may have moved
    board = replace(board, columns=(tuple(cards), *board.columns[1:]),
                    face_down=(0, *board.face_down[1:]))  # fmt: skip
    for card, row in ((23, 1), (23 + 52, 3), (None, 1)):
        status = Status(last_move="JD>1", last_card=card)
        grid = ansi(board, rules, status).split("\n\n")[1].splitlines()
        assert [i for i, line in enumerate(grid[1:]) if line.startswith(">")] == [row]


def test_cards_that_can_move_are_marked_on_request() -> None:
    game = Game.new(deal=7)
    assert "*" not in draw(game, Style())
    text = draw(game, Style(legal=True))
    assert set(re.findall(r"(\w\w)\*", text)) == {"5H", "9H"}
    assert "Legal moves (3): 5H>6 9H>2 deal" in text


def test_the_outcome_is_said_in_words() -> None:
    board = Game.new(deal=7).board()
    for outcome, word in (("won", "won"), ("lost", "lost"), ("truncated", "step limit")):
        for layout in ("grid", "lines"):
            style = Style(format=layout)
            text = render_board(board, CLASSIC, Status(outcome=outcome), style=style)
            assert word in text.splitlines()[-1]


def test_environments_render_through_these_functions() -> None:
    env = gym.make("Scorpion-v0", render_mode="ansi")
    env.reset(seed=7)
    game = Game.new(deal=7)
    for move in ("5H>6", "deal"):
        env.step(game.parse_move(move))
        game.play(move)
    assert env.render() == DEAL_7
    env.close()


def test_rendering_needs_no_engine() -> None:
    imported = {
        str(node.module).split(".")[1]
        for path in Path(scorpion_env.rendering.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("scorpion_env.")
    }
    assert imported == {"cards", "errors", "notation", "rendering", "rules"}
