"""Plays many random games on the engine and on the slow model, and counts differences.

python tests/random_games.py --games 20000 --rules classic --workers 2
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

from scorpion_env.rules import PRESETS
from support.compare import Tally, play_games

CHUNK = 25
"""Games that a process plays at a time."""


def main(arguments: list[str] | None = None) -> int:
    """Plays many games and prints one line for each preset; 1 if anything differed."""
    parser = argparse.ArgumentParser(description="Random games, engine against model.")
    parser.add_argument("--games", type=int, default=1000, help="games for each preset")
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--rules", default="all", choices=["all", *PRESETS], help="preset")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    asked = parser.parse_args(arguments)
    failed = False
    for rules in PRESETS.values() if asked.rules == "all" else [PRESETS[asked.rules]]:
        began, total = time.monotonic(), Tally()
        starts = range(asked.first, asked.first + asked.games, CHUNK)
        counts = [min(CHUNK, asked.first + asked.games - start) for start in starts]
        with ProcessPoolExecutor(asked.workers) as pool:
            for tally in pool.map(play_games, repeat(rules), starts, counts):
                total.add(tally)
        print(
            f"{rules.name}: {total.games} games, {total.positions} positions compared, "
            f"{total.undone} actions undone, {total.flips} flips, {total.runs} runs, "
            f"{total.won} won, {total.lost} lost, {len(total.faults)} differences, "
            f"{time.monotonic() - began:.0f} s",
            flush=True,
        )
        for fault in total.faults[:3]:
            print(fault, file=sys.stderr)
        failed |= bool(total.faults)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
