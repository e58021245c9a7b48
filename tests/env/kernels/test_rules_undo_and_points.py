"""Undo and redo, points, refusals, and the table of presets (see ``test_rules_positions.py``)."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from scorpion_env.errors import IllegalMove
from scorpion_env.game import Game
from scorpion_env.rules import PRESETS, Rules
from support import boards
from support.boards import (
    HIDDEN_EVENS,
    ODDS,
    columns_of,
    every_preset,
    everything,
    play,
    run,
    same_suit,
    start,
    with_reserve,
    written,
)

# 10. Undo takes back one action whole.


@every_preset
def test_undo_of_an_action_that_joins_flips_and_takes_a_run_is_one_undo(rules: Rules) -> None:
    columns = [f"<KH> {run('S', 'K', '2')}", "<AH> AS", run("H", "Q", "2")]
    game = start(rules, columns)
    before = everything(game)
    taken = 105 if rules.runs == "taken" else 0
    assert play(game, "AS>1") == same_suit(rules) + 5 + taken
    after = everything(game)
    game.undo()
    assert everything(game) == before
    assert not game.can_undo
    game.redo()
    assert everything(game) == after
    assert not game.can_redo


@with_reserve
def test_undo_brings_back_the_whole_reserve_and_the_runs_it_completed(rules: Rules) -> None:
    suits = {2: "HS", 3: "DHS", 4: "CDHS", 6: "CDHSHS"}[rules.reserve]
    game = start(rules, [run(s, "K", "2") for s in suits], " ".join("A" + s for s in suits))
    before = everything(game)
    game.play("deal")
    game.undo()
    assert everything(game) == before
    assert not game.can_undo


@every_preset
def test_the_last_hundred_actions_can_be_taken_back(rules: Rules) -> None:
    game = start(rules, ["KS QS JS 8S", "<2S> 4S TS 9S 7S 6S 5S 3S AS"])
    for turn in range(105):
        play(game, "KS>1" if turn % 2 else "KS>3")
    undone = 0
    while game.can_undo:
        game.undo()
        undone += 1
    assert undone == (105 if rules.undo_limit is None else 100)


def test_where_undo_has_no_limit_more_than_a_game_s_steps_can_be_taken_back() -> None:
    game = start(PRESETS["open"], ["KS QS JS 8S", "<2S> 4S TS 9S 7S 6S 5S 3S AS"])
    before = everything(game)
    for turn in range(1201):
        game.play("KS>1" if turn % 2 else "KS>3")
    for _ in range(1200):
        game.play("undo")
    assert game.undo()
    assert everything(game) == before


@every_preset
def test_undo_as_a_move_exists_only_where_it_is_an_action(rules: Rules) -> None:
    game = start(rules, ["KS QS JS 8S", "<2S> 4S TS 9S 7S 6S 5S 3S AS"])
    play(game, "KS>3")
    assert ("undo" in game.legal_moves()) == rules.undo_action


# 11. Redo draws no randomness.


def global_chance() -> tuple[object, ...]:
    """The state of the random numbers that no library may touch."""
    return random.getstate(), str(np.random.get_state())  # noqa: NPY002


@every_preset
def test_redo_shows_the_same_cards_again(rules: Rules) -> None:
    game = Game.new(deal=11, rules=rules)
    chance, seen = random.Random(11), [everything(game)]
    for _ in range(25):
        options = [move for move in game.legal_moves() if move != "undo"]
        if not options:
            break
        game.play(chance.choice(options))
        seen.append(everything(game))
    for state in seen[-2::-1]:
        game.undo()
        assert everything(game) == state
    for state in seen[1:]:
        game.redo()
        assert everything(game) == state


@every_preset
def test_redo_after_undo_turns_up_the_same_unknown_card(rules: Rules) -> None:
    text = boards.board(rules, [HIDDEN_EVENS, "<3S> KS 5S 7S 9S JS"])
    lines = [
        line.replace(line[1:3], "??") if line[0] == "<" else line for line in text.splitlines()
    ]
    for card in written(rules, "<4S>", "<6S>", "<8S>", "<TS>"):
        lines = [line.replace(card, "<??>") for line in lines]
    game = Game.from_text("\n".join(lines), rules=rules, seed=5)
    chance = global_chance()
    play(game, "KS>3")
    shown = columns_of(game)
    game.undo()
    game.redo()
    assert columns_of(game) == shown
    again = Game.from_text("\n".join(lines), rules=rules, seed=5)
    play(again, "KS>3")
    assert columns_of(again) == shown
    assert global_chance() == chance


@every_preset
def test_a_new_move_after_undo_ends_the_chance_to_redo(rules: Rules) -> None:
    game = start(rules, ["KS QS JS 8S", "<2S> 4S TS 9S 7S 6S 5S 3S AS"])
    play(game, "KS>3")
    game.undo()
    assert game.can_redo
    play(game, "KS>4")
    assert not game.can_redo


# Points and refusals.


@every_preset
def test_placing_a_card_pays_five_exactly_where_the_suits_agree(rules: Rules) -> None:
    game = start(rules, [run("S", "K", "8"), run("S", "7")])
    paid = play(game, "7S>1")
    assert paid - (100 if rules.runs == "taken" else 0) == (0 if rules.build == "colour" else 5)


def test_in_flexible_a_card_on_another_suit_pays_nothing_and_the_shuttle_pays_each_time() -> None:
    columns = [run("S", "K", "8"), run("H", "K", "8"), run("H", "7", "2"), run("S", "6"), "7S AH"]
    game = start(PRESETS["flexible"], columns)
    assert [game.play(move) for move in ["7H>1", "7H>2"] * 3] == [0, 5] * 3
    assert game.score == 15


REFUSING_COLUMNS = [
    "<2S> <TS> 9S",
    "KS QS JS",
    "8S AS",
    run("H", "K", "5"),
    f"{run('S', '7', '3')} AH",
]


REFUSALS = {
    "9S>6": "Only a king may go to an empty column.",
    "4S>4": "Rule: the cards must be of the same suit.",
    "2S>2": "2S lies face down.",
    "3H>4": "3H is not in play yet.",
    "8S>2": "8S goes on the next higher rank, not on JS.",
    "9S>3": "Nothing goes on an ace, and column 3 ends in AS.",
    "JS>2": "JS is in column 2 already.",
    "5C>4": "5C has been taken with its run.",
}
NO_MOVES = {
    "9S>99": "'9S>99' is no move: '99' is no column from 1 to 7.",
    "Z>1": "'Z>1' is no move: 'Z' is no card; write rank and suit, such as 7H or TS.",
    "": "'' is no move; write 4H>7 or deal.",
}


@pytest.mark.parametrize(("move", "sentence"), [*REFUSALS.items(), *NO_MOVES.items()])
def test_a_refused_move_has_a_sentence_of_its_own_and_changes_nothing(
    move: str, sentence: str
) -> None:
    game = start(PRESETS["classic"], REFUSING_COLUMNS, reserve="2H 3H 4H")
    before = everything(game)
    with pytest.raises(IllegalMove, match=f"^{re.escape(sentence)}$"):
        game.play(move)
    if move in REFUSALS:
        assert game.why_not(move) == sentence
    assert everything(game) == before
    assert not game.can_undo


def test_a_second_deal_and_a_move_in_a_lost_game_have_sentences_of_their_own() -> None:
    game = start(PRESETS["classic"], REFUSING_COLUMNS, reserve="2H 3H 4H")
    assert game.why_not("deal") is None
    game.play("deal")
    assert game.why_not("deal") == "The reserve is already dealt."
    lost = start(PRESETS["classic"], [HIDDEN_EVENS, ODDS])
    assert lost.why_not("KS>3") == "The game is over: it is lost."


@pytest.mark.parametrize("name", ["three-blind-mice", "scorpion-ii", "double"])
def test_nothing_goes_on_an_ace(name: str) -> None:
    aces = 0
    for deal in range(30):
        game = Game.new(deal, rules=name)
        mask = game.legal_mask()[: game.rules.deal_action].reshape(game.rules.cards, -1)
        for number, column in enumerate(game.board().columns):
            if column[-1] % 13 == 0:
                aces += 1
                assert not mask[:, number].any()
    assert aces > 3


def test_the_apps_printed_deal_opens_with_four_of_hearts_onto_five_of_hearts() -> None:
    text = """
        Talon: ?? ?? ??
        <??> <??> <??> 3D JH TH 3S
        <??> <??> <??> QH 3C 4H 7S
        <??> <??> <??> AS 7D 7H 3H
        <??> <??> <??> KD 8H 7C 9S
        6H 8C JS 4C 9C 8D 5C
        6D QC KH 4D KS 9H JC
        AD QD 9D 6S 2H TD 5H
    """
    game = Game.from_text(text)
    assert "4H>7" in game.legal_moves()
    assert game.play("4H>7") == 5
    assert columns_of(game)[6] == "AD QD 9D 6S 2H TD 5H 4H 7S"
    assert columns_of(game)[1].endswith("> QH 3C")
