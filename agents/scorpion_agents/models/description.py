"""What ``model.json`` says of a model, and its weights, checked when they are read."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from scorpion_agents.models.files import MODEL_FILE
from scorpion_agents.schemas import STORED, StoredRules, checked
from scorpion_env.errors import ScorpionError, shown
from scorpion_env.notation.files import read_bytes, read_object

MODEL_FORMAT = "scorpion-model"
MODEL_VERSION = 1


class Score(BaseModel):
    """What a model reached on some deals, as far as it is shown."""

    model_config = STORED

    deals: str
    win_rate: float
    win_rate_ci95: Annotated[list[float], Field(min_length=2, max_length=2)]
    mean_points: float
    mean_runs: float


class Training(BaseModel):
    """How a model came about, as far as it is shown."""

    model_config = STORED

    command: str | None = None


class Description(BaseModel):
    """What ``model.json`` holds.

    Attributes:
        rules: The variant that the model plays.
        network: Keys of the configuration that say what it takes to build the network anew.
        values: Keys of the configuration that say what the critic's values mean.
        versions: Of scorpion_env and torch, which wrote it.
        weights, weights_sha256: Name and digest of the file beside it that holds the weights.
        timesteps, seed: Of the training.
        training: How it came about, in models that were exported from a run.
        scores: What it reached, in models that were measured when they were exported.
        plain: All that the file says, in its order.
    """

    model_config = STORED

    rules: StoredRules
    network: dict[str, Any]
    values: dict[str, Any] = {}
    versions: dict[str, str]
    weights: str
    weights_sha256: str
    timesteps: int | None = None
    seed: int | None = None
    training: Training = Training()
    scores: list[Score] = []
    plain: dict[str, Any]


def read_description(folder: Path) -> Description:
    """Return the description of a model.

    Raises:
        ScorpionError: if it is no description of a format and version that this package reads.
    """
    file = folder / MODEL_FILE
    plain = read_object(file, "description of a model")
    if plain.get("format") != MODEL_FORMAT:
        raise ScorpionError(f"{file} does not describe a model of scorpion_env.")
    if plain.get("version") != MODEL_VERSION:
        raise ScorpionError(
            f"{file} has version {shown(plain.get('version'))}; this package reads version "
            f"{MODEL_VERSION}."
        )
    about = checked(Description, plain | {"plain": plain}, file, "is damaged")
    if Path(about.weights).name != about.weights or "\0" in about.weights:
        raise ScorpionError(f"{file} is damaged: it names no weights file beside it.")
    return about


def read_weights(folder: Path, about: Description) -> bytes:
    """Return the weights of a model.

    Raises:
        ScorpionError: if they are not those that the description is of.
    """
    file = folder / about.weights
    weights = read_bytes(file, "file of weights")
    if hashlib.sha256(weights).hexdigest() != about.weights_sha256:
        raise ScorpionError(f"{file} was changed: it is not what {MODEL_FILE} describes.")
    return weights
