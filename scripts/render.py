"""Watch an agent play, or a game that was written down."""

import sys

from scorpion_agents.cli.render import main

if __name__ == "__main__":
    sys.exit(main())
