"""Checkpoints: everything that a training needs to go on as if it had not been interrupted.

A checkpoint is one file, ``checkpoint.safetensors``, written whole: tensors, and in its header the
plain values as JSON. Nothing in it is code, and nothing in it is believed before it is checked. It
describes the moment after an update, when the figures of that update are written and no step of the
next rollout is played:

* the policy's parameters and the optimiser's state (its hyperparameters come from the
  configuration);
* the counters: steps, iterations, updates, minutes, and when to measure and to save next; the
  schedules follow from the steps;
* the states of the random generators of Python, numpy and torch (and of the GPU);
* the games in flight, see :mod:`scorpion_agents.training.recorded_env`;
* the last games' figures, the evaluations, and the best model so far with its scores and its game.

So on the same machine, with as many threads and the same libraries, a resumed training computes
what an uninterrupted one does, to the last bit; only what a clock says (``time/fps``,
``time/time_elapsed``) differs. What was done after the checkpoint is done again, exactly the same.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as save_arrays
from sb3_contrib import MaskablePPO

import scorpion_env
from scorpion_agents.config.schema import CHANGEABLE, TrainConfig
from scorpion_agents.schemas import first_fault
from scorpion_agents.training.recorded_env import RecordedVecEnv
from scorpion_env.environment.deal_lists import DEALS
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import write_whole

CHECKPOINT_FILE = "checkpoint.safetensors"
CHECKPOINT_FORMAT = "scorpion-checkpoint 1"

Arrays = dict[str, npt.NDArray[Any]]
Count = Annotated[int, Field(ge=0)]

_CHECKED = ConfigDict(extra="forbid", strict=True, ser_json_inf_nan="constants")


class Best(BaseModel):
    """The best model so far, but for its parameters.

    Attributes:
        timesteps: Steps it was trained for.
        win_rate, mean_points: What it reached on the deals it was chosen by.
        game: The replay of its best game, as text.
    """

    model_config = _CHECKED

    timesteps: Count
    win_rate: float
    mean_points: float
    game: str


class Generators(BaseModel):
    """What the states of the random generators hold beside their arrays."""

    model_config = _CHECKED

    python_gauss: float | None
    numpy_position: Annotated[int, Field(ge=0, le=624)]
    numpy_has_gauss: Annotated[int, Field(ge=0, le=1)]
    numpy_gauss: float


class Progress(BaseModel):
    """How far a training is: the plain values of a checkpoint.

    Attributes:
        config: The whole configuration.
        versions: Of scorpion_env and torch.
        threads, device: What it ran on.
        complete: Whether the training has come to its end.
        timesteps, iterations, updates: Counters of the algorithm.
        minutes: Time spent so far.
        next_evaluation, next_checkpoint: Steps at which these are due.
        games: Of the last games: return, length, points, whether won.
        evaluations: The lines of ``evaluations.csv``.
        best: The best model so far; None before the first evaluation.
        generators: The random generators.
    """

    model_config = _CHECKED

    config: dict[str, Any]
    versions: dict[str, str]
    threads: Annotated[int, Field(ge=1)]
    device: str
    complete: bool = False
    timesteps: Count
    iterations: Count
    updates: Count
    minutes: Annotated[float, Field(ge=0)]
    next_evaluation: Count
    next_checkpoint: Count
    games: list[tuple[float, Count, int, bool]]
    evaluations: list[dict[str, float | int]]
    best: Best | None
    generators: Generators


@dataclass(frozen=True)
class Checkpoint:
    """A moment between two iterations.

    Attributes:
        progress: The plain values.
        arrays: By name: ``policy.*``, ``optimizer.*``, ``best.*``, ``games.*``, ``random.*``.
    """

    progress: Progress
    arrays: Arrays

    def part(self, prefix: str) -> Arrays:
        """Return the arrays whose names begin with `prefix` and a dot, without these."""
        start = f"{prefix}."
        return {k.removeprefix(start): v for k, v in self.arrays.items() if k.startswith(start)}


def current_versions() -> dict[str, str]:
    """Return the versions that decide whether a checkpoint can be resumed exactly."""
    return {"scorpion_env": scorpion_env.__version__, "torch": str(torch.__version__)}


# --- taking and restoring -------------------------------------------------------------------------


def model_arrays(model: MaskablePPO, env: RecordedVecEnv) -> Arrays:
    """Return copies of what a training computes with: parameters, optimiser, games, generators."""
    arrays = {f"policy.{k}": v for k, v in policy_arrays(model).items()}
    for index, state in model.policy.optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{index}.{k}": _array(v) for k, v in state.items()}
    arrays |= {f"games.{k}": v for k, v in env.games_in_flight().items()}
    arrays["random.python"] = np.array(random.getstate()[1], np.uint32)
    arrays["random.numpy"] = np.array(_numpy_state()[1], np.uint32)
    arrays["random.torch"] = _array(torch.get_rng_state())
    if model.device.type == "cuda":
        arrays["random.cuda"] = _array(torch.cuda.get_rng_state(model.device))
    return arrays


def policy_arrays(model: MaskablePPO) -> Arrays:
    """Return a copy of the policy's parameters."""
    return {k: _array(v) for k, v in model.policy.state_dict().items()}


