"""Damages the files of a format, again and again, and reads them."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

from fuzz import agent_files, game_files, run_files
from fuzz.damage import damaged

FORMATS = game_files.FORMATS | agent_files.FORMATS | run_files.FORMATS
"""Every kind of file that is read."""


@dataclass
class Fuzzer:
    """Damages the files of a format, again and again, and reads them.

    Args:
        name: The format.
        folder: Where to work; new.
    """

    name: str
    folder: Path

    def __post_init__(self) -> None:
        self.format = FORMATS[self.name]
        self._good = self.folder / "good"
        self._good.mkdir(parents=True)
        self.files = [file.relative_to(self._good) for file in self.format.make(self._good)]

    def once(self, seed: int) -> None:
        """Damage one file and read it.

        Raises:
            AssertionError: if a file was changed or lost.
            Exception: what a reader let through.
        """
        chance = random.Random(seed)
        folder = self.folder / "damaged"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._good, folder)
        file = folder / chance.choice(self.files)
        file.write_bytes(damaged(file.read_bytes(), chance))
        signed = self.format.sign is not None and self.format.sign(folder, chance)
        before = contents(folder)
        self.format.read(folder)
        after = contents(folder)
        if self.format.keeps:
            assert after == before, f"seed {seed}: reading changed the files"
        lost = before.keys() - after.keys() - WRITTEN_ANEW
        assert signed or not lost, f"seed {seed}: lost {lost}"


WRITTEN_ANEW = {"run/progress.csv"}
"""Files that are written anew from what is whole of them: none of it whole, no file."""


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != ".lock"
    }
