"""The arrays that steps of the vector environment return: whose they are, and how long."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from scorpion_env import ScorpionVectorEnv
from scorpion_env.kernels.observation import observe_game

MODES = ["SAME_STEP", "NEXT_STEP", "DISABLED"]


def random_actions(rng: np.random.Generator, masks: Any) -> Any:
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def test_arrays_are_copies_unless_asked_otherwise() -> None:
    vector = ScorpionVectorEnv(2)
    one, infos = vector.reset(seed=0)
    two = vector.step(np.array([364, 364]))
    assert not np.shares_memory(one, two[0])
    assert not np.shares_memory(infos["action_mask"], two[-1]["action_mask"])
    assert not np.shares_memory(vector.action_masks(), vector.action_masks())
    shared = ScorpionVectorEnv(2, copy=False)
    first = shared.reset(seed=0)[0]
    assert np.shares_memory(first, shared.step(np.array([364, 364]))[0])


def flat(results: Any) -> Any:
    """Everything that a step returns, as bytes and plain values, infos in infos included."""
    if isinstance(results, dict):
        return {key: flat(value) for key, value in results.items()}
    if isinstance(results, tuple):
        return [flat(value) for value in results]
    assert isinstance(results, np.ndarray)
    if results.dtype == object:
        return [flat(value) if isinstance(value, np.ndarray) else value for value in results]
    return results.dtype, results.shape, results.tobytes()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("masked", [True, False])
def test_results_in_place_equal_copies_and_copies_stay_as_they_are(mode: str, masked: bool) -> None:
    options: dict[str, Any] = {"autoreset_mode": mode, "max_steps": 9, "mask_in_info": masked}
    copied = ScorpionVectorEnv(5, **options)
    shared = ScorpionVectorEnv(5, copy=False, **options)
    copied.reset(seed=3)
    shared.reset(seed=3)
    rng = np.random.default_rng(0)
    kept = []
    for _ in range(40):
        actions = random_actions(rng, copied.action_masks())
        actions[0] = 364  # soon illegal
        results = copied.step(actions)
        kept.append((results, flat(results)))
        assert flat(shared.step(actions)) == kept[-1][1]
    assert any("final_info" in results[-1] for results, _ in kept) == (mode == "SAME_STEP")
    for results, expected in kept:
        assert flat(results) == expected


def arrays(results: Any) -> list[Any]:
    """Every array in what a step returns, infos in infos included."""
    if isinstance(results, np.ndarray):
        return [results]
    inner = results.values() if isinstance(results, dict) else results
    return [array for value in inner for array in arrays(value)]


def own_arrays(results: Any) -> list[Any]:
    """The arrays of a step that belong to it alone."""
    *plain, infos = results
    numbers = [infos[key] for key in ("score", "runs", "moves", "action_mask")]
    return plain + numbers + arrays({k: v for k, v in infos.items() if "final" in k})


@pytest.mark.parametrize(
    "part",
    [
        lambda array: array,
        lambda array: array[1:],
        lambda array: array[1:][::-1],
        lambda array: np.asarray(memoryview(array)),
    ],
)
def test_whoever_keeps_a_part_of_a_result_finds_it_unchanged(part: Callable[[Any], Any]) -> None:
    vector = ScorpionVectorEnv(3, max_steps=3)  # one game or another ends at nearly every step
    vector.reset(seed=5)
    rng = np.random.default_rng(0)

    def step() -> list[Any]:
        while True:
            results = vector.step(random_actions(rng, vector.action_masks()))
            if "final_info" in results[-1]:
                return own_arrays(results)

    for place in range(len(step())):
        kept = part(step()[place])
        before = flat(kept)
        for _ in range(4):
            assert not any(np.may_share_memory(kept, array) for array in step())
        assert flat(kept) == before


@pytest.mark.parametrize("mode", MODES)
def test_what_a_caller_wrote_into_a_result_is_never_seen_again(mode: str) -> None:
    options: dict[str, Any] = {"autoreset_mode": mode, "max_steps": 4}
    clean, scribbled = ScorpionVectorEnv(3, **options), ScorpionVectorEnv(3, **options)
    clean.reset(seed=3)
    scribbled.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(30):
        actions = random_actions(rng, clean.action_masks())
        results = scribbled.step(actions)
        assert flat(results) == flat(clean.step(actions))
        for array in arrays(results):
            if array.flags.writeable:
                array[...] = 1
            array.setflags(write=False)
        del results, array


def test_arrays_that_nobody_keeps_are_used_again() -> None:
    vector = ScorpionVectorEnv(4)
    vector.reset(seed=0)
    actions = np.full(4, 364)
    places = {vector.step(actions)[0].ctypes.data for _ in range(20)}
    assert len(places) <= 2
    kept = [vector.step(actions) for _ in range(20)]
    assert len({results[0].ctypes.data for results in kept}) == 20


@pytest.mark.parametrize("kept", [0, 5])
def test_an_environment_keeps_two_results_at_most(kept: int) -> None:
    vector = ScorpionVectorEnv(2000)
    vector.reset(seed=0)
    actions = np.full(vector.num_envs, 364)
    size = sum(array.nbytes for array in vector._results().arrays)
    tracemalloc.start()
    held: list[Any] = []
    for _ in range(10):
        held = [*held, vector.step(actions)][-kept:] if kept else []
    del held
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < 2.2 * size


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("observation", ["player", "full"])
def test_observations_are_those_of_the_games_now_played(copy: bool, observation: str) -> None:
    vector = ScorpionVectorEnv(40, copy=copy, observation=observation, max_steps=5)
    vector.reset(seed=2)
    rng = np.random.default_rng(0)
    some = np.zeros(40, np.bool_)
    some[0] = True
    ends = 0
    for _ in range(30):
        observations, _, _, _, infos = vector.step(random_actions(rng, vector.action_masks()))
        ends += "final_obs" in infos
        expected = observations.copy()
        for i, game in enumerate(vector._batch.games):
            fresh = np.zeros(1, vector._batch._seen.dtype)
            everything = vector._batch.rules_record[0]["observe_all"]
            observe_game(game, vector._batch.rules_record[0], fresh[0], everything)
            assert (fresh["cards"][0] == expected[i]).all()
        if ends % 2:
            later = vector.reset(options={"reset_mask": some})[0]
            assert (later[1:] == expected[1:]).all()
    assert ends > 5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("copy", [True, False])
def test_a_copy_or_pickle_goes_on_alike(mode: str, copy: bool) -> None:
    vector = ScorpionVectorEnv(3, copy=copy, autoreset_mode=mode, max_steps=7)
    vector.reset(seed=1)
    rng = np.random.default_rng(0)
    for played in range(3):
        twins = [pickle.loads(pickle.dumps(vector)), deepcopy(vector)]
        for _ in range(5 + played):
            actions = random_actions(rng, vector.action_masks())
            results = vector.step(actions)
            expected = flat(results)
            for twin in twins:
                found = twin.step(actions)
                assert flat(found) == expected
                assert not np.shares_memory(found[0], results[0])
                assert not found[-1]["_score"].flags.writeable
