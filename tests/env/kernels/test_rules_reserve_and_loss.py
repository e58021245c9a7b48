"""The positions that implementations get wrong (7 to 9): the reserve, and stuck or not.

Boards are written as in ``test_rules_groups_and_runs.py``.
"""

from __future__ import annotations

import random

import pytest

from scorpion_env.errors import IllegalMove
from scorpion_env.game import Game
from scorpion_env.rules import PRESETS, Rules
from support import boards
from support.boards import (
    HIDDEN_EVENS,
    ODDS,
    columns_of,
    dead_end,
    every_preset,
    for_presets,
    no_way_out,
    only_kings,
    play,
    restarted,
    same_suit,
    start,
    with_reserve,
    written,
)

# 7. A reserve card falls on an empty column even if it is no king.


@with_reserve
def test_reserve_card_falls_on_an_empty_column(rules: Rules) -> None:
    columns, reserve = dead_end(rules, rules.reserve)
    game = start(rules, ["-", *columns[::-1]], reserve)
    assert play(game, "deal") == 0
    cards = written(rules, *reserve.split())
    assert columns_of(game)[0] == cards[0]
    assert columns_of(game)[1] == boards.cards(rules, ODDS) + " " + cards[1]
    assert [line.split()[-1] for line in columns_of(game)[: rules.reserve]] == cards
    assert not game.to_text().startswith("Talon")


@with_reserve
def test_the_reserve_is_dealt_once(rules: Rules) -> None:
    columns, reserve = dead_end(rules, rules.reserve)
    game = start(rules, ["-", *columns], reserve)
    game.play("deal")
    assert "deal" not in game.legal_moves()
    with pytest.raises(IllegalMove, match="The reserve is already dealt"):
        game.play("deal")


# 8. Before the deal the reserve's columns differ from the others; afterwards no column does.


@with_reserve
def test_before_the_deal_the_reserve_columns_differ_from_the_others(rules: Rules) -> None:
    columns, reserve = dead_end(rules, rules.reserve)
    here = [*columns, *["-"] * (rules.reserve - 1)]
    there = [here[-1], *here[1:-1], here[0]]
    one, other = start(rules, here, reserve), start(rules, there, reserve)
    assert sorted(columns_of(one)) == sorted(columns_of(other))
    one.play("deal")
    other.play("deal")
    assert sorted(columns_of(one)) != sorted(columns_of(other))


@every_preset
def test_after_the_deal_columns_are_interchangeable(rules: Rules) -> None:
    chance = random.Random(8)
    game = Game.new(deal=8, rules=rules)
    for _ in range(12):
        options = [move for move in game.legal_moves() if move != "undo"]
        if not options:
            break
        game.play("deal" if "deal" in options else chance.choice(options))
    order = list(range(rules.num_columns))
    chance.shuffle(order)
    one, other = restarted(game), restarted(game, order)
    for _ in range(30):
        place = {str(old + 1): str(order.index(old) + 1) for old in order}
        mirrored = {
            m if ">" not in m or m.endswith("cell") else f"{m[:2]}>{place[m[3:]]}"
            for m in one.legal_moves()
        }
        assert mirrored == set(other.legal_moves())
        assert one.outcome == other.outcome
        if rules.decks == 2 or not mirrored - {"undo"}:
            break  # a move's text names one of two copies: the first, wherever it lies
        move = chance.choice([m for m in one.legal_moves() if m != "undo"])
        twin = f"{move[:2]}>{place[move[3:]]}" if move[3:].isdigit() else move
        assert one.play(move) == other.play(twin)
        assert [columns_of(one)[at] for at in order] == columns_of(other)


# 9. Stuck or not.


@with_reserve
def test_a_game_is_not_lost_while_the_reserve_can_be_dealt(rules: Rules) -> None:
    columns, reserve = dead_end(rules, rules.reserve)
    game = start(rules, columns, reserve)
    assert game.outcome is None
    assert "deal" in game.legal_moves()
    if rules.empty_column == "king":
        assert all(move == "deal" or move[0] == "K" for move in game.legal_moves())


@no_way_out
def test_a_game_is_lost_when_only_kings_shuffle_from_base_to_empty_column(rules: Rules) -> None:
    game = start(rules, [HIDDEN_EVENS, ODDS])
    assert game.outcome == "lost"


