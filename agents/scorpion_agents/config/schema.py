"""Training configurations: one flat YAML file an experiment, checked before anything is started.

:class:`TrainConfig` is the schema; :mod:`scorpion_agents.config.files` reads the files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from scorpion_agents.afterstates.describer import check_describable
from scorpion_agents.config.deal_sets import shared_deals
from scorpion_env.batch.arguments import checked_end
from scorpion_env.deals import SeededDeal, parse_deals
from scorpion_env.environment.deal_lists import ALL, DEALS, deal_list, read_deal_list
from scorpion_env.errors import unknown
from scorpion_env.rewards import REWARDS
from scorpion_env.rules import Rules, get_rules


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
        trained = [SeededDeal(number) for number in training_deals(self.deals, rules).tolist()]
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
        """Return the configuration as YAML; `scorpion_agents.config.files` reads an equal one."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)
