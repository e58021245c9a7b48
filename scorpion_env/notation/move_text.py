"""Moves as text: ``4H>7`` (card, column from 1), ``4H>cell``, ``deal``, ``undo``."""

from __future__ import annotations

import re

from scorpion_env.cards import CARDS_PER_DECK, card_text, parse_card
from scorpion_env.errors import IllegalMove, nearest, shortened
from scorpion_env.rules import Rules


def action_text(action: int, rules: Rules) -> str:
    """Return the text of an action of these rules.

    >>> from scorpion_env.rules import get_rules
    >>> action_text(206, get_rules("classic"))
    '4H>4'
    """
    if action == rules.undo_action_index:
        return "undo"
    if action == rules.deal_action:
        return "deal"
    if action > rules.deal_action:
        return f"{card_text(action - rules.deal_action - 1)}>cell"
    card, column = divmod(action, rules.num_columns)
    return f"{card_text(card)}>{column + 1}"


def parse_move(text: str, rules: Rules) -> list[int]:
    """Return the actions that a move's text stands for: one for each copy of the card.

    Raises:
        IllegalMove: if the text is no move of these rules.
    """
    word = text.strip()
    if word.lower() == "deal":
        return [rules.deal_action]
    if word.lower() == "undo" and rules.undo_action_index is not None:
        return [rules.undo_action_index]
    shown = shortened(text)
    first, arrow, second = word.partition(">")
    if not arrow:
        words = ["deal"] if rules.undo_action_index is None else ["deal", "undo"]
        raise IllegalMove(f"'{shown}' is no move; write 4H>7 or deal.{nearest(word, words)}")
    try:
        card = parse_card(first)
    except ValueError as error:
        raise IllegalMove(f"'{shown}' is no move: {error}.") from None
    target = second.strip().lower()
    copies = range(card, rules.cards, CARDS_PER_DECK)
    if target == "cell" and rules.cells_refill:
        return [rules.cell_action(copy) for copy in copies]
    column = int(target) if re.fullmatch("[0-9]{1,4}", target) else 0
    if 1 <= column <= rules.num_columns:
        return [copy * rules.num_columns + column - 1 for copy in copies]
    raise IllegalMove(
        f"'{shown}' is no move: '{shortened(second)}' is no column from 1 to {rules.num_columns}."
    )
