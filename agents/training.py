"""Training: MaskablePPO on Scorpion, into a run folder from which everything can be repeated.

A run folder holds ``config.yaml`` (resolved), ``rules.json``, ``run.json`` (versions, git revision,
command, threads), ``progress.csv`` and TensorBoard's files, ``evaluations.csv``, the models
``best`` and ``last`` (see :mod:`agents.ppo`), a replay of the best model's best game, and
``checkpoint.zip`` with ``checkpoint.json``, the optimiser's state included; training cannot be
resumed from it yet.
"""

from __future__ import annotations

import csv
import dataclasses
import importlib.util
import io
import json
import os
import platform
import shlex
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn
from tqdm import tqdm

from agents.config import TrainConfig
from agents.evaluation import Evaluation, Summary, evaluate
from agents.ppo import (
    POLICIES,
    PPOAgent,
    buffer_arguments,
    policy_arguments,
    save_model,
    share_descriptions,
    start_from,
    without_null_moves,
)
from agents.results import save_replays, versions
from scorpion_env.errors import ScorpionError
from scorpion_env.files import make_folder, write_whole
from scorpion_env.rules import get_rules
from scorpion_env.sb3 import ScorpionVecEnv

LINE_EVERY = 10
"""Seconds between two lines of progress where there is no terminal to draw a bar on."""


class TrainingEnv(ScorpionVecEnv):
    """The adapter, with masks that can leave out null moves, and an extra reward for a win."""

    mask_null_moves = False
    win_bonus = 0.0

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions; return observations, rewards, dones and infos."""
        seen, rewards, dones, infos = super().step_wait()
        if self.win_bonus:
            for i in np.flatnonzero(dones):
                rewards[i] += self.win_bonus * infos[i]["is_success"]
        return seen, rewards, dones, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the masks, bool ``(num_envs, actions)``."""
        masks = super().action_masks()
        if self.mask_null_moves:
            return without_null_moves(self._batch.seen, masks, self.rules)
        return masks


@dataclass
class Trained:
    """How a training ended.

    Attributes:
        folder: The run folder.
        steps: Actions played, over all games.
        interrupted: Whether it was stopped from outside.
        best: The figures of the best model on the deals it was chosen by; None if the run ended
            before an evaluation.
    """

    folder: Path
    steps: int
    interrupted: bool
    best: Summary | None


class Stop:
    """Asked by a signal handler, obeyed at the next step."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self, *_: object) -> None:
        """Ask the training to save and end; a second time, end at once."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


