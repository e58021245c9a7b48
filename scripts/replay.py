"""Check replay files: ``python scripts/replay.py check game.jsonl``."""

import sys

from scorpion_agents.cli.replay import main

if __name__ == "__main__":
    sys.exit(main())
