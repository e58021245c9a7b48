"""Files of `scorpion_env`: boards, lists of deals, replays, rules."""

from __future__ import annotations

import json
import random
from pathlib import Path

from fuzz.formats import Format, refused
from scorpion_env import PRESETS, Game, Rules, replay
from scorpion_env.deals import read_positions
from scorpion_env.environment.deal_lists import read_deal_list
from scorpion_env.notation.files import read_object, read_text
from scorpion_env.rules import get_rules

BOARDS = ("classic", "farmers-wife", "double", "flexible")


def _make_boards(folder: Path) -> list[Path]:
    files = []
    for name in BOARDS:
        game = Game.new(7, name)
        first = game.to_text()
        for _ in range(9):
            game.play(game.legal_moves()[0])
        text = f"# {name} 1\n{first}\n\n# again\n{game.to_text()}\n"
        files.append(folder / f"{name}.txt")
        files[-1].write_text(text.replace("<8D>", "??"))
    return files


def _deal_all(file: Path, rules: Rules) -> list[Game]:
    return [Game(position, rules) for position in read_positions(file, rules)]


def _read_boards(folder: Path) -> None:
    for file in folder.iterdir():
        refused(
            lambda file=file: [Game(p, file.stem) for p in read_positions(file, PRESETS[file.stem])]
        )
        refused(lambda file=file: Game.from_text(read_text(file, "board"), file.stem))


def _make_list(folder: Path) -> list[Path]:
    file = folder / "deals.txt"
    file.write_text("# a list\n17 # easy\n23\n\n4294967296\n" + "\n".join(map(str, range(40))))
    return [file]


def _read_list(folder: Path) -> None:
    refused(lambda: read_deal_list(folder / "deals.txt"))


def _make_replays(folder: Path) -> list[Path]:
    files = []
    chance = random.Random(0)
    for name in BOARDS:
        game = Game.new(7, name)
        actions: list[int] = []
        while game.outcome is None and len(actions) < 30:
            actions.append(int(chance.choice(game.legal_actions())))
            game.play(actions[-1])
        files.append(folder / f"{name}.jsonl")
        replay.save(replay.record(7, name, actions, truncated=game.outcome is None), files[-1])
    return files


def _read_replays(folder: Path) -> None:
    for file in folder.iterdir():
        refused(replay.load, file)
        refused(replay.check, file)


def _make_rules(folder: Path) -> list[Path]:
    file = folder / "rules.json"
    plain = Rules("mine", face_down=(3, 3, 0, 0, 0, 0, 0), empty_column="any").as_dict()
    file.write_text(json.dumps(plain, indent=2))
    return [file]


def _read_rules(folder: Path) -> None:
    refused(lambda: get_rules(read_object(folder / "rules.json", "description of rules")))


FORMATS = {
    "board": Format(_make_boards, _read_boards),
    "deal list": Format(_make_list, _read_list),
    "replay": Format(_make_replays, _read_replays),
    "rules": Format(_make_rules, _read_rules),
}
