"""Measure agents on given deals, or compare what earlier measurements wrote."""

import sys

from scorpion_agents.cli.evaluate import main

if __name__ == "__main__":
    sys.exit(main())
