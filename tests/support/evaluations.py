"""Evaluations that nobody played."""

from __future__ import annotations

import dataclasses
from typing import Any

from scorpion_agents.evaluation.evaluate import DealResult, Evaluation
from scorpion_env import get_rules

CLASSIC = get_rules("classic")


def result(deal: str, *, won: bool = False, points: int = 0) -> DealResult:
    return DealResult(deal, "won" if won else "lost", points, 0, 0, 10, 0)


def evaluation(*deals: DealResult, agent: str = "someone", **changes: Any) -> Evaluation:
    made = Evaluation(agent, "player", False, CLASSIC, 500, 0, deals, 1.0)
    return dataclasses.replace(made, **changes)
