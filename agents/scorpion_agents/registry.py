"""Players by name: ``"random"``, ``"search+pretrained:20ms"``, or the path of a run or a model."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from scorpion_agents.base import Agent, Valuer
from scorpion_agents.players.greedy import GreedyAgent
from scorpion_agents.players.memory import MEMORY, RememberingAgent
from scorpion_agents.players.random_agent import RandomAgent
from scorpion_agents.search.playouts import PLAYOUTS, PlayoutAgent
from scorpion_agents.search.solver_search import SEARCH, OracleAgent, SearchAgent, parse_budget
from scorpion_agents.search.tree_search import TREE, TreeSearchAgent
from scorpion_agents.search.value_search import ValueSearchAgent
from scorpion_env.errors import ScorpionError, nearest, shortened
from scorpion_env.notation.files import is_file, is_folder
from scorpion_env.rules import Rules, get_rules

AGENTS: dict[str, Callable[[Rules], Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "playouts": PlayoutAgent,
    "search": SearchAgent,
    "oracle": OracleAgent,
}
"""The agents that play every variant; all others are models that training left behind."""

PRETRAINED_NAME = "pretrained"
"""Names the model that comes with the repository for the variant, if there is one."""


def load_agent(
    name_or_path: str | Path,
    rules: str | Rules,
    *,
    stochastic: bool = False,
    trust: bool = False,
) -> Agent:
    """Return an agent by its name, or from the run folder or model file of a training run.

    Args:
        name_or_path: ``"random"``, ``"greedy"``, ``"search"`` (with a budget: ``"search:256"``
            determinizations for each move, or ``"search:20ms"``; ``"search+pretrained"``, with or
            without a budget, weighs moves by the pretrained agent's critic if that saw all cards in
            training, and otherwise lets the agent choose among moves that are equally good),
            ``"tree+pretrained"`` (likewise, looks two moves ahead), ``"playouts"`` (likewise),
            ``"oracle"``, ``"pretrained"``, or a path. ``"memory+greedy"`` plays as greedy does but
            never goes back to a position that the game has been in, unless it must; so with others.
        rules: The variant it is to play.
        stochastic: Let a trained agent draw its actions instead of taking the likeliest.
        trust: Load a model file that could execute code; needed for files of unknown origin only.

    Raises:
        ScorpionError: if there is no such agent or path, no model was pretrained on the variant, or
            a model cannot be loaded.
    """
    rules = get_rules(rules)
    name = str(name_or_path)
    if name in AGENTS:
        return AGENTS[name](rules)
    head, plus, player = name.partition("+")
    if plus and head in (MEMORY, SEARCH, TREE) and not player.partition(":")[0]:
        raise ScorpionError(f"'{name}' names nobody after the +, such as {head}+{PRETRAINED_NAME}.")
    if head == MEMORY and plus:
        return RememberingAgent(load_agent(player, rules, stochastic=stochastic, trust=trust))
    if re.match(rf"({SEARCH}[:+]|{TREE}([:+]|$))", name):
        return _search_agent(name, rules, trust=trust)
    head, colon, budget = name.partition(":")
    if colon and head == PLAYOUTS:
        return PlayoutAgent(rules, **parse_budget(budget))
    path = Path(name_or_path)
    known = (*AGENTS, PRETRAINED_NAME)
    if name != PRETRAINED_NAME and not (is_file(path) or is_folder(path)):
        raise ScorpionError(
            f"Unknown agent '{shortened(name)}'.{nearest(name, known)} "
            f"Known: {', '.join(known)}, or the path of a run folder or model."
        )
    try:
        # These bring torch, which the other agents do without.
        from scorpion_agents.models.ppo import load_ppo
        from scorpion_agents.pretrained import pretrained_folder
    except ModuleNotFoundError as error:
        raise ScorpionError(
            f"To load '{name}', '{error.name}' is needed: pip install 'scorpion-env[train]'."
        ) from error
    if name != PRETRAINED_NAME:
        return load_ppo(path, rules, stochastic=stochastic, trust=trust)
    agent = load_ppo(pretrained_folder(rules), rules, stochastic=stochastic)
    agent.name = PRETRAINED_NAME
    return agent


def rules_of(name_or_path: str) -> Rules | None:
    """Return the rules that the model of an agent plays, or None if it plays any.

    Raises:
        ScorpionError: if its description is damaged.
    """
    name = name_or_path
    if not is_folder(name):  # "tree+runs/mine:32"
        name = re.sub(rf"^({MEMORY}|{SEARCH}|{TREE})\+", "", name)
        name = name if is_folder(name) else name.rpartition(":")[0]
    if not name or not is_folder(name):
        return None
    from scorpion_agents.models.description import read_description
    from scorpion_agents.models.files import find_model

    return read_description(find_model(Path(name))).rules


def _search_agent(name: str, rules: Rules, *, trust: bool) -> Agent:
    """Return the search player of a name such as ``search:20ms`` or ``search+pretrained:64``."""
    head, colon, budget = name.partition(":")
    plus = head.partition("+")[2]
    chooser = load_agent(plus, rules, trust=trust) if plus else None
    budgets = parse_budget(budget) if colon else {}
    if re.match(rf"{TREE}\b", name):
        if not isinstance(chooser, Valuer):
            raise ScorpionError(
                f"'{name}' needs a model whose critic saw all cards in training, such as "
                f"{TREE}+{PRETRAINED_NAME}."
            )
        return TreeSearchAgent(rules, chooser, **budgets)
    if isinstance(chooser, Valuer):
        return ValueSearchAgent(rules, chooser, **budgets)
    return SearchAgent(rules, adviser=chooser, **budgets)


def adviser(rules: str | Rules) -> Agent:
    """Return who gives hints: the pretrained agent of the variant where it can play, else greedy.

    It cannot where none was pretrained on the variant, or torch is not installed.
    """
    try:
        return load_agent(PRETRAINED_NAME, rules)
    except ScorpionError:
        return GreedyAgent(get_rules(rules))
