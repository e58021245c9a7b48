"""Compiled code on disk: what is damaged heals, what is dead goes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scorpion_env.kernels.compiled import compiled

KERNELS = Path(compiled.__code__.co_filename).parent

PROGRAM = """\
import sys
sys.path.insert(0, sys.argv[1])
from rules_copy.rule import double
print(double(21), sum(double.stats.cache_hits.values()), sum(double.stats.cache_misses.values()))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "rules_copy"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name in ("compiled.py", "cache.py"):
        text = (KERNELS / name).read_text().replace("scorpion_env.kernels", "rules_copy")
        (folder / name).write_text(text)
    write_rule(folder)
    return folder


def write_rule(folder: Path, above: str = "") -> None:
    head = f"from rules_copy.compiled import compiled\n{above}\n"
    (folder / "rule.py").write_text(f"{head}@compiled\ndef double(x):\n    return 2 * x\n")


def run(package: Path, **environment: str) -> tuple[str, str]:
    """The answer, hits and misses of the cache; and what was said."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(package.parent)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def cache_files(package: Path, ending: str) -> list[Path]:
    return sorted((package / "__pycache__").glob(f"*.{ending}"))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [empty, cut, flip, Path.unlink])
def test_a_damaged_file_is_compiled_anew(
    package: Path, ending: str, damage: Callable[[Path], None]
) -> None:
    assert run(package)[0] == "42 0 1"
    (file,) = cache_files(package, ending)
    damage(file)
    answer = run(package)[0]
    assert answer == "42 0 1" or (damage is flip and ending == "nbi" and answer == "42 1 0")
    assert run(package)[0] == "42 1 0"


def test_what_no_index_names_any_more_is_removed(package: Path) -> None:
    run(package)
    for lines in range(1, 4):
        write_rule(package, "# a line\n" * lines)
        assert run(package)[0] == "42 0 1"
        assert len(cache_files(package, "nbi")) == len(cache_files(package, "nbc")) == 1


NOT_KEPT = {
    "no folder": "import numba.core.caching as c; c.CacheImpl._locator_classes = []",
    "full disk": (
        "import rules_copy.cache as c\n"
        "def full(*_): raise OSError(28, 'No space left on device')\n"
        "c.CacheFile._open_for_write = full"
    ),
}
"""What keeps compiled code from being written."""


@pytest.mark.parametrize("why", NOT_KEPT)
def test_where_nothing_can_be_written_it_works_and_says_what_it_costs(
    package: Path, why: str
) -> None:
    first, second, rest = PROGRAM.split("\n", 2)
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([first, second, NOT_KEPT[why], rest]), package.parent],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("42 "), done.stderr
    assert "compiled code is not kept: every start compiles again" in done.stderr
    assert cache_files(package, "nbc") == []


def test_functions_are_compiled_also_where_numba_is_told_not_to(package: Path) -> None:
    assert run(package, NUMBA_DISABLE_JIT="1")[0] == "42 0 1"
