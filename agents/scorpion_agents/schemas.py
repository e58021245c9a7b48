"""Schemas of what is read from files: whatever does not fit one is said in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, PlainValidator, ValidationError
from pydantic_core import ErrorDetails

from scorpion_env.errors import ScorpionError
from scorpion_env.rules import Rules, get_rules

STORED = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)
"""How models of stored data are checked: no text passes for a number, and no number is NaN."""

LONGEST_VALUE = 100
LONGEST_MESSAGE = 1000
"""Characters that are shown of a value that does not fit, and of what is said about it."""

Model = TypeVar("Model", bound=BaseModel)


def _read_rules(value: object) -> Rules:
    if not isinstance(value, (str, Mapping)):
        raise ValueError("should be the name of a preset or an object")
    return get_rules(value)


StoredRules = Annotated[Rules, PlainValidator(_read_rules)]
"""Rules as files hold them: the name of a preset, or their plain data."""


def checked(model: type[Model], data: Mapping[str, Any], path: Path, refusal: str) -> Model:
    """Return what a file holds as a model of it.

    Args:
        model: The schema.
        data: The plain data in the file.
        path: The file.
        refusal: What is said of a file that does not fit: ``"is damaged"``.

    Raises:
        ScorpionError: if it does not fit; the text names the file and the place in it.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ScorpionError(f"{path} {refusal}: {first_fault(error)}.") from error


def first_fault(error: ValidationError) -> str:
    """Return the first thing that does not fit, as the end of a sentence about a file."""
    fault = error.errors()[0]
    if fault["type"] in ("missing", "dict_type"):
        return f"it says nothing of {fault_name(fault)}"
    return fault_text(fault)


def fault_name(fault: ErrorDetails) -> str:
    """Return where something does not fit: ``"deals.7.points"``."""
    return ".".join(str(part) for part in fault["loc"])


def fault_text(fault: ErrorDetails) -> str:
    """Return what does not fit: ``"'deals.7.points' should be a valid integer, not 'x'"``."""
    name, value = fault_name(fault), fault["input"]
    if fault["type"] == "missing":
        return f"'{name}' is missing"
    message = shortened(fault["msg"].removeprefix("Value error, "), LONGEST_MESSAGE).rstrip(".")
    if fault["type"] == "value_error" and (message[:1].isupper() or not name):
        return message  # already a sentence of its own
    if fault["type"] == "model_type":
        message = "should be an object"
    infinite = isinstance(value, float) and not math.isfinite(value)
    shown = "a number that is not finite" if infinite else shortened(repr(value), LONGEST_VALUE)
    return f"'{name}' {message.removeprefix('Input ')}, not {shown}"


def shortened(text: str, length: int) -> str:
    """Return a text that is no longer than `length`, cut off if need be."""
    return text if len(text) <= length else f"{text[:length]}…"
