"""Take a trained model out of its run folder, look at one, or make one the pretrained agent."""

import sys

from scorpion_agents.cli.models import main

if __name__ == "__main__":
    sys.exit(main())
