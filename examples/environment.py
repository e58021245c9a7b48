"""The environment in twenty lines: random legal moves. Run: python examples/environment.py.

It prints the board at the end, and what the game came to.
"""

import gymnasium as gym
import numpy as np

import scorpion_env  # registers the ids

env = gym.make("Scorpion-v0", rules=scorpion_env.PRESETS["classic"], render_mode="ansi")
observation, info = env.reset(seed=7)
rng = np.random.default_rng(0)
terminated = truncated = False
points = 0.0
while not (terminated or truncated):
    action = rng.choice(np.flatnonzero(info["action_mask"]))
    observation, reward, terminated, truncated, info = env.step(action)
    points += float(reward)
print(env.render())
print(f"{info['outcome']} with {points:.0f} points after {info['moves']} moves")
