"""The decorator of every compiled function.

Numba caches machine code beside the source and throws it away when *that file* changes. Code that
was inlined from another file would survive a change there: after a ``git pull`` the old rules would
still be played. The cache of each function here depends on all that its module imports as well.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


@cache
def sources_digest(module: str) -> str:
    """Return a digest of a module's source and of every source of its package that it imports."""
    package, _, name = module.rpartition(".")
    folder = Path(sys.modules[package].__path__[0])
    imports = re.compile(rf"^from {re.escape(package)}\.(\w+) import", re.MULTILINE)
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = (folder / f"{name}.py").read_text(encoding="utf-8")
            waiting += imports.findall(found[name])
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()


def compiled(function: F) -> F:
    """Compile a function with numba, in no-Python mode, without the GIL, cached on disk.

    Where nothing can be written, neither beside the source nor in the user's cache folder, it is
    compiled anew in every process.
    """
    try:
        dispatcher: Any = njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return cast(F, njit(nogil=True)(function))
    file = dispatcher._cache._cache_file
    file._source_stamp = (file._source_stamp, sources_digest(function.__module__))
    return cast(F, dispatcher)
