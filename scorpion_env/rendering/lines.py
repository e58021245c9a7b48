"""A board as plain sentences, one a line: for screen readers, logs and braille displays."""

from __future__ import annotations

from collections.abc import Sequence

from scorpion_env.notation.board import EMPTY, Board
from scorpion_env.rendering.status import (
    OUTCOMES,
    SUIT_NAMES,
    Marks,
    Status,
    face_text,
    last_move_marks,
    split_move,
)
from scorpion_env.rules import Rules


def lines_text(board: Board, rules: Rules, status: Status, *, legal: bool) -> str:
    """Return the board as sentences, without symbols, colour, padding or a line limit."""
    marks = last_move_marks(board, rules, status)
    lines = [_numbers(rules, status)]
    if board.foundations:
        suits = [SUIT_NAMES.get(suit, suit) for suit in board.foundations]
        lines.append(f"Runs taken: {listing(suits)}.")
    if status.last_move is not None:
        lines.append(f"Last move: {spoken_move(status.last_move, rules)}.")
    if rules.reserve:
        lines.append(_reserve(board, rules))
    if rules.cells:
        lines.append(_cells(board, marks))
    lines += [_column(board, column, marks) for column in range(len(board.columns))]
    if legal:
        moves = [spoken_move(move, rules) for move in status.legal_moves]
        spoken = "; ".join(moves) if moves else "none"
        lines.append(f"Legal moves, {len(moves)}: {spoken}.")
    if status.outcome is not None:
        lines.append(OUTCOMES.get(status.outcome, status.outcome))
    return "\n".join(lines)


def counted(number: int, noun: str) -> str:
    """Return `1 card`, `2 cards`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listing(words: Sequence[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def spoken_move(move: str, rules: Rules) -> str:
    """Return a move text as words: `4H to column 7`, `deal the reserve`."""
    card, goal = split_move(move)
    if goal == "cell":
        return f"{card} to a free cell"
    if goal:
        return f"{card} to column {goal}"
    return "deal the reserve" if move == "deal" else move


def reserve_columns_text(rules: Rules) -> str:
    """Return where the reserve goes: `column 1`, `columns 1, 2 and 3`."""
    numbers = [str(column + 1) for column in rules.reserve_columns]
    return ("column " if len(numbers) == 1 else "columns ") + listing(numbers)


def _numbers(rules: Rules, status: Status) -> str:
    runs = f"{status.runs} of {rules.num_runs} runs"
    return f"Rules {rules.name}. Score {status.score}. {counted(status.moves, 'move')}. {runs}."


def _reserve(board: Board, rules: Rules) -> str:
    if not board.reserve:
        return "Reserve: dealt."
    cards = counted(len(board.reserve), "card")
    return f"Reserve: {cards} face down, for {reserve_columns_text(rules)}."


def _cells(board: Board, marks: Marks) -> str:
    words = []
    for cell, card in enumerate(board.cells):
        text = "empty" if card == EMPTY else face_text(card)
        words.append(f"{text} just moved" if cell in marks.cells else text)
    return f"Cells: {', '.join(words)}."


def _column(board: Board, column: int, marks: Marks) -> str:
    cards, hidden = board.columns[column], board.face_down[column]
    note = ", a run was just taken from it" if column in marks.columns else ""
    if not cards:
        return f"Column {column + 1}: empty{note}."
    words = [f"{hidden} face down"] if hidden else []
    for row in range(hidden, len(cards)):
        text = face_text(cards[row])
        words.append(f"{text} just moved" if (column, row) in marks.cards else text)
    return f"Column {column + 1}, {counted(len(cards), 'card')}{note}: {', '.join(words)}."
