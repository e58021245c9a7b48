"""Say whether deals or positions can be won at all; the solver looks under the cards (oracle)."""

import sys

from scorpion_agents.cli.solve import main

if __name__ == "__main__":
    sys.exit(main())
