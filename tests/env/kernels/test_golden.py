"""The golden files: whole games move by move, and counts of legal action sequences.

``golden/make_golden.py`` writes them again. Both the engine and the model must reproduce them.
"""

from __future__ import annotations

import os

import pytest

from golden.make_golden import GAMES, PERFT, file_of, moves_of, sequences, transcript
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
FAST_COUNT = int(os.environ.get("SCORPION_PERFT", "20000"))
"""Sequences up to which the engine counts again; the file holds counts up to two million."""
MODEL_COUNT = FAST_COUNT // 40


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


@pytest.mark.parametrize("name", list(PRESETS))
def test_the_engine_counts_the_same_sequences(name: str) -> None:
    for preset, deal, depth, count in COUNTS:
        if preset == name and count <= FAST_COUNT:
            assert sequences(Game.new(deal, name), depth) == count, (deal, depth)


@pytest.mark.parametrize("name", list(PRESETS))
def test_the_model_counts_the_same_sequences(name: str) -> None:
    rules = PRESETS[name]
    for preset, deal, depth, count in COUNTS:
        if preset == name and count <= MODEL_COUNT:
            model = Model.from_order(deal_order(deal, rules).tolist(), rules)
            assert counted(model, depth) == count, (deal, depth)
