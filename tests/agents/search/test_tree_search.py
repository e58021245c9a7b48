"""The player that looks two moves ahead: by what it will see, and not by what it will not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorpion_agents import load_agent
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_agents.search.determinizations import list_useful
from scorpion_agents.search.tree_search import FIRST_MOVES, TreeSearchAgent
from scorpion_agents.search.value_search import PRIOR
from scorpion_agents.seen_game import new_table, read_game
from scorpion_env.batch.board_records import read_board
from scorpion_env.deals import Position
from scorpion_env.env import ScorpionEnv
from scorpion_env.errors import ScorpionError
from scorpion_env.game import Game
from scorpion_env.kernels.play import conclude
from scorpion_env.solver import solve
from support.judges import ASKED, CLASSIC, DRAWS, Judge, some_start
from support.models import make_model


class Watched(TreeSearchAgent):
    """Keeps what it was asked about replies, and what it found."""

    asked: tuple[Any, Any, Any]

    def _answered(self, places: Any) -> Any:
        found = super()._answered(places)
        self.asked = self._seen["cards"][places].copy(), places, found
        return found


def shown(game: Game, *, everything: bool) -> Any:
    env = ScorpionEnv(CLASSIC, observation="full" if everything else "player")
    return env.reset(options={"board": game.to_text()})[0]


def slow_answers(positions: Any, judge: Judge) -> list[float]:
    """What each position is worth if all that look alike are answered alike, move by move."""
    table = new_table(CLASSIC, conclusive=True)
    g, moves = table.position[0], np.zeros(table.position.dtype["legal"].shape[0], np.int16)
    groups: dict[bytes, list[tuple[int, list[float]]]] = {}
    opinions: dict[bytes, Any] = {}
    for i, position in enumerate(positions):
        read_game(position, True, table)
        conclude(g, table.rules)
        _, useful = list_useful(g, table.rules, moves)
        game = Game(Position("here", read_board(g, CLASSIC)))
        worth = []
        for action in moves[:useful].tolist():
            after = game.copy()
            after.play(action)
            here = Position("after", after.board())
            lost = solve(here, CLASSIC, node_limit=2000).verdict != "won"
            worth.append(
                0.0 if lost else float(judge.values(shown(after, everything=True)[None])[0])
            )
        view = shown(game, everything=False)
        groups.setdefault(view.tobytes(), []).append((i, worth))
        opinions[view.tobytes()] = np.full(useful, -np.log(useful))
    found = [0.0] * len(positions)
    for key, group in groups.items():
        mean = np.mean([worth for _, worth in group], axis=0) + PRIOR * opinions[key]
        for i, worth in group:
            found[i] = worth[mean.argmax()]
    assert len(groups) < len(positions)
    return found


def test_positions_that_look_alike_are_answered_alike() -> None:
    judge = Judge()
    agent = Watched(CLASSIC, judge, samples=4)
    compared = 0
    for deal in range(12):
        seen, masks = some_start(deal)
        agent.asked = (), (), ()
        agent.act(seen[None], masks[None], DRAWS)
        positions, places, found = agent.asked
        if len(places) > FIRST_MOVES:
            assert np.allclose(found, slow_answers(positions, judge))
            compared += 1
    assert compared > 2


def test_what_is_hidden_does_not_change_its_move() -> None:
    seen, masks = some_start(3)
    hidden, _ = ScorpionEnv(CLASSIC, observation="full").reset(options={"deal": 3})
    hidden[hidden[:, 5] == 0] = seen[seen[:, 5] == 0]
    agent = TreeSearchAgent(CLASSIC, Judge(), samples=4)
    first = agent.act(seen[None], masks[None], DRAWS)
    assert agent.act(hidden[None], masks[None], DRAWS) == first
    both = TreeSearchAgent(CLASSIC, Judge(), samples=4).act(
        np.stack([seen, seen]), np.stack([masks, masks]), np.repeat(DRAWS, 2)
    )
    assert both[1] == first[0]


def test_it_plays_by_name_with_a_critic_that_saw_all_cards(tmp_path: Path) -> None:
    agent = load_agent(f"tree+{make_model(tmp_path / 'win', **ASKED)}:3", CLASSIC)
    assert isinstance(agent, TreeSearchAgent)
    assert agent.name.startswith("tree+")
    assert agent.samples == 3
    found = evaluate(agent, CLASSIC, "0:3")
    assert found.summary().illegal_actions == 0
    assert found.information == "player"
    for name in ("tree", "tree:5", "tree+greedy"):
        with pytest.raises(ScorpionError, match=r"such as tree\+pretrained"):
            load_agent(name, CLASSIC)
