"""The positions that implementations get wrong (1 to 6), each under every preset it applies to.

Boards are written in one-suit runs (see :mod:`boards`); of the runs that no column names, nothing
is left to play. The reserve and lost games (7 to 9) are in ``test_rules_reserve_and_loss.py``, undo
and redo (10 and 11) in ``test_rules_undo_and_points.py``.
"""

from __future__ import annotations

import pytest

from scorpion_env.errors import IllegalMove
from scorpion_env.rules import PRESETS, Rules
from support import boards
from support.boards import (
    columns_of,
    every_preset,
    everything,
    no_way_out,
    play,
    reserve_and_runs_taken,
    run,
    runs_taken,
    same_suit,
    start,
    with_reserve,
    written,
)

# 1. A group moves whole, in order or not.


@every_preset
def test_a_group_out_of_order_moves_whole(rules: Rules) -> None:
    columns = ["<AS> 8S 3H KD", run("S", "K", "9"), run("S", "7", "2")]
    columns += [f"{run('H', 'K', '4')} 2H AH", run("D", "Q", "A")]
    game = start(rules, columns)
    assert play(game, "8S>2") == same_suit(rules) + 5
    assert columns_of(game)[:2] == written(rules, "AS", "KS QS JS TS 9S 8S 3H KD")


@every_preset
def test_only_the_first_card_of_a_group_counts_for_legality(rules: Rules) -> None:
    game = start(rules, ["KS TS 4S 9S", "8S JS QS", "7S 6S", "3S 5S AS 2S"])
    assert boards.cards(rules, "8S>1") in game.legal_moves()
    assert boards.cards(rules, "QS>1") not in game.legal_moves()
    play(game, "8S>1")
    assert columns_of(game)[:2] == written(rules, "KS TS 4S 9S 8S JS QS", "-")


# 2. A face-down king under queen to ace is no run.


@every_preset
def test_a_face_down_king_under_queen_to_ace_is_no_run(rules: Rules) -> None:
    game = start(rules, [f"<KS> {run('S', 'Q', '3')}", "2S AS"])
    runs = game.runs
    assert play(game, "2S>1") == same_suit(rules)
    assert game.runs == runs
    assert columns_of(game)[0] == boards.cards(rules, f"<KS> {run('S', 'Q')}")


@no_way_out
def test_a_game_is_lost_when_its_last_king_lies_face_down_under_its_run(rules: Rules) -> None:
    game = start(rules, [f"<KS> {run('S', 'Q', '3')}", "2S AS"])
    play(game, "2S>1")
    if rules.undo_action:
        assert game.outcome is None
        assert game.legal_moves() == ["undo"]
    else:
        assert game.outcome == "lost"


def test_in_wasp_the_queen_frees_the_face_down_king_and_comes_back_to_win() -> None:
    game = start(PRESETS["wasp"], [f"<KS> {run('S', 'Q')}"])
    assert play(game, "QS>2") == 5
    assert play(game, "QS>1") == 105
    assert game.outcome == "won"


# 3. A run completed by the reserve is taken, and may win the game.


@with_reserve
def test_a_run_completed_by_the_reserve_is_taken_and_wins(rules: Rules) -> None:
    suits = {2: "HS", 3: "DHS", 4: "CDHS", 6: "CDHSHS"}[rules.reserve]
    game = start(rules, [run(s, "K", "2") for s in suits], " ".join("A" + s for s in suits))
    paid = play(game, "deal")
    assert paid == (100 * rules.reserve if rules.runs == "taken" else 0)
    assert game.runs == rules.num_runs
    assert game.outcome == "won"
    assert game.legal_moves() == []


@reserve_and_runs_taken
def test_the_reserve_takes_runs_in_the_order_of_its_columns(rules: Rules) -> None:
    suits = {2: "SH", 3: "SDH", 4: "SHDC", 6: "SHSCDH"}[rules.reserve]
    game = start(rules, [run(s, "K", "2") for s in suits], " ".join("A" + s for s in suits))
    game.play("deal")
    assert game.board().foundations[-rules.reserve :] == tuple(suits)


@reserve_and_runs_taken
def test_a_reserve_card_other_than_the_last_may_complete_a_run(rules: Rules) -> None:
    columns, reserve = [run("S", "K", "2"), f"<TH> {run('H', 'K', 'J')}"], ["AS"]
    reserve += ["9H", "8H", "7H", "6H", "5H"][: rules.reserve - 1]
    left = [c for c in run("H", "9").split() if c not in reserve]
    game = start(rules, [*columns, " ".join(left)], " ".join(reserve))
    runs = game.runs
    assert play(game, "deal") == 100
    assert game.runs == runs + 1
    assert columns_of(game)[0] == "-"


# 4. The winning move can leave no legal move: that is a win.


