"""train.py as a user runs it."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from scorpion_agents import load_agent
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.training.train import run_config
from scorpion_env import get_rules
from support.commands import call_script
from support.runs import CONFIG, assert_same_run, start, wait_for


def test_a_misspelt_key_on_the_command_line_exits_with_2_and_names_the_nearest() -> None:
    result = call_script("train.py", "--set", "learing_rate=1")
    assert result.returncode == 2
    assert "Did you mean 'learning_rate'?" in result.stderr


def test_ctrl_c_saves_the_model_and_exits_with_130(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    settings = ("num_envs=16", "n_steps=16", "batch_size=128", "threads=1")
    process = start(
        *("--run-dir", str(folder), "--timesteps", "1e8"),
        *(word for setting in settings for word in ("--set", setting)),
    )
    wait_for((folder / "progress.csv").exists)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "the model is saved" in errors
    assert load_agent(folder, get_rules("classic")).name


@pytest.mark.parametrize(
    "option", [["--set", "seed=1"], ["--timesteps", "5"], ["--seeds", "0:2"], ["--config", "c"]]
)
def test_a_resumed_run_takes_no_other_configuration(option: list[str]) -> None:
    refused = call_script("train.py", "--resume", "anywhere", *option)
    assert refused.returncode == 2
    named = "--set seed" if option[0] == "--set" else option[0]
    assert f"{named} cannot be given with --resume" in refused.stderr


def options(config: TrainConfig, path: Path) -> list[str]:
    path.write_text(config.to_yaml())
    return ["--config", str(path)]


@pytest.mark.slow
def test_a_process_killed_at_any_moment_resumes(straight: Path, tmp_path: Path) -> None:
    """Three times ``kill -9``, right after a line of the curves is written, while others are."""
    folder = tmp_path / "run"
    arguments = [*options(CONFIG, tmp_path / "c.yaml"), "--run-dir", str(folder)]
    for steps in (256, 640, 1024):
        process = start(*arguments)
        wait_for(lambda steps=steps: f",{steps}," in _text(folder / "progress.csv"))  # type: ignore[misc]
        process.kill()
        process.communicate()
        arguments = ["--resume", str(folder)]
    process = start(*arguments)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert (folder / "final.json").exists()
    assert_same_run(straight, folder)


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_rules_of_ones_own_are_trained_and_the_run_knows_them(tmp_path: Path) -> None:
    rules = get_rules({"name": "mine", "empty_column": "any"})
    file, folder = tmp_path / "mine.json", tmp_path / "run"
    file.write_text(json.dumps(rules.as_dict()))
    config = options(CONFIG.model_copy(update={"final_deals": "0:3"}), tmp_path / "c.yaml")
    done = call_script("train.py", *config, "--rules", file, "--run-dir", folder)
    assert done.returncode == 0, done.stderr
    assert "Rules mine, 3 deals" in done.stdout
    file.unlink()
    assert run_config(folder).resolved.rules == rules
    assert f"--agent {folder} --deals 0:20000" in done.stdout
    refused = call_script("train.py", "--rules", file)
    assert refused.returncode == 2
    assert "mine.json cannot be read" in refused.stderr
