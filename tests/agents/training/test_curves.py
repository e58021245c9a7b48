"""The curves of a run that goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from scorpion_agents.training.curves import ProgressFile

# --- curves ---------------------------------------------------------------------------------------


def test_lines_past_the_checkpoint_or_cut_short_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "progress.csv"
    path.write_text("a,time/total_timesteps,b\n1,128,\n2,256,\n3,384,7\n4,51")
    table = ProgressFile(path, 256)
    assert path.read_text() == "a,time/total_timesteps\n1,128\n2,256\n"
    table.write({"a": 5, "time/total_timesteps": 384, "c": np.float32(0.5)}, {"a": ("csv",)})
    assert path.read_text() == "a,time/total_timesteps,c\n1,128,\n2,256,\n,384,0.5\n"