@every_preset
def test_the_winning_move_that_leaves_no_legal_move_is_a_win(rules: Rules) -> None:
    game = start(rules, [run("S", "K", "2"), "AS"])
    play(game, "AS>1")
    assert game.outcome == "won"
    assert game.runs == rules.num_runs
    assert game.legal_moves() == []


@every_preset
def test_a_won_game_takes_no_further_move_but_can_be_undone(rules: Rules) -> None:
    game = start(rules, [run("S", "K", "2"), "AS"])
    before = everything(game)
    play(game, "AS>1")
    with pytest.raises(IllegalMove, match="The game is over: it is won"):
        play(game, "AS>3")
    game.undo()
    assert everything(game) == before
    assert game.outcome is None


@every_preset
def test_a_board_that_is_won_is_won_from_the_start(rules: Rules) -> None:
    game = start(rules, [])
    assert (game.outcome, game.runs) == ("won", rules.num_runs)
    assert game.legal_moves() == []


@every_preset
def test_the_runs_of_a_board_count_from_the_start(rules: Rules) -> None:
    assert start(rules, [run("S", "K", "2"), "AS"]).runs == rules.num_runs - 1


def test_traditional_is_won_by_runs_that_lie_alone_in_their_columns() -> None:
    game = start(PRESETS["traditional"], [f"AC {run('S', 'K', '2')}", run("C", "K", "2"), "AS"])
    assert game.runs == 2
    play(game, "AS>1")
    assert (game.runs, game.outcome) == (2, None)
    play(game, "KS>3")
    assert (game.runs, game.outcome) == (3, None)
    play(game, "AC>2")
    assert (game.runs, game.outcome) == (4, "won")


# 5. A run taken off face-down cards flips the next one.


@runs_taken
def test_a_run_taken_off_face_down_cards_flips_the_next_one(rules: Rules) -> None:
    columns = [
        f"<5H> <KH> {run('S', 'K', '2')}",
        "AH AS",
        f"{run('H', 'Q', '6')} {run('H', '4', '2')}",
    ]
    game = start(rules, columns)
    assert play(game, "AS>1") == same_suit(rules) + 100 + 5
    assert columns_of(game)[:2] == written(rules, "<5H> KH", "AH")


@runs_taken
def test_a_column_is_checked_again_after_a_run_is_taken_off_it(rules: Rules) -> None:
    game = start(rules, [f"{run('H')} {run('S', 'K', '2')}", "AS"])
    runs = game.runs
    assert play(game, "AS>1") == same_suit(rules) + 200
    assert game.runs == runs + 2
    assert game.outcome == "won"


# 6. A run that is uncovered because its cover moved away stays.


@every_preset
def test_an_uncovered_run_stays_until_its_king_takes_it_to_an_empty_column(rules: Rules) -> None:
    columns = [f"{run('S')} 5H", "6H", f"<KH> {run('H', 'Q', '7')} {run('H', '4')}"]
    game = start(rules, columns)
    runs = game.runs
    assert play(game, "5H>2") == same_suit(rules)
    assert columns_of(game)[0] == boards.cards(rules, run("S"))
    if rules.runs == "stay":
        assert game.runs == runs + 1
        return
    assert game.runs == runs
    assert play(game, "KS>4") == 100
    assert game.runs == runs + 1
    assert columns_of(game)[0] == columns_of(game)[3] == "-"


@runs_taken
def test_a_king_that_takes_its_run_along_is_a_move_that_changes_something(rules: Rules) -> None:
    game = start(rules, [run("S"), f"<KH> {run('H', 'Q')}"])
    assert game.outcome is None
    assert boards.cards(rules, "KS>3") in game.legal_moves()


@runs_taken
def test_a_king_takes_the_run_at_the_end_of_its_group_along(rules: Rules) -> None:
    game = start(rules, [f"KH 3H {run('S')}", f"<2H> {run('H', 'Q', '4')} AH"])
    assert play(game, "KH>3") == 100
    assert columns_of(game)[:3] == written(rules, "-", f"<2H> {run('H', 'Q', '4')} AH", "KH 3H")


def test_where_runs_stay_a_complete_run_that_moves_to_an_empty_column_changes_nothing() -> None:
    assert start(PRESETS["traditional"], [run("S"), f"<KH> {run('H', 'Q')}"]).outcome == "lost"


@reserve_and_runs_taken
def test_an_uncovered_run_that_the_reserve_covers_stays(rules: Rules) -> None:
    hearts = run("H").split()
    reserve = hearts[6 : 6 + rules.reserve]
    left = [card for card in hearts if card not in reserve]
    game = start(rules, [run("S"), " ".join([f"<{left[0]}>", *left[1:]])], " ".join(reserve))
    assert play(game, "deal") == 0
    assert columns_of(game)[0] == boards.cards(rules, f"{run('S')} {reserve[0]}")
