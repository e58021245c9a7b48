"""What the README and the pages of docs/ show is what happens."""

from __future__ import annotations

import re
from importlib import import_module

import click
import pytest

from scorpion_env import PRESETS, Game, ScorpionEnv
from scorpion_env.env import ScorpionEnv as DocumentedEnv
from scorpion_env.rendering import Status, ansi
from support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
EXAMPLES = [
    pytest.param(code, id=f"{name}-{number}")
    for name, text in PAGES.items()
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
]
LINKS = [
    (name, target)
    for name, text in PAGES.items()
    for target in re.findall(r"\]\(([^)\s]+)\)", text)
    if "://" not in target
]


def commands() -> list[tuple[str, str, list[str]]]:
    """Page, script and words of each command of a page that runs one of the scripts."""
    found = []
    for name, text in PAGES.items():
        for block in re.findall(r"```bash\n(.*?)```", text, re.DOTALL):
            lines = re.sub(r"\s*\\\n\s*", " ", block)
            for script, words in re.findall(r"python scripts/(\w+)\.py([^\n#&]*)", lines):
                found.append((name, script, words.split()))
    return found


@pytest.mark.parametrize("code", EXAMPLES)
def test_every_python_example_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "an example", "exec"), {})
    printed = capsys.readouterr().out
    for said in re.findall(r"print\(.*\)\s+# (\[.*\]|\(.*\) Discrete.*)$", code, re.MULTILINE):
        assert said in printed


def test_the_readme_can_be_read_in_one_go() -> None:
    assert len(README.splitlines()) < 180


def test_the_picture_of_a_board_is_what_the_environment_renders() -> None:
    game = Game.new(7)
    game.play("9H>2")
    status = Status(score=game.score, moves=game.moves, runs=game.runs, last_move=game.last_move)
    assert ansi(game.board(), game.rules, status).strip() in README


@pytest.mark.parametrize("page", ["README.md", "docs/environment.md"])
def test_the_board_text_of_a_page_can_be_pasted(page: str) -> None:
    (board,) = re.findall(r"```text\n(Talon.*?)```", PAGES[page], re.DOTALL)
    assert Game.from_text(board).to_text() == Game.new(7).to_text()


def test_the_documented_spaces_are_the_real_ones() -> None:
    env = ScorpionEnv()
    text = DocumentedEnv.__doc__
    assert text is not None
    assert f"Discrete({PRESETS['classic'].num_actions})" in text
    assert "(cards, 7)" in text
    assert env.observation_space.shape == (52, 7)
    assert str(env.action_space) == "Discrete(365)"


def test_the_entries_of_the_observation_stand_in_their_order() -> None:
    from scorpion_env.kernels.state import FEATURES

    table = PAGES["docs/environment.md"].partition("| entry | meaning |")[2].partition("\n\n")[0]
    shown = re.findall(r"^\| ([a-z ]+) \|", table, re.MULTILINE)
    assert len(shown) == len(FEATURES)
    for words, feature in zip(shown, FEATURES, strict=True):
        assert set(feature.split("_")) <= set(words.split()), feature


def test_every_command_names_a_script_and_options_that_exist(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    found = commands()
    assert len(found) > 50
    for page, script, words in found:
        command = import_module(script).main
        known = {option for p in command.params for option in p.opts}
        first = next(iter(words), "")
        if isinstance(command, click.Group) and first in command.commands:
            known = {option for p in command.commands[first].params for option in p.opts}
        used = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert used <= known, f"{page}: {script}.py {' '.join(words)}"


def test_every_file_that_a_page_names_exists() -> None:
    for page, text in PAGES.items():
        for name in set(re.findall(r"(?:scripts/|configs/)(\w+\.(?:py|yaml))", text)):
            assert list(ROOT.glob(f"*/{name}")), f"{page}: {name}"
        for name in set(re.findall(r"`((?:agents|scorpion_env|tests|docs)/[\w./-]+)`", text)):
            assert (ROOT / name).exists(), f"{page}: {name}"


@pytest.mark.parametrize(("page", "target"), LINKS)
def test_every_link_leads_somewhere(page: str, target: str) -> None:
    file, _, heading = target.partition("#")
    place = (ROOT / page).parent / file if file else ROOT / page
    assert place.exists()
    if heading:
        text = place.read_text(encoding="utf-8")
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        anchors = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
        assert heading in anchors
