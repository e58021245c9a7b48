"""A training whose numbers stop being finite ends with a sentence, and loses nothing good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save

from scorpion_agents import load_agent
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.models.networks import empty_policy
from scorpion_agents.models.ppo import save_model
from scorpion_agents.training.checkpoint import CHECKPOINT_FILE, read_checkpoint
from scorpion_agents.training.finite import Diverged
from scorpion_agents.training.train import Stop, TrainingEnv, resume, run_config, train
from scorpion_env import ScorpionError
from support.commands import call_script
from support.models import SMALL, make_model
from support.runs import CONFIG, say_nothing

AFTERSTATE = SMALL | {"checkpoint_every": 256}


def stop_at(step: int, monkeypatch: pytest.MonkeyPatch) -> Stop:
    """Ask the training to end at one of its steps."""
    stop, calls, real_step = Stop(), iter(range(10**6)), TrainingEnv.step_wait

    def counted(self: TrainingEnv) -> Any:
        if next(calls) == step:
            stop.ask()
        return real_step(self)

    monkeypatch.setattr(TrainingEnv, "step_wait", counted)
    return stop


def assert_finite(folder: Path) -> None:
    files = [*folder.rglob("*.safetensors")]
    assert files
    for file in files:
        for name, array in load_file(file).items():
            assert array.dtype.kind != "f" or np.isfinite(array).all(), (file, name)


@pytest.mark.parametrize("policy", ["mlp", "afterstate"])
def test_a_rate_that_is_too_large_ends_the_run_and_a_smaller_one_goes_on_from_what_was_good(
    policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    config = CONFIG if policy == "mlp" else TrainConfig.model_validate(AFTERSTATE)
    with monkeypatch.context() as patch:
        stop = stop_at(2 * config.n_steps + 3, patch)
        assert train(config, folder, stop=stop, say=say_nothing, bar=False).interrupted
    good = read_checkpoint(folder, run_config(folder))
    assert good is not None
    words = r"ended at step [\d,]+: .* is not finite\. .* smaller learning_rate \(now 1e\+30\)"
    with pytest.raises(Diverged, match=words):
        resume(folder, overrides=["learning_rate=1e30"], say=say_nothing, bar=False)
    assert_finite(folder)
    kept = read_checkpoint(folder, run_config(folder))
    assert kept is not None
    for name, array in good.part("policy").items():
        np.testing.assert_array_equal(array, kept.part("policy")[name])
    said: list[str] = []
    resume(folder, overrides=["learning_rate=0.001"], say=said.append, bar=False)
    assert_finite(folder)
    assert "0.001" in (folder / "config.yaml").read_text()
    assert load_agent(folder, "classic").name


def test_the_command_says_so_and_exits_with_2(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    config = tmp_path / "c.yaml"
    config.write_text(CONFIG.to_yaml())
    refused = call_script(
        *("train.py", "--config", config, "--run-dir", folder, "--set", "learning_rate=1e30")
    )
    assert refused.returncode == 2
    last = refused.stderr.splitlines()[-1]
    assert last.startswith("Error: The training ended at step ")
    assert f"--resume {folder} --set learning_rate=VALUE" in last
    assert_finite(folder)


def test_rewards_out_of_all_proportion_are_named(tmp_path: Path) -> None:
    config = CONFIG.model_copy(update={"reward_scale": 1e25})
    with pytest.raises(Diverged, match=r"in a new run, a smaller reward_scale \(now 1e\+25\)"):
        train(config, tmp_path / "run", say=say_nothing, bar=False)
    assert_finite(tmp_path / "run")


def test_an_error_that_has_other_causes_stays_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr("torch.nn.utils.clip_grad_norm_", fail)
    with pytest.raises(RuntimeError, match=r"^out of memory$"):
        train(CONFIG, tmp_path / "run", say=say_nothing, bar=False)


def test_only_how_it_learns_may_change(straight: Path) -> None:
    before = (straight / CHECKPOINT_FILE).read_bytes()
    with pytest.raises(ScorpionError, match=r"--set gamma cannot be given with --resume: .*only"):
        resume(straight, overrides=["gamma=0.5"], say=say_nothing)
    assert (straight / CHECKPOINT_FILE).read_bytes() == before


def test_weights_that_are_not_finite_are_neither_written_nor_loaded(tmp_path: Path) -> None:
    import hashlib
    import json

    config = TrainConfig.model_validate(SMALL)
    policy = empty_policy(config)
    with torch.no_grad():
        next(policy.parameters())[0] = float("nan")
    with pytest.raises(ScorpionError, match="holds weights that are not finite"):
        save_model(tmp_path / "model", policy, config, {})
    assert not (tmp_path / "model").exists()

    folder = make_model(tmp_path / "other")
    file = next(folder.glob("*.safetensors"))
    weights = load_file(file)
    next(iter(weights.values())).flat[0] = np.inf
    file.write_bytes(save(weights))
    about = json.loads((folder / "model.json").read_text())
    about["weights_sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (folder / "model.json").write_text(json.dumps(about))
    with pytest.raises(ScorpionError, match="holds weights that are not finite"):
        load_agent(folder, "classic")
