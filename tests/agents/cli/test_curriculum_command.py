"""curriculum.py as a user runs it."""

from __future__ import annotations

from pathlib import Path

from scorpion_env.environment.deal_lists import read_deal_list
from scorpion_env.rules import PRESETS
from scorpion_env.solver import Solver
from support.commands import call_script, run_script

CLASSIC = PRESETS["classic"]


def test_a_curriculum_lists_winnable_deals_easiest_first(tmp_path: Path) -> None:
    out = tmp_path / "easy.txt"
    arguments = ["--deals", "2000000:2000060", "--out", str(out)]
    assert run_script("curriculum.py", *arguments).returncode == 0
    whole = read_deal_list(out).tolist()
    nodes = [Solver(CLASSIC).solve(deal).nodes for deal in whole]
    assert len(whole) > 3
    assert nodes == sorted(nodes)
    assert call_script("curriculum.py", *arguments, "--easiest", "0.5").returncode == 0
    assert read_deal_list(out).tolist() == whole[: round(len(whole) / 2)]
    assert (
        call_script("curriculum.py", *arguments, "--by", "random", "--games", "20").returncode == 0
    )
    assert set(read_deal_list(out).tolist()) == set(whole)
    found = call_script("curriculum.py", "--deals", "pysol:1", "--out", str(out))
    assert (found.returncode, len(found.stderr.splitlines())) == (2, 1)
