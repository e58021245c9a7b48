"""YAML as configurations have it: numbers and words as in YAML 1.2, no key twice, lines known."""

from __future__ import annotations

import re
from typing import Any

import yaml

from scorpion_env.errors import ScorpionError


class ConfigError(ScorpionError):
    """A training configuration was refused; the text names file, line and key."""


class _Loader(yaml.SafeLoader):
    """YAML where ``3e-4`` is a number and ``yes`` a word, as YAML 1.2 has it."""


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
        ConfigError: if it is no YAML, or gives a key twice; it names `source` and the line.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        lines: dict[str, int] = {}
        if isinstance(node, yaml.MappingNode):
            for key, _ in node.value:
                name, line = str(key.value), key.start_mark.line + 1
                if name in lines:
                    raise ConfigError(f"{source}, line {line}: '{name}' is given twice.")
                lines[name] = line
        value = loader.construct_document(node) if node is not None else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise ConfigError(f"{source}{place}: not valid YAML ({problem}).") from error
    finally:
        loader.dispose()
    return value, lines
