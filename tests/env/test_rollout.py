"""Compiled rollouts play by the rules."""

from __future__ import annotations

import pytest

from scorpion_env import PRESETS, Game
from scorpion_env.rollout import (
    DEAL,
    FLIP,
    NULL,
    PLACEMENT,
    RUN,
    SHUTTLE,
    greedy_rollouts,
    kind_of,
    random_rollouts,
)
from support import boards


@pytest.mark.parametrize("preset", PRESETS)
def test_rollouts_end_in_every_preset_and_repeat(preset: str) -> None:
    one = random_rollouts(preset, games=20, seed=1)
    assert one == random_rollouts(preset, games=20, seed=1)
    assert one != random_rollouts(preset, games=20, seed=2)
    assert 0 < one.steps <= 20 * PRESETS[preset].max_steps


def test_a_random_player_wins_about_one_deal_in_fifty() -> None:
    """2.2 % is known from independent engines; without rule 5's king move it would be 0.9 %."""
    rollouts = random_rollouts("classic", games=20_000)
    assert 0.019 < rollouts.wins / rollouts.games < 0.025


def test_null_moves_are_drawn_only_on_request() -> None:
    with_them = random_rollouts("classic", games=2000, null_moves=True)
    without = random_rollouts("classic", games=2000)
    assert with_them.steps > without.steps
    # A Classic game without null moves has at most 48 placements, one deal and 4 + 4 king moves
    # for each run that a king carries away.
    assert without.steps < 60 * 2000


@pytest.mark.parametrize("preset", PRESETS)
def test_greedy_rollouts_end_in_every_preset_and_repeat(preset: str) -> None:
    one = greedy_rollouts(preset, games=50, seed=1)
    assert one == greedy_rollouts(preset, games=50, seed=1)
    assert one != greedy_rollouts(preset, games=50, seed=2)
    assert 0 < one.steps <= 50 * PRESETS[preset].max_steps


def test_the_greedy_player_wins_more_often_than_the_random_one() -> None:
    """4.4 % against 2.2 %, over 20,000 deals."""
    assert greedy_rollouts("classic", games=20_000).wins > 0.04 * 20_000


def kinds(game: Game) -> dict[str, int]:
    """The kind of each legal move."""
    record, rules = game._batch.games[0], game._batch.rules_record[0]
    return {
        game.action_text(action): kind_of(record, rules, action) for action in game.legal_actions()
    }


def test_the_kinds_of_moves_are_told_apart() -> None:
    columns = [
        boards.run("S", last="2"),
        "<5C> AS",
        "<9C> 6C",
        "8C 7C",
        "KC QC",
        "TC 3C JC",
    ]
    game = boards.start(PRESETS["classic"], columns, reserve="AC 2C 4C")
    assert kinds(game) == {
        "AS>1": RUN,
        "6C>4": FLIP,
        "JC>5": PLACEMENT,
        "KC>7": NULL,
        "KS>7": NULL,
        "deal": DEAL,
    }
    game.play("AS>1")
    assert kinds(game)["5C>3"] == PLACEMENT
    assert "KS>7" not in kinds(game)


def test_a_card_that_lies_well_is_only_shuttled() -> None:
    columns = [
        "7C 6S",
        "7S",
        "TS 9S",
        "TC",
        "KS QS JS 8S 5S 4S 3S 2S AS",
        "KC QC JC 9C 8C 6C 5C 4C 3C 2C AC",
    ]
    found = kinds(boards.start(PRESETS["flexible"], columns))
    assert found["9S>4"] == found["8C>3"] == found["5C>1"] == SHUTTLE
    assert found["6S>2"] == found["9C>4"] == found["8S>3"] == found["5S>1"] == PLACEMENT
    assert found["KS>7"] == found["KC>7"] == NULL
