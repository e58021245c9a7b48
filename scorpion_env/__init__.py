"""Scorpion solitaire: a Gymnasium environment over a compiled engine.

>>> import scorpion_env
>>> scorpion_env.Game.new(deal=7).play("deal")
0
"""

from scorpion_env.check import check
from scorpion_env.env import ScorpionEnv
from scorpion_env.environment.registration import register_envs, registered_ids
from scorpion_env.errors import IllegalMove, ScorpionError
from scorpion_env.game import Game
from scorpion_env.rules import PRESETS, Rules, get_rules
from scorpion_env.vector_env import ScorpionVectorEnv

__version__ = "0.1.0"

__all__ = [
    "PRESETS",
    "Game",
    "IllegalMove",
    "Rules",
    "ScorpionEnv",
    "ScorpionError",
    "ScorpionVectorEnv",
    "check",
    "get_rules",
    "register_envs",
    "registered_ids",
]

register_envs()
