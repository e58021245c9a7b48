"""Training: MaskablePPO on Scorpion, into a run folder from which it can be resumed and repeated.

A run folder holds ``config.yaml`` (resolved), ``rules.json``, ``run.json`` (versions, git revision,
command, threads, once for each time that the training was started), ``progress.csv`` and
TensorBoard's files, ``evaluations.csv``, ``deals.txt`` if the run draws from a list, the models
``best`` and ``last`` (see :mod:`scorpion_agents.models.files`), a replay of the best model's best
game, and ``checkpoint.safetensors``, from which :func:`resume` goes on (see
:mod:`scorpion_agents.training.checkpoint`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from scorpion_agents.config.files import check_changes, load_config
from scorpion_agents.config.schema import CHANGEABLE, TrainConfig
from scorpion_agents.models.networks import (
    POLICIES,
    buffer_arguments,
    policy_arguments,
    share_descriptions,
)
from scorpion_agents.models.ppo import start_from, without_null_moves
from scorpion_agents.training.callback import ResumablePPO, TrainingCallback
from scorpion_agents.training.checkpoint import Best, Checkpoint, current_versions, read_checkpoint
from scorpion_agents.training.curves import open_curves
from scorpion_agents.training.machine import alone_in, chosen_device, chosen_threads, note_session
from scorpion_agents.training.recorded_env import RecordedVecEnv
from scorpion_agents.training.stop import Stop
from scorpion_env.environment.deal_lists import DEALS, deal_list_text
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import write_whole

__all__ = ["Stop", "Trained", "TrainingEnv", "resume", "train"]

CONFIG_FILE = "config.yaml"
DEALS_FILE = "deals.txt"


class TrainingEnv(RecordedVecEnv):
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
        steps: Actions played, over all games, up to what was saved last.
        interrupted: Whether it was stopped from outside.
        best: The best model and its figures on the deals it was chosen by; None if the run ended
            before an evaluation.
    """

    folder: Path
    steps: int
    interrupted: bool
    best: Best | None


def train(
    config: TrainConfig,
    folder: Path,
    *,
    stop: Stop | None = None,
    say: Callable[[str], None] = print,
    bar: bool = True,
) -> Trained:
    """Train an agent.

    Args:
        config: What and how.
        folder: The run folder; it must not exist, or be empty.
        stop: Ends the training early, with everything saved.
        say: Receives the lines meant for people.
        bar: Draw a progress bar where there is a terminal.

    Raises:
        ScorpionError: if the folder holds something already, or the device does not exist.
    """
    if folder.exists() and any(not path.name.startswith(".") for path in folder.iterdir()):
        raise ScorpionError(f"{folder} is not empty; name another --run-dir.")
    device = chosen_device(config.device)
    with alone_in(folder):
        config = _with_own_deals(config, folder)
        write_whole(folder / CONFIG_FILE, config.to_yaml())
        return _run(
            config,
            folder,
            None,
            threads=chosen_threads(config.threads),
            device=device,
            stop=stop or Stop(),
            say=say,
            bar=bar,
        )


def resume(
    folder: Path,
    *,
    threads: int | Literal["auto"] | None = None,
    device: str | None = None,
    overrides: Iterable[str] = (),
    stop: Stop | None = None,
    say: Callable[[str], None] = print,
    bar: bool = True,
) -> Trained:
    """Go on with a training that was stopped, killed or crashed, from its last checkpoint.

    What is computed is what would have been computed without the interruption, see
    :mod:`scorpion_agents.training.checkpoint`. A training that wrote no checkpoint yet begins anew.

    Args:
        folder: The run folder.
        threads: Threads of torch instead of as many as before; another number rounds differently.
        device: Device of torch instead of the configuration's.
        overrides: Texts ``key=value`` for the keys of the configuration that may change, which are
            those of :data:`scorpion_agents.config.schema.CHANGEABLE`.
        stop: Ends the training early, with everything saved.
        say: Receives the lines meant for people.
        bar: Draw a progress bar where there is a terminal.

    Raises:
        ScorpionError: if the folder is no run, the run is complete, its configuration was changed,
            or its checkpoint is damaged.
    """
    changes = list(overrides)
    check_changes(changes)
    config = run_config(folder, changes)
    with alone_in(folder):
        for leftover in folder.rglob(".*.tmp"):  # of a writer that was killed
            leftover.unlink(missing_ok=True)
        checkpoint = read_checkpoint(folder, config)
        if checkpoint is not None and checkpoint.progress.complete:
            raise ScorpionError(
                f"{folder} is complete: it was trained for {checkpoint.progress.timesteps:,} steps "
                "and there is nothing to resume; start another run to train longer."
            )
        if changes:
            write_whole(folder / CONFIG_FILE, config.to_yaml())
        chosen = threads or config.threads
        before = checkpoint.progress.threads if checkpoint is not None else None
        if threads is None and before is not None and before <= chosen_threads("auto"):
            chosen = before
        return _run(
            config,
            folder,
            checkpoint,
            threads=chosen_threads(chosen),
            device=chosen_device(device or config.device),
            stop=stop or Stop(),
            say=say,
            bar=bar,
        )


