"""The engine against the slow model: random games, and facts that hold in every position.

``tests/random_games.py`` plays any number of games from the command line.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from scorpion_env.deals import deal_order
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.notation.board_text import format_board
from scorpion_env.rules import PRESETS, Rules
from support.compare import Duel, hidden_shuffled, late_board, play_games, replanted
from support.model import Model
from support.pysol import pysol_order
from support.shapes import shape_of

GAMES = 16
"""Random games of each preset."""

ONE_OF_EACH_SHAPE = list({shape_of(rules): name for name, rules in PRESETS.items()}.values())

every_preset = pytest.mark.parametrize("name", list(PRESETS))
unhurried = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],  # a smaller number is no simpler game
)
numbers = st.integers(0, 2**32)


@every_preset
def test_engine_and_model_agree_at_every_step_of_random_games(name: str) -> None:
    tally = play_games(PRESETS[name], 0, GAMES)
    assert not tally.faults, tally.faults[0]
    assert tally.undone > 0


@every_preset
@pytest.mark.parametrize("reward", ["points", "points-once", "win"])
def test_rewards_and_masks_of_the_environment_are_the_models(name: str, reward: str) -> None:
    rules = PRESETS[name]
    env = ScorpionEnv(rules, reward=reward)
    for number in range(max(2, GAMES // 8)):
        chance = random.Random(number)
        late = number % 2
        env.reset(options={"board": late_board(rules, chance)} if late else {"deal": number})
        model = Model.from_board(env.oracle_board(), rules)
        for _ in range(60):
            legal = sorted(model.legal())
            if not legal:
                assert env.action_masks().all()
                break
            assert np.flatnonzero(env.action_masks()).tolist() == legal
            action = chance.choice(legal)
            model.play(action)
            _, paid, terminated, _, info = env.step(action)
            won = float(model.outcome() == "won")
            assert (
                paid
                == {"points": model.points, "points-once": model.points_once, "win": won}[reward]
            )
            assert terminated == (model.outcome() is not None)
            assert (info["score"], info["runs"]) == (model.position.score, model.runs())


@every_preset
def test_deals_are_laid_out_as_the_model_lays_them_out(name: str) -> None:
    rules = PRESETS[name]
    for deal in (0, 7, 999_999, 2**32, 2**64 - 1):
        expected = Model.from_order(deal_order(deal, rules).tolist(), rules).to_text()
        assert Game.new(deal, rules).to_text() == expected
    for number in ("1", "24", "31999", "32000", "93500419852916506624", "ms1", "ms24", "ms617"):
        order = pysol_order(number, rules.decks)
        assert deal_order(f"pysol:{number}", rules).tolist() == order
        expected = Model.from_order(order, rules).to_text()
        assert Game.new(f"pysol:{number}", rules).to_text() == expected


PYSOL_24 = """\
Talon: QD 3D AS
<4C> <7S> <5S> KH TC JH KS
<5H> <2C> <6C> 6S TS TD 6D
<QC> <QH> <9C> 7D AD KC 8D
<5D> <9S> <3C> 8C 4D 8H 7C
2D 2S 6H AC QS 8S JD
7H KD JC 9H 3H 4S 9D
AH JS TH 5C 3S 4H 2H
"""


def test_the_published_board_of_pysol_deal_24() -> None:
    assert Model.from_order(pysol_order("24"), PRESETS["classic"]).to_text() == PYSOL_24
    assert Game.new("pysol:24").to_text() == PYSOL_24


# --- facts that hold in every position


def reached(rules: Rules, number: int, moves: int) -> Game:
    """A position after some random moves of a game (see :mod:`compare`)."""
    duel = Duel(rules, number)
    for _ in range(moves):
        actions = duel.game.legal_actions()
        if not len(actions):
            break
        duel.game.play(int(duel.chance.choice(actions.tolist())))
    return duel.game


def drawn(data: st.DataObject, name: str) -> Game:
    """A position of a preset that hypothesis chooses."""
    return data.draw(st.builds(reached, st.just(PRESETS[name]), numbers, st.integers(0, 60)))


a_few = settings(unhurried, max_examples=8)


@every_preset
@given(data=st.data())
@a_few
def test_every_card_is_in_one_place(name: str, data: st.DataObject) -> None:
    game = drawn(data, name)
    board = game.board()
    present = list(board.on_board())
    assert len(present) == len(set(present))
    assert len(present) + 13 * len(board.foundations) == game.rules.cards
    seen = game.observation()
    assert (seen[:, 0] == 2).sum() == 13 * len(board.foundations)
    for number, column in enumerate(board.columns):
        for row in range(board.face_down[number], len(column)):
            upper = len(column) - 1 - row
            expected = [1, number + 1, row + 1, upper, board.face_down[number], 1]
            assert seen[column[row], :6].tolist() == expected
    assert set(seen[:, 6].tolist()) == {len(board.reserve)}


@every_preset
@given(data=st.data())
@a_few
def test_face_down_cards_lie_under_the_face_up_ones(name: str, data: st.DataObject) -> None:
    game = drawn(data, name)
    for line in game.to_text().splitlines():
        words = line.split()
        down = [word.startswith("<") for word in words]
        assert down == sorted(down, reverse=True)
        assert ":" in line or not down[-1]


@every_preset
@given(data=st.data(), number=numbers)
@a_few
def test_positions_that_differ_in_hidden_cards_look_the_same(
    name: str, data: st.DataObject, number: int
) -> None:
    game = drawn(data, name)
    other, same = hidden_shuffled(game, random.Random(number)), replanted(game)
    assert same.observation().tobytes() == other.observation().tobytes()
    assert same.legal_mask().tobytes() == other.legal_mask().tobytes()
    assert same.observation().tobytes() == game.observation().tobytes()
    hidden = [
        c
        for column, n in zip(game.board().columns, game.board().face_down, strict=True)
        for c in column[:n]
    ] + list(game.board().reserve)
    assert not game.observation()[hidden, :6].any()


@every_preset
@given(data=st.data())
@a_few
def test_a_board_text_is_read_back_as_the_same_position(name: str, data: st.DataObject) -> None:
    game = drawn(data, name)
    text = game.to_text()
    again = Game.from_text(text, rules=game.rules)
    assert again.to_text() == text
    assert format_board(again.board()) == text
    assert again.runs == game.runs
    if not game.rules.undo_action:
        assert again.outcome == game.outcome
    if again.outcome is None and game.outcome is None:
        assert set(again.legal_moves()) == set(game.legal_moves()) - {"undo"}


@st.composite
def variants(draw: st.DrawFn, like: Rules | None = None) -> Rules:
    """Rules that no preset has: any number of columns, any mixture of what may be chosen.

    Or as many columns and legal actions as a preset has, for which the engine is compiled already.
    """
    decks = draw(st.sampled_from([1, 1, 1, 2])) if like is None else like.decks
    width = draw(st.integers(4, 16)) if like is None else like.num_columns
    reserve = draw(st.integers(0, min(8, width)))
    cells = draw(st.integers(1 if like is not None and like.cells_refill else 0, 8))
    dealt = draw(st.integers(0, cells))
    chance = random.Random(draw(numbers))
    heights = [0] * width
    for _ in range(52 * decks - reserve - dealt):
        heights[chance.randrange(width)] += 1
    down = [chance.randrange(h) if h and chance.random() < 0.6 else 0 for h in heights]
    return Rules(
        f"variant-{draw(numbers)}",
        decks=decks,
        columns=tuple(heights),
        face_down=tuple(down),
        reserve=reserve,
        reserve_columns=tuple(chance.sample(range(width), reserve)),
        reserve_when=draw(st.sampled_from(["any", "stuck"])),
        cells=cells,
        cells_dealt=dealt,
        cells_refill=cells > 0 and draw(st.booleans()) if like is None else like.cells_refill,
        build=draw(st.sampled_from(["suit", "any", "colour"])),
        empty_column=draw(st.sampled_from(["king", "any"])) if like is None else like.empty_column,
        runs=draw(st.sampled_from(["taken", "stay"])),
        undo_action=draw(st.booleans()) and (like is None or like.empty_column == "king"),
        undo_limit=draw(st.sampled_from([1, 3, 100, None])),
    )


@pytest.mark.parametrize("name", ONE_OF_EACH_SHAPE)
@given(data=st.data(), number=numbers)
@settings(unhurried, max_examples=12)
def test_engine_and_model_agree_under_rules_that_no_preset_has(
    name: str, data: st.DataObject, number: int
) -> None:
    rules = data.draw(variants(PRESETS[name]))
    assert shape_of(rules) == shape_of(PRESETS[name])
    Duel(rules, number).run()


@pytest.mark.slow
@given(variants(), numbers)
@settings(unhurried, max_examples=16)
def test_engine_and_model_agree_under_any_rules(rules: Rules, number: int) -> None:
    """Numba compiles the engine for nearly each of them."""
    Duel(rules, number).run()
