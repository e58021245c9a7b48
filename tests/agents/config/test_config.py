"""Training configurations are checked before anything starts."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from scorpion_agents.config.files import load_config
from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.config.yaml_text import ConfigError
from scorpion_env import Game
from support.paths import ROOT

CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{other}'] * 9)}]\n"
    for other, name in zip("abcde", "bcdef", strict=True)
)
"""Six levels that stand for half a million words."""


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_shipped_configuration_is_valid_and_round_trips(path: Path, tmp_path: Path) -> None:
    config = load_config(path)
    copy = tmp_path / "copy.yaml"
    copy.write_text(config.to_yaml())
    assert load_config(copy) == config


def test_overrides_and_options_win_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("n_steps: 64\nseed: 1\nlearning_rate: {start: 1e-3, end: 0}\n")
    config = load_config(path, ["n_steps=32", "n_steps=16"], {"seed": 5, "device": None})
    assert (config.n_steps, config.seed, config.device) == (16, 5, "cpu")
    assert config.learning_rate(1.0) == 1e-3
    assert config.learning_rate(0.0) == 0
    assert config.learning_rate(0.5) == pytest.approx(5e-4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("learing_rate: 1", r"line 1: Unknown .*'learing_rate'.* Did you mean 'learning_rate'"),
        ("seed: 0\nn_steps: many", r"line 2: 'n_steps' .*integer.*'many'"),
        ("seed: 0\nseed: 1", r"line 2: 'seed' is given twice"),
        ("gamma: 2", "'gamma' .*less than or equal to 1"),
        ("rules: clasic", "Did you mean 'classic'"),
        ("reward: point", "Did you mean 'points'"),
        ("activation: rellu", "Did you mean 'relu'"),
        ("learning_rate: {start: 1, stop: 2}", "Unknown .*'learning_rate.stop'.*Known: start, end"),
        ("threads: two", "'threads' should be a whole number from 1, or auto, not 'two'"),
        ("threads: 0", "'threads' should be a whole number from 1, or auto, not 0"),
        ("seed: 0\nfinal_deals: '5:3'", "line 2: .*holds no deals"),
        ("eval_deals: foo", "line 1: .*'foo' names no deal"),
        ("eval_deals: '1990:2010'", "share 10 deals, '1990' for one.*none in common"),
        ("batch_size: 1e9", "larger than a rollout"),
        ("- a\n- b", "key: value"),
        ("a: [", "not valid YAML"),
        ("learning_rate: {start: 1e-3, end: 1e-4, end: 9e-4}", "line 1: 'end' is given twice"),
        ("rules:\n  name: x\n  decks: 1\n  name: y", "line 4: 'name' is given twice"),
        ("seed: 0\ngamma: !!int abc", r"line 2, column 8: not valid YAML \(this is no 'int'\)"),
        ("gamma: !!bool perhaps", "line 1, column 8: .*this is no 'bool'"),
        ("seed: " + "9" * 5000, "line 1, column 7: .*this is no 'int'"),
        ("seed: !!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("seed: 0\nencoder: " + "[" * 3000, "line 2, column 28: .*nested too deeply"),
        ("encoder: " + "{a: " * 3000, "line 1, .*nested too deeply"),
        ("seed: 0\n\0", r"line 2: not valid YAML \(it holds the character U\+0000\)"),
        ("encoder: &a [*a]", "too many values"),
        (ALIASES, "too many values for a configuration; an alias counts as all"),
        ("# " + "x" * 200_000, r"too long for a configuration \(200002 characters\)"),
        ("encoder: [" + "1.5, " * 9000 + "2]", r"'encoder.0' should be a valid integer, not 1.5"),
        ("net_arch: '" + "x" * 9000 + "'", "'net_arch' should be .*, not 'x{99}…"),
        ("x" * 1000 + ": 1", "Unknown configuration key 'x{100}…'"),
    ],
)
def test_a_bad_configuration_is_refused_in_one_sentence(
    text: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=words) as refusal:
        load_config(path)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 1000


def test_deals_may_be_a_file_of_boards_of_the_rules_that_are_trained(tmp_path: Path) -> None:
    boards = tmp_path / "boards.txt"
    boards.write_text(Game.new(deal=7, rules="three-blind-mice").to_text())
    config = load_config(None, [f"final_deals={boards}", "rules=three-blind-mice"])
    assert config.final_deals == str(boards)
    with pytest.raises(ConfigError, match="final_deals="):
        load_config(None, [f"final_deals={boards}"])


def test_deals_to_choose_by_are_told_apart_from_those_to_measure_on_by_their_cards(
    tmp_path: Path,
) -> None:
    boards = tmp_path / "boards.txt"
    for start, overlaps in ((Game.new(deal=7), True), (Game.new(deal=2000), False)):
        boards.write_text(start.to_text())
        if overlaps:
            with pytest.raises(ConfigError, match="share 1 deals"):
                load_config(None, [f"eval_deals={boards}", "final_deals=0:10"])
        else:
            load_config(None, [f"eval_deals={boards}", "final_deals=0:10"])
    with pytest.raises(ConfigError, match="share 1 deals, 'pysol:ms24'"):
        load_config(None, ["eval_deals=pysol:ms24", "final_deals=pysol:20:30"])


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config("no-such-file.yaml")


def test_rules_of_ones_own_can_be_trained(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("rules: {name: little, face_down: [1, 1, 1, 1, 1, 1, 1]}\n")
    config = load_config(path)
    assert config.resolved.rules.face_down == (1,) * 7
    path.write_text("rules: {name: little, face_dwn: [1, 1, 1, 1, 1, 1, 1]}\n")
    with pytest.raises(ConfigError, match="Did you mean 'face_down'"):
        load_config(path)


def test_the_defaults_are_a_valid_configuration() -> None:
    assert TrainConfig().rules == "classic"


def test_training_deals_are_a_readable_list_and_none_to_be_measured_on(tmp_path: Path) -> None:
    deals = tmp_path / "deals.txt"
    deals.write_text("1000005\n")
    assert load_config(overrides=[f"deals={deals}"]).deals == str(deals)
    deals.write_text("1000005\n17\n")
    with pytest.raises(ConfigError, match="'17'"):
        load_config(overrides=[f"deals={deals}"])
    deals.write_text("seven\n")
    with pytest.raises(ConfigError, match="line 1"):
        load_config(overrides=[f"deals={deals}"])
    with pytest.raises(ConfigError, match="winnable"):
        load_config(overrides=["deals=winable"])
    with pytest.raises(ConfigError, match="undo"):
        load_config(overrides=["rules=open", "end_when=dead"])


def test_the_files_that_a_configuration_names_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {name: tmp_path / f"{name}.txt" for name in ("deals", "eval_deals", "final_deals")}
    files["deals"].write_text("1000005\n1000016\n")
    files["eval_deals"].write_text(Game.new(deal=7).to_text())
    files["final_deals"].write_text(Game.new(deal=8).to_text())
    opened: list[Path] = []
    open_file = Path.open

    def counted(path: Path, *args: Any, **kwargs: Any) -> Any:
        opened.append(path)
        return open_file(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", counted)
    config = load_config(overrides=[f"{key}={file}" for key, file in files.items()])
    for file in files.values():
        file.unlink()
    again = pickle.loads(pickle.dumps(config.model_copy(update={"seed": 5})))
    assert again.resolved.deals.tolist() == [1000005, 1000016]
    assert [start.name for start in again.resolved.final_deals] == ["final_deals.txt#1"]
    assert sorted(opened) == sorted(files.values())


def test_other_words_stand_for_something_else() -> None:
    config = TrainConfig()
    other = config.model_copy(update={"rules": "wasp", "final_deals": "0:5"})
    assert (config.resolved.rules.name, len(config.resolved.final_deals)) == ("classic", 2000)
    assert (other.resolved.rules.name, len(other.resolved.final_deals)) == ("wasp", 5)
