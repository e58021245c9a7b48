"""Count how many deals of a variant can be won; the solver looks under the cards (oracle)."""

import sys

from scorpion_agents.cli.survey import main

if __name__ == "__main__":
    sys.exit(main())
