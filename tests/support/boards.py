"""Small hand-made boards that mean the same thing under every preset, and games on them.

A board is written with the cards of one-suit runs. Runs of which no card is named have been taken
already (where runs stay on the table: lie complete in the columns furthest to the right). Presets
that build in alternating colours get the same board with the suits of every second rank exchanged,
C with H and D with S, so that what was a run of one suit is a run of alternating colours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from scorpion_env.game import Game
from scorpion_env.rules import PRESETS, Rules

RANKS = "KQJT98765432A"
EXCHANGED = {"C": "H", "H": "C", "D": "S", "S": "D"}

ALL = list(PRESETS)
WITH_RESERVE = [name for name, rules in PRESETS.items() if rules.reserve]
RUNS_TAKEN = [name for name, rules in PRESETS.items() if rules.runs == "taken"]
ONLY_KINGS = [name for name, rules in PRESETS.items() if rules.empty_column == "king"]
NO_WAY_OUT = [
    name
    for name, rules in PRESETS.items()
    if rules.empty_column == "king" and not rules.cells_refill
]
"""Presets without a place to which any card may go."""


def cards(rules: Rules, text: str) -> str:
    """Card names, moves or board lines as the preset has them."""
    if rules.build != "colour":
        return text
    out = list(text)
    for at in range(len(out) - 1):
        if out[at] in "QT8642" and out[at + 1] in EXCHANGED:
            out[at + 1] = EXCHANGED[out[at + 1]]
    return "".join(out)


def run(suit: str, first: str = "K", last: str = "A") -> str:
    """The cards of a suit from one rank down to another: ``run("S", "4")`` is ``4S 3S 2S AS``."""
    return " ".join(r + suit for r in RANKS[RANKS.index(first) : RANKS.index(last) + 1])


def same_suit(rules: Rules) -> int:
    """What the placement of a card on the next one of its run pays."""
    return 0 if rules.build == "colour" else 5


def board(
    rules: Rules, columns: Sequence[str], *, reserve: str = "", cells: str | None = None
) -> str:
    """The text of a whole board; columns that are not given are empty."""
    named = Counter(
        " ".join((*columns, reserve, cells or "")).replace("<", "").replace(">", "").split()
    )
    left = [
        suit
        for suit in "CDHS"
        for _ in range(rules.decks - max(named[rank + suit] for rank in RANKS))
    ]
    complete = [run(suit) for suit in left] if rules.runs == "stay" else []
    lines = [f"Talon: {reserve}"] if reserve else []
    if rules.cells:
        lines.append(f"Cells: {cells or ' '.join('-' * rules.cells)}")
    if left and not complete:
        lines.append("Foundations: " + " ".join(left))
    empty = ["-"] * (rules.num_columns - len(columns) - len(complete))
    lines += [column or "-" for column in columns] + empty + complete
    return cards(rules, "\n".join(lines)) + "\n"


def column_lines(text: str) -> list[str]:
    """The lines of a board text that are columns."""
    return [line for line in text.splitlines() if ":" not in line and line]


def for_presets(names: list[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("rules", [PRESETS[name] for name in names], ids=names)


every_preset = for_presets(ALL)
with_reserve = for_presets(WITH_RESERVE)
runs_taken = for_presets(RUNS_TAKEN)
reserve_and_runs_taken = for_presets([name for name in WITH_RESERVE if name in RUNS_TAKEN])
only_kings = for_presets(ONLY_KINGS)
no_way_out = for_presets(NO_WAY_OUT)

# No card of these two columns lies face up one rank below another column's end.
HIDDEN_EVENS = "<2S> <4S> <6S> <8S> <TS> <QS> AS"
ODDS = "KS 3S 5S 7S 9S JS"


def start(rules: Rules, columns: list[str], reserve: str = "", cells: str | None = None) -> Game:
    return Game.from_text(board(rules, columns, reserve=reserve, cells=cells), rules=rules)


def play(game: Game, move: str) -> int:
    """Plays a move that is written with the cards of one-suit runs."""
    return int(game.play(cards(game.rules, move)))


def columns_of(game: Game) -> list[str]:
    return column_lines(game.to_text())


def written(rules: Rules, *texts: str) -> list[str]:
    return [cards(rules, text) for text in texts]


def everything(game: Game) -> tuple[object, ...]:
    """What undo must bring back."""
    return (game.to_text(), game.score, game.runs, game.outcome, game.legal_moves(), game.moves)


def restarted(game: Game, order: list[int] | None = None) -> Game:
    """A new game from the board of another, its columns in another order if one is given."""
    lines = game.to_text().splitlines()
    heads, columns = lines[: -game.rules.num_columns], columns_of(game)
    if order is not None:
        columns = [columns[at] for at in order]
    return Game.from_text("\n".join(heads + columns) + "\n", rules=game.rules)


def dead_end(rules: Rules, reserve_cards: int) -> tuple[list[str], str]:
    """Columns without a move but an idle king's, and the first even spades as the reserve."""
    evens = ["2S", "4S", "6S", "8S", "TS", "QS"]
    left = " ".join(f"<{card}>" for card in evens[reserve_cards:])
    return [f"{left} AS".strip(), ODDS], " ".join(evens[:reserve_cards])
