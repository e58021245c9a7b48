"""Sets of deals that must have nothing in common."""

from __future__ import annotations

from collections.abc import Sequence

from scorpion_env.deals import Deal, Position, SeededDeal
from scorpion_env.game import Game
from scorpion_env.notation.board_text import format_board
from scorpion_env.rules import Rules


def shared_deals(first: Sequence[Deal], second: Sequence[Deal], rules: Rules) -> list[str]:
    """Return the names, in `first`, of the games that `second` starts with the same cards.

    Seeded deals are told apart by their numbers; if others are among them, all by their boards,
    since a file of boards, or a number of PySolFC, can show the cards of a seeded deal.
    """
    if all(isinstance(deal, SeededDeal) for deal in (*first, *second)):
        return sorted({deal.name for deal in first} & {deal.name for deal in second}, key=int)
    boards = {_board(deal, rules) for deal in second}
    return [deal.name for deal in first if _board(deal, rules) in boards]


def _board(deal: Deal, rules: Rules) -> str:
    if isinstance(deal, Position):
        return format_board(deal.board)
    return Game.new(deal, rules).to_text()
