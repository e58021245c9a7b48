"""Training configurations: one flat YAML file an experiment, checked before anything is started.

:class:`TrainConfig` is the schema.
:func:`load_config` reads a file, lays ``key=value`` overrides on top and refuses, in one sentence
with file, line and key, whatever it does not know or cannot use.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import ErrorDetails

from agents.afterstate_features import check_describable
from agents.deal_sets import shared_deals
from agents.yaml_text import ConfigError, parse_yaml
from scorpion_env.checks import checked_end
from scorpion_env.deal_lists import ALL, DEALS, deal_list, read_deal_list
from scorpion_env.deals import parse_deals
from scorpion_env.errors import nearest, unknown
from scorpion_env.rewards import REWARDS
from scorpion_env.rules import Rules, get_rules

DEFAULT_CONFIG = Path(__file__).resolve().parent.parent / "configs" / "ppo_classic.yaml"
"""What ``scripts/train.py`` trains without arguments."""


def _whole(value: object) -> object:
    """Accept ``2e6`` where a whole number is meant; everything else is left to the schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Count = Annotated[int, BeforeValidator(_whole), Field(ge=1)]
Whole = Annotated[int, BeforeValidator(_whole), Field(ge=0)]


def _count_or_auto(value: object) -> object:
    """Refuse for both kinds at once; the schema would speak of each by its own inner name."""
    value = _whole(value)
    if value == "auto" or (type(value) is int and value >= 1):
        return value
    raise ValueError("should be a whole number from 1, or auto")


CountOrAuto = Annotated[int | Literal["auto"], BeforeValidator(_count_or_auto)]
Unit = Annotated[float, Field(ge=0.0, le=1.0)]
Positive = Annotated[float, Field(gt=0.0)]
NotNegative = Annotated[float, Field(ge=0.0)]

_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Schedule(BaseModel):
    """A number that goes in a straight line from `start` to `end` while the training runs."""

    model_config = _STRICT

    start: NotNegative
    end: NotNegative

    @model_validator(mode="before")
    @classmethod
    def _constant(cls, value: object) -> object:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return {"start": float(value), "end": float(value)}
        if isinstance(value, (Schedule, Mapping)):
            return value
        raise ValueError("should be a number or {start: NUMBER, end: NUMBER}")

    @model_serializer
    def _short(self) -> float | dict[str, float]:
        return self.start if self.start == self.end else {"start": self.start, "end": self.end}

    def __call__(self, progress_remaining: float) -> float:
        """Return the value at `progress_remaining`, 1.0 at the first step and 0.0 at the last."""
        left = min(max(progress_remaining, 0.0), 1.0)
        return self.end + (self.start - self.end) * left


def training_deals(deals: str, rules: Rules) -> npt.NDArray[np.uint64]:
    """Return the deals that a configuration's `deals` names, uint64; none stands for all."""
    return deal_list(deals, rules) if deals in DEALS else read_deal_list(Path(deals))


class NetArch(BaseModel):
    """Widths of the hidden layers of the actor (`pi`) and of the critic (`vf`)."""

    model_config = _STRICT

    pi: list[Count]
    vf: list[Count]

    @model_validator(mode="before")
    @classmethod
    def _same_for_both(cls, value: object) -> object:
        if isinstance(value, list):
            return {"pi": value, "vf": value}
        if isinstance(value, (NetArch, Mapping)):
            return value
        raise ValueError("should be a list of widths or {pi: [...], vf: [...]}")


