"""YAML as configurations have it: numbers and words as in YAML 1.2, no key twice, lines known."""

from __future__ import annotations

import re
from typing import Any

import yaml

from scorpion_env.errors import ScorpionError

MAX_LENGTH = 100_000
MAX_DEPTH = 20
MAX_VALUES = 10_000
"""Characters, levels and values that a configuration can have, far more than it needs. An alias
counts as all that it stands for: a few lines of aliases of aliases can stand for billions."""


class ConfigError(ScorpionError):
    """A training configuration was refused; the text names file, line and key."""


class _Loader(yaml.SafeLoader):
    """YAML where ``3e-4`` is a number and ``yes`` a word, as YAML 1.2 has it."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if parent is not None and self.depth == MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem="nested too deeply", problem_mark=parent.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError) as error:  # as for `!!int abc`
            raise yaml.MarkedYAMLError(
                problem=f"this is no '{node.tag.rpartition(':')[2]}'", problem_mark=node.start_mark
            ) from error


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in rows if tag.rsplit(":", 1)[1] in ("null", "merge")]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|false|True|False|TRUE|FALSE)$"), list("tTfF")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9_]*)$"), list("-+0123456789")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)


def parse_yaml(text: str, source: str) -> tuple[Any, dict[str, int]]:
    """Return the value of a YAML text and, for a mapping, the line of each top-level key.

    Raises:
        ConfigError: if it is no YAML, is out of all proportion, or gives a key twice on any level;
            it names `source` and the line.
    """
    if len(text) > MAX_LENGTH:
        raise ConfigError(f"{source}: too long for a configuration ({len(text)} characters).")
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None, {}
        _refuse_repetition(node, source)
        lines = {
            str(key.value): key.start_mark.line + 1
            for key, _ in (node.value if isinstance(node, yaml.MappingNode) else ())
        }
        return loader.construct_document(node), lines
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = f"it holds the character U+{error.character:04X}"
        raise ConfigError(f"{source}, line {line}: not valid YAML ({problem}).") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise ConfigError(f"{source}{place}: not valid YAML ({problem}).") from error


def _refuse_repetition(root: yaml.Node, source: str) -> None:
    """Refuse a key that is given twice on its level, and values without end."""
    nodes, values = [root], 0
    while nodes:
        node = nodes.pop()
        values += 1
        if values > MAX_VALUES:
            raise ConfigError(
                f"{source}: too many values for a configuration; an alias counts as all that it "
                "stands for."
            )
        if isinstance(node, yaml.SequenceNode):
            nodes += node.value
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                name, line = str(key.value), key.start_mark.line + 1
                if name in seen:
                    raise ConfigError(f"{source}, line {line}: '{name}' is given twice.")
                seen.add(name)
                nodes.append(value)
