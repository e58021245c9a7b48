"""The golden files: whole games move by move, and counts of legal action sequences.

``golden/make_golden.py`` writes them again. Both the engine and the model must reproduce them.
"""

from __future__ import annotations

import pytest

from golden.make_golden import GAMES, PERFT, PERFT_LIMIT, file_of, moves_of, sequences, transcript
from scorpion_env.deals import deal_order
from scorpion_env.game import Game
from scorpion_env.rules import PRESETS
from support.model import Model

FILES = [(name, number) for name in PRESETS for number in (1, 2)]
COUNTS = [
    (name, int(deal), int(depth), int(count))
    for name, deal, depth, count in (
        line.split() for line in PERFT.read_text(encoding="utf-8").splitlines() if line[0] != "#"
    )
]
FAST_COUNT = 20_000
"""Sequences up to which the engine counts again soon; the file holds counts up to two million."""

MODEL_COUNT = 500
"""Sequences up to which the model counts again."""


def read(name: str, number: int) -> str:
    return file_of(name, number).read_text(encoding="utf-8")


def test_every_preset_has_two_whole_games_and_its_counts() -> None:
    assert {file_of(name, number) for name, number in FILES} == set(GAMES.rglob("*.txt"))
    assert {name for name, *_ in COUNTS} == set(PRESETS)


@pytest.mark.parametrize(("name", "number"), FILES)
def test_the_engine_plays_the_golden_game_again(name: str, number: int) -> None:
    text = read(name, number)
    assert transcript(PRESETS[name], *moves_of(text)) == text


@pytest.mark.parametrize(("name", "number"), FILES)
def test_the_model_plays_the_golden_game_again(name: str, number: int) -> None:
    text, rules = read(name, number), PRESETS[name]
    deal, moves = moves_of(text)
    model = Model.from_order(deal_order(deal, rules).tolist(), rules)
    lines = [text.splitlines()[0]]

    def state() -> list[str]:
        legal = dict.fromkeys(map(model.text_of, sorted(model.legal())))
        where = f"score: {model.position.score}, runs: {model.runs()}"
        return ["", model.to_text().rstrip(), f"legal: {' '.join(legal) or 'none'}", where]

    for turn, move in enumerate(moves, start=1):
        lines += state()
        action = next(a for a in sorted(model.legal()) if model.text_of(a) == move)
        lines.append(f"move {turn}: {move} pays {model.play(action)}")
    lines += [*state(), f"outcome: {model.outcome() or 'open'}"]
    assert "\n".join(lines) + "\n" == text


def counted(model: Model, depth: int) -> int:
    """Sequences of legal actions by the model, undo left out."""
    actions = model.legal() - {model.undo_index}
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        model.play(action)
        total += counted(model, depth - 1)
        model.undo()
    return total


def counts_of(name: str, least: int, most: int) -> list[tuple[int, int, int]]:
    """Deal, depth and count of a preset's lines with more than `least` and up to `most`."""
    return [
        (deal, depth, n)
        for preset, deal, depth, n in COUNTS
        if preset == name and least < n <= most
    ]


@pytest.mark.parametrize("name", list(PRESETS))
def test_the_engine_counts_the_same_sequences(name: str) -> None:
    chosen = counts_of(name, 0, FAST_COUNT)
    assert len(chosen) >= 6
    for deal, depth, count in chosen:
        assert sequences(Game.new(deal, name), depth) == count, (deal, depth)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PRESETS))
def test_the_engine_counts_the_same_long_sequences(name: str) -> None:
    for deal, depth, count in counts_of(name, FAST_COUNT, PERFT_LIMIT):
        assert sequences(Game.new(deal, name), depth) == count, (deal, depth)


@pytest.mark.parametrize("name", list(PRESETS))
def test_the_model_counts_the_same_sequences(name: str) -> None:
    rules = PRESETS[name]
    chosen = counts_of(name, 0, MODEL_COUNT)
    assert len(chosen) >= 3
    for deal, depth, count in chosen:
        model = Model.from_order(deal_order(deal, rules).tolist(), rules)
        assert counted(model, depth) == count, (deal, depth)
