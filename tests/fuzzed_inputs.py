"""Gives random boards, actions and arrays to everything that takes them, in processes of its own.

What is refused must be refused with a sentence, what is taken must be playable, and no process may
die of a signal.

python tests/fuzzed_inputs.py --inputs 10000
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np

from scorpion_env import PRESETS, Game, ScorpionEnv, ScorpionVectorEnv
from scorpion_env.deals import Position
from scorpion_env.errors import IllegalMove, ScorpionError
from scorpion_env.notation.board import Board
from scorpion_env.solver import Solver

PLAYED = ("classic", "wasp", "three-blind-mice", "double")
PART = 500
"""Inputs that a process is given."""

WRONG: tuple[Any, ...] = (
    *(-1, -2, -3, 0, 51, 52, 103, 104, 127, 128, 255, 2**31, 2**63, 2**64, 10**400),
    *(None, True, 1.5, float("nan"), "5H", b"x", (), [], {}, object()),
)


class Fuzz:
    """Makes random inputs and gives them to one environment of each kind, over and over.

    Attributes:
        counts: How many were refused, taken, and played to the end of a few moves.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        name = self.chance.choice(PLAYED)
        self.rules = PRESETS[name]
        self.env = ScorpionEnv(name)
        self.vector = ScorpionVectorEnv(3, name, copy=self.chance.random() < 0.5)
        self.env.reset(seed=seed)
        self.vector.reset(seed=seed)
        self.solver = Solver(name)

    def pile(self, longest: int) -> Any:
        """Some cards, most of them possible ones."""
        cards = [self.chance.randrange(-2, self.rules.cards + 2) for _ in range(longest)]
        if self.chance.random() < 0.1:
            return self.chance.choice(WRONG)
        if self.chance.random() < 0.1 and cards:
            cards[self.chance.randrange(len(cards))] = self.chance.choice(WRONG)
        return tuple(cards[: self.chance.randrange(longest + 1)])

    def board(self) -> Any:
        """A dealt or played board with something else in it, or nothing but random parts."""
        game = Game.new(self.chance.randrange(1000), self.rules)
        for _ in range(self.chance.randrange(12)):
            if game.outcome is None:
                game.play(self.chance.choice(game.legal_moves()))
        board = game.board()
        parts = {name: getattr(board, name) for name in Board.__dataclass_fields__}
        columns = [list(column) for column in parts["columns"]]
        for _ in range(self.chance.choice((0, 1, 1, 2, 5))):
            how = self.chance.randrange(8)
            a, b = (self.chance.choice(columns) for _ in range(2))
            if how == 0 and a:
                a[self.chance.randrange(len(a))] = self.chance.choice((*WRONG, *range(52)))
            elif how == 1 and a:
                b.append(a.pop(self.chance.randrange(len(a))))
            elif how == 2:
                self.chance.shuffle(a)
            elif how == 3:
                down = list(parts["face_down"])
                if down:
                    down[self.chance.randrange(len(down))] = self.chance.choice((*WRONG, 1, 2, 3))
                parts["face_down"] = tuple(down)
            elif how == 4:
                parts["reserve"] = self.pile(5)
            elif how == 5:
                parts["cells"] = self.pile(3)
            elif how == 6:
                suits = [self.chance.choice((*"CDHSX", *WRONG[:5])) for _ in range(3)]
                parts["foundations"] = tuple(suits[: self.chance.randrange(4)])
            else:
                parts[self.chance.choice(list(parts))] = self.chance.choice(WRONG)
                return Board(**parts)
        parts["columns"] = tuple(map(tuple, columns))
        return Board(**parts)

    def refused(self, call: Any, *arguments: Any, **others: Any) -> bool:
        """Call something that may refuse what it is given, with a sentence."""
        try:
            call(*arguments, **others)
        except ScorpionError as error:
            if not 0 < len(str(error)) < 2000:
                raise AssertionError(f"refused in {len(str(error))} characters") from error
            self.counts["refused"] += 1
            return True
        self.counts["taken"] += 1
        return False

    def one(self) -> None:
        """Give one random input to something."""
        how = self.chance.randrange(6)
        if how <= 2:
            self.one_board()
        elif how == 3:
            self.one_array()
        elif how == 4:
            self.refused(self.env.reset, seed=self.chance.choice(WRONG))
            self.refused(self.env.reset, options={"deal": self.chance.choice(WRONG)})
        else:
            self.one_result()
        self.play_on()

    def one_board(self) -> None:
        position = Position("fuzzed", self.board())
        where = self.chance.randrange(4)
        if where == 0:
            self.refused(self.env.reset, options={"deal": position})
        elif where == 1:
            deals = [position, 7, self.chance.choice((position, 8))]
            self.refused(self.vector.reset, options={"deal": deals})
        elif where == 2:
            self.refused(self.solver.solve, position, node_limit=30)
        elif not self.refused(Game, position, self.rules):
            game = Game(position, self.rules)
            while game.outcome is None and game.moves < 40:
                game.play(self.chance.choice(game.legal_moves()))
            assert sorted(c for c in game.board().on_board() if c >= 0)
            self.counts["played"] += 1

    def one_array(self) -> None:
        shape = self.chance.choice(((3,), (1, 3), (3, 1), (2,), (4,), (), (0,)))
        kind = self.chance.choice(
            (np.int64, np.int8, np.uint64, np.float64, np.bool_, object, "U3")
        )
        values = np.resize(np.arange(9), shape).astype(kind)
        if kind in (np.int64, np.int8) and values.size:
            values.flat[0] = self.chance.choice((-1, 127, -128, 5))
        self.refused(self.vector.step, values)
        mask = np.resize([True, False], shape).astype(kind)
        self.refused(self.vector.reset, options={"reset_mask": mask})

    def one_result(self) -> None:
        """Change the arrays of a result, and what they are views of, in every way there is."""
        found = self.vector.step(self.vector.action_masks().argmax(axis=1))
        arrays = [*found[:4], *(v for v in found[4].values() if isinstance(v, np.ndarray))]
        array = self.chance.choice(arrays)
        while isinstance(array, np.ndarray):
            if array.flags.writeable and array.dtype != object:
                array[...] = self.chance.choice((0, 1, 5))
                with suppress(AttributeError, ValueError):
                    array.shape = (1, -1) if self.chance.random() < 0.5 else (-1, 1)
            array = array.base

    def play_on(self) -> None:
        """What was refused has broken nothing."""
        mask = self.env.action_masks()
        if self.env.step(self.chance.choice(np.flatnonzero(mask)))[2]:
            self.env.reset()
        self.vector.step(self.vector.action_masks().argmax(axis=1))
        game = Game.new(5, self.rules)
        with suppress(IllegalMove, ScorpionError):
            game.play(self.chance.choice(("9H>2", "x" * 5000, "deal", ">", "5H>99")))


def main(arguments: list[str] | None = None) -> int:
    """Prints what became of the inputs; 1 if a process failed or died."""
    parser = argparse.ArgumentParser(description="Random boards, actions and arrays.")
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first process")
    parser.add_argument("--part", action="store_true", help="do one part in this process")
    asked = parser.parse_args(arguments)
    if asked.part:
        fuzz = Fuzz(asked.first)
        for _ in range(asked.inputs):
            fuzz.one()
        print(json.dumps(fuzz.counts))
        return 0
    began, total, bad = time.monotonic(), Counter[str](), 0
    for part in range(-(-asked.inputs // PART)):
        words = ["--part", "--first", str(asked.first + part), "--inputs", str(PART)]
        done = subprocess.run(
            [sys.executable, __file__, *words], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            bad += 1
            print(f"part {asked.first + part}: exit {done.returncode}", done.stderr[-2000:])
            continue
        total.update(json.loads(done.stdout))
    seconds = time.monotonic() - began
    print(f"{asked.inputs} inputs: {dict(total)}, {bad} processes failed, {seconds:.0f} s")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
