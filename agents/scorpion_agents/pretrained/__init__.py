"""The models that come with the repository: one folder a preset, weights and description.

``--agent pretrained`` plays the one of the preset. ``scripts/models.py import`` puts a model of
one's own in its place.
"""

from __future__ import annotations

from pathlib import Path

from scorpion_agents.models.files import MODEL_FILE
from scorpion_env.errors import ScorpionError
from scorpion_env.rules import PRESETS, Rules

PRETRAINED = Path(__file__).resolve().parent
"""Where they lie."""


def pretrained_presets() -> list[str]:
    """Return the presets that have a pretrained model, in the order of the table."""
    return [name for name in PRESETS if (PRETRAINED / name / MODEL_FILE).is_file()]


def pretrained_folder(rules: Rules) -> Path:
    """Return the folder of the model that plays a variant.

    Raises:
        ScorpionError: if there is none.
    """
    known = pretrained_presets()
    if rules.name not in known or PRESETS[rules.name] != rules:
        raise ScorpionError(
            f"No pretrained agent plays rules '{rules.name}'; there is one for "
            f"{', '.join(known) or 'no preset'}. Train one: "
            f"python scripts/train.py --rules PRESET."
        )
    return PRETRAINED / rules.name
