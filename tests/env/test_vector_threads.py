"""The vector environment with several threads: the same results, whatever is copied or pickled."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from scorpion_env import ScorpionError, ScorpionVectorEnv


def random_actions(rng: np.random.Generator, masks: Any) -> Any:
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def trajectory(num_threads: int, mode: str, **options: Any) -> list[bytes]:
    """All that a vector environment hands out in 120 steps, some of them with partial resets."""
    vector = ScorpionVectorEnv(7, autoreset_mode=mode, num_threads=num_threads, **options)
    rng = np.random.default_rng(1)
    observations, infos = vector.reset(seed=3)
    found = [observations.tobytes(), infos["action_mask"].tobytes()]
    for step in range(120):
        actions = random_actions(rng, vector.action_masks())
        actions[step % 7] = 0  # illegal at most times
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        found += [a.tobytes() for a in (observations, rewards, terminated, truncated)]
        found += [infos[key].tobytes() for key in ("score", "runs", "moves", "action_mask")]
        found.append(pickle.dumps([infos.get("final_info"), infos.get("final_obs")]))
        if step % 10 == 9:
            reset_mask = rng.random(7) < 0.5
            reset_mask[0] = True
            observations, infos = vector.reset(options={"reset_mask": reset_mask})
            found += [observations.tobytes(), infos["action_mask"].tobytes()]
    return found


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP", "DISABLED"])
@pytest.mark.parametrize("rules", ["classic", "open", "double"])
def test_results_are_the_same_for_any_number_of_threads(mode: str, rules: str) -> None:
    options = {"rules": rules, "max_steps": 30}
    expected = trajectory(1, mode, **options)
    for num_threads in (2, 3, 16):
        assert trajectory(num_threads, mode, **options) == expected


def test_copies_of_a_threaded_environment_start_their_own_threads() -> None:
    vector = ScorpionVectorEnv(6, num_threads=3)
    vector.reset(seed=1)
    actions = random_actions(np.random.default_rng(0), vector.action_masks())
    twins = [pickle.loads(pickle.dumps(vector)), deepcopy(vector)]
    expected = vector.step(actions)[0]
    later = [pickle.loads(pickle.dumps(vector)), deepcopy(vector)]
    for twin in twins:
        assert (twin.step(actions)[0] == expected).all()
    actions = random_actions(np.random.default_rng(0), vector.action_masks())
    expected = vector.step(actions)[0]
    for twin in later:
        assert (twin.step(actions)[0] == expected).all()


def test_a_number_of_threads_below_one_is_refused() -> None:
    with pytest.raises(ScorpionError, match="at least 1 thread"):
        ScorpionVectorEnv(2, num_threads=0)
    with pytest.raises(ScorpionError, match="number of threads"):
        ScorpionVectorEnv(2, num_threads=1.5)  # type: ignore[arg-type]
