"""Training configurations from files, command lines and both.

:func:`load_config` reads a file, lays ``key=value`` overrides on top and refuses, in one sentence
with file, line and key, whatever it does not know or cannot use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from scorpion_agents.config.schema import CHANGEABLE, NetArch, Schedule, TrainConfig
from scorpion_agents.config.yaml_text import ConfigError, parse_yaml
from scorpion_agents.schemas import LONGEST_VALUE, fault_name, fault_text, shortened
from scorpion_env.errors import nearest
from scorpion_env.notation.files import is_file, read_text

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
"""The configurations that come with the package: in it where it is installed from a wheel."""

if not CONFIGS.is_dir():  # a checkout has them at its top
    CONFIGS = CONFIGS.parents[2] / "configs"

DEFAULT_CONFIG = CONFIGS / "default.yaml"
"""What ``scripts/train.py`` trains without arguments."""


def read_config_file(path: str | Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Read a YAML file; return its values and the place (file and line) of each key.

    Raises:
        ConfigError: if the file cannot be read or is no mapping of keys to values.
    """
    path = Path(path)
    if path.parent == Path(CONFIGS.name) and not is_file(path):  # named as in a checkout
        path = CONFIGS / path.name
    values, lines = parse_yaml(read_text(path, "configuration", refusal=ConfigError), str(path))
    if values is None:
        return {}, {}
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: a configuration is a list of 'key: value' lines.")
    return {str(k): v for k, v in values.items()}, {
        key: f"{path}, line {line}" for key, line in lines.items()
    }


def parse_override(text: str) -> tuple[str, Any]:
    """Split ``key=value``, the value read as YAML (``learning_rate={start: 3e-4, end: 0}``).

    Raises:
        ConfigError: if there is no ``=`` or the value is no YAML.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set {text}: write key=value, for instance --set n_steps=256.")
    return key.strip(), parse_yaml(value, f"--set {text}")[0]


def check_changes(overrides: Iterable[str]) -> None:
    """Refuse ``key=value`` overrides that a run cannot be resumed with.

    Raises:
        ConfigError: if the key is none that may change.
    """
    for key, _ in map(parse_override, overrides):
        if key not in CHANGEABLE:
            raise ConfigError(
                f"--set {key} cannot be given with --resume: a run is resumed as it was started; "
                f"of its configuration only {', '.join(CHANGEABLE)} may change."
            )


def load_config(
    path: str | Path | None = None,
    overrides: Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
    *,
    needs: Iterable[Mapping[str, Any]] = (),
) -> TrainConfig:
    """Return the configuration of a file, with ``key=value`` overrides and options laid over it.

    Args:
        path: A YAML file; None for the defaults of the schema.
        needs: What the variant needs, laid over the file's values and under the overrides; see
            :func:`scorpion_agents.config.variants.needs_of`.
        overrides: Texts ``key=value``, as ``--set`` takes them; the last one of a key counts.
        options: Values of options with a name of their own (``--seed``); None is "not given".

    Raises:
        ConfigError: naming file and line, ``--set`` or option, and the key.
    """
    values, places = read_config_file(path) if path is not None else ({}, {})
    for need in needs:
        values |= need
        places |= dict.fromkeys(need, "what these rules need")
    for text in overrides:
        key, value = parse_override(text)
        values[key], places[key] = value, f"--set {text}"
    for key, value in (options or {}).items():
        if value is not None:
            values[key], places[key] = value, f"--{key.replace('_', '-')} {value}"
    try:
        return TrainConfig.model_validate(values)
    except ValidationError as error:
        whole = str(path) if path is not None else "configuration"
        # A misspelt key also leaves the right one missing; the misspelling is what to speak of.
        errors = sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
        raise ConfigError(_sentence(errors[0], places, whole)) from error


_NESTED = {"learning_rate": Schedule, "clip_range": Schedule, "ent_coef": Schedule}
_KNOWN: dict[str, type[BaseModel]] = {**_NESTED, "net_arch": NetArch}


def _sentence(error: ErrorDetails, places: Mapping[str, str], whole: str) -> str:
    """Say one of pydantic's findings in one sentence with its place."""
    keys = [str(part) for part in error["loc"]]
    place = places.get(keys[0], whole) if keys else whole
    name, value = fault_name(error), error["input"]
    if error["type"] == "extra_forbidden":
        model = _KNOWN.get(keys[0], TrainConfig) if len(keys) > 1 else TrainConfig
        known = list(model.model_fields)
        hint = nearest(keys[-1], known) or f" Known: {', '.join(known)}."
        return f"{place}: Unknown configuration key '{shortened(name, LONGEST_VALUE)}'.{hint}"
    hint = ""
    if error["type"] == "literal_error" and isinstance(value, str):
        hint = nearest(value, re.findall(r"'([^']*)'", error["msg"]))
    said = fault_text(error)
    return f"{place}: {said}{'' if said.endswith('?') else '.'}{hint}"