def generators() -> Generators:
    """Return what the states of the random generators hold beside their arrays."""
    _, _, position, has_gauss, gauss = _numpy_state()
    return Generators(
        python_gauss=random.getstate()[2],
        numpy_position=position,
        numpy_has_gauss=has_gauss,
        numpy_gauss=gauss,
    )


def restore_model(checkpoint: Checkpoint, model: MaskablePPO, env: RecordedVecEnv) -> None:
    """Bring an algorithm and its games to where a checkpoint found them.

    Args:
        checkpoint: The checkpoint.
        model: The algorithm, made from the checkpoint's configuration.
        env: Its games, not reset yet.

    Raises:
        ScorpionError, KeyError, RuntimeError, ValueError: if the checkpoint does not fit them.
    """
    progress = checkpoint.progress
    load_weights(model, checkpoint.part("policy"))
    _load_optimizer(model, checkpoint.part("optimizer"))
    model.num_timesteps = progress.timesteps
    model._n_updates = progress.updates
    model._last_obs = env.resume_games(checkpoint.part("games"))
    model._last_episode_starts = checkpoint.arrays["games.lengths"] == 0
    _restore_generators(checkpoint.part("random"), progress.generators, model)


def load_weights(model: MaskablePPO, weights: Mapping[str, npt.NDArray[Any]]) -> None:
    """Load parameters into the policy of an algorithm.

    Raises:
        RuntimeError: if they are not those of such a policy.
    """
    model.policy.load_state_dict({k: torch.from_numpy(v) for k, v in weights.items()})


def _load_optimizer(model: MaskablePPO, arrays: Arrays) -> None:
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in arrays.items():
        index, _, key = name.partition(".")
        state.setdefault(int(index), {})[key] = torch.from_numpy(array).clone()
    parameters = list(model.policy.parameters())
    for number, values in state.items():
        for key, value in values.items():
            if value.ndim and value.shape != parameters[number].shape:
                raise ValueError(f"the optimiser's '{key}' does not fit parameter {number}")
    groups = model.policy.optimizer.state_dict()["param_groups"]
    model.policy.optimizer.load_state_dict({"state": state, "param_groups": groups})


def _restore_generators(arrays: Arrays, plain: Generators, model: MaskablePPO) -> None:
    random.setstate((3, tuple(arrays["python"].tolist()), plain.python_gauss))
    state = ("MT19937", arrays["numpy"], plain.numpy_position, plain.numpy_has_gauss)
    np.random.set_state((*state, plain.numpy_gauss))  # noqa: NPY002 (SB3 draws from this one)
    torch.set_rng_state(torch.from_numpy(arrays["torch"]))
    if model.device.type == "cuda" and "cuda" in arrays:
        torch.cuda.set_rng_state(torch.from_numpy(arrays["cuda"]), model.device)


