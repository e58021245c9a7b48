"""Cards: their ids, their texts, and texts that are none."""

from __future__ import annotations

import pytest

from scorpion_env.cards import card_text, is_red, parse_card, rank_of, suit_of


def test_every_card_has_the_id_of_the_contract() -> None:
    assert [parse_card(t) for t in ("AC", "KC", "AD", "7H", "KS")] == [0, 12, 13, 32, 51]
    assert parse_card("10h") == parse_card("TH")
    for card in range(104):
        assert parse_card(card_text(card)) == card % 52
        assert (suit_of(card), rank_of(card)) == divmod(card % 52, 13)
        assert is_red(card) == (card_text(card)[1] in "DH")


@pytest.mark.parametrize("bad", ["", "1H", "HH", "7", "7X", "11H", "7HH"])
def test_a_misspelt_card_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="no card"):
        parse_card(bad)
