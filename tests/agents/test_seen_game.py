"""An observation laid back on a table is the position that it was made from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scorpion_agents.seen_game import new_table, read_game
from scorpion_env.env import ScorpionEnv
from scorpion_env.kernels.observation import VISIBLE
from scorpion_env.kernels.play import conclude
from scorpion_env.kernels.state import IN_RESERVE, TAKEN
from support.played import as_a_player_sees

FIELDS = ("below", "column", "row", "playable", "end", "down", "cells", "reserve_left", "runs")
SOME_RULES = ["classic", "traditional", "scorpion-head", "double"]


def positions(env: ScorpionEnv, deals: int) -> Any:
    """Observations along random games, and the engine's record of each."""
    generator = np.random.default_rng(0)
    for deal in range(deals):
        seen, _ = env.reset(seed=deal)
        over = False
        while not over:
            yield seen, env._batch.games[0]
            action = int(generator.choice(np.flatnonzero(env.action_masks())))
            seen, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated


@pytest.mark.parametrize("name", SOME_RULES)
def test_a_full_observation_is_laid_out_as_the_game_it_shows(name: str) -> None:
    env = ScorpionEnv(name, observation="full", max_steps=200)
    table = new_table(env.rules, conclusive=True)
    for seen, real in positions(env, deals=5):
        assert read_game(seen, True, table) == 0
        g = table.position[0]
        conclude(g, table.rules)
        gone = real["column"] == TAKEN  # a taken run keeps links that only undo needs
        for field in FIELDS:
            ours, theirs = g[field].copy(), real[field].copy()
            if field in ("below", "row", "playable"):
                elsewhere = gone | (real["column"] == IN_RESERVE)
                ours[elsewhere] = theirs[elsewhere] = 0
            assert (ours == theirs).all(), field
        count = int(real["legal_count"])
        assert sorted(g["legal"][: g["legal_count"]]) == sorted(real["legal"][:count])
        assert (g["reserve"][: g["reserve_left"]] == real["reserve"][: g["reserve_left"]]).all()


@pytest.mark.parametrize("name", SOME_RULES)
def test_what_a_player_sees_is_laid_out_and_nothing_else_tells_of_hidden_cards(name: str) -> None:
    env = ScorpionEnv(name, observation="full", max_steps=200)
    ours, same = new_table(env.rules), new_table(env.rules)
    for shown, real in positions(env, deals=3):
        seen = as_a_player_sees(shown[None])[0]
        unseen = np.flatnonzero(seen[:, VISIBLE] == 0).tolist()
        count = read_game(seen, False, ours)
        assert ours.hidden[:count].tolist() == unseen
        assert read_game(shown, False, same) == count
        assert ours.position.tobytes() == same.position.tobytes()
        g = ours.position[0]
        assert (g["playable"] == real["playable"]).all()
        face_up = np.flatnonzero(real["playable"])
        for field in ("column", "row"):
            assert (g[field][face_up] == real[field][face_up]).all()
        down = [c for pile, n in zip(g["pile"], g["down"], strict=True) for c in pile[:n].tolist()]
        assert down + g["reserve"][: g["reserve_left"]].tolist() == unseen
