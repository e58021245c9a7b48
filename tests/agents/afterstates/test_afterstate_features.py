"""Afterstates are what the engine makes of each action, seen from where a player sits."""

from __future__ import annotations

import numpy as np
import pytest

from scorpion_agents.afterstates.describer import Describer
from scorpion_agents.afterstates.feature_names import (
    PER_CARD,
)
from scorpion_agents.afterstates.seen_position import (
    AT_UNKNOWN,
)
from scorpion_env import ScorpionError, ScorpionVectorEnv, get_rules
from scorpion_env.deals import deal_order
from support.played import FIRST_DEAL, as_a_player_sees, random_positions
from support.seen import CARD, DESCRIBED, REST, foreseen, layout, read

# --- features


@pytest.mark.parametrize("preset", DESCRIBED)
def test_hidden_cards_leave_no_trace_in_afterstates(preset: str) -> None:
    describer = Describer(get_rules(preset))
    rules = get_rules(preset)
    for (seen, masks, _), _ in random_positions(rules, games=20, steps=30):
        full = describer.afterstates(seen, masks)
        shown = describer.afterstates(as_a_player_sees(seen), masks)
        assert full.cards.tobytes() == shown.cards.tobytes()
        assert full.rest.tobytes() == shown.rest.tobytes()


def test_games_that_differ_in_hidden_cards_alone_give_equal_features() -> None:
    rules = get_rules("classic")
    order = deal_order(FIRST_DEAL, rules).tolist()
    describer = Describer(rules)
    hidden = [column + 7 * row for row in range(3) for column in range(4)] + [49, 50, 51]
    other = order.copy()
    for at, taken in zip(hidden, reversed(hidden), strict=True):
        other[at] = order[taken]
    assert order != other
    found = []
    for cards in (order, other):
        env = ScorpionVectorEnv(1, rules, autoreset_mode="Disabled")
        seen, _ = env.reset(options={"board": board_text(cards)})
        found.append(describer.afterstates(seen, env.action_masks()))
    assert (found[0].actions == found[1].actions).all()
    assert found[0].cards.tobytes() == found[1].cards.tobytes()
    assert found[0].rest.tobytes() == found[1].rest.tobytes()


