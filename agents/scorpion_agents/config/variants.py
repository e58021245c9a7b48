"""What a variant needs in a configuration that was made for Classic.

``train.py --rules X`` lays these values over those of the file; ``--set`` overrides both.
"""

from __future__ import annotations

from typing import Any

from scorpion_agents.afterstates.describer import check_describable
from scorpion_env.environment.deal_lists import ALL
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules

Needs = dict[str, Any]


def moves_can_be_taken_back(rules: Rules) -> bool:
    """Whether a card can go back to where it came from, so that a game can go round in circles.

    In suit with kings alone in empty columns, a card that is placed lies on the only card that
    takes it.
    """
    in_suit = rules.build == "suit" and rules.decks == 1
    return not in_suit or rules.empty_column == "any" or rules.cells > 0 or rules.undo_action


def needs_of(rules: Rules) -> list[tuple[Needs, str]]:
    """Return values for a variant's configuration, each group with the reason for it."""
    found: list[tuple[Needs, str]] = []
    if moves_can_be_taken_back(rules):
        found.append(
            (
                {"reward": "points-once", "gamma": 0.98, "max_steps": 200 * rules.decks},
                "moves can be taken back: points that are paid again would be earned by moving a "
                "card to and fro, and a win counts for less the later it comes",
            )
        )
        found.append(
            ({"deals": ALL}, "many deals can be won, and the solver takes long to find out which")
        )
    try:
        check_describable(rules)
    except ScorpionError:
        found.append(
            (
                {"policy": "mlp", "critic": "player", "net_arch": [512, 256]},
                "the afterstate policy plays one deck without cells, in suit or on any suit",
            )
        )
    return found


def pays_for_circles(rules: Rules, reward: str) -> bool:
    """Whether a reward can be earned without end by moving a card to and fro."""
    return reward == "points" and moves_can_be_taken_back(rules)
