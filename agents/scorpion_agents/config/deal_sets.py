"""Sets of deals that must have nothing in common."""

from __future__ import annotations

from collections.abc import Sequence

from scorpion_env.deals import Position
from scorpion_env.game import Game
from scorpion_env.notation.board_text import format_board
from scorpion_env.rules import Rules


def shared_deals(
    first: Sequence[str | Position], second: Sequence[str | Position], rules: Rules
) -> list[str]:
    """Return the names, in `first`, of the games that `second` starts with the same cards.

    Seeded deals are told apart by their numbers; if others are among them, all by their boards,
    since a file of boards, or a number of PySolFC, can show the cards of a seeded deal.
    """
    names = [{start for start in starts if isinstance(start, str)} for starts in (first, second)]
    seeded = not any(name.startswith("pysol:") for name in names[0] | names[1])
    if seeded and (len(names[0]), len(names[1])) == (len(first), len(second)):
        return sorted(names[0] & names[1], key=int)
    boards = {_board(start, rules) for start in second}
    return [
        start.name if isinstance(start, Position) else start
        for start in first
        if _board(start, rules) in boards
    ]


def _board(start: str | Position, rules: Rules) -> str:
    if isinstance(start, Position):
        return format_board(start.board)
    return Game.new(start, rules).to_text()
