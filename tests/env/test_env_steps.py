"""What a step of the scalar environment returns: masks, observations, rewards, ends."""

from __future__ import annotations

import re
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from scorpion_env import PRESETS, Game, IllegalMove, Rules, ScorpionEnv, ScorpionError
from scorpion_env.kernels.observation import PLACE, PLACE_UNKNOWN, observe_game
from scorpion_env.kernels.state import seen_dtype
from scorpion_env.notation.board_text import format_board


def play_out(env: gym.Env[Any, Any], seed: int, rng_seed: int = 0) -> list[Any]:
    """Play random legal actions to the end; return everything that came back."""
    rng = np.random.default_rng(rng_seed)
    observation, info = env.reset(seed=seed)
    out: list[Any] = [(observation, info)]
    ended = False
    while not ended:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, terminated, truncated, info = env.step(action)
        out.append((observation, info, reward, terminated, truncated))
        ended = terminated or truncated
    return out


def test_masks_are_of_the_promised_types_and_fresh() -> None:
    env = gym.make("Scorpion-v0")
    _, info = env.reset(seed=7)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert info["action_mask"].dtype == np.int8
    assert (masks == info["action_mask"]).all()
    assert masks.sum() == 3
    assert not np.shares_memory(masks, env.get_wrapper_attr("action_masks")())
    action = env.action_space.sample(mask=info["action_mask"])
    _, _, _, _, later = env.step(action)
    assert not np.shares_memory(info["action_mask"], later["action_mask"])
    assert "action_mask" not in gym.make("Scorpion-v0", mask_in_info=False).reset(seed=1)[1]


def test_observations_do_not_change_after_they_are_returned() -> None:
    env = ScorpionEnv()
    observation, info = env.reset(seed=7)
    kept = observation.copy(), info["action_mask"].copy()
    env.step(364)
    assert (observation == kept[0]).all()
    assert (info["action_mask"] == kept[1]).all()


def test_the_end_opens_the_mask_and_pays_once() -> None:
    env = ScorpionEnv()
    *_, (observation, info, reward, terminated, truncated) = play_out(env, 7)
    assert terminated is True
    assert truncated is False
    assert isinstance(reward, float)
    assert info["outcome"] == "lost"
    assert info["is_success"] is False
    assert env.action_masks().all()
    again = env.step(3)
    assert (again[0] == observation).all()
    assert again[1:4] == (0.0, True, False)
    assert again[4]["score"] == info["score"]


def test_an_illegal_action_changes_nothing_and_is_named() -> None:
    env = ScorpionEnv(max_steps=2)
    before, _ = env.reset(seed=7)
    observation, reward, terminated, truncated, info = env.step(0)
    assert (observation == before).all()
    assert (reward, terminated, truncated, info["illegal_action"]) == (0.0, False, False, 0)
    assert info["moves"] == 0
    *_, truncated, info = env.step(0)
    assert truncated is True
    assert info["outcome"] == "truncated"


def test_illegal_actions_terminate_or_raise_on_request() -> None:
    env = ScorpionEnv(illegal_action="terminate")
    env.reset(seed=7)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["outcome"], info["illegal_action"]) == (0.0, True, "lost", 0)
    env = ScorpionEnv(illegal_action="raise")
    env.reset(seed=7)
    with pytest.raises(IllegalMove, match="Action 0 is illegal"):
        env.step(0)
    assert env.step(364)[4]["moves"] == 1


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (365, "Action 365 is outside the action space 0 to 364"),
        (-1, "Action -1 is outside the action space 0 to 364"),
        (1.5, "An action is a whole number, not 1.5"),
        ("4H>7", "An action is a whole number, not '4H>7'"),
        (None, "An action is a whole number, not None"),
    ],
)
def test_an_action_outside_the_space_is_refused(bad: Any, words: str) -> None:
    env = ScorpionEnv()
    env.reset(seed=7)
    with pytest.raises(ScorpionError, match=words):
        env.step(bad)


def test_rewards() -> None:
    points = play_out(ScorpionEnv(), 7)
    scaled = play_out(ScorpionEnv(reward_scale=0.01), 7)
    wins = play_out(ScorpionEnv(reward="win"), 7)
    assert sum(o[2] for o in points[1:]) == points[-1][1]["score"] > 0
    assert [o[2] for o in scaled[1:]] == pytest.approx([o[2] * 0.01 for o in points[1:]])
    assert sum(o[2] for o in wins[1:]) == points[-1][1]["is_success"]


SHUTTLE = """\
Foundations: C D
8H 7H
8S
KH QH JH TH 9H
KS QS JS TS 9S
6H 5H 4H 3H 2H AH
7S 6S 5S 4S 3S 2S AS
-
"""