def board_text(order: list[int]) -> str:
    """Classic's deal of 52 cards in order: a row at a time, then the reserve."""
    name = ["A23456789TJQK"[card % 13] + "CDHS"[card // 13] for card in order]
    lines = ["Talon: " + " ".join(name[49:])]
    for column in range(7):
        cards = [name[column + 7 * row] for row in range(7)]
        lines.append(" ".join(f"<{c}>" if column < 4 and r < 3 else c for r, c in enumerate(cards)))
    return "\n".join(lines)


@pytest.mark.parametrize("preset", DESCRIBED)
def test_the_features_mean_what_their_names_say(preset: str) -> None:
    rules = get_rules(preset)
    describer = Describer(rules)
    for (seen, masks, _), _ in random_positions(rules, games=10, steps=50):
        found = describer.afterstates(seen, masks)
        for i, (game, action) in enumerate(zip(found.games, found.actions, strict=True)):
            shown = as_a_player_sees(seen[game : game + 1])[0]
            p = read(shown, False, rules)
            height, runs = p["height"].copy(), p["runs"]
            cards = found.cards[i].reshape(52, PER_CARD)
            rest = found.rest[i]
            if action == rules.deal_action:
                assert rest[REST["deal"]] == 1
                assert rest[REST["to_deal"]] == 0
                assert not cards[:, CARD["moved"]].any()
                continue
            card, target = divmod(int(action), 7)
            source, row = p["column"][card], p["row"][card]
            down = p["down"].sum()
            below = layout(p)[source][row - 1] if row else (-1, False)
            fits = below[0] >= 0 and below[1] and below[0] % 13 == card % 13 + 1
            on_any = fits and rules.build == "any"
            lay_well = 2 if fits and below[0] == card + 1 else int(on_any)
            assert rest[REST["unsettled"]] == lay_well
            p, turned = foreseen(shown, False, action, rules)
            columns = layout(p)
            ends = [column[-1][0] for column in columns if column]
            assert (cards[:, CARD["unknown"]] == (p["column"][:52] == AT_UNKNOWN)).all()
            assert set(np.flatnonzero(cards[:, CARD["end"]])) == {c for c in ends if c >= 0}
            assert rest[REST["face_down"]] == down - turned
            assert rest[REST["turned"]] == turned
            assert rest[REST["runs"]] == p["runs"]
            assert rest[REST["runs_taken"]] == p["runs"] - runs
            assert rest[REST["group"]] == height[source] - row
            assert rest[REST["emptied"]] == (row == 0)
            assert rest[REST["to_empty"]] == (height[target] == 0)
            assert rest[REST["target_height"]] == height[target]
            assert rest[REST["empty_columns"]] == sum(not column for column in columns)
            assert rest[REST["unknown"]] == (p["column"][:52] == AT_UNKNOWN).sum()
            if p["runs"] == runs:
                assert np.flatnonzero(cards[:, CARD["moved"]]).tolist() == [card]
            for column in columns:
                for r, (c, up) in enumerate(column):
                    if c < 0:
                        continue
                    assert cards[c, CARD["on_top"]] == len(column) - 1 - r
                    assert cards[c, CARD["base"]] == (r == 0)
                    well = r > 0 and column[r - 1] == (c + 1, True) and up
                    king = c % 13 == 12
                    assert cards[c, CARD["settled"]] == (r == 0 if king else well)
                    follower = [s for s, (d, _) in enumerate(column) if d == c + 1 and not king]
                    inside = bool(follower) and follower[0] > r
                    assert cards[c, CARD["under_its_receiver"]] == inside


def test_permuting_the_suits_permutes_the_features() -> None:
    rules = get_rules("classic")
    describer = Describer(rules)
    suits = np.array([2, 0, 3, 1])
    cards = (13 * suits[:, None] + np.arange(13)).reshape(-1)  # new place of each old card
    for (seen, masks, _), _ in random_positions(rules, games=20, steps=30):
        other = np.empty_like(seen)
        other[:, cards] = seen
        others = masks.copy()
        others[:, :364].reshape(-1, 52, 7)[:, cards] = masks[:, :364].reshape(-1, 52, 7)
        found, permuted = describer.afterstates(seen, masks), describer.afterstates(other, others)
        new = np.where(
            found.actions == 364, 364, cards[found.actions // 7 % 52] * 7 + found.actions % 7
        )
        at = {
            (g, a): i for i, (g, a) in enumerate(zip(permuted.games, permuted.actions, strict=True))
        }
        rows = [at[pair] for pair in zip(found.games, new, strict=True)]
        assert (permuted.cards[rows][:, suits] == found.cards).all()
        assert (permuted.rest[rows] == found.rest).all()


def test_some_of_the_positions_are_taken_in_the_order_given() -> None:
    rules = get_rules("classic")
    describer = Describer(rules)
    (seen, masks, _), _ = next(random_positions(rules, games=12, steps=1))
    chosen = np.array([7, 2, 2, 11])
    taken = describer.afterstates(seen, masks).take(chosen)
    anew = describer.afterstates(seen[chosen], masks[chosen])
    for field in ("games", "actions", "cards", "rest", "starts"):
        assert (getattr(taken, field) == getattr(anew, field)).all()


# --- refusals


@pytest.mark.parametrize(
    ("preset", "why"),
    [
        ("double", "two decks"),
        ("scorpion-tail", "alternating colours"),
        ("scorpion-head", "cells"),
        ("open", "undo as an action"),
    ],
)
def test_variants_that_the_features_do_not_describe_are_refused(preset: str, why: str) -> None:
    with pytest.raises(ScorpionError, match=why):
        Describer(get_rules(preset))
