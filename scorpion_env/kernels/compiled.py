"""The decorator of every compiled function.

Numba caches machine code beside the source and throws it away when *that file* changes. Code that
was inlined from another file would survive a change there: after a ``git pull`` the old rules would
still be played. The cache of each function here depends on all that its module imports as well.

:mod:`scorpion_env.kernels.cache` has the files.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from numba import njit
from numba.core import config as numba_config

from scorpion_env.kernels.cache import CacheFile, warn_uncached

P = ParamSpec("P")
R = TypeVar("R")


_IMPORTS = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]*))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#[^\n]*")


@cache
def sources_digest(module: str) -> str:
    """Return a digest of a module's source and of all that it imports, at whatever depth.

    Followed is every import, in any sub-package, of the module's own top-level package and of the
    one that this file belongs to. What looks like an import but is none (a line of a docstring)
    can only make a cache stale too often, never too seldom.
    """
    roots = {module.partition(".")[0], __name__.partition(".")[0]}
    found: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found and name.partition(".")[0] in roots:
            source = _source(name)
            found[name] = b"" if source is None else source.read_bytes()
            waiting += _imports(name)
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()


@cache
def _imports(module: str) -> list[str]:
    """Return the modules that a module names in its imports, as far as they have a source."""
    source = _source(module)
    if source is None:
        return []
    package = module if source.name == "__init__.py" else module.rpartition(".")[0]
    names = []
    for origin, imported, plain in _IMPORTS.findall(source.read_text(encoding="utf-8")):
        if plain:
            names += [part.split(" as ")[0].strip() for part in plain.split(",")]
            continue
        dots = len(origin) - len(origin.lstrip("."))
        base = origin
        if dots:
            above = package.split(".")[: package.count(".") + 2 - dots]
            base = ".".join([*above, origin[dots:]]).rstrip(".")
        names.append(base)
        parts = _COMMENT.sub("", imported).strip("() \n").split(",")
        names += [f"{base}.{part.split(' as ')[0].strip()}" for part in parts if part.strip()]
    return [name for name in names if _source(name) is not None]


@cache
def _source(module: str) -> Path | None:
    """Return the file of a module, without importing it; None if there is none."""
    root, *path = module.split(".")
    folders = getattr(sys.modules.get(root), "__path__", None)
    if folders is None:  # a single file, such as a script or a test
        file = None if path else getattr(sys.modules.get(root), "__file__", None)
        return None if file is None else Path(file)
    for folder in folders:
        place = Path(folder, *path)
        for file in (place / "__init__.py", place.with_suffix(".py") if path else None):
            if file is not None and file.is_file():
                return file
    return None


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function with numba, in no-Python mode, without the GIL, cached on disk.

    Where nothing can be written, neither beside the source nor in the user's cache folder, it is
    compiled anew in every process.
    """
    return _compile(function)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function as `compiled` does, and copy it into the compiled functions that call it.

    For what is called at every step: a call costs numba several times what it costs C.
    """
    return _compile(function, forceinline=True)


def _compile(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    # With NUMBA_DISABLE_JIT people follow their own functions in Python. These here read memory
    # through pointers, which Python cannot, and are compiled all the same.
    config: Any = numba_config
    disabled, config.DISABLE_JIT = config.DISABLE_JIT, 0
    try:
        return _cached(function, options)
    finally:
        config.DISABLE_JIT = disabled


def _cached(function: Callable[P, R], options: dict[str, bool]) -> Callable[P, R]:
    compiler: Any = njit  # typed in some releases of numba only
    try:
        dispatcher = compiler(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # numba finds no folder that it may write to
        warn_uncached("no cache folder can be written")
        return compiler(nogil=True, **options)(function)
    stored = dispatcher._cache
    stamp = stored._impl.locator.get_source_stamp(), sources_digest(function.__module__)
    stored._cache_file = CacheFile(stored._cache_path, stored._impl.filename_base, stamp)
    return dispatcher
