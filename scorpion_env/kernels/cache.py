"""Compiled code on disk: damaged files heal, dead ones go, and a full disk stops nobody.

This adds to numba's own cache files, an index a function and a data file a signature:

* Every process has data files of its own. Numba numbers them, and two processes that compile a
  function for two variants at the same time may take the same number: one of them, and all that
  start later, would run the other's code.
* A data file ends with a checksum. One that is torn (a full disk, a killed process) is as good as
  none: the function is compiled anew.
* When an index is written, what no index of the function names any more is removed. A process that
  was about to read such a file finds none and compiles.
"""

from __future__ import annotations

import os
import pickle
import re
import secrets
import warnings
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile as _NumbaFile

_TOKEN = secrets.token_hex(4)
"""With the process's number: two containers that share a cache may have equal ones."""

_CHECKSUM = 16

NumbaFile: Any = _NumbaFile  # has no type information


class CacheFile(NumbaFile):  # type: ignore[misc]  # likewise
    """The index and data files of one function."""

    def _data_name(self, number: int) -> str:
        return f"{_TOKEN}-{os.getpid()}-{super()._data_name(number)}"

    def _load_index(self) -> dict[Any, str]:
        try:
            found: dict[Any, str] = super()._load_index()
        except Exception:  # whatever unpickling a damaged file leads to
            return {}
        return found

    def load(self, key: Any) -> Any:
        """Return what was saved under a key; None if nothing was, or it is damaged."""
        try:
            return super().load(key)
        except Exception:
            return None

    def save(self, key: Any, data: Any) -> None:
        """Save compiled code under a key, if the disk takes it."""
        try:
            super().save(key, data)
        except OSError as error:
            warn_uncached(f"{self._cache_path} cannot be written ({error.strerror or error})")

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        data, checksum = content[:-_CHECKSUM], content[-_CHECKSUM:]
        if _checksum(data) != checksum:
            raise ValueError(f"{name} is damaged")
        return pickle.loads(data)

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(content)
            file.write(_checksum(content))

    def _save_index(self, overloads: dict[Any, str]) -> None:
        super()._save_index(overloads)
        with suppress(OSError):
            self._remove_dead(set(overloads.values()))

    def _remove_dead(self, alive: set[str]) -> None:
        """Remove the data files that no index names, also those of the function's former lines."""
        folder, index = Path(self._cache_path), Path(self._index_path)
        same_function = re.escape(index.stem).replace(rf"\-{_line(index.stem)}\.", r"\-\d+\.")
        others = set()
        for path in folder.glob("*.nbi"):
            if path != index and re.fullmatch(same_function, path.stem):
                if self._is_current(path):  # another function of that name
                    others.add(path.stem)
                else:
                    path.unlink(missing_ok=True)
        for path in folder.glob("*.nbc"):
            found = re.fullmatch(rf"\w+-\d+-({same_function})\.\d+", path.stem)
            if found and found[1] not in others and path.name not in alive:
                path.unlink(missing_ok=True)

    def _is_current(self, index: Path) -> bool:
        """Return whether an index belongs to the source as it is: to a function of equal name."""
        try:
            with index.open("rb") as file:
                return bool(pickle.load(file) == self._version) and bool(
                    pickle.load(file)[0] == self._source_stamp
                )
        except Exception:
            return False


def _line(base: str) -> str:
    """Return the line number in the name of a cache file, ``"play.play-123.py311"``."""
    return base.rpartition("-")[2].partition(".")[0]


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECKSUM).digest()


_warned: set[str] = set()


def warn_uncached(reason: str) -> None:
    """Say, once a process, that compiled code is not kept, and what that costs."""
    if not _warned:
        _warned.add(reason)
        warnings.warn(
            f"scorpion_env: {reason}, so compiled code is not kept: every start compiles again, "
            "some 15 seconds a variant. NUMBA_CACHE_DIR can name a folder that can be written.",
            RuntimeWarning,
            stacklevel=2,
        )
