"""Damage to files: what a full disk, a careless editor or an attacker does to them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

JUNK = (
    *("null", "true", "-1", "0", "1.5", "1e308", "1e999", "-0", "NaN", "Infinity"),
    *(str(2**31), str(2**63), str(2**64), str(10**400), "9" * 5000),
    *('""', '"x"', '"' + "y" * 20_000 + '"', '"\\ud800"', '"\\u0000"', '"../../x"', '"%s{0}"'),
    *("[]", "{}", "[[]]", "[null]", '{"a": 1}', "[" * 60 + "]" * 60, "[" * 3000),
    *('"0:5000000000"', '"pysol:ms8589934592"', '"classic"', '"KH AH"', '"2"', '"nan"'),
)
"""Values, as JSON writes them, in places where others belong."""

LINES = (
    *("", "\0", "\ufeff", "# ", "...", "---", "\t- x", "?? ??", "<KH>", "KH KH", "Talon: -", "7"),
    *("a: &a [*a, *a]", "x: !!int abc", "<<: 3", "'", '"', "{", "[" * 500, "9" * 5000, "é" * 300),
    *("!!python/object/apply:os.system ['exit 1']", "rules: no-such", "\u2028", "-1", "1e3"),
)
"""Lines that appear in a file."""

MARK = "\ue000"


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The content of a file after one to three kinds of damage."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        content = chance.choice(KINDS)(content, chance)
    return content


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _cut_front(content: bytes, chance: random.Random) -> bytes:
    return content[chance.randrange(len(content) + 1) :]


def _flip(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 2, 20))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _replace_bytes(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    length = chance.choice((0, 1, 4, 8, 64))
    return content[:start] + chance.randbytes(chance.choice((0, 1, 8))) + content[start + length :]


def _header_length(content: bytes, chance: random.Random) -> bytes:
    """Another number in the first eight bytes, which tell the length of a safetensors header."""
    length = chance.choice((0, 1, len(content), 2**32, 2**63, 2**64 - 1))
    return length.to_bytes(8, "little") + content[8:]


def _line(content: bytes, chance: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = chance.randrange(len(lines))
    new = chance.choice(LINES).encode("utf-8", "surrogatepass")
    how = chance.randrange(4)
    if how == 0:
        lines.insert(at, new)
    elif how == 1:
        lines[at] = new
    elif how == 2:
        del lines[at]
    else:
        lines.insert(at, lines[chance.randrange(len(lines))])
    return b"\n".join(lines)


def _encoding(content: bytes, chance: random.Random) -> bytes:
    text = content.decode("utf-8", "replace")
    codec = chance.choice(("utf-16", "utf-32", "utf-8-sig", "latin-1", "utf-7", "cp037"))
    if chance.random() < 0.3:
        return content.replace(b"\n", b"\r\n")
    return text.encode(codec, "replace")


def _value(content: bytes, chance: random.Random) -> bytes:
    """Another value behind a colon or comma, in the text as it is."""
    text = content.decode("utf-8", "surrogateescape")
    places = list(re.finditer(r"(?<=[:,\[] )[^,\]}\n]+", text[:200_000]))
    if not places:
        return content
    place = chance.choice(places)
    changed = text[: place.start()] + chance.choice(JUNK) + text[place.end() :]
    return changed.encode("utf-8", "surrogateescape")


def _json(content: bytes, chance: random.Random) -> bytes:
    """Another value, another key, or none, anywhere in what JSON the file holds."""
    lines = content.split(b"\n")
    for whole in (True, False):
        at = 0 if whole else chance.randrange(len(lines))
        try:
            data = json.loads(content if whole else lines[at])
        except (ValueError, RecursionError):
            continue
        if not isinstance(data, (dict, list)) or not data:
            continue
        text = _changed(data, chance)
        return text if whole else b"\n".join([*lines[:at], text, *lines[at + 1 :]])
    return content


def _changed(data: Any, chance: random.Random) -> bytes:
    node, depth = data, chance.randrange(1, 5)
    while True:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key: Any = chance.choice(list(keys))
        depth -= 1
        below = node[key]
        if depth <= 0 or not isinstance(below, (dict, list)) or not below:
            break
        node = below
    how = chance.randrange(4)
    if how == 0:
        del node[key]
    elif how == 1 and isinstance(node, dict):
        node[chance.choice(("x", "", "__class__", str(key).upper()))] = node.pop(key)
    elif how == 2 and isinstance(node, dict):
        node["unheard of"] = MARK
    else:
        node[key] = MARK
    text = json.dumps(data, ensure_ascii=False).replace(f'"{MARK}"', chance.choice(JUNK))
    return text.encode("utf-8", "surrogatepass")


def _repeat(content: bytes, chance: random.Random) -> bytes:
    return content * chance.choice((2, 3)) if len(content) < 100_000 else content


def _empty(content: bytes, chance: random.Random) -> bytes:
    return chance.choice((b"", b"\n", b"\0" * 100, b"\xff\xfe", b"{}", b"[]", b"null"))


KINDS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_cut, _cut_front, _flip, _replace_bytes, _header_length, _encoding, _repeat, _empty),
    *(_line, _line, _value, _value, _value, _json, _json, _json),
)
