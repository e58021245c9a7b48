"""Training configurations: one flat YAML file an experiment, checked before anything is started.

:class:`TrainConfig` is the schema; :mod:`scorpion_agents.config.files` reads the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from scorpion_agents.afterstates.describer import check_describable
from scorpion_agents.config.resolved import (
    Resolved,
    measured_deals,
    shared_deals,
    training_deals,
)
from scorpion_env.batch.arguments import checked_end
from scorpion_env.deals import SeededDeal
from scorpion_env.environment.deal_lists import ALL
from scorpion_env.errors import unknown
from scorpion_env.notation.files import read_object
from scorpion_env.rewards import REWARDS
from scorpion_env.rules import get_rules


def _whole(value: object) -> object:
    """Accept ``2e6`` where a whole number is meant; everything else is left to the schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


MOST = 10**15
"""Of anything that is counted; more is a slip of the finger."""

Count = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=MOST)]
Whole = Annotated[int, BeforeValidator(_whole), Field(ge=0)]

CHANGEABLE = (
    *("learning_rate", "clip_range", "ent_coef", "vf_coef"),
    *("max_grad_norm", "target_kl", "n_epochs"),
)
"""Keys that may change when a run is resumed: how it learns from there on."""

MAX_TRAINING_SEED = 2**32 - 1
"""Stable-Baselines3 seeds numpy's older generator, which takes no larger number."""


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
            return {"start": value, "end": value}
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


@contextmanager
def _about(key: str, value: object) -> Iterator[None]:
    """Let a refusal name the key that it is about, as those of the schema do."""
    try:
        yield
    except ValueError as error:
        raise ValidationError.from_exception_data(
            "TrainConfig",
            [{"type": "value_error", "loc": (key,), "input": value, "ctx": {"error": error}}],
        ) from error


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
    seed: Annotated[Whole, Field(le=MAX_TRAINING_SEED)] = 0
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

    @field_validator("rules", mode="before")
    @classmethod
    def _from_file(cls, value: object) -> object:
        """Read rules of one's own from their file; a run's configuration then holds them."""
        if isinstance(value, str) and value.endswith(".json"):
            return read_object(value, "description of rules")
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

    @cached_property
    def resolved(self) -> Resolved:
        """What the words for rules and deals stand for, found once, when they are checked."""
        with _about("rules", self.rules):
            rules = get_rules(self.rules)
        with _about("deals", self.deals):
            deals = training_deals(self.deals, rules)
        # They are played first after hours of training; a misprint must not wait until then.
        with _about("eval_deals", self.eval_deals):
            eval_deals = measured_deals(self.eval_deals, rules)
        with _about("final_deals", self.final_deals):
            final_deals = measured_deals(self.final_deals, rules)
        return Resolved(rules, deals, eval_deals, final_deals)

    def model_copy(
        self, *, update: Mapping[str, Any] | None = None, deep: bool = False
    ) -> TrainConfig:
        """Return a copy; other words stand for something else, so they are resolved anew."""
        copy = super().model_copy(update=update, deep=deep)
        if update and not update.keys().isdisjoint(Resolved.__dataclass_fields__):
            vars(copy).pop("resolved", None)
        return copy

    def with_deals_in(self, file: str) -> TrainConfig:
        """Return the configuration with its training deals in another file, which is not read."""
        copy = self.model_copy(update={"deals": file})
        vars(copy)["resolved"] = self.resolved
        return copy

    @model_validator(mode="after")
    def _deals_apart(self) -> TrainConfig:
        found = self.resolved
        checked_end(self.end_when, found.rules)
        trained = [SeededDeal(number) for number in found.deals.tolist()]
        for name in ("eval_deals", "final_deals"):
            shared = shared_deals(getattr(found, name), trained, found.rules) if trained else []
            if shared:
                raise ValueError(
                    f"deals {self.deals} and {name} {getattr(self, name)} share {len(shared)} "
                    f"deals, '{shared[0]}' for one; what is measured must not have been trained on"
                )
        shared = shared_deals(found.eval_deals, found.final_deals, found.rules)
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
            check_describable(self.resolved.rules)
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
        """Return the configuration as YAML; `scorpion_agents.config.files` reads an equal one."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)
