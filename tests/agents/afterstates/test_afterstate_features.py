"""Afterstates are what the engine makes of each action, seen from where a player sits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scorpion_agents import load_agent
from scorpion_agents.afterstates.describer import Afterstates, Describer
from scorpion_agents.afterstates.feature_names import (
    CARD_FEATURES,
    MOVE_FEATURES,
    PER_CARD,
    POSITION_FEATURES,
)
from scorpion_agents.afterstates.reachability import FAR, reach
from scorpion_agents.afterstates.seen_position import (
    AT_UNKNOWN,
    NOTHING,
    PLACES,
    apply_move,
    new_position,
    read_position,
)
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_env import Rules, ScorpionError, ScorpionVectorEnv, get_rules
from scorpion_env.deals import deal_order
from support.played import FIRST_DEAL, as_a_player_sees, random_positions

DESCRIBED = ["classic", "flexible", "wasp", "scorpion-ii", "pysol-scorpion-ii", "traditional"]

CARD = {name: i for i, (name, _) in enumerate(CARD_FEATURES)}
REST = {name: i for i, (name, _) in enumerate((*POSITION_FEATURES, *MOVE_FEATURES))}


def read(observation: Any, everything: bool) -> Any:
    positions = new_position()
    read_position(observation, 7, everything, positions[0])
    return positions[0]


def layout(p: Any) -> list[list[tuple[int, bool]]]:
    """The columns of a position: cards from the base (-1 for an unseen one), and if face up."""
    columns = []
    for c in range(p["columns"]):
        column: list[tuple[int, bool]] = []
        card = p["base"][c]
        while card != NOTHING:
            assert (p["column"][card], p["row"][card]) == (c, len(column))
            column.append((int(card) if card < 52 else -1, len(column) >= p["down"][c]))
            card = p["above"][card]
        assert len(column) == p["height"][c]
        columns.append(column)
    return columns


# --- positions


@pytest.mark.parametrize("preset", DESCRIBED)
def test_a_move_leads_to_the_position_that_the_engine_shows(preset: str) -> None:
    rules = get_rules(preset)
    before: dict[tuple[int, bool], Any] = {}
    compared = 0
    for (seen, _, actions), live in random_positions(rules, games=60, steps=70):
        places = np.flatnonzero(live).tolist()
        for place, observation in zip(places, seen, strict=True):
            for everything in (True, False):
                if (place, everything) not in before:
                    continue
                expected = layout(read(observation, everything))
                tried = layout(before.pop((place, everything)))
                if not everything:  # cards just turned are known to the engine's player only
                    expected = [
                        [
                            (-1 if old == -1 else new, up)
                            for (new, up), (old, _) in zip(a, b, strict=True)
                        ]
                        for a, b in zip(expected, tried, strict=True)
                    ]
                assert tried == expected
                compared += 1
        before = {}
        for place, observation, action in zip(places, seen, actions, strict=True):
            if action == rules.deal_action:
                continue
            for everything in (True, False):
                p = read(observation, everything)
                apply_move(p, int(action) // 7, int(action) % 7, rules.runs == "taken")
                before[place, everything] = p
    assert compared > 1000


# --- reachability


def slow_reach(p: Any, rules: Rules, hopeful: bool) -> dict[Any, int]:
    """The round of each card, and of each unseen card by its column and row, over plain lists."""
    columns = layout(p)
    where = {
        (card if card >= 0 else (c, r)): (c, r)
        for c, column in enumerate(columns)
        for r, (card, _) in enumerate(column)
    }
    key = {place: card for card, place in where.items()}
    unknown = [card for card in range(52) if p["column"][card] == AT_UNKNOWN]
    reserve = [card for card in range(52) if p["column"][card] == -3]
    time: dict[Any, int] = {}

    def before(place: tuple[int, int], limit: int) -> bool:
        return time.get(key[place], FAR) < limit

    def turned(place: tuple[int, int], limit: int) -> bool:
        c, r = place
        return columns[c][r][1] or before((c, r + 1), limit)

    def seen_by(limit: int) -> bool:
        if not hopeful:
            return False
        places = [place for card, place in where.items() if isinstance(card, tuple)]
        return any(turned(place, limit) for place in places) or (p["to_deal"] > 0 and limit > 1)

    def free(card: Any, limit: int) -> bool:
        if card in where:
            return turned(where[card], limit)
        return limit > 1 if card in reserve else card in unknown and seen_by(limit)

    def open_to(card: int, limit: int) -> bool:
        if card in where:
            c, r = where[card]
            return r == len(columns[c]) - 1 or before((c, r + 1), limit)
        return free(card, limit)

    def placeable(card: int, receiver: int, limit: int) -> bool:
        if not open_to(receiver, limit):
            return False
        if card not in where or receiver not in where:
            return True
        (c, r), (d, s) = where[card], where[receiver]
        return c != d or r > s or any(before((c, t), limit) for t in range(r + 1, s + 1))

    def lies_well(card: int) -> bool:
        if p["column"][card] == -2:
            return True
        c, r = where.get(card, (0, 0))
        return r > 0 and columns[c][r - 1] == (card + 1, True)

    def may_move(card: Any, limit: int) -> bool:
        if not free(card, limit):
            return False
        if isinstance(card, tuple):
            return hopeful
        empty = any(not column or before((c, 0), limit) for c, column in enumerate(columns))
        king = card % 13 == 12
        if (king or rules.empty_column == "any") and empty and where.get(card, (0, 1))[1] > 0:
            return True
        if king:
            suit = range(card - 12, card)
            done = all(lies_well(c) or time.get(c, FAR) < limit for c in suit)
            return rules.runs == "taken" and done
        any_suit = range(card % 13 + 1, 52, 13)
        receivers = any_suit if rules.build == "any" else [card + 1]
        return any(placeable(card, receiver, limit) for receiver in receivers)

    for limit in range(1, FAR):
        pending = [card for card in (*where, *unknown, *reserve) if card not in time]
        now = [card for card in pending if may_move(card, limit)]
        time.update(dict.fromkeys(now, limit))
    return time


@pytest.mark.parametrize("preset", DESCRIBED)
@pytest.mark.parametrize("everything", [True, False])
def test_reachability_is_what_a_slow_search_over_lists_finds(preset: str, everything: bool) -> None:
    rules = get_rules(preset)
    moved = np.empty(PLACES, np.int8)
    flags = (rules.build == "any", rules.empty_column == "any", rules.runs == "taken")
    for step, ((seen, _, _), _) in enumerate(random_positions(rules, games=4, steps=60)):
        if step % 5:
            continue
        for observation in seen:
            p = read(observation, everything)
            for hopeful in (True, False):
                reach(p, *flags, hopeful, moved)
                slow = slow_reach(p, rules, hopeful)
                known = [card for card in range(52) if p["column"][card] != -2]
                found = {card: int(moved[card]) for card in known}
                assert found == {card: slow.get(card, FAR) for card in known}


@pytest.mark.parametrize("preset", ["classic", "scorpion-ii", "flexible"])
def test_a_position_of_a_game_that_was_won_is_never_called_dead(preset: str) -> None:
    rules = get_rules(preset)
    played = evaluate(
        load_agent("greedy", rules),
        rules,
        f"{FIRST_DEAL}:{FIRST_DEAL + 400}",
        keep_actions=True,
    )
    won = [result for result in played.deals if result.outcome == "won"]
    assert len(won) > 5
    describer = Describer(rules)
    env = ScorpionVectorEnv(1, rules, observation="full", autoreset_mode="Disabled")
    for result in won:
        seen, _ = env.reset(options={"deal": result.deal})
        assert result.actions is not None
        for action in result.actions:
            for shown in (seen, as_a_player_sees(seen)):
                assert describer.positions(shown)[1][0, REST["dead"]] == 0
            taken = after(describer, seen, env.action_masks(), action)
            assert taken.rest[0, REST["dead"]] == 0
            seen = env.step(np.array([action]))[0]


def after(describer: Describer, seen: Any, masks: Any, action: int) -> Afterstates:
    """What follows one action."""
    only = np.zeros_like(masks)
    only[0, action] = masks[0, action]
    return describer.afterstates(seen, only)


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
            p = read(as_a_player_sees(seen[game : game + 1])[0], False)
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
            turned = apply_move(p, card, target, rules.runs == "taken")
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