@pytest.mark.parametrize(
    ("reward", "least", "most"), [("points", 250, 1000), ("points-once", 0, 5)]
)
def test_flexible_pays_the_shuttle_only_where_the_table_says_so(
    reward: str, least: float, most: float
) -> None:
    env = ScorpionEnv("flexible", reward=reward)
    env.reset(options={"board": SHUTTLE})
    total = 0.0
    for _ in range(50):
        for move in ("7H>2", "7H>1"):
            card, column = 32, int(move[-1]) - 1
            total += env.step(card * 7 + column)[1]
    assert least <= total <= most


def test_undo_as_an_action_gives_points_back_and_counts_nothing_twice() -> None:
    env = ScorpionEnv("open", max_steps=30)
    _, info = env.reset(seed=7)
    undo = env.rules.num_actions - 1
    assert not info["action_mask"][undo]
    total = 0.0
    for _ in range(15):
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, reward, *_, info = env.step(action)
        assert info["action_mask"][undo]
        _, back, terminated, truncated, info = env.step(undo)
        total += reward + back
        assert reward == -back
        assert (info["moves"], info["score"], terminated) == (0, 0, False)
    assert total == 0
    assert truncated is True


def test_the_full_observation_shows_what_the_player_does_not_see() -> None:
    seen, _ = ScorpionEnv().reset(seed=7)
    full, _ = ScorpionEnv(observation="full").reset(seed=7)
    hidden = seen[:, PLACE] == PLACE_UNKNOWN
    assert hidden.sum() == 15
    assert (seen[hidden][:, :6] == 0).all()
    assert (full[~hidden] == seen[~hidden]).all()
    assert sorted(full[hidden][:, 0].tolist()) == [1] * 12 + [4] * 3
    assert not full[hidden][:, 5].any()


@pytest.mark.parametrize("observation", ["player", "full"])
@pytest.mark.parametrize("preset", PRESETS)
def test_observations_are_kept_up_to_date_in_place(preset: str, observation: str) -> None:
    env = ScorpionEnv(preset, observation=observation)
    rng = np.random.default_rng(1)
    seen, info = env.reset(seed=11)
    for _ in range(120):
        fresh = np.zeros(1, seen_dtype(len(seen)))
        batch, full = env._batch, observation == "full"
        observe_game(batch.games[0], batch.rules_record[0], fresh[0], full)
        assert (fresh["cards"][0] == seen).all()
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        seen, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            seen, info = env.reset()


def test_hidden_cards_do_not_show() -> None:
    rng = np.random.default_rng(0)
    for deal in range(40):
        env = ScorpionEnv()
        seen, info = env.reset(seed=deal)
        for _ in range(int(rng.integers(0, 40))):
            seen, _, terminated, truncated, info = env.step(
                int(rng.choice(np.flatnonzero(info["action_mask"])))
            )
            if terminated or truncated:
                break
        text = format_board(env.oracle_board())
        text = re.sub(r"Talon: .*", "Talon: ?? ?? ??", re.sub(r"<..>", "<??>", text))
        other = ScorpionEnv()
        shuffled, other_info = other.reset(options={"board": text}, seed=deal + 1000)
        assert (shuffled == seen).all()
        if "outcome" not in info:
            assert (other_info["action_mask"] == info["action_mask"]).all()


def test_a_step_after_the_end_is_not_shown_as_the_last_move() -> None:
    env = ScorpionEnv(max_steps=1, render_mode="ansi")
    env.reset(seed=7)
    env.step(364)
    before = env.render()
    env.step(0)
    assert env.render() == before


def test_a_board_with_many_face_down_cards_keeps_to_space_and_undo_log() -> None:
    """More of them than the deal has: the undo log once was too short for the cards turned."""
    rules = Rules("mine", face_down=(0,) * 7, undo_action=True, undo_limit=None, max_steps=60)
    columns = [column.split() for column in Game.new(3, rules).to_text().splitlines()[1:]]
    hidden = [[f"<{card}>" for card in column[:-1]] + column[-1:] for column in columns]
    text = "\n".join(" ".join(column) for column in hidden) + "\n"
    talon = Game.new(3, rules).to_text().splitlines()[0]
    env = ScorpionEnv(rules)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        observation, info = env.reset(options={"board": f"{talon}\n{text}"})
        start, played = env.oracle_board(), 0
        for _ in range(25):
            assert env.observation_space.contains(observation)
            legal = np.flatnonzero(info["action_mask"][:-1])
            if not len(legal) or "outcome" in info:
                break
            observation, *_, info = env.step(int(rng.choice(legal)))
            played += 1
        for _ in range(played):
            if "outcome" not in info:
                *_, info = env.step(env.rules.num_actions - 1)
        if "outcome" not in info:
            assert env.oracle_board() == start
