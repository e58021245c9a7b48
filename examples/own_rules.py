"""A variant of one's own, checked and played. Run: python examples/own_rules.py.

A card goes on any suit, one card lies face down in each column, and the reserve comes to the last
columns. It prints the first board, and how many of 200 random and greedy games are won.
"""

from scorpion_agents import load_agent
from scorpion_agents.evaluation.evaluate import evaluate
from scorpion_env import Game, Rules, check

rules = Rules(
    "shallow",
    "Flexible with one card face down in each column; the reserve comes to the last columns.",
    build="any",
    face_down=(1,) * 7,
    reserve_columns=(4, 5, 6),
)


def main() -> None:
    """Check the environments of the variant, show a deal and play some games."""
    check(rules, episodes=3)
    print(Game.new(deal=1, rules=rules))
    for name in ("random", "greedy"):
        played = evaluate(load_agent(name, rules), rules, "0:200").summary()
        print(f"{name}: {played.wins} of {played.games} games won")


if __name__ == "__main__":
    main()
