"""Deals: the seeded shuffle, PySolFC's, and the texts that name them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from scorpion_env import PRESETS, Game, get_rules
from scorpion_env.cards import card_text
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
from support.paths import DATA

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
    ("bad", "words"),
    [
        ("pysol:0", "Deal 'pysol:0' does not exist; the numbers go from 1."),
        ("pysol:ms0", "Deal 'pysol:ms0' does not exist; the numbers go from 1 to 8589934591."),
        ("pysol:", "'pysol:' names no deal"),
        ("pysol:x", "'pysol:x' names no deal"),
        ("seven", "'seven' names no deal"),
        ("-1", "'-1' names no deal"),
        (-1, f"Deal '-1' does not exist; the numbers go from 0 to {MASK64}."),
        (2**64, f"Deal '{2**64}' does not exist; the numbers go from 0 to {MASK64}."),
    ],
)
def test_a_deal_that_does_not_exist_is_refused(bad: str | int, words: str) -> None:
    with pytest.raises(DealError, match=re.escape(words)):
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
    empty = tmp_path / "empty.txt"
    empty.write_text("# nothing\n")
    with pytest.raises(BoardError, match="no board"):
        parse_deals(str(empty), CLASSIC)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("5:5", "'5:5' holds no deals"),
        ("1:x", "'1:x' is neither deals such as 0:1000"),
        ("no-such-file", r"'no-such-file' names no deal \(and no file\)"),
        ("pysol:0:3", "Deal 'pysol:0' does not exist"),
    ],
)
def test_deals_of_a_command_line_that_are_none_are_refused(bad: str, words: str) -> None:
    with pytest.raises(DealError, match=words):
        parse_deals(bad, CLASSIC)


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


def test_a_byte_order_mark_is_no_part_of_a_board(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text(Game.new(7).to_text(), encoding="utf-8-sig")
    assert len(parse_deals(str(path), CLASSIC)) == 1