class TrainConfig(BaseModel):
    """Everything that decides what a training run computes, and where its figures are taken."""

    model_config = _STRICT

    # The game
    rules: str | dict[str, Any] = "classic"
    reward: str = "points"
    reward_scale: Positive = 0.01
    win_bonus: NotNegative = 0.0
    max_steps: Count | None = None
    deals: str = ALL
    end_when: Literal["stuck", "dead"] = "stuck"
    num_envs: Count = 256

    # How long, and from which random numbers
    timesteps: Count = 1_000_000
    max_minutes: Positive | None = None
    seed: Whole = 0
    start_from: str | None = None

    # The network
    policy: Literal["mlp", "afterstate"] = "mlp"
    critic: Literal["player", "full"] = "player"
    extractor: Literal["flat"] = "flat"
    encoder: Annotated[list[Count], Field(min_length=1)] = [64, 64]
    net_arch: NetArch = NetArch(pi=[256, 256], vf=[256, 256])
    activation: Literal["relu", "tanh"] = "relu"
    mask_null_moves: bool = True

    # PPO
    learning_rate: Schedule = Schedule(start=3e-4, end=3e-4)
    n_steps: Count = 128
    batch_size: Annotated[int, BeforeValidator(_whole), Field(ge=2)] = 2048
    n_epochs: Count = 4
    gamma: Unit = 0.99
    gae_lambda: Unit = 0.95
    clip_range: Schedule = Schedule(start=0.2, end=0.2)
    ent_coef: Schedule = Schedule(start=0.01, end=0.01)
    vf_coef: NotNegative = 0.5
    max_grad_norm: Positive = 0.5
    target_kl: Positive | None = None
    normalize_advantage: bool = True

    # The machine
    device: str = "cpu"
    threads: CountOrAuto = "auto"

    # What is measured and kept
    stats_window: Count = 1000
    eval_every: Count = 500_000
    eval_deals: str = "900000:901000"
    final_deals: str = "0:2000"
    checkpoint_every: Count = 500_000
    checkpoint_minutes: Positive = 5.0

    @field_validator("rules")
    @classmethod
    def _known_rules(cls, value: str | dict[str, Any]) -> str | dict[str, Any]:
        get_rules(value)
        return value

    @field_validator("reward")
    @classmethod
    def _known_reward(cls, value: str) -> str:
        if value not in REWARDS:
            raise ValueError(unknown("reward", value, REWARDS))
        return value

    @field_validator("device")
    @classmethod
    def _device_name(cls, value: str) -> str:
        if not re.fullmatch(r"auto|cpu|cuda(:\d+)?|mps", value):
            raise ValueError("should be auto, cpu, cuda, cuda:N or mps")
        return value

    @field_validator("deals")
    @classmethod
    def _readable_list(cls, value: str) -> str:
        if value not in DEALS:
            if not Path(value).is_file():
                raise ValueError(f"should be all, winnable or a file of numbers, not '{value}'")
            read_deal_list(Path(value))
        return value

    @field_validator("eval_deals", "final_deals")
    @classmethod
    def _readable_deals(cls, value: str, info: ValidationInfo) -> str:
        # They are played first after hours of training; a misprint must not wait until then.
        if "rules" in info.data:
            try:
                parse_deals(value, get_rules(info.data["rules"]))
            except OSError as error:
                raise ValueError(f"Cannot read {value}: {error.strerror or error}") from error
        return value

    @model_validator(mode="after")
    def _deals_apart(self) -> TrainConfig:
        rules = get_rules(self.rules)
        checked_end(self.end_when, rules)
        trained = [str(number) for number in training_deals(self.deals, rules).tolist()]
        for name, deals in (("eval_deals", self.eval_deals), ("final_deals", self.final_deals)):
            shared = shared_deals(parse_deals(deals, rules), trained, rules) if trained else []
            if shared:
                raise ValueError(
                    f"deals {self.deals} and {name} {deals} share {len(shared)} deals, "
                    f"'{shared[0]}' for one; what is measured must not have been trained on"
                )
        shared = shared_deals(
            parse_deals(self.eval_deals, rules), parse_deals(self.final_deals, rules), rules
        )
        if shared:
            raise ValueError(
                f"eval_deals {self.eval_deals} and final_deals {self.final_deals} share "
                f"{len(shared)} deals, '{shared[0]}' for one; the best model is chosen on the "
                "first and measured on the second, so they must have none in common"
            )
        return self

    @model_validator(mode="after")
    def _policy_fits(self) -> TrainConfig:
        if self.policy == "afterstate":
            check_describable(get_rules(self.rules))
        elif self.critic == "full":
            raise ValueError(
                "critic: full needs policy: afterstate; the flat network's actor would see the "
                "hidden cards too"
            )
        return self

    @model_validator(mode="after")
    def _batches_fit(self) -> TrainConfig:
        rollout = self.num_envs * self.n_steps
        if self.batch_size > rollout:
            raise ValueError(
                f"batch_size {self.batch_size} is larger than a rollout, which has "
                f"num_envs * n_steps = {self.num_envs} * {self.n_steps} = {rollout} steps"
            )
        if rollout % self.batch_size == 1:
            # The advantages of one single step have no spread: normalising them gives NaN.
            raise ValueError(
                f"batch_size {self.batch_size} leaves a batch of one step out of "
                f"num_envs * n_steps = {rollout}; choose one that divides it"
            )
        return self

    def to_yaml(self) -> str:
        """Return the configuration as YAML that :func:`load_config` reads back to an equal one."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)


def read_config_file(path: str | Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Read a YAML file; return its values and the place (file and line) of each key.

    Raises:
        ConfigError: if the file cannot be read or is no mapping of keys to values.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(f"Cannot read the configuration {path}: {reason}.") from error
    values, lines = parse_yaml(text, str(path))
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


def load_config(
    path: str | Path | None = None,
    overrides: Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
) -> TrainConfig:
    """Return the configuration of a file, with ``key=value`` overrides and options laid over it.

    Args:
        path: A YAML file; None for the defaults of the schema.
        overrides: Texts ``key=value``, as ``--set`` takes them; the last one of a key counts.
        options: Values of options with a name of their own (``--seed``); None is "not given".

    Raises:
        ConfigError: naming file and line, ``--set`` or option, and the key.
    """
    values, places = read_config_file(path) if path is not None else ({}, {})
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
    name, value, message = ".".join(keys), error["input"], error["msg"]
    if error["type"] == "extra_forbidden":
        model = _KNOWN.get(keys[0], TrainConfig) if len(keys) > 1 else TrainConfig
        known = list(model.model_fields)
        hint = nearest(keys[-1], known) or f" Known: {', '.join(known)}."
        return f"{place}: Unknown configuration key '{name}'.{hint}"
    if error["type"] == "missing":
        return f"{place}: '{name}' is missing."
    if error["type"] == "value_error":
        message = message.removeprefix("Value error, ").rstrip(".")
        if message[:1].isupper() or not keys:  # already a sentence of its own
            return f"{place}: {message}{'' if message.endswith('?') else '.'}"
    message = message.removeprefix("Input ").rstrip(".")
    shown = "a number that is not finite" if _not_finite(value) else repr(value)
    hint = ""
    if error["type"] == "literal_error" and isinstance(value, str):
        hint = nearest(value, re.findall(r"'([^']*)'", message))
    return f"{place}: '{name}' {message}, not {shown}.{hint}"


def _not_finite(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
