"""Who plays Scorpion: random, greedy, searching players, and what training leaves behind.

>>> from scorpion_agents import load_agent
>>> load_agent("random", "classic")
<RandomAgent 'random' for classic>
"""

from scorpion_agents.base import Agent
from scorpion_agents.players.greedy import GreedyAgent
from scorpion_agents.players.random_agent import RandomAgent
from scorpion_agents.registry import AGENTS, PRETRAINED_NAME, adviser, load_agent

__all__ = [
    "AGENTS",
    "PRETRAINED_NAME",
    "Agent",
    "GreedyAgent",
    "RandomAgent",
    "adviser",
    "load_agent",
]
