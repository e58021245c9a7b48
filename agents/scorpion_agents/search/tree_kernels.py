"""What the tree player computes, compiled: what follows each reply to a move."""

from __future__ import annotations

from typing import Any

from scorpion_agents.search.determinizations import hidden_as_shown, lay_out, list_useful
from scorpion_agents.search.kernels import weigh
from scorpion_env.kernels.compiled import compiled
from scorpion_env.kernels.observation import observe_game


@compiled
def reply(
    seen: Any,
    places: Any,
    rules: Any,
    games: Any,
    memory: Any,
    log: Any,
    nodes: Any,
    hidden: Any,
    reward: Any,
    views: Any,
    starts: Any,
    actions: Any,
    outcomes: Any,
    rewards: Any,
    after: Any,
) -> None:
    """Play every useful action in positions whose hidden cards are given.

    Args:
        seen: Records of full observations.
        places: Which of them, int64 ``(n,)``; the games there go on.
        rules: The rules.
        games: Two games to work with.
        memory: See :func:`scorpion_agents.search.kernels.count_wins`.
        log: The solver's undo log.
        nodes: Node limit of each search; what is unknown then counts as lost.
        hidden: Room for the hidden cards, int8 ``(cards,)``.
        reward: Code of the reward, see :mod:`scorpion_env.rewards`.
        views: Written: records ``(n,)``, what the player sees of each position.
        starts: Written: int64 ``(n + 1,)``, where each position's actions begin, and their number.
        actions: Written: the useful actions, or the null moves where there are no others, int16.
        outcomes: Written for each action: ``GONE``, ``OPEN`` or ``OVER``, int8.
        rewards: Written for each action: its reward, 0 if it is ``GONE``, float64.
        after: Written for each action: the full observation after it.
    """
    n = 0
    for i in range(places.shape[0]):
        starts[i] = n
        observation = seen[places[i]].cards
        hidden_as_shown(observation, rules, games[1], hidden)
        lay_out(observation, hidden, rules, games[1])
        observe_game(games[1], rules, views[i], False)
        count, useful = list_useful(games[1], rules, actions[n:])
        for k in range(n, n + (useful if useful else count)):
            outcomes[k], rewards[k] = weigh(
                games, rules, memory, log, nodes, actions[k], reward, after[k]
            )
        n += useful if useful else count
    starts[places.shape[0]] = n