def train(
    config: TrainConfig,
    folder: Path,
    *,
    stop: Stop | None = None,
    say: Callable[[str], None] = print,
) -> Trained:
    """Train an agent.

    Args:
        config: What and how.
        folder: The run folder; it must not exist, or be empty.
        stop: Ends the training early, with everything saved.
        say: Receives the lines meant for people.

    Raises:
        ScorpionError: if the folder holds something already, or the device does not exist.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ScorpionError(f"{folder} is not empty; name another --run-dir.")
    threads = _set_threads(config)
    device = _device(config.device)
    torch.distributions.Distribution.set_default_validate_args(False)  # a tenth of the time
    make_folder(folder)
    write_whole(folder / "config.yaml", config.to_yaml())
    rules = get_rules(config.rules)
    write_whole(folder / "rules.json", json.dumps(rules.as_dict(), indent=2) + "\n")
    _write_run_file(folder, config, threads, device)
    say(f"Training on {device} with {threads} threads, into {folder}")

    env = TrainingEnv(
        config.num_envs,
        rules,
        seed=config.seed,
        reward=config.reward,
        reward_scale=config.reward_scale,
        max_steps=config.max_steps,
        observation=config.critic,
    )
    env.mask_null_moves = config.mask_null_moves
    env.win_bonus = config.win_bonus * config.reward_scale
    model = MaskablePPO(
        POLICIES[config.policy],
        env,
        learning_rate=config.learning_rate,
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.ent_coef.start,
        vf_coef=config.vf_coef,
        max_grad_norm=config.max_grad_norm,
        target_kl=config.target_kl,
        normalize_advantage=config.normalize_advantage,
        policy_kwargs=policy_arguments(config),
        **buffer_arguments(config),
        stats_window_size=config.stats_window,
        seed=config.seed,
        device=device,
    )
    share_descriptions(model)
    if config.start_from is not None:
        start_from(model.policy, Path(config.start_from), config)
    formats = ["csv"]
    if importlib.util.find_spec("tensorboard") is not None:
        formats.append("tensorboard")
    else:
        say("TensorBoard is not installed; the curves are in progress.csv alone.")
    model.set_logger(configure(str(folder), formats))
    keeper = _Keeper(config, folder, stop or Stop(), say)
    try:
        model.learn(config.timesteps, callback=keeper)
    finally:
        keeper.save_last()  # whatever ended it: a full disk, an error in an evaluation, a signal
    return Trained(folder, model.num_timesteps, keeper.stop.asked, keeper.best)


def _set_threads(config: TrainConfig) -> int:
    threads = os.cpu_count() or 1 if config.threads == "auto" else config.threads
    # Beyond a few threads a network of this size only waits for itself.
    threads = min(threads, 4) if config.threads == "auto" else threads
    torch.set_num_threads(threads)
    return threads


def _device(name: str) -> str:
    if name == "auto":
        return "cpu"  # faster than a GPU for a network of this size, whose games run on the CPU
    kind = name.partition(":")[0]
    present = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if not present[kind]:
        raise ScorpionError(f"There is no device '{name}' on this machine; use --device cpu.")
    return name


def _write_run_file(folder: Path, config: TrainConfig, threads: int, device: str) -> None:
    about = {
        "command": shlex.join(["python", *sys.argv]),
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "versions": versions(get_rules(config.rules)),
        "git_revision": _git_revision(),
        "platform": platform.platform(),
        "threads": threads,
        "device": device,
    }
    write_whole(folder / "run.json", json.dumps(about, indent=2) + "\n")


def _git_revision() -> str | None:
    try:
        result = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return result.stdout.strip()


class _Keeper(BaseCallback):
    """Watches a training: progress, figures of the last games, evaluations, models, stopping."""

    def __init__(
        self, config: TrainConfig, folder: Path, stop: Stop, say: Callable[[str], None]
    ) -> None:
        super().__init__()
        self.say = say
        self.config = config
        self.folder = folder
        self.stop = stop
        self.best: Summary | None = None
        self._rules = get_rules(config.rules)
        self._recent: deque[tuple[bool, int]] = deque(maxlen=config.stats_window)
        self._next_evaluation = config.eval_every
        self._next_checkpoint = config.checkpoint_every
        self._saved_at = self._began = self._said_at = time.monotonic()
        self._evaluations: list[dict[str, Any]] = []
        self._bar: tqdm[Any] | None = None

    @property
    def algorithm(self) -> MaskablePPO:
        """The algorithm that calls back."""
        assert isinstance(self.model, MaskablePPO)
        return self.model

    def _on_training_start(self) -> None:
        self._bar = tqdm(total=self.config.timesteps, unit="step", unit_scale=True, disable=None)
        if self._bar.disable:
            self.say(f"No terminal, so no progress bar: a line every {LINE_EVERY} seconds instead.")

    def _on_step(self) -> bool:
        for i in np.flatnonzero(self.locals["dones"]):
            info = self.locals["infos"][i]
            self._recent.append((info["is_success"], info["score"]))
        assert self._bar is not None
        self._bar.update(self.config.num_envs)
        minutes = (time.monotonic() - self._began) / 60
        if self.config.max_minutes is not None and minutes >= self.config.max_minutes:
            return False
        return not self.stop.asked

    def _on_rollout_end(self) -> None:
        left = self.model._current_progress_remaining
        self.algorithm.ent_coef = self.config.ent_coef(left)
        if self._recent:
            wins, points = (float(np.mean(column)) for column in zip(*self._recent, strict=True))
            self.logger.record("rollout/win_rate", wins)
            self.logger.record("rollout/mean_points", points)
            assert self._bar is not None
            self._bar.set_postfix(win=f"{wins:.1%}", points=f"{points:.0f}")
            if self._bar.disable and time.monotonic() - self._said_at >= LINE_EVERY:
                self._said_at = time.monotonic()
                speed = self.num_timesteps / (self._said_at - self._began)
                self.say(
                    f"{self.num_timesteps:,} of {self.config.timesteps:,} steps, "
                    f"{speed:,.0f} a second; last {len(self._recent)} games: "
                    f"wins {wins:.1%}, mean points {points:.0f}"
                )
        if self.num_timesteps >= self._next_evaluation:
            self._next_evaluation += self.config.eval_every
            self._evaluate()
        minutes = (time.monotonic() - self._saved_at) / 60
        if self.num_timesteps >= self._next_checkpoint or minutes >= self.config.checkpoint_minutes:
            while self._next_checkpoint <= self.num_timesteps:
                self._next_checkpoint += self.config.checkpoint_every
            self.save_last()

    def _on_training_end(self) -> None:
        if not self.stop.asked:
            self._evaluate()
            # The loop writes its logs before an update; what came after the last one is still open.
            self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
            self.logger.dump(self.num_timesteps)
        assert self._bar is not None
        self._bar.close()

    def _evaluate(self) -> None:
        """Measure the policy, likeliest actions, on deals that training never draws."""
        agent = PPOAgent(
            "ppo", self._rules, self.algorithm.policy, mask_null_moves=self.config.mask_null_moves
        )
        found = evaluate(
            agent,
            self._rules,
            self.config.eval_deals,
            max_steps=self.config.max_steps,
            keep_actions=True,
        )
        summary = found.summary()
        self.logger.record("eval/win_rate", summary.win_rate)
        self.logger.record("eval/mean_points", summary.mean_points)
        self._evaluations.append(
            {
                "timesteps": self.num_timesteps,
                "win_rate": summary.win_rate,
                "mean_points": summary.mean_points,
                "mean_runs": summary.mean_runs,
                "illegal_actions": summary.illegal_actions,
            }
        )
        text = io.StringIO()
        writer = csv.DictWriter(text, list(self._evaluations[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._evaluations)
        write_whole(self.folder / "evaluations.csv", text.getvalue())
        if self.best is None or _rank(summary) > _rank(self.best):
            self.best = summary
            self._save("best", found)
            self._save_best_game(found)

    def _save(self, name: str, measured: Evaluation | None = None) -> None:
        about: dict[str, Any] = {"timesteps": self.num_timesteps, "seed": self.config.seed}
        if measured is not None:
            summary = measured.summary()
            about["chosen_by"] = {
                "deals": self.config.eval_deals,
                "win_rate": summary.win_rate,
                "mean_points": summary.mean_points,
            }
        save_model(self.folder / name, self.algorithm.policy, self.config, about)

    def _save_best_game(self, measured: Evaluation) -> None:
        """Write a replay of the game with the most points, beside the model that played it."""
        best = max(measured.deals, key=lambda result: result.points)
        (file,) = save_replays(self.folder / "best", dataclasses.replace(measured, deals=(best,)))
        file.replace(self.folder / "best" / "best_game.jsonl")

    def save_last(self) -> None:
        """Write the model as it is, and Stable-Baselines3's own file of it."""
        self._save("last")
        buffer = io.BytesIO()
        self.model.save(buffer, exclude=["learning_rate", "lr_schedule", "clip_range"])
        write_whole(self.folder / "checkpoint.zip", buffer.getvalue())
        state = {"timesteps": self.num_timesteps, "minutes": (time.monotonic() - self._began) / 60}
        write_whole(self.folder / "checkpoint.json", json.dumps(state) + "\n")
        self._saved_at = time.monotonic()


def _rank(summary: Summary) -> tuple[float, float]:
    return summary.win_rate, summary.mean_points
