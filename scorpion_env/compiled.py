"""The decorator of every compiled function.

Numba caches machine code beside the source and throws it away when *that file* changes. Code that
was inlined from another file would survive a change there: after a ``git pull`` the old rules would
still be played. The cache of each function here depends on all that its module imports as well.

Numba numbers the files of its cache, and two processes that compile a function for two variants at
the same time may take the same number: one of them, and all that start later, would run the other's
code. Here every process has file names of its own.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

_TOKEN = secrets.token_hex(4)
"""With the process's number: two containers that share a cache may have equal ones."""

F = TypeVar("F", bound=Callable[..., object])


@cache
def sources_digest(module: str) -> str:
    """Return a digest of a module's source and of all that it imports from here.

    Followed are ``from package.module import`` lines of the module's own package and of this one.
    """
    packages = {module.rpartition(".")[0], __package__}
    names = "|".join(re.escape(package) for package in packages)
    imports = re.compile(rf"^from ((?:{names})\.\w+) import", re.MULTILINE)
    found: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            package, _, file = name.rpartition(".")
            folder = Path(sys.modules[package].__path__[0])
            source = folder / f"{file}.py"
            found[name] = source.read_text(encoding="utf-8") if source.is_file() else ""
            waiting += imports.findall(found[name])
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()


def compiled(function: F) -> F:
    """Compile a function with numba, in no-Python mode, without the GIL, cached on disk.

    Where nothing can be written, neither beside the source nor in the user's cache folder, it is
    compiled anew in every process.
    """
    return _compile(function)


def inlined(function: F) -> F:
    """Compile a function as `compiled` does, and copy it into the compiled functions that call it.

    For what is called at every step: a call costs numba several times what it costs C.
    """
    return _compile(function, forceinline=True)


def _compile(function: F, **options: bool) -> F:
    compile_function: Any = njit
    try:
        dispatcher = compile_function(cache=True, nogil=True, **options)(function)
    except RuntimeError:
        return cast(F, compile_function(nogil=True, **options)(function))
    file = dispatcher._cache._cache_file
    file._source_stamp = (file._source_stamp, sources_digest(function.__module__))
    numbered = file._data_name
    file._data_name = lambda number: f"{_TOKEN}-{os.getpid()}-{numbered(number)}"
    return cast(F, dispatcher)
