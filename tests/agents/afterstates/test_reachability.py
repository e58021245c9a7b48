"""Which cards can still move, and which positions are dead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scorpion_agents import load_agent
from scorpion_agents.afterstates.describer import Describer
from scorpion_agents.afterstates.reachability import FAR, reach
from scorpion_agents.afterstates.seen_position import (
    AT_UNKNOWN,
    PLACES,
)
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_env import Rules, ScorpionVectorEnv, get_rules
from scorpion_env.kernels.state import encode_rules
from support.played import FIRST_DEAL, as_a_player_sees, random_positions
from support.seen import DESCRIBED, REST, after, layout, read

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
    record = encode_rules(rules)[0]
    for step, ((seen, _, _), _) in enumerate(random_positions(rules, games=4, steps=60)):
        if step % 5:
            continue
        for observation in seen:
            p = read(observation, everything, rules)
            for hopeful in (True, False):
                reach(p, record, hopeful, moved)
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
