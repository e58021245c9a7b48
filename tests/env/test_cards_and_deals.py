"""Cards, boards and deals: ids, texts, the seeded shuffle and PySolFC's."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from scorpion_env import PRESETS, Game, get_rules
from scorpion_env.cards import card_text, is_red, parse_card, rank_of, suit_of
from scorpion_env.deals import (
    EVALUATION_DEALS,
    Deal,
    Position,
    PysolDeal,
    SeededDeal,
    Start,
    as_deal,
    deal_order,
    parse_deal,
    parse_deals,
)
from scorpion_env.errors import BoardError, DealError
from scorpion_env.kernels.shuffle import episode_deal
from scorpion_env.notation.board import UNKNOWN
from scorpion_env.notation.board_text import format_board, parse_board, split_boards

DATA = Path(__file__).resolve().parents[1] / "data"
CLASSIC = get_rules("classic")
MASK64 = 2**64 - 1


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return x ^ (x >> 31)


def documented_shuffle(number: int, cards: int) -> list[int]:
    """The shuffle as the docstring of `scorpion_env.deals` tells it."""
    state, deck = mix(number), list(range(cards))
    for i in range(cards - 1, 0, -1):
        while True:
            state = (state + 0x9E3779B97F4A7C15) & MASK64
            product = (mix(state) >> 32) * (i + 1)
            if product % 2**32 >= 2**32 % (i + 1):
                break
        j = product >> 32
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def test_every_card_has_the_id_of_the_contract() -> None:
    assert [parse_card(t) for t in ("AC", "KC", "AD", "7H", "KS")] == [0, 12, 13, 32, 51]
    assert parse_card("10h") == parse_card("TH")
    for card in range(104):
        assert parse_card(card_text(card)) == card % 52
        assert (suit_of(card), rank_of(card)) == divmod(card % 52, 13)
        assert is_red(card) == (card_text(card)[1] in "DH")


@pytest.mark.parametrize("bad", ["", "1H", "HH", "7", "7X", "11H", "7HH"])
def test_a_misspelt_card_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="no card"):
        parse_card(bad)


@pytest.mark.parametrize("number", [0, 1, 7, 999_999, 2**32, 2**63 + 5, MASK64])
@pytest.mark.parametrize("preset", ["classic", "double"])
def test_seeded_deals_follow_the_documented_shuffle(number: int, preset: str) -> None:
    rules = get_rules(preset)
    assert deal_order(number, rules).tolist() == documented_shuffle(number, rules.cards)


def test_deal_7_never_changes() -> None:
    words = " ".join(card_text(c) for c in deal_order(7, CLASSIC).tolist()[:10])
    assert words == "8D 6S 7D AD QC 2C 4S QD QS 9D"


def test_a_shuffle_puts_each_card_in_each_place_equally_often() -> None:
    orders = np.array([deal_order(n, CLASSIC) for n in range(5200)])
    counts = np.array([np.bincount(column, minlength=52) for column in orders.T])
    # 100 expected in each of 2,704 cells; 3.3 standard deviations of chi-square per cell are ample.
    chi_square = ((counts - 100) ** 2 / 100).sum() / (51 * 51)
    assert 0.9 < chi_square < 1.1


def test_later_episodes_draw_deals_that_no_evaluation_uses() -> None:
    drawn = {
        int(episode_deal(np.uint64(seed), np.uint64(slot), np.uint64(episode)))
        for seed in range(5)
        for slot in range(20)
        for episode in range(20)
    }
    assert len(drawn) == 2000
    assert min(drawn) >= 2**32 > EVALUATION_DEALS


def test_pysol_boards_come_out_exactly() -> None:
    boards = split_boards((DATA / "pysol-deals.txt").read_text())
    assert len(boards) == 3
    for title, text in boards:
        number = title.removeprefix("Deal ")
        assert Game.new(f"pysol:{number}").to_text() == text.lstrip("\n")


def test_pysol_numbers_below_32000_use_the_microsoft_generator() -> None:
    assert (
        deal_order("pysol:31999", CLASSIC).tolist() == deal_order("pysol:ms31999", CLASSIC).tolist()
    )
    assert (
        deal_order("pysol:32000", CLASSIC).tolist() != deal_order("pysol:ms32000", CLASSIC).tolist()
    )


@pytest.mark.parametrize(
    "bad", ["pysol:0", "pysol:ms0", "pysol:", "pysol:x", "seven", "-1", -1, 2**64]
)
def test_a_deal_that_does_not_exist_is_refused(bad: str | int) -> None:
    with pytest.raises(DealError):
        parse_deal(bad)


@pytest.mark.parametrize(
    ("written", "deal"),
    [
        (7, SeededDeal(7)),
        (" 007 ", SeededDeal(7)),
        ("PYSOL:24", PysolDeal(24)),
        ("pysol:ms24", PysolDeal(24, microsoft=True)),
        (SeededDeal(7), SeededDeal(7)),
    ],
)
def test_a_deal_is_read_where_it_comes_in_and_its_name_reads_back(
    written: Start, deal: Deal
) -> None:
    assert parse_deal(written) == deal
    assert parse_deal(deal.name) == deal


def test_unknown_cards_of_a_position_are_filled_in_once() -> None:
    boards = dict(split_boards((DATA / "app-example.txt").read_text()))
    position = Position("app", parse_board(boards["Before the first move"], CLASSIC))
    deal = as_deal(position, CLASSIC)
    assert isinstance(deal, Position)
    assert UNKNOWN in position.board.on_board()
    assert UNKNOWN not in deal.board.on_board()
    assert as_deal(deal, CLASSIC) == deal == position.completed(CLASSIC, seed=0)
    assert deal != position.completed(CLASSIC, seed=1)


def test_deals_of_a_command_line(tmp_path: Path) -> None:
    assert parse_deals("3:6", CLASSIC) == [SeededDeal(3), SeededDeal(4), SeededDeal(5)]
    assert parse_deals("7", CLASSIC) == [SeededDeal(7)]
    assert parse_deals("pysol:32000:32002", CLASSIC) == [PysolDeal(32000), PysolDeal(32001)]
    positions = parse_deals(str(DATA / "pysol-deals.txt"), CLASSIC)
    assert [p.name for p in positions if isinstance(p, Position)] == [
        "Deal 1",
        "Deal 24",
        "Deal 93500419852916506624",
    ]
    for bad in ("5:5", "1:x", "no-such-file", "pysol:0:3"):
        with pytest.raises(DealError):
            parse_deals(bad, CLASSIC)
    empty = tmp_path / "empty.txt"
    empty.write_text("# nothing\n")
    with pytest.raises(BoardError, match="no board"):
        parse_deals(str(empty), CLASSIC)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_deals_every_card_once_and_prints_a_board_it_can_read(preset: str) -> None:
    rules = get_rules(preset)
    for deal in ("0", "pysol:24", "pysol:ms32001", "pysol:40000"):
        board = Game.new(deal, preset).board()
        assert sorted(board.on_board()) == list(range(rules.cards))
        assert tuple(map(len, board.columns)) == rules.columns
        assert board.face_down == rules.face_down
        text = format_board(board)
        assert format_board(parse_board(text, rules)) == text


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


def test_a_byte_order_mark_is_no_part_of_a_board(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text(BOARD, encoding="utf-8-sig")
    assert len(parse_deals(str(path), CLASSIC)) == 1


def test_what_is_no_text_is_no_board() -> None:
    with pytest.raises(BoardError, match="a board is a text"):
        Game.from_text(None)  # type: ignore[arg-type]
