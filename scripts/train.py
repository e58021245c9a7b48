"""Train a PPO agent, go on with a training, or train from several seeds."""

import sys

from scorpion_agents.cli.train import main

if __name__ == "__main__":
    sys.exit(main())