def _numpy_state() -> Any:
    return np.random.get_state()  # noqa: NPY002 (SB3 draws from this one)


def _array(tensor: torch.Tensor) -> npt.NDArray[Any]:
    return tensor.detach().cpu().numpy().copy()


# --- files ----------------------------------------------------------------------------------------


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint of a run; a reader finds the old one or the new one.

    Raises:
        ScorpionError: if it cannot be written.
    """
    progress = checkpoint.progress.model_dump_json()
    arrays = {k: np.ascontiguousarray(v).reshape(v.shape) for k, v in checkpoint.arrays.items()}
    digest = _digest(progress, arrays)
    header = {"format": CHECKPOINT_FORMAT, "progress": progress, "sha256": digest}
    write_whole(folder / CHECKPOINT_FILE, save_arrays(arrays, metadata=header))


def _digest(progress: str, arrays: Arrays) -> str:
    found = hashlib.sha256(progress.encode())
    for name in sorted(arrays):
        found.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        found.update(arrays[name].tobytes())
    return found.hexdigest()


def read_checkpoint(folder: Path, config: TrainConfig) -> Checkpoint | None:
    """Return the checkpoint of a run, or None if the training was ended before it wrote one.

    Args:
        folder: The run folder.
        config: The run's configuration.

    Raises:
        ScorpionError: if the checkpoint is damaged, or belongs to another configuration.
    """
    file = folder / CHECKPOINT_FILE
    if not file.exists():
        return None
    try:
        with safe_open(file, framework="np") as tensors:
            header = tensors.metadata() or {}
            if header.get("format") != CHECKPOINT_FORMAT:
                raise ValueError(f"it is no '{CHECKPOINT_FORMAT}', but {header.get('format')!r}.")
            text = header.get("progress", "")
            progress = Progress.model_validate_json(text)
            arrays = {name: tensors.get_tensor(name) for name in tensors.keys()}  # noqa: SIM118
            if header.get("sha256", "") not in ("", _digest(text, arrays)):  # older ones have none
                raise ValueError("it was changed after it was written.")
    except (OSError, SafetensorError, ValidationError, ValueError, RecursionError) as error:
        raise ScorpionError(f"{file} cannot be read: {_first_line(error)}") from error
    _refuse_another_config(folder, progress, config)
    return Checkpoint(progress, arrays)


def _refuse_another_config(folder: Path, progress: Progress, config: TrainConfig) -> None:
    try:
        # A run has its list of deals with it, wherever its folder lies now.
        own = {} if progress.config.get("deals") in DEALS else {"deals": config.deals}
        written = TrainConfig.model_validate(progress.config | own)
    except ValidationError as error:
        raise ScorpionError(
            f"{folder / CHECKPOINT_FILE} was written by scorpion_env "
            f"{progress.versions.get('scorpion_env')} for a configuration that scorpion_env "
            f"{scorpion_env.__version__} does not know: {first_fault(error)}."
        ) from error
    for key in TrainConfig.model_fields.keys() - set(CHANGEABLE):
        before, now = getattr(written, key), getattr(config, key)
        if before != now:
            raise ScorpionError(
                f"{folder} was trained with {key} {before}, but its config.yaml now says {now}: "
                f"a run is resumed as it was started."
            )


def refused(folder: Path, checkpoint: Checkpoint, error: Exception) -> ScorpionError:
    """Return what to raise when a checkpoint cannot be restored, naming the versions."""
    written, now = checkpoint.progress.versions, current_versions()
    return ScorpionError(
        f"{folder / CHECKPOINT_FILE}, written by scorpion_env {written.get('scorpion_env')} and "
        f"torch {written.get('torch')}, cannot be resumed by scorpion_env {now['scorpion_env']} "
        f"and torch {now['torch']}: {_first_line(error)}"
    )


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return f"{first_fault(error)}."
    return (str(error).splitlines() or [type(error).__name__])[0]
