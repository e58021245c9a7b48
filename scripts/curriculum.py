"""Write a list of deals that can be won, the easiest first, to train on (oracle)."""

import sys

from scorpion_agents.cli.curriculum import main

if __name__ == "__main__":
    sys.exit(main())