@only_kings
def test_a_king_that_can_leave_face_down_cards_is_no_loss(rules: Rules) -> None:
    game = start(rules, [HIDDEN_EVENS, "<3S> KS 5S 7S 9S JS"])
    assert game.outcome is None
    assert boards.cards(rules, "KS>3") in game.legal_moves()
    assert play(game, "KS>3") == 5
    if not rules.undo_action and not rules.cells_refill:
        assert game.outcome == "lost"


@only_kings
def test_a_king_that_can_leave_face_up_cards_is_no_loss(rules: Rules) -> None:
    assert start(rules, [HIDDEN_EVENS, "3S KS 5S 7S 9S JS"]).outcome is None


@every_preset
def test_an_idle_king_is_a_legal_move_worth_nothing(rules: Rules) -> None:
    game = start(rules, ["KS QS JS 8S", "<2S> 4S TS 9S 7S 6S 5S 3S AS"])
    before = sorted(columns_of(game))
    assert play(game, "KS>3") == 0
    assert sorted(columns_of(game)) == before
    assert game.outcome is None


def test_in_wasp_any_group_that_can_leave_cards_is_a_move() -> None:
    game = start(PRESETS["wasp"], [HIDDEN_EVENS, ODDS])
    assert game.outcome is None
    assert "5S>3" in game.legal_moves()
    assert play(game, "AS>3") == 5


@for_presets(["scorpion-head", "how-they-run"])
def test_a_free_cell_is_a_way_out_and_full_cells_are_not(rules: Rules) -> None:
    assert start(rules, [HIDDEN_EVENS, ODDS]).outcome is None
    cells = ODDS.split()[1 : 1 + rules.cells]
    odds = " ".join(card for card in ODDS.split() if card not in cells)
    assert start(rules, [HIDDEN_EVENS, odds], cells=" ".join(cells)).outcome == "lost"
    spared = start(rules, [HIDDEN_EVENS, f"{odds} {cells[0]}"], cells=" ".join(["-", *cells[1:]]))
    assert spared.outcome is None


@for_presets(["three-blind-mice", "farmers-wife", "how-they-run", "scorpion-head"])
def test_a_cell_card_that_fits_is_no_loss(rules: Rules) -> None:
    cells = " ".join(["QS", *["-"] * (rules.cells - 1)])
    game = start(rules, ["<2S> <4S> <6S> <8S> <TS> AS", "3S 5S 7S 9S JS KS"], cells=cells)
    assert game.outcome is None
    assert play(game, "QS>2") == same_suit(rules)
    assert game.to_text().startswith("Cells: - -")


@for_presets(["three-blind-mice", "farmers-wife"])
def test_the_open_cards_beside_the_table_take_nothing_back(rules: Rules) -> None:
    game = start(rules, [HIDDEN_EVENS, ODDS])
    assert game.legal_moves() == [] or all("cell" not in move for move in game.legal_moves())
    with pytest.raises(IllegalMove, match="'cell' is no column from 1 to 10"):
        play(game, "JS>cell")


@for_presets(["scorpion-head", "how-they-run"])
def test_a_free_cell_takes_one_end_card_and_flips_what_it_leaves(rules: Rules) -> None:
    game = start(rules, [HIDDEN_EVENS, ODDS])
    to_cells = {move for move in game.legal_moves() if move.endswith("cell")}
    assert to_cells == set(written(rules, "AS>cell", "JS>cell"))
    assert play(game, "AS>cell") == 5
    assert columns_of(game)[0].endswith(boards.cards(rules, " QS"))


def test_in_traditional_the_reserve_waits_until_no_move_changes_anything() -> None:
    rules = PRESETS["traditional"]
    columns, reserve = dead_end(rules, 3)
    assert "deal" in start(rules, columns, reserve).legal_moves()
    moving = start(rules, [columns[0], "3S KS 5S 7S 9S JS"], reserve)
    assert "deal" not in moving.legal_moves()
    with pytest.raises(IllegalMove, match="only when no other move is left"):
        moving.play("deal")
    moving.play("KS>3")
    assert "deal" in moving.legal_moves()


def test_where_undo_is_an_action_a_game_with_a_past_is_never_lost() -> None:
    game = start(PRESETS["open"], [HIDDEN_EVENS, "<3S> KS 5S 7S 9S JS"])
    assert "undo" not in game.legal_moves()
    game.play("KS>3")
    assert (game.outcome, "undo" in game.legal_moves()) == (None, True)
    assert game.play("undo") == -5
    assert (game.score, game.can_undo) == (0, False)
