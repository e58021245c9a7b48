"""``python -m scorpion_agents``: what the command ``scorpion`` is."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command ``scorpion``."""
    try:
        from scorpion_agents.cli import main as scorpion
    except ModuleNotFoundError as error:
        print(
            f"Error: This needs '{error.name}': pip install 'scorpion-env[cli]'.", file=sys.stderr
        )
        sys.exit(2)
    scorpion()


if __name__ == "__main__":
    main()
