"""The policy that scores afterstates: under MaskablePPO, on disk, and whatever the suits are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from scorpion_agents import load_agent
from scorpion_agents.afterstates.policy import AfterstateBuffer, AfterstatePolicy, Described
from scorpion_agents.config.files import load_config
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.config.yaml_text import ConfigError
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.models.networks import empty_policy
from scorpion_agents.models.ppo import PPOAgent, save_model
from scorpion_agents.training.train import TrainingEnv, train
from scorpion_env import ScorpionError, get_rules
from support.models import SMALL
from support.played import as_a_player_sees, random_positions


def new_policy(**changes: Any) -> AfterstatePolicy:
    config = TrainConfig.model_validate(SMALL | changes)
    torch.manual_seed(0)
    policy = empty_policy(config)
    assert isinstance(policy, AfterstatePolicy)
    with torch.no_grad():  # the small scores of the beginning would hide differences
        for parameter in policy.parameters():
            parameter.normal_(std=0.3)
    return policy


def some_positions(preset: str = "classic", steps: int = 25) -> tuple[Any, Any]:
    """Full observations and masks in the middle of random games."""
    *_, ((seen, masks, _), _) = random_positions(get_rules(preset), games=40, steps=steps)
    return seen, masks


# --- what MaskablePPO asks for


@pytest.mark.parametrize("preset", ["classic", "flexible", "wasp"])
def test_drawing_and_evaluating_agree_on_probabilities_and_values(preset: str) -> None:
    policy = new_policy(rules=preset)
    seen, masks = some_positions(preset)
    observations = torch.from_numpy(seen)
    with torch.no_grad():
        actions, values, log_p = policy(observations, action_masks=masks)
        again = policy.evaluate_actions(observations, actions, torch.from_numpy(masks).float())
        distribution = policy.get_distribution(observations, masks)
    assert masks[np.arange(len(masks)), actions.numpy()].all()
    torch.testing.assert_close(again[0], values)
    torch.testing.assert_close(again[1], log_p)
    torch.testing.assert_close(distribution.log_prob(actions), log_p)
    torch.testing.assert_close(distribution.entropy(), again[2])
    torch.testing.assert_close(policy.predict_values(observations), values)


def test_the_likeliest_action_is_the_same_however_it_is_asked_for() -> None:
    policy = new_policy()
    seen, masks = some_positions()
    best = policy(torch.from_numpy(seen), deterministic=True, action_masks=masks)[0].numpy()
    assert (policy.scorer().logits(seen, masks).argmax(axis=1) == best).all()
    assert (policy.predict(seen, deterministic=True, action_masks=masks)[0] == best).all()
    agent = PPOAgent("x", get_rules("classic"), policy, mask_null_moves=False)
    assert (agent.act(seen, masks, np.zeros(len(masks))) == best).all()


def test_one_observation_without_a_batch_is_answered() -> None:
    policy = new_policy()
    seen, masks = some_positions()
    action, _ = policy.predict(seen[0], deterministic=True, action_masks=masks[0])
    assert masks[0, action]


def test_actions_are_drawn_as_often_as_the_probabilities_say() -> None:
    policy = new_policy()
    seen, masks = some_positions()
    game = int(masks.sum(axis=1).argmax())
    rows = np.full(4000, game)
    torch.manual_seed(1)
    with torch.no_grad():
        drawn = policy(torch.from_numpy(seen[rows]), action_masks=masks[rows])[0].numpy()
        inner: Any = policy.get_distribution(torch.from_numpy(seen[[game]]), masks[[game]])
        (expected,) = inner.distribution.probs.numpy()
    found = np.bincount(drawn, minlength=masks.shape[1]) / len(rows)
    assert not found[~masks[game]].any()
    assert np.abs(found - expected).max() < 0.04


def test_masks_are_needed() -> None:
    policy = new_policy()
    seen, _ = some_positions()
    with pytest.raises(ScorpionError, match="pass action_masks"):
        policy(torch.from_numpy(seen))


@pytest.mark.parametrize("recorded", [True, False])
def test_the_buffer_hands_out_what_the_policy_would_have_read(recorded: bool) -> None:
    rules = get_rules("classic")
    policy = new_policy()
    env = TrainingEnv(8, rules, seed=0, observation="full")
    buffer = AfterstateBuffer(
        5, env.observation_space, env.action_space, "cpu", n_envs=8, rules=rules
    )
    policy.record = buffer.keep if recorded else None
    for _ in range(2):  # the second rollout must not see the first one's positions
        buffer.reset()
        seen: Any = env.reset()
        for _ in range(5):
            masks = env.action_masks()
            with torch.no_grad():
                actions, values, log_p = policy(torch.from_numpy(seen), action_masks=masks)
            new, rewards, dones, _ = env.step(actions.numpy())
            buffer.add(
                seen, actions.numpy()[:, None], rewards, dones, values, log_p, action_masks=masks
            )
            seen = new
        buffer.compute_returns_and_advantage(torch.zeros(8), np.zeros(8))
        for samples in buffer.get(16):
            observations: Any = samples.observations
            assert isinstance(observations, Described)
            with torch.no_grad():
                values, log_p, _ = policy.evaluate_actions(observations, samples.actions.flatten())
            torch.testing.assert_close(values.flatten(), samples.old_values)
            torch.testing.assert_close(log_p, samples.old_log_prob)


# --- what it sees


def test_the_actor_does_not_look_at_hidden_cards_and_the_critic_does() -> None:
    policy = new_policy()
    seen, masks = some_positions()
    shown = as_a_player_sees(seen)
    assert (policy.scorer().logits(seen, masks) == policy.scorer().logits(shown, masks)).all()
    full, player = (policy.predict_values(torch.from_numpy(o)) for o in (seen, shown))
    assert (full != player).any()


def test_permuting_the_suits_changes_no_score() -> None:
    policy = new_policy()
    seen, masks = some_positions()
    cards = (13 * np.array([3, 0, 1, 2])[:, None] + np.arange(13)).reshape(-1)
    other, others = np.empty_like(seen), masks.copy()
    other[:, cards] = seen
    others[:, :364].reshape(-1, 52, 7)[:, cards] = masks[:, :364].reshape(-1, 52, 7)
    before, after = policy.scorer().logits(seen, masks), policy.scorer().logits(other, others)
    permuted = after.copy()
    permuted[:, :364] = after[:, :364].reshape(-1, 52, 7)[:, cards].reshape(-1, 364)
    assert np.allclose(before, permuted, atol=1e-4)
    values = [policy.predict_values(torch.from_numpy(o)) for o in (seen, other)]
    torch.testing.assert_close(*values)


def test_a_score_does_not_depend_on_the_other_games() -> None:
    policy = new_policy()
    seen, masks = some_positions()
    together = policy.scorer().logits(seen, masks)
    for i in (0, 7, len(seen) - 1):
        assert (policy.scorer().logits(seen[i : i + 1], masks[i : i + 1]) == together[i]).all()


# --- training and models


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "small"
    result = train(TrainConfig.model_validate(SMALL), folder, say=lambda _: None)
    assert result.steps == 1024
    return folder


def test_a_run_trains_and_its_model_plays_legal_moves(trained: Path) -> None:
    agent = load_agent(trained, "classic")
    one, many = (evaluate(agent, "classic", "0:30", num_envs=n).deals for n in (1, 30))
    assert one == many
    assert not any(result.illegal for result in one)


def test_a_saved_model_plays_as_before(tmp_path: Path) -> None:
    policy = new_policy()
    config = TrainConfig.model_validate(SMALL)
    save_model(tmp_path / "model", policy, config, {})
    seen, masks = some_positions()
    before = PPOAgent("x", get_rules("classic"), policy, mask_null_moves=True)
    after = load_agent(tmp_path / "model", "classic")
    draws = np.zeros(len(masks))
    assert (before.act(seen, masks, draws) == after.act(seen, masks, draws)).all()


def test_the_same_seed_gives_the_same_parameters(trained: Path, tmp_path: Path) -> None:
    train(TrainConfig.model_validate(SMALL), tmp_path / "again", say=lambda _: None)
    first, second = (
        next((folder / "last").glob("*.safetensors")).read_bytes()
        for folder in (trained, tmp_path / "again")
    )
    assert first == second


def test_a_training_can_start_from_an_earlier_model_of_other_rules(
    trained: Path, tmp_path: Path
) -> None:
    config = SMALL | {"rules": "wasp", "learning_rate": 0.0, "timesteps": 256}
    wasp = TrainConfig.model_validate(config | {"start_from": str(trained)})
    train(wasp, tmp_path / "wasp", say=lambda _: None)
    first, second = (
        next((folder / "last").glob("*.safetensors")).read_bytes()
        for folder in (trained, tmp_path / "wasp")
    )
    assert first == second
    other = TrainConfig.model_validate(config | {"start_from": str(trained), "encoder": [9]})
    with pytest.raises(ScorpionError, match=r"has encoder \[8\], this configuration \[9\]"):
        train(other, tmp_path / "other", say=lambda _: None)
    nothing = TrainConfig.model_validate(config | {"start_from": str(tmp_path)})
    with pytest.raises(ScorpionError, match="holds no model"):
        train(nothing, tmp_path / "nothing", say=lambda _: None)


def test_a_win_pays_the_bonus_once() -> None:
    played = evaluate(
        load_agent("greedy", "classic"), "classic", "1000000:1000100", keep_actions=True
    )
    won = next(result for result in played.deals if result.outcome == "won")
    assert won.actions is not None
    rewards = []
    for bonus in (0.0, 7.0):
        env = TrainingEnv(1, "classic", seed=0)
        env.win_bonus = bonus
        env.set_options([{"deal": won.deal}])
        env.reset()
        rewards.append([env.step(np.array([action]))[1][0] for action in won.actions])
    assert rewards[1][:-1] == rewards[0][:-1]
    assert rewards[1][-1] == rewards[0][-1] + 7.0


# --- configurations


def test_a_configuration_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ConfigError, match="does not play rules 'double', which have two decks"):
        load_config(None, ["policy=afterstate", "rules=double"])
    with pytest.raises(ConfigError, match="critic: full needs policy: afterstate"):
        load_config(None, ["critic=full"])
    with pytest.raises(ConfigError, match="'encoder'"):
        load_config(None, ["encoder=[]"])
    with pytest.raises(ConfigError, match="Did you mean 'afterstate'"):
        load_config(None, ["policy=afterstat"])
