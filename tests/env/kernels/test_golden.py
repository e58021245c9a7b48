"""The golden files: whole games move by move, and counts of legal action sequences.

``golden/make_golden.py`` writes them again. Both the engine and the model must reproduce them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from scorpion_env.deals import deal_order
from scorpion_env.game import Game
from scorpion_env.rules import PRESETS
from support.model import Model

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "golden"))

from make_golden import GAMES, PERFT, moves_of, sequences, transcript

FILES = sorted(path.stem for path in GAMES.glob("*.txt"))
COUNTS = [
    (name, int(deal), int(depth), int(count))
    for name, deal, depth, count in (
        line.split() for line in PERFT.read_text(encoding="utf-8").splitlines() if line[0] != "#"
    )
]
FAST_COUNT = int(os.environ.get("SCORPION_PERFT", "20000"))
"""Sequences up to which the engine counts again; the file holds counts up to two million."""
MODEL_COUNT = FAST_COUNT // 40


def read(stem: str) -> str:
    return (GAMES / f"{stem}.txt").read_text(encoding="utf-8")


def test_every_preset_has_two_whole_games_and_its_counts() -> None:
    assert sorted(f"{name}-{n}" for name in PRESETS for n in (1, 2)) == FILES
    assert {name for name, *_ in COUNTS} == set(PRESETS)


@pytest.mark.parametrize("stem", FILES)
def test_the_engine_plays_the_golden_game_again(stem: str) -> None:
    text = read(stem)
    assert transcript(PRESETS[stem[:-2]], *moves_of(text)) == text


@pytest.mark.parametrize("stem", FILES)
def test_the_model_plays_the_golden_game_again(stem: str) -> None:
    text, rules = read(stem), PRESETS[stem[:-2]]
    deal, moves = moves_of(text)
    model = Model.from_order(deal_order(deal, rules).tolist(), rules)
    lines = [text.splitlines()[0]]

    def state() -> list[str]:
        legal = dict.fromkeys(map(model.text_of, sorted(model.legal())))
        where = f"score: {model.position.score}, runs: {model.runs()}"
        return ["", model.to_text().rstrip(), f"legal: {' '.join(legal) or 'none'}", where]

    for number, move in enumerate(moves, start=1):
        lines += state()
        action = next(a for a in sorted(model.legal()) if model.text_of(a) == move)
        lines.append(f"move {number}: {move} pays {model.play(action)}")
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
