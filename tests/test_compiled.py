"""Compiled code is cached, and a change of what it was made from makes it stale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scorpion_env import kernels
from scorpion_env.compiled import compiled, sources_digest


def test_the_cache_of_a_kernel_depends_on_what_its_module_imports() -> None:
    stamp = kernels.play._cache._cache_file._source_stamp  # type: ignore[attr-defined]
    assert stamp[1] == sources_digest(kernels.__name__)


def test_a_changed_callee_in_another_file_is_noticed(tmp_path: Path) -> None:
    package = tmp_path / "scorpion_copy"
    package.mkdir()
    source = Path(compiled.__code__.co_filename).read_text()
    (package / "__init__.py").touch()
    (package / "compiled.py").write_text(source)
    (package / "caller.py").write_text(
        "from scorpion_copy.callee import callee\n"
        "from scorpion_copy.compiled import compiled\n"
        "@compiled\n"
        "def caller():\n"
        "    return callee()\n"
    )

    def answer(value: int) -> str:
        (package / "callee.py").write_text(
            "from scorpion_copy.compiled import compiled\n"
            "@compiled\n"
            "def callee():\n"
            f"    return {value}\n"
        )
        code = "from scorpion_copy.caller import caller; print(caller())"
        return subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert answer(1) == "1"
    assert answer(2) == "2"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_no_two_processes_write_the_same_cache_file() -> None:
    code = (
        "import os; from scorpion_env import kernels\n"
        "print(kernels.play._cache._cache_file._data_name(1), flush=True)\n"
        "if os.fork() == 0:\n"
        "    print(kernels.play._cache._cache_file._data_name(1), flush=True)\n"
        "else:\n"
        "    os.wait()\n"
    )
    names = [
        name
        for _ in range(2)
        for name in subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
    ]
    assert len(set(names)) == 4
