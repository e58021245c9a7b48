"""The curves of a run: ``progress.csv`` and TensorBoard's files, which one training writes once.

A training that was killed has written figures of steps after its last checkpoint. Before it goes
on, they are cut off, in the CSV file and in TensorBoard's: what is played again is shown once.
"""

from __future__ import annotations

import csv
import importlib.util
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

from scorpion_env.notation.files import read_table, write_whole

PROGRESS_FILE = "progress.csv"
STEPS_COLUMN = "time/total_timesteps"
EVENT_FILES = "events.out.tfevents.*"


def open_curves(folder: Path, steps: int, say: Callable[[str], None]) -> Logger:
    """Return the logger of a run, whose curves so far end at `steps`.

    Args:
        folder: The run folder.
        steps: Steps trained so far; figures of later ones are removed.
        say: Told if TensorBoard is missing.
    """
    outputs: list[KVWriter] = [ProgressFile(folder / PROGRESS_FILE, steps)]
    if importlib.util.find_spec("tensorboard") is None:
        say(f"TensorBoard is not installed; the curves are in {PROGRESS_FILE} alone.")
    else:
        for file in sorted(folder.glob(EVENT_FILES)):
            cut_events(file, steps)
        outputs.append(_TensorBoard(folder, steps))
    return Logger(str(folder), outputs)


def write_table(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write a CSV file whole; its columns are those of the rows, in order of appearance."""
    rows = list(rows)
    text = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue())


class ProgressFile(KVWriter):
    """``progress.csv``: a line each time the logger is dumped, a column for each figure.

    A line is appended in one piece; when a figure appears for the first time, the file is written
    anew as a whole, so that there is never half a file.
    """

    def __init__(self, path: Path, steps: int) -> None:
        self._path = path
        self._rows: list[dict[str, Any]] = []
        if path.exists():
            rows = [row for row in read_table(path, "table of figures") if _reached(row) <= steps]
            # A figure that is only in the lines that went has no column yet.
            self._rows = [{key: value for key, value in row.items() if value} for row in rows]
        self._columns = list(dict.fromkeys(key for row in self._rows for key in row))
        if self._rows:
            write_table(path, self._rows)
        else:
            path.unlink(missing_ok=True)

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Write a line; see Stable-Baselines3's logger."""
        # Plain numbers: a figure reads the same whichever of numpy's types it came in.
        row = {
            key: value if isinstance(value, (int, str)) else float(value)
            for key, value in key_values.items()
            if "csv" not in key_excluded.get(key, ())
        }
        self._rows.append(row)
        if row.keys() <= set(self._columns):
            line = io.StringIO()
            csv.DictWriter(line, self._columns, lineterminator="\n").writerow(row)
            with self._path.open("a", encoding="utf-8", newline="") as file:
                file.write(line.getvalue())
            return
        self._columns += [key for key in row if key not in self._columns]
        write_table(self._path, self._rows)

    def close(self) -> None:
        """Do nothing: the file is open only while it is written."""


def _reached(row: dict[str, str]) -> float:
    """Return the steps of a line; infinity if that is not there, in a line that was torn."""
    word = row.get(STEPS_COLUMN, "")
    return int(word) if word.isascii() and word.isdigit() and len(word) < 20 else float("inf")


class _TensorBoard(TensorBoardOutputFormat):
    """TensorBoard's writer, which also tells a TensorBoard that is open what was cut off."""

    def __init__(self, folder: Path, steps: int) -> None:
        from torch.utils.tensorboard.writer import SummaryWriter

        self.writer = SummaryWriter(str(folder), purge_step=steps + 1 if steps else None)
        self._is_closed = False


def cut_events(file: Path, steps: int) -> None:
    """Remove from one of TensorBoard's files what belongs to steps after `steps`."""
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.summary.writer.record_writer import RecordWriter

    kept = io.BytesIO()
    writer = RecordWriter(kept)
    removed = False
    for record in RawEventFileLoader(str(file)).Load():  # ends before a record that is cut short
        if Event.FromString(record).step <= steps:
            writer.write(record)
        else:
            removed = True
    if removed or len(kept.getvalue()) != file.stat().st_size:
        write_whole(file, kept.getvalue())
