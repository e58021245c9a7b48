"""Models on disk, which execute nothing when they are loaded.

A model is a folder with two files: ``policy-….safetensors`` (the weights) and ``model.json`` (which
file holds the weights, and what they are the weights of: rules, network, versions, how they came
about). ``model.json`` is replaced last, in one step, and the older weights go after that: whenever
a writer is killed, the folder holds a whole model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import make_folder, write_whole

WEIGHTS_FILES = "policy-*.safetensors"
MODEL_FILE = "model.json"


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


def not_finite(arrays: Mapping[str, npt.ArrayLike]) -> str | None:
    """Return the name of the first array that holds a NaN or an infinity, or None."""
    return next((name for name, a in arrays.items() if not np.isfinite(a).all()), None)


def find_model(path: Path) -> Path:
    """Return where the model of a folder lies: in itself, or a run's best, else its last.

    Raises:
        ScorpionError: if there is no model.
    """
    for folder in (path, path / "best", path / "last"):
        if (folder / MODEL_FILE).is_file():
            return folder
    raise ScorpionError(f"{path} holds no model: there is no {MODEL_FILE} in it, in best or last.")
