"""What a configuration's words stand for: its rules, and the deals to train and to measure on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scorpion_env.deals import Deal, Position, SeededDeal, parse_deals
from scorpion_env.environment.deal_lists import DEALS, deal_list, read_deal_list
from scorpion_env.game import Game
from scorpion_env.notation.board_text import format_board
from scorpion_env.notation.files import is_file
from scorpion_env.rules import Rules


@dataclass(frozen=True, eq=False)
class Resolved:
    """The values that a configuration's words stand for; files they name have been read.

    Attributes:
        rules: The variant.
        deals: Seeded deals that training draws from, uint64; none in it stands for all.
        eval_deals: The games by which the best model is chosen.
        final_deals: The games on which it is measured.
    """

    rules: Rules
    deals: npt.NDArray[np.uint64]
    eval_deals: Sequence[Deal]
    final_deals: Sequence[Deal]


def training_deals(words: str, rules: Rules) -> npt.NDArray[np.uint64]:
    """Return the deals that a configuration's `deals` names, uint64; none in it stands for all.

    Raises:
        ValueError: if it names none.
    """
    if words in DEALS:
        return deal_list(words, rules)
    if not is_file(words):
        raise ValueError(f"should be {', '.join(DEALS)} or a file of numbers, not '{words}'")
    return read_deal_list(Path(words))


def measured_deals(words: str, rules: Rules) -> Sequence[Deal]:
    """Return the games that a configuration's `eval_deals` or `final_deals` names.

    Raises:
        ValueError: if it names none.
    """
    return parse_deals(words, rules)


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
