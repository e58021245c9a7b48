"""Cards as small integers, and their text.

A card is ``52 * deck + 13 * suit + rank`` with suits ``C D H S`` = 0…3 and ranks ``A`` = 0 … ``K``
= 12. Its text is rank then suit, ``7H`` or ``TS``; both decks of a two-deck game write the same
text, because the two copies of a card are interchangeable in every rule.
"""

from __future__ import annotations

from scorpion_env.errors import shortened

SUITS = "CDHS"
SYMBOLS = "♣♦♥♠"
"""Single width, no emoji."""

RANKS = "A23456789TJQK"

CARDS_PER_SUIT = 13
CARDS_PER_DECK = 52
ACE = 0
KING = 12


def rank_of(card: int) -> int:
    """Return the rank of a card, 0 (ace) … 12 (king)."""
    return card % CARDS_PER_SUIT


def suit_of(card: int) -> int:
    """Return the suit of a card, 0…3 for clubs, diamonds, hearts, spades."""
    return card % CARDS_PER_DECK // CARDS_PER_SUIT


def is_red(card: int) -> bool:
    """Return whether a card is a diamond or a heart."""
    return suit_of(card) in (1, 2)


def card_text(card: int) -> str:
    """Return the text of a card, such as ``'7H'``.

    >>> card_text(13 * 2 + 6)
    '7H'
    """
    return RANKS[rank_of(card)] + SUITS[suit_of(card)]


def parse_card(text: str) -> int:
    """Return the id of a card in the first deck, from its text in either case.

    >>> parse_card("10h") == parse_card("TH") == parse_card("T♥") == 35
    True

    Raises:
        ValueError: if the text names no card.
    """
    word = text.strip().upper()
    if len(word) in (2, 3) and word[-1] in SYMBOLS:
        word = word[:-1] + SUITS[SYMBOLS.index(word[-1])]
    if word.startswith("10"):
        word = "T" + word[2:]
    if len(word) != 2 or word[0] not in RANKS or word[1] not in SUITS:
        raise ValueError(f"'{shortened(text)}' is no card; write rank and suit, such as 7H or TS")
    return CARDS_PER_SUIT * SUITS.index(word[1]) + RANKS.index(word[0])
