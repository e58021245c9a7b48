"""Models on disk, which execute nothing when they are loaded.

A model is a folder with two files: ``policy-….safetensors`` (the weights) and ``model.json`` (which
file holds the weights, and what they are the weights of: rules, network, versions, how they came
about). ``model.json`` is replaced last, in one step, and the older weights go after that: whenever
a writer is killed, the folder holds a whole model.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from scorpion_agents.schemas import STORED, StoredRules, checked
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import make_folder, read_object, write_whole

WEIGHTS_FILES = "policy-*.safetensors"
MODEL_FILE = "model.json"
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


def write_model(folder: Path, weights: bytes, description: dict[str, Any]) -> None:
    """Write weights and description; a reader finds the old model or the new one.

    Args:
        folder: Where to; made if need be.
        weights: A safetensors file.
        description: What ``model.json`` holds; the name and digest of the weights are put in.
    """
    make_folder(folder)
    digest = hashlib.sha256(weights).hexdigest()
    file = folder / WEIGHTS_FILES.replace("*", digest[:12])
    write_whole(file, weights)
    whole = description | {"weights": file.name, "weights_sha256": digest}
    write_whole(folder / MODEL_FILE, json.dumps(whole, indent=2) + "\n")
    for other in folder.glob(WEIGHTS_FILES):
        if other != file:
            other.unlink(missing_ok=True)


def find_model(path: Path) -> Path:
    """Return where the model of a folder lies: in itself, or a run's best, else its last.

    Raises:
        ScorpionError: if there is no model.
    """
    for folder in (path, path / "best", path / "last"):
        if (folder / MODEL_FILE).is_file():
            return folder
    raise ScorpionError(f"{path} holds no model: there is no {MODEL_FILE} in it, in best or last.")


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
            f"{file} has version {plain.get('version')}; this package reads version "
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
    try:
        weights = file.read_bytes()
    except OSError as error:
        raise ScorpionError(f"{file} cannot be read: {error.strerror}.") from error
    if hashlib.sha256(weights).hexdigest() != about.weights_sha256:
        raise ScorpionError(f"{file} was changed: it is not what {MODEL_FILE} describes.")
    return weights
