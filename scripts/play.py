"""Play Scorpion in the terminal by typed moves; also over a pipe."""

import sys

from scorpion_agents.cli.play import main

if __name__ == "__main__":
    sys.exit(main())
