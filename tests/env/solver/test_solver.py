"""The solver: its verdicts against plain search, its lines, its budgets."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from endgames import LARGEST, can_be_won, check_endgame, endgame
from golden.make_golden import ENDGAME_SEED, ENDGAMES_EACH, chosen_endgames
from scorpion_env.batch.games import Batch
from scorpion_env.deals import Position
from scorpion_env.env import ScorpionEnv
from scorpion_env.errors import ScorpionError
from scorpion_env.game import Game
from scorpion_env.notation.board_text import parse_board
from scorpion_env.proofs.pruning import WORK_DTYPE, is_dead
from scorpion_env.rules import PRESETS, Rules
from scorpion_env.solver import VERDICTS, Solver, solve
from scorpion_env.solver.kernels import PRUNE_ALL, PRUNE_DEAD, position_key
from support import boards

CLASSIC = PRESETS["classic"]


def key(text: str, rules: Rules) -> int:
    batch = Batch(replace(rules, undo_action=False), 1)
    batch.start(0, Position("board", parse_board(text, rules)))
    return int(position_key(batch.games[0], batch.rules_record[0]))


@boards.every_preset
def test_verdicts_are_those_of_plain_search_and_cheap_proofs_never_err(rules: Rules) -> None:
    solver = Solver(rules)
    batch = Batch(replace(rules, undo_action=False), 1)
    work = np.zeros(1, WORK_DTYPE)
    verdicts = Counter[bool]()
    dead = 0
    for number, won in chosen_endgames(rules.name):
        position = endgame(rules, ENDGAME_SEED, number)
        assert can_be_won(position, rules, LARGEST) is won
        check_endgame(position, won, rules, solver)
        batch.start(0, position)
        if is_dead(batch.games[0], batch.rules_record[0], work[0]):
            assert not won
            dead += 1
        verdicts[won] += 1
    assert verdicts == {True: ENDGAMES_EACH, False: ENDGAMES_EACH}
    assert dead or rules.cells_refill  # a card that may go to a cell proves little


def test_every_line_that_is_found_wins_in_the_environment() -> None:
    solver = Solver(CLASSIC)
    env = ScorpionEnv(CLASSIC, illegal_action="raise")
    won = 0
    for deal in range(100):
        solution = solver.solve(deal)
        assert solution.verdict in ("won", "lost")
        if solution.verdict == "won":
            won += 1
            env.reset(options={"deal": deal})
            for action in solution.actions:
                _, _, terminated, _, info = env.step(action)
            assert terminated
            assert info["outcome"] == "won"
    assert won > 5


def test_solving_deals_together_gives_the_same_as_one_by_one() -> None:
    solver = Solver(CLASSIC)
    verdicts, nodes = solver.solve_deals(0, 40)
    alone = [solver.solve(deal) for deal in range(40)]
    assert [("won", "lost", "unknown")[v] for v in verdicts] == [s.verdict for s in alone]
    assert nodes.tolist() == [s.nodes for s in alone]


def test_a_game_is_solved_from_where_it_stands_and_left_as_it_is() -> None:
    solver = Solver(CLASSIC)
    deal = next(d for d in range(100) if solver.solve(d).verdict == "won")
    game = Game.new(deal)
    line = solver.solve(deal).moves
    for move in line[:-3]:
        game.play(move)
    before = game.to_text()
    rest = solve(game)
    assert game.to_text() == before
    for move in rest.moves:
        game.play(move)
    assert game.outcome == "won"


def test_an_ended_search_is_unknown_never_lost() -> None:
    solver = Solver(CLASSIC)
    hard = next(d for d in range(2000) if solver.solve(d, node_limit=300).verdict == "unknown")
    assert solver.solve(hard, node_limit=299).nodes == 299
    assert solver.solve(hard).verdict != "unknown"
    small = Solver("flexible", memory_limit=1 << 18)
    hard = next(d for d in range(100) if small.solve(d).verdict == "unknown")
    assert small.solve(hard).nodes < 40_000


def test_the_time_limit_is_kept() -> None:
    solver = Solver("double")
    solver.solve(0, node_limit=1)  # compiled now, if it was not
    verdicts = set()
    for deal in range(4):
        began = time.perf_counter()
        solution = solver.solve(deal, node_limit=10**9, time_limit=0.5)
        assert time.perf_counter() - began < 1.5  # generous: other processes may be running
        assert solution.seconds < 1.0
        verdicts.add(solution.verdict)
    assert "unknown" in verdicts


def test_equal_positions_have_equal_keys_and_others_have_not() -> None:
    low, high = "KC QC JC TC 9C", boards.run("C", "8")
    after = boards.board(CLASSIC, [low, high])
    assert key(after, CLASSIC) == key(boards.board(CLASSIC, [high, "-", low]), CLASSIC)
    hidden = boards.board(CLASSIC, ["<KC> QC JC TC 9C", high])
    assert key(after, CLASSIC) != key(hidden, CLASSIC)
    talon, high = "AC 2C 3C", boards.run("C", "8", "4")
    first = boards.board(CLASSIC, [low, high], reserve=talon)
    second = boards.board(CLASSIC, ["-", low, "-", high], reserve=talon)
    third = boards.board(CLASSIC, [low, "-", high], reserve=talon)
    assert len({key(text, CLASSIC) for text in (first, second, third)}) == 3
    fourth = boards.board(CLASSIC, ["-", "-", "-", low, high], reserve=talon)
    fifth = boards.board(CLASSIC, ["-", "-", "-", high, "-", low], reserve=talon)
    assert key(fourth, CLASSIC) == key(fifth, CLASSIC)


def test_two_copies_of_a_card_are_alike() -> None:
    rules = PRESETS["double"]
    columns = [boards.run("C"), boards.run("C")]
    text = boards.board(rules, ["KC QC", *columns[1:], boards.run("C", "J")])
    other = boards.board(rules, [boards.run("C", "J"), columns[0], "KC QC"])
    assert key(text, rules) == key(other, rules)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"node_limit": 0}, "A node limit and a time limit must be greater than 0"),
        ({"time_limit": 0.0}, "A node limit and a time limit must be greater than 0"),
        ({"memory_limit": 100}, "The memory limit must be at least 131072 bytes"),
        ({"rules": "clasic"}, "Did you mean 'classic'"),
    ],
)
def test_bad_limits_and_rules_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ScorpionError, match=words):
        solve(7, **wrong)


@pytest.mark.parametrize("name", ["classic", "traditional", "scorpion-ii", "three-blind-mice"])
def test_leaving_out_needless_moves_changes_no_verdict_of_whole_deals(name: str) -> None:
    found = []
    for prune in (PRUNE_DEAD, PRUNE_ALL):
        solver = Solver(name)
        solver._memory.state["prune"] = prune
        found.append(solver.solve_deals(3_000_000, 2000, node_limit=5000)[0])
    unknown = VERDICTS.index("unknown")
    both = (found[0] != unknown) & (found[1] != unknown)
    assert both.sum() > 1900
    assert (found[0] == found[1])[both].all()
