"""Positions in and out of a game's record."""

from __future__ import annotations

from typing import Any

from scorpion_env.cards import KING, SUITS, suit_of
from scorpion_env.kernels.play import clear
from scorpion_env.kernels.state import NO_CARD, TAKEN
from scorpion_env.notation.board import EMPTY, Board, taken_runs
from scorpion_env.rules import Rules


def load_board(g: Any, board: Board, rules: Rules) -> None:
    """Put the cards of a complete board on the table of a game; its legal actions are not found."""
    clear(g)
    for column, (cards, down) in enumerate(zip(board.columns, board.face_down, strict=True)):
        under = NO_CARD
        for row, card in enumerate(cards):
            g["column"][card], g["row"][card], g["below"][card] = column, row, under
            g["playable"][card] = row >= down
            g["pile"][column][row] = card
            under = card
        g["end"][column] = under
        g["down"][column] = down
    for cell, card in enumerate(board.cells):
        if card != EMPTY:
            g["cells"][cell] = card
            g["column"][card] = rules.num_columns + cell
            g["playable"][card] = 1
    g["reserve"][: len(board.reserve)] = board.reserve
    g["reserve_left"] = len(board.reserve)
    for i, run in enumerate(taken_runs(board, rules)):
        g["taken"][i] = run[-1]
        under = NO_CARD
        for card in run:
            g["column"][card], g["below"][card] = TAKEN, under
            under = card
    g["runs"] = len(board.foundations)


def read_board(g: Any, rules: Rules) -> Board:
    """Return the position that a game's record holds."""
    below = g["below"].tolist()
    columns = []
    for card in g["end"].tolist():
        cards = []
        while card != NO_CARD:
            cards.append(card)
            card = below[card]  # noqa: PLW2901
        columns.append(tuple(reversed(cards)))
    foundations = []
    if rules.runs == "taken":
        for ace in g["taken"][: int(g["runs"])].tolist():
            card = ace
            for _ in range(KING):
                card = below[card]
            foundations.append(SUITS[suit_of(card)])
    return Board(
        columns=tuple(columns),
        face_down=tuple(g["down"].tolist()),
        reserve=tuple(g["reserve"][: int(g["reserve_left"])].tolist()),
        cells=tuple(c if c >= 0 else EMPTY for c in g["cells"][: rules.cells].tolist()),
        foundations=tuple(foundations),
    )
