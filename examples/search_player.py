"""A search player in sixty lines. Run: python examples/search_player.py.

It fills in the hidden cards at random, asks the exact solver which moves keep each of these
determinizations won, and plays the move with the most votes. It prints how many of ten winnable
deals it wins, and how many the greedy agent wins. It never looks under the cards.
"""

import re
from collections import Counter

from scorpion_agents import load_agent
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_env import Game
from scorpion_env.solver import Solver
from scorpion_env.winnable import winnable_deals

SAMPLES, NODES = 12, 2000


def as_a_player_sees(game: Game) -> str:
    """Return the board with ``??`` for every card that lies face down or in the reserve."""
    text = re.sub(r"<\w+>", "<??>", game.to_text())
    return re.sub(r"Talon: .*", lambda line: re.sub(r"\b\w\w\b", "??", line[0]), text)


def choose(game: Game, solver: Solver) -> str:
    """Return the move that keeps most determinizations won; any move if none is known to."""
    board, votes = as_a_player_sees(game), Counter(dict.fromkeys(game.legal_moves(), 0))
    for sample in range(SAMPLES):
        world = Game.from_text(board, game.rules, seed=1000 * game.moves + sample)
        if solver.solve(world, node_limit=NODES).verdict != "won":
            continue  # nothing can be learnt from a determinization that is lost
        for move in votes:
            after = world.copy()
            after.play(move)
            won = after.outcome == "won"
            votes[move] += won or solver.solve(after, node_limit=NODES).verdict == "won"
    return votes.most_common(1)[0][0]


def play(deal: int, solver: Solver) -> Game:
    """Return a game of Classic, played to its end."""
    game = Game.new(deal)
    while game.outcome is None and game.moves < 100:
        game.play(choose(game, solver))
    return game


def main() -> None:
    """Play winnable deals, beside the greedy agent."""
    deals, solver = winnable_deals()[:10].tolist(), Solver()
    wins = sum(play(deal, solver).outcome == "won" for deal in deals)
    greedy = evaluate(load_agent("greedy", "classic"), "classic", deals).summary().wins
    print(f"search: {wins} of {len(deals)} winnable deals won; greedy: {greedy}")


if __name__ == "__main__":
    main()
