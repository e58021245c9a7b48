"""A variant of one's own, checked and played. Run: python examples/own_rules.py.

Six columns, the first two with two cards face down, any group to an empty column, four cards in
reserve. It prints the first board, and how many of 200 random and greedy games are won.
"""

from scorpion_env import Game, Rules, check
from scorpion_env.rollout import greedy_rollouts, random_rollouts

rules = Rules(
    "six-columns",
    "Six columns of eight; any group may go to an empty column.",
    columns=(8,) * 6,
    face_down=(2, 2, 0, 0, 0, 0),
    reserve_columns=(0, 1, 2, 3),
    empty_column="any",
)


def main() -> None:
    """Check the environments of the variant, show a deal and play some games."""
    check(rules, episodes=3)
    print(Game.new(deal=1, rules=rules))
    for name, play in (("random", random_rollouts), ("greedy", greedy_rollouts)):
        played = play(rules, games=200)
        print(f"{name}: {played.wins} of {played.games} games won")


if __name__ == "__main__":
    main()
