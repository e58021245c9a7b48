"""The examples run, and do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest

import ppo
import search_player
from scorpion_env import Game
from scorpion_env.solver import Solver
from support.paths import ROOT

EXAMPLES = ROOT / "examples"


def output(name: str) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_environment_is_played_to_an_end() -> None:
    said = output("environment.py").splitlines()
    assert said[0].startswith("classic   score")
    found = re.fullmatch(r"(won|lost|truncated) with (\d+) points after \d+ moves", said[-1])
    assert found is not None
    assert f"score {found[2]} " in said[0]


def test_rules_of_ones_own_are_checked_and_played() -> None:
    said = output("own_rules.py")
    counts = dict(re.findall(r"(random|greedy): (\d+) of 200 games won", said))
    assert int(counts["greedy"]) > int(counts["random"])


@pytest.mark.parametrize("seed", [0])
def test_ppo_learns_to_earn_more_than_random_moves(seed: int) -> None:
    settings = replace(ppo.Settings(), steps=80_000, seed=seed)
    games, _, points = ppo.evaluate(ppo.train(settings, report_every=100), games=200)
    assert games == 200
    assert points > 125  # random moves earn 118


def test_the_search_player_sees_no_hidden_card_and_repeats_its_choice() -> None:
    game, solver = Game.new(1_000_005), Solver()
    seen = search_player.as_a_player_sees(game)
    assert len(re.findall(r"\?\?", seen)) == 15
    assert Game.from_text(seen, seed=3).observation().tolist() == game.observation().tolist()
    move = search_player.choose(game, solver)
    assert move in game.legal_moves()
    assert search_player.choose(game, solver) == move


def test_every_example_is_told_of() -> None:
    names = {path.name for path in EXAMPLES.glob("*.py")} - {"__init__.py"}
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\[(\w+\.py)\]", readme)) == names
    assert len((EXAMPLES / "ppo.py").read_text(encoding="utf-8").splitlines()) <= 250
    assert len((EXAMPLES / "search_player.py").read_text(encoding="utf-8").splitlines()) <= 60
