"""Damaged files of every format are refused with a sentence; `damaged_files.py` tries more."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.fuzzer import FORMATS, Fuzzer

FILES = 40


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_is_refused_with_a_sentence(name: str, tmp_path: Path) -> None:
    fuzzer = Fuzzer(name, tmp_path / "fuzz")
    for seed in range(10**6, 10**6 + FILES):
        fuzzer.once(seed)
