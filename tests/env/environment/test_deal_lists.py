"""Environments that draw from a list of deals, and that end a game when it is dead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorpion_env.batch.games import Batch
from scorpion_env.env import ScorpionEnv
from scorpion_env.environment.deal_lists import deal_list, deal_list_text, read_deal_list
from scorpion_env.errors import DealError, ScorpionError
from scorpion_env.proofs.pruning import WORK_DTYPE, is_dead
from scorpion_env.rules import PRESETS
from scorpion_env.sb3 import ScorpionVecEnv
from scorpion_env.vector_env import ScorpionVectorEnv
from scorpion_env.winnable import winnable_deals

CLASSIC = PRESETS["classic"]
LIST = [7, 11, 2**40]


def play_randomly(env: ScorpionEnv, seed: int) -> list[bool]:
    """Play the episode that is on; return whether the position was dead after each step."""
    generator = np.random.default_rng(seed)
    probe = Batch(env.rules, 1)
    work = np.zeros(1, WORK_DTYPE)
    dead = []
    over = False
    while not over:
        action = int(generator.choice(np.flatnonzero(env.action_masks())))
        _, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        won = info.get("outcome") == "won"
        dead.append(not won and bool(is_dead(env._batch.games[0], probe.rules_record[0], work[0])))
    return dead


def test_every_episode_is_drawn_from_the_list() -> None:
    env = ScorpionEnv(deals=LIST)
    drawn = [env.reset(seed=seed)[1]["deal"] for seed in range(30)]
    drawn += [env.reset()[1]["deal"] for _ in range(30)]
    assert set(drawn) == set(map(str, LIST))
    assert env.reset(seed=3)[1]["deal"] == drawn[3]
    assert env.reset(options={"deal": 5})[1]["deal"] == "5"


def test_the_vector_environments_draw_from_the_list_too() -> None:
    envs = ScorpionVectorEnv(8, deals=LIST, max_steps=3)
    vec_env = ScorpionVecEnv(8, deals=LIST, max_steps=3, seed=0)
    found = set()
    vec_env.reset()
    envs.reset(seed=0)
    for _ in range(12):
        envs.step(envs.action_masks().argmax(axis=1))
        vec_env.step(vec_env.action_masks().argmax(axis=1))
        found |= set(envs.deals) | {info["deal"] for info in vec_env.reset_infos}
    assert found == set(map(str, LIST))
    vec_env.set_deals([9])
    for _ in range(4):
        vec_env.step(vec_env.action_masks().argmax(axis=1))
    assert {info["deal"] for info in vec_env.reset_infos} == {"9"}


def test_winnable_deals_are_drawn_by_argument_and_by_option() -> None:
    known = set(map(str, winnable_deals("classic")))
    env = ScorpionEnv(deals="winnable")
    assert {env.reset(seed=seed)[1]["deal"] for seed in range(20)} <= known
    env = ScorpionEnv()
    option = {"deal": "winnable"}
    drawn = [env.reset(seed=seed, options=option)[1]["deal"] for seed in range(20)]
    assert set(drawn) <= known
    assert len(set(drawn)) > 10
    assert env.reset(seed=0, options=option)[1]["deal"] == drawn[0]
    assert env.reset(options=option)[1]["deal"] in known
    envs = ScorpionVectorEnv(4)
    envs.reset(seed=0, options=option)
    assert set(envs.deals) <= known
    assert len(set(envs.deals)) > 1
    vec_env = ScorpionVecEnv(2, seed=0)
    vec_env.set_options([option, {"deal": 7}])
    vec_env.reset()
    assert vec_env.reset_infos[0]["deal"] in known
    assert vec_env.reset_infos[1]["deal"] == "7"


@pytest.mark.parametrize("name", ["classic", "flexible"])
def test_a_dead_game_ends_as_lost_at_once(name: str) -> None:
    env = ScorpionEnv(name, end_when="dead", max_steps=300)
    lengths = 0
    for seed in range(30):
        env.reset(seed=seed)
        dead = play_randomly(env, seed)
        assert not any(dead[:-1])
        lengths += len(dead)
        last = env.step(0)[4]["outcome"]
        assert last == "lost" if dead[-1] else last in ("lost", "won", "truncated")
    usual = ScorpionEnv(name, max_steps=300)
    for seed in range(30):
        usual.reset(seed=seed)
        lengths -= len(play_randomly(usual, seed))
    assert lengths < 0


def test_all_environments_end_the_same_games() -> None:
    one = ScorpionEnv(end_when="dead")
    many = ScorpionVectorEnv(40, end_when="dead", autoreset_mode="disabled")
    many.reset(seed=0)
    single = []
    for seed in range(40):
        one.reset(seed=seed)
        single.append(one.step(int(one.action_masks().argmax()))[2])
    _, _, terminated, _, infos = many.step(many.action_masks().argmax(axis=1))
    assert terminated.tolist() == single
    assert 10 < sum(single) < 40
    assert set(infos["outcome"][terminated]) == {"lost"}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"deals": "winable"}, "Unknown deals 'winable'. Did you mean 'winnable'"),
        ({"deals": []}, "the numbers of one or more seeded deals"),
        ({"deals": [-1]}, "Deal '-1' does not exist"),
        ({"deals": [1.5]}, "the numbers of one or more seeded deals"),
        ({"deals": [[1], [2]]}, "the numbers of one or more seeded deals"),
        ({"end_when": "died"}, "Unknown end_when 'died'. Did you mean 'dead'"),
        ({"end_when": "dead", "rules": "open"}, "undo can bring a dead game back"),
    ],
)
def test_bad_lists_and_ends_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ScorpionError, match=words):
        ScorpionEnv(**wrong)


def test_a_list_survives_the_disk_and_bad_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text(deal_list_text(LIST, "three"))
    assert read_deal_list(path).tolist() == LIST
    path.write_text("7\n\n8 # easy\nten\n")
    with pytest.raises(DealError, match="line 4"):
        read_deal_list(path)
    path.write_text("# nothing\n")
    with pytest.raises(DealError, match="no deal"):
        read_deal_list(path)


def test_a_variant_without_a_list_has_its_deals_found() -> None:
    mine = replace(CLASSIC, name="mine", face_down=(0,) * 7)
    deals = deal_list("winnable", mine)
    assert len(deals) > 10
    assert (np.diff(deals.astype(np.int64)) > 0).all()
