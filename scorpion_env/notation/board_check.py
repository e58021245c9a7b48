"""Boards that come as data instead of text, checked as strictly as a text is."""

from __future__ import annotations

from collections import Counter
from typing import TypeGuard

from scorpion_env.errors import BoardError, shown
from scorpion_env.notation.board import EMPTY, UNKNOWN, Board
from scorpion_env.notation.board_text import format_board, parse_board
from scorpion_env.rules import Rules


def check_board(board: Board, rules: Rules) -> None:
    """Refuse a board whose cards are not those of a game under these rules.

    The kernels trust card ids, heights and counts: nothing that came from outside reaches them
    unchecked.

    Raises:
        BoardError: naming the place.
    """
    if not isinstance(board, Board):
        raise BoardError(f"a position holds a Board, not {type(board).__name__}")
    parts = board.columns, board.face_down, board.reserve, board.cells, board.foundations
    are_tuples = all(isinstance(part, tuple) for part in parts)
    if not (are_tuples and all(isinstance(column, tuple) for column in board.columns)):
        raise BoardError("the parts of a Board, and its columns, are tuples")
    if len(board.columns) != len(board.face_down):
        raise BoardError(
            f"the board has {len(board.columns)} columns, but face_down has "
            f"{len(board.face_down)} numbers"
        )
    for number, (column, down) in enumerate(
        zip(board.columns, board.face_down, strict=True), start=1
    ):
        _check_cards(column, f"column {number}", rules)
        if not _is_whole(down) or not 0 <= down <= len(column):
            raise BoardError(
                f"column {number} has {len(column)} cards, of which {shown(down)} cannot lie face "
                "down"
            )
    _check_cards(board.reserve, "the reserve", rules)
    _check_cards(board.cells, "the cells", rules, others=(UNKNOWN, EMPTY))
    if not all(isinstance(suit, str) for suit in board.foundations):
        raise BoardError("foundations are letters of suits")
    doubled = [card for card, n in Counter(board.on_board()).items() if n > 1 and card >= 0]
    if doubled:
        raise BoardError(f"the card with id {doubled[0]} is there twice")
    if rules.cells and not board.cells:
        raise BoardError(f"rules '{rules.name}' have {rules.cells} cells, but the board has none")
    parse_board(format_board(board), rules)


def _check_cards(
    cards: tuple[object, ...], where: str, rules: Rules, others: tuple[int, ...] = (UNKNOWN,)
) -> None:
    for card in cards:
        if not _is_whole(card) or not (0 <= card < rules.cards or card in others):
            raise BoardError(
                f"{where} holds {shown(card)}, which is no card id from 0 to {rules.cards - 1}"
            )


def _is_whole(value: object) -> TypeGuard[int]:
    return type(value) is int
