"""What the README shows is what happens."""

from __future__ import annotations

import re
import sys

import pytest

from scorpion_env import PRESETS, Game, ScorpionEnv
from scorpion_env.env import ScorpionEnv as DocumentedEnv
from scorpion_env.rendering import Status, ansi
from support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_every_python_example_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "README.md", "exec"), {})
    for said in re.findall(r"print\(.*\)\s+# (\[.*\]|\(.*\) Discrete.*)$", code, re.MULTILINE):
        assert said in capsys.readouterr().out


def test_the_table_of_presets_is_made_from_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    sys.modules.pop("presets", None)
    import presets

    shown = README.split("<!-- presets -->\n")[1].split("<!-- /presets -->")[0]
    assert shown == presets.table(), "run python scripts/presets.py and paste its output"


def test_the_picture_of_a_board_is_what_the_environment_renders() -> None:
    game = Game.new(7)
    game.play("9H>2")
    status = Status(score=game.score, moves=game.moves, runs=game.runs, last_move=game.last_move)
    assert ansi(game.board(), game.rules, status).strip() in README


def test_the_documented_spaces_are_the_real_ones() -> None:
    env = ScorpionEnv()
    text = DocumentedEnv.__doc__
    assert text is not None
    assert f"Discrete({PRESETS['classic'].num_actions})" in text
    assert "(cards, 7)" in text
    assert env.observation_space.shape == (52, 7)
    assert str(env.action_space) == "Discrete(365)"


def test_every_script_that_the_readme_names_exists() -> None:
    for name in set(re.findall(r"(?:scripts/|`)(\w+\.py)", README)):
        assert (ROOT / "scripts" / name).is_file(), name
