"""evaluate.py as a user runs it."""

from __future__ import annotations

import json
import shlex
import subprocess
from functools import partial
from pathlib import Path

import pytest

from scorpion_env import Game, Rules, replay
from support.commands import call_script, command_of, run_script
from support.models import make_model

call = partial(call_script, "evaluate.py")


def test_the_script_measures_writes_and_compares(tmp_path: Path) -> None:
    random_file, greedy_file = tmp_path / "r.json", tmp_path / "g.json"
    for run, name, file in (
        (run_script, "random", random_file),
        (call_script, "greedy", greedy_file),
    ):
        done = run("evaluate.py", "--agent", name, "--deals", "0:30", "--json", file)
        assert done.returncode == 0, done.stderr
        assert "win rate" in done.stdout
        assert "\x1b" not in done.stdout
    compared = call("compare", str(random_file), str(greedy_file))
    both = call("--agent", "random", "--agent", "greedy", "--deals", "0:30")
    assert compared.returncode == both.returncode == 0
    paragraph = "random against greedy on the same 30 deals"
    assert paragraph in compared.stdout
    assert both.stdout[both.stdout.index(paragraph) :] in compared.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--agnt", "random"), "Did you mean"),  # how click goes on depends on its version
        (("--agent", "randm"), "Did you mean 'random'?"),
        (("--agent", "random", "--rules", "clasic"), "Did you mean 'classic'?"),
        (("--agent", "random", "--deals", "9:3"), "the second number must be the larger one"),
        (("--agent", "random", "--deals", "0:5", "--deal", "7"), "not both"),
        (("--agent", "random", "--json", "nowhere/out.json"), "there is no folder nowhere"),
        (("--deals", "0:5"), "Say who plays"),
        (("compare", "nowhere.json", "nowhere.json"), "nowhere.json cannot be read"),
    ],
)
def test_bad_input_is_answered_with_a_sentence_and_code_2(
    arguments: tuple[str, ...], sentence: str
) -> None:
    refused = call(*arguments)
    assert refused.returncode == 2
    assert sentence in refused.stderr


def test_a_damaged_result_file_is_answered_with_its_place_and_code_2(tmp_path: Path) -> None:
    file = tmp_path / "g.json"
    call("--agent", "greedy", "--deals", "0:3", "--json", str(file))
    data = json.loads(file.read_text())
    data["deals"][2]["points"] = "x"
    file.write_text(json.dumps(data))
    refused = call("compare", str(file), str(file))
    assert refused.returncode == 2
    assert refused.stderr.endswith(
        "g.json is no result file of an evaluation: 'deals.2.points' should be a valid integer, "
        "not 'x'.\n"
    )


def test_a_reader_that_leaves_early_sees_no_traceback() -> None:
    script = shlex.join(command_of("evaluate.py"))
    done = subprocess.run(
        f"{script} --agent random --deals 0:5 | true",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def test_boards_whose_titles_look_alike_as_file_names_have_replays_of_their_own(
    tmp_path: Path,
) -> None:
    titles = ("Day 1/2", "Day 1:2", "day 1 2")
    boards = tmp_path / "boards.txt"
    texts = (f"{title}\n{Game.new(deal).to_text()}" for deal, title in enumerate(titles))
    boards.write_text("\n".join(texts), encoding="utf-8")
    folder = tmp_path / "replays"
    done = call("--agent", "random", "--deals", boards, "--save-replays", folder)
    assert done.returncode == 0, done.stderr
    starts = {replay.load(path).board for path in folder.iterdir()}
    assert starts == {Game.new(deal).to_text() for deal in range(3)}


def test_two_results_are_not_written_over_each_other_nor_over_the_boards(tmp_path: Path) -> None:
    boards = tmp_path / "boards.txt"
    boards.write_text(Game.new(7).to_text())
    before = boards.read_bytes()
    for arguments, words in (
        (("--json", tmp_path / "x", "--csv", tmp_path / "." / "x"), "x is named twice"),
        (("--deals", boards, "--json", boards), "boards.txt is read; the result would replace it"),
        (("--json", tmp_path), "is a directory"),
    ):
        refused = call("--agent", "random", *arguments)
        assert (refused.returncode, words in refused.stderr) == (2, True), refused.stderr
    assert boards.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["boards.txt"]


def test_a_run_knows_its_rules(tmp_path: Path) -> None:
    rules = Rules("mine", empty_column="any").as_dict()
    make_model(tmp_path / "mine", rules=rules)
    make_model(tmp_path / "flexible", rules="flexible")
    done = call("--agent", tmp_path / "mine", "--agent", "greedy", "--deals", "0:3")
    assert done.stdout.startswith("Rules mine, 3 deals")
    done = call("--agent", f"memory+{tmp_path / 'flexible'}", "--deals", "0:2")
    assert done.stdout.startswith("Rules flexible, 2 deals")
    refused = call("--agent", tmp_path / "mine", "--agent", tmp_path / "flexible")
    assert refused.returncode == 2
    assert "plays rules 'mine' and" in refused.stderr
    refused = call("--agent", tmp_path / "mine", "--rules", "classic")
    assert "plays rules 'mine', not 'classic'" in refused.stderr


def test_names_too_long_for_a_file_are_refused_as_names() -> None:
    for option in ("--agent", "--deals"):
        refused = call("--agent", "random", option, "x" * 5000)
        assert refused.returncode == 2
        assert len(refused.stderr) < 500