def _with_own_deals(config: TrainConfig, folder: Path) -> TrainConfig:
    """Copy a list of training deals into the run folder, so that the run can be repeated."""
    if config.deals in DEALS:
        return config
    numbers = config.resolved.deals.tolist()
    write_whole(folder / DEALS_FILE, deal_list_text(numbers, f"copy of {config.deals}"))
    return config.with_deals_in(str(folder / DEALS_FILE))


def run_config(folder: Path, overrides: Iterable[str] = ()) -> TrainConfig:
    """Return the configuration of a run, with texts ``key=value`` laid over it.

    Raises:
        ScorpionError: if the folder is no run folder.
    """
    if not (folder / CONFIG_FILE).is_file():
        what = f"there is no {CONFIG_FILE} in it" if folder.is_dir() else "there is no such folder"
        raise ScorpionError(f"{folder} is no run folder: {what}.")
    # The run may have been moved, or be looked at from elsewhere, since its list was written down.
    own = folder / DEALS_FILE
    deals = str(own) if own.is_file() else None
    return load_config(folder / CONFIG_FILE, overrides, options={"deals": deals})


def is_complete(folder: Path) -> bool:
    """Whether the training of a run has come to its end.

    Raises:
        ScorpionError: if the folder is no run folder, or its checkpoint is damaged.
    """
    checkpoint = read_checkpoint(folder, run_config(folder))
    return checkpoint is not None and checkpoint.progress.complete


def _run(
    config: TrainConfig,
    folder: Path,
    checkpoint: Checkpoint | None,
    *,
    threads: int,
    device: str,
    stop: Stop,
    say: Callable[[str], None],
    bar: bool,
) -> Trained:
    """Train from a checkpoint, or from the beginning, until the end or a stop."""
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # a tenth of the time
    rules = config.resolved.rules
    write_whole(folder / "rules.json", json.dumps(rules.as_dict(), indent=2) + "\n")
    steps = checkpoint.progress.timesteps if checkpoint is not None else 0
    note_session(folder, rules, threads=threads, device=device, steps=steps)
    at = f", on from step {steps:,}" if checkpoint is not None else ""
    say(f"Training on {device} with {threads} threads, into {folder}{at}")
    if checkpoint is not None:
        _say_differences(checkpoint, config, (threads, device), say)

    env = TrainingEnv(
        config.num_envs,
        rules,
        seed=config.seed,
        reward=config.reward,
        reward_scale=config.reward_scale,
        max_steps=config.max_steps,
        deals=config.deals if config.deals in DEALS else config.resolved.deals,
        end_when=config.end_when,
        observation=config.critic,
    )
    env.mask_null_moves = config.mask_null_moves
    env.win_bonus = config.win_bonus * config.reward_scale
    model = ResumablePPO(
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
    if config.start_from is not None and checkpoint is None:
        start_from(model.policy, Path(config.start_from), config)
    callback = TrainingCallback(config, folder, env, stop=stop, say=say, threads=threads, bar=bar)
    model.callback = callback
    callback.resume(model, checkpoint)
    with closing(open_curves(folder, steps, say)) as curves:
        model.set_logger(curves)
        try:
            model.learn(
                config.timesteps - steps, callback=callback, reset_num_timesteps=checkpoint is None
            )
        finally:
            callback.save()  # whatever ended it: a full disk, an error in an evaluation, a signal
    assert callback.reached is not None
    progress = callback.reached.progress
    return Trained(folder, progress.timesteps, not progress.complete, callback.best)


def _say_differences(
    checkpoint: Checkpoint,
    config: TrainConfig,
    machine: tuple[int, str],
    say: Callable[[str], None],
) -> None:
    """Warn of what keeps a resumed training from computing what it would have computed."""
    then, now = checkpoint.progress, current_versions()
    set_now = config.model_dump(mode="json")
    pairs = [
        ("threads", then.threads, machine[0]),
        ("device", then.device, machine[1]),
        *((key, then.config.get(key), set_now[key]) for key in CHANGEABLE),
        *((name, then.versions.get(name), found) for name, found in now.items()),
    ]
    changed = [
        f"{what} {before} before, {after} now" for what, before, after in pairs if before != after
    ]
    if changed:
        say(f"Not as before, so figures can differ from those of one run: {'; '.join(changed)}.")
