"""Random endgames, and a plain breadth-first search that says which of them can be won.

What the solver's verdicts are compared with. The search knows nothing of pruning: it plays every
legal move, null moves too, and keeps the whole position of each game it has seen. From the command
line it compares as many endgames as wanted, for every preset or some::

    python tests/endgames.py 20000
    python tests/endgames.py 20000 classic wasp --seed 5
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from random import Random
from typing import Any

import numpy as np
from numba import njit

from scorpion_env.batch.games import Batch
from scorpion_env.batch.options import EnvOptions
from scorpion_env.cards import CARDS_PER_SUIT, KING, SUITS
from scorpion_env.deals import Position
from scorpion_env.env import ScorpionEnv
from scorpion_env.kernels.play import conclude, play
from scorpion_env.kernels.shuffle import mix64
from scorpion_env.kernels.state import LOST, WON
from scorpion_env.notation.board import EMPTY, Board
from scorpion_env.notation.board_text import format_board, parse_board
from scorpion_env.rules import PRESETS, Rules, get_rules
from scorpion_env.solver import Solver

LARGEST = 256
"""Positions that the plain search looks at in a test; a power of two, as the other."""

LARGEST_QUICK = 4096
"""Positions that it looks at from the command line; endgames with more are passed over."""


def random_endgame(rules: Rules, rng: Random) -> Board:
    """A position with two suits still in play, spread at random over the table.

    Some cards are brought together as placements would have done it, so that not all are lost.
    """
    left = rng.sample(range(4), 2)
    if rules.build == "colour":
        left = rng.choice(([0, 1], [0, 2], [3, 1], [3, 2]))
    out = [suit for suit in range(4) if suit not in left]
    groups = [[CARDS_PER_SUIT * suit + rank] for suit in left for rank in range(CARDS_PER_SUIT)]
    rng.shuffle(groups)
    # Where any card may go to an empty column, few positions of loose cards are soon searched.
    for _ in range(rng.randrange(rng.choice((22, 60) if rules.empty_column == "king" else (60,)))):
        _join(groups, rules.build == "colour", rng)
    hidden = rng.random() * rng.choice((0, 0.6))
    columns: list[list[int]] = [[] for _ in rules.columns]
    staying = [] if rules.runs == "taken" else out
    places = rng.sample(range(rules.num_columns), rules.num_columns)
    full = [places.pop() for _ in staying]
    fewest = 2 if rules.empty_column == "king" else len(places)
    used = places[: rng.randint(fewest, len(places))]
    loose = [group[0] for group in groups if len(group) == 1]
    reserve: list[int] = []
    if rules.reserve and len(loose) >= rules.reserve and rng.random() < 0.5:
        reserve = rng.sample(loose, rules.reserve)
    cells = [EMPTY] * rules.cells
    spare = [card for card in loose if card not in reserve]
    for i in range(min(rules.cells, len(spare))):
        if rng.random() < 0.5:
            cells[i] = rng.choice([card for card in spare if card not in cells])
    for group in groups:
        if group[0] not in reserve and group[0] not in cells:
            columns[rng.choice(used)] += group
    down = [
        min(max(len(column) - 1, 0), sum(rng.random() < hidden for _ in column))
        for column in columns
    ]
    for column, suit in zip(full, staying, strict=True):
        columns[column] = [CARDS_PER_SUIT * suit + rank for rank in range(KING, -1, -1)]
    foundations = [SUITS[suit] for suit in out] if rules.runs == "taken" else []
    foundations += list(SUITS) * (rules.decks - 1)
    return Board(
        tuple(map(tuple, columns)), tuple(down), tuple(reserve), tuple(cells), tuple(foundations)
    )


def _join(groups: list[list[int]], colours: bool, rng: Random) -> None:
    """Lay a group on a card that its first card follows in a run, if that is the last of another.

    In alternating colours, the two suits that are left are one red and one black.
    """
    group = rng.choice(groups)
    if len(groups) > 4 and group[0] % CARDS_PER_SUIT != KING:
        for other in groups:
            suits_differ = other[-1] // CARDS_PER_SUIT != group[0] // CARDS_PER_SUIT
            above = other[-1] % CARDS_PER_SUIT == group[0] % CARDS_PER_SUIT + 1
            if above and suits_differ == colours:
                other.extend(group)
                groups.remove(group)
                return


def can_be_won(start: Position, rules: Rules, largest: int, *, quick: bool = False) -> bool | None:
    """Whether a position can be won, by breadth-first search; None if there are too many.

    Args:
        start: Where the game stands.
        rules: Its rules.
        largest: Positions to look at, at most.
        quick: Use the compiled search, which knows positions by a 64-bit hash of the whole.
    """
    rules = replace(rules, undo_action=False)
    batch = Batch(rules, 1, EnvOptions(max_steps=1_000_000))
    batch.start(0, start)
    record = batch.rules_record[0]
    if quick:
        games = np.repeat(batch.games, largest)
        result = _search_compiled(games, record, batch.log, np.zeros(4 * largest, np.uint64))
        return None if result < 0 else bool(result)
    waiting = [batch.games[0].copy()]
    seen = {_whole(waiting[0], rules)}
    while waiting:
        later = []
        for g in waiting:
            if g["status"] == WON:
                return True
            if g["status"] == LOST:
                continue
            for action in g["legal"][: g["legal_count"]].tolist():
                after = g.copy()
                play(after, record, action, batch.log)
                conclude(after, record)
                key = _whole(after, rules)
                if key not in seen:
                    if len(seen) >= largest:
                        return None
                    seen.add(key)
                    later.append(after)
        waiting = later
    return False


def _whole(g: Any, rules: Rules) -> tuple[object, ...]:
    """What tells positions apart: what lies on what, face up or not, and the reserve."""
    special: list[int] = []
    if g["reserve_left"]:
        ends = g["end"].tolist()
        special = [ends[column] for column in rules.reserve_columns]
    cells = sorted(g["cells"].tolist())
    taken = (g["column"] == -1).tobytes()
    return g["below"].tobytes(), g["playable"].tobytes(), taken, tuple(special), tuple(cells)


@njit(nogil=True)
def _hash_whole(g: Any, rules: Any) -> Any:
    """As `_whole`, in 64 bits."""
    h = np.uint64(1)
    for card in range(g.below.shape[0]):
        place = g.column[card]
        cell = place >= g.end.shape[0]
        code = (g.below[card] + 2) * 16 + g.playable[card] * 8 + 4 * cell + 2 * (place == -1)
        h = mix64(h ^ np.uint64(code)) + np.uint64(card)
    if g.reserve_left:
        for i in range(rules.reserve):
            h = mix64(h ^ np.uint64(g.end[rules.reserve_columns[i]] + 2))
    return h | np.uint64(1)


@njit(nogil=True)
def _search_compiled(games: Any, rules: Any, log: Any, table: Any) -> Any:
    found = 1
    mask = np.uint64(table.shape[0] - 1)
    done = 0
    while done < found:
        if games[done].status == WON:
            return 1
        if games[done].status != LOST:
            for i in range(games[done].legal_count):
                if found == games.shape[0]:
                    return -1
                games[found] = games[done]
                play(games[found], rules, games[done].legal[i], log)
                conclude(games[found], rules)
                key = _hash_whole(games[found], rules)
                at = key >> np.uint64(20) & mask
                while table[at] != np.uint64(0) and table[at] != key:
                    at = (at + np.uint64(1)) & mask
                if table[at] == np.uint64(0):
                    table[at] = key
                    found += 1
        done += 1
    return 0


def endgame(rules: Rules, seed: int, number: int) -> Position:
    """A random endgame, the same for ever."""
    rng = Random(f"{rules.name} {seed} {number}")
    text = format_board(random_endgame(rules, rng))
    return Position(f"endgame {number}", parse_board(text, rules))


def small_endgames(rules: Rules, seed: int, largest: int) -> Iterator[tuple[int, Position, bool]]:
    """Yield endgames that the compiled plain search decides: number, position, if it is won."""
    for number in count():
        position = endgame(rules, seed, number)
        won = can_be_won(position, rules, largest, quick=True)
        if won is not None:
            yield number, position, won


def check_endgame(position: Position, won: bool, rules: Rules, solver: Solver) -> None:
    """Compare the solver's verdict, and play its line in the environment."""
    text = format_board(position.board)
    solution = solver.solve(position)
    expected = "won" if won else "lost"
    assert solution.verdict == expected, f"{rules.name}: {solution.verdict}, not {expected}\n{text}"
    if won:
        env = ScorpionEnv(rules, illegal_action="raise")
        _, info = env.reset(options={"board": text})
        for action in solution.actions:
            _, _, _, _, info = env.step(action)
        assert info.get("outcome", "won" if not solution.actions else None) == "won", text


def main() -> None:
    """Compare on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("count", type=int)
    parser.add_argument("presets", nargs="*", default=list(PRESETS))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name in arguments.presets:
        rules = get_rules(name)
        solver = Solver(rules)
        began = time.perf_counter()
        verdicts: Counter[bool] = Counter()
        found = small_endgames(rules, arguments.seed, LARGEST_QUICK)
        for _, position, won in islice(found, arguments.count):
            check_endgame(position, won, rules, solver)
            verdicts[won] += 1
        seconds = time.perf_counter() - began
        print(f"{name}: {verdicts[True]} won, {verdicts[False]} lost, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
