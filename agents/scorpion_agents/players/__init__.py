"""Players that answer at once: random, greedy, and any player that remembers its game."""
