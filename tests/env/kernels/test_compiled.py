"""Compiled code is cached, and a change of what it was made from makes it stale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scorpion_env import kernels
from scorpion_env.kernels.compiled import compiled, sources_digest


def test_the_cache_of_a_kernel_depends_on_what_its_module_imports() -> None:
    stamp = kernels.play._cache._cache_file._source_stamp  # type: ignore[attr-defined]
    assert stamp[1] == sources_digest("scorpion_env.kernels.play")


CALLERS = {
    "beside": "from rules_copy.callee import callee",
    "below": "from rules_copy.a.callee import callee",
    "module": "from rules_copy.a.b import callee as m\ncallee = m.callee",
    "a.b.above": "from rules_copy.callee import callee",
    "a.b.relative": "from ...c.callee import (\n    callee,  # a rule\n)",
    "exported": "from rules_copy.c import callee",
    "a.plain": "import rules_copy.a.callee as m\ncallee = m.callee",
}
"""By the caller's module, how it comes by a callee that lies in another file."""


def test_a_changed_callee_is_noticed_wherever_it_lies(tmp_path: Path) -> None:
    package = tmp_path / "rules_copy"
    for folder in (package, package / "a", package / "a/b", package / "c"):
        folder.mkdir()
        (folder / "__init__.py").touch()
    (package / "c/__init__.py").write_text("from rules_copy.c.callee import callee as callee\n")
    (package / "compiled.py").write_text(Path(compiled.__code__.co_filename).read_text())
    head = "from rules_copy.compiled import compiled\n"
    for name, imports in CALLERS.items():
        file = package / f"{name.replace('.', '/')}.py"
        file.write_text(f"{head}{imports}\n@compiled\ndef caller():\n    return callee()\n")

    def answers(value: int) -> list[str]:
        for folder in (".", "a", "a/b", "c"):
            code = f"{head}@compiled\ndef callee():\n    return {value}\n"
            (package / folder / "callee.py").write_text(code)
        code = "from importlib import import_module\n" + "\n".join(
            f"print(import_module('rules_copy.{name}').caller())" for name in CALLERS
        )
        return subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout.split()

    assert answers(1) == ["1"] * len(CALLERS)
    assert answers(2) == ["2"] * len(CALLERS)


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
