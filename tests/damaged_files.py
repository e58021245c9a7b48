"""Damages files of every format many times over, and counts what their readers let through.

python tests/damaged_files.py --files 2000 --format replay
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from pathlib import Path

from fuzz.fuzzer import FORMATS, Fuzzer


def main(arguments: list[str] | None = None) -> int:
    """Prints one line for each format; 1 if a reader raised anything but a refusal."""
    parser = argparse.ArgumentParser(description="Damaged files of every format.")
    parser.add_argument("--files", type=int, default=2000, help="files of each format")
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--format", default="all", choices=["all", *FORMATS])
    asked = parser.parse_args(arguments)
    failed = False
    for name in FORMATS if asked.format == "all" else [asked.format]:
        began, faults = time.monotonic(), 0
        with tempfile.TemporaryDirectory() as folder:
            fuzzer = Fuzzer(name, Path(folder) / "fuzz")
            for seed in range(asked.first, asked.first + asked.files):
                try:
                    fuzzer.once(seed)
                except Exception:
                    faults += 1
                    if faults <= 3:
                        print(f"{name}, file {seed}:", file=sys.stderr)
                        traceback.print_exc()
        seconds = time.monotonic() - began
        print(f"{name}: {asked.files} files, {faults} faults, {seconds:.0f} s", flush=True)
        failed |= faults > 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
