"""The file form of a replay: JSON Lines to `Replay` and back, without playing anything.

:mod:`scorpion_env.replay` describes the form. Reading takes nothing on trust: every line has just
the keys it should have, of the right type, and the numbers must add up.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeGuard

from scorpion_env.deals import parse_deal
from scorpion_env.errors import ReplayError, ScorpionError, shortened, shown
from scorpion_env.rewards import REWARDS
from scorpion_env.rules import PRESETS, Rules, get_rules

FORMAT = "scorpion-replay"
VERSION = 1
OUTCOMES = ("won", "lost", "truncated", None)

HEADER_KEYS = ("format", "version", "package", "rules", "deal", "board", "reward")
MOVE_KEYS = ("move", "points", "score")
END_KEYS = ("outcome", "moves", "score")

MAX_LINE = 100_000
"""Characters; the longest line of a genuine file is a header with a board, under 2,000."""


@dataclass(frozen=True)
class ReplayMove:
    """One move: text, points, the score after it, and its index where the text is ambiguous."""

    text: str
    points: int
    score: int
    action: int | None = None


@dataclass(frozen=True)
class Replay:
    """One game, written down.

    Attributes:
        rules: The variant.
        deal: Text of the deal, or None if the game started from a position.
        board: Text of that position, hidden cards included, or None.
        played: The moves in order; undo is among them where it is an action.
        outcome: "won", "lost", "truncated", or None for a game that was not finished.
        moves: Moves that led to the end; those that an undo took back do not count.
        score: Points at the end.
        reward: The reward that an agent was paid; the points of a replay are always the app's.
        package: Version of the package that wrote the replay.
    """

    rules: Rules
    deal: str | None
    board: str | None
    played: tuple[ReplayMove, ...]
    outcome: str | None
    moves: int
    score: int
    reward: str = "points"
    package: str = ""


def dumps(replay: Replay) -> str:
    """Return the replay as JSON Lines."""
    preset = PRESETS.get(replay.rules.name) == replay.rules
    lines: list[dict[str, Any]] = [
        {
            "format": FORMAT,
            "version": VERSION,
            "package": replay.package,
            "rules": replay.rules.name if preset else replay.rules.as_dict(),
            "deal": replay.deal,
            "board": replay.board,
            "reward": replay.reward,
        }
    ]
    for move in replay.played:
        line: dict[str, Any] = {"move": move.text, "points": move.points, "score": move.score}
        if move.action is not None:
            line["action"] = move.action
        lines.append(line)
    lines.append({"outcome": replay.outcome, "moves": replay.moves, "score": replay.score})
    return "".join(json.dumps(line) + "\n" for line in lines)


def loads(text: str, *, name: str = "replay") -> Replay:
    """Read a replay from its text; `name` is what error messages call it.

    Raises:
        ReplayError: see `load`.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        raise ReplayError(f"{name} is empty.")
    header = _object(lines[0], name, 1)
    _check_header(header, name)
    rules = _read_rules(header["rules"], name)
    deal, board = _read_start(header, name)
    reward, package = header["reward"], header["package"]
    if not isinstance(reward, str) or reward not in REWARDS:
        raise ReplayError(f"{name}, line 1: there is no reward {shortened(json.dumps(reward))}.")
    if not isinstance(package, str):
        raise ReplayError(f"{name}, line 1: package must be a version in quotes.")
    played: list[ReplayMove] = []
    end: dict[str, Any] | None = None
    for number, line in enumerate(lines[1:], start=2):
        entry = _object(line, name, number)
        if end is not None:
            raise ReplayError(f"{name}, line {number}: the replay goes on after its end.")
        if "outcome" in entry:
            end = entry
            _check_end(end, played, f"{name}, line {number}")
        else:
            before = played[-1].score if played else 0
            played.append(_read_move(entry, before, f"{name}, line {number}"))
    if end is None:
        raise ReplayError(f"{name} is cut short: its last line, with the outcome, is missing.")
    return Replay(
        rules=rules,
        deal=deal,
        board=board,
        played=tuple(played),
        outcome=end["outcome"],
        moves=end["moves"],
        score=end["score"],
        reward=reward,
        package=package,
    )


def _object(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        if len(line) > MAX_LINE:
            raise ValueError
        value = json.loads(line, object_pairs_hook=_pairs, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()  # refuses half a character
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        if number == 1:
            raise ReplayError(f"{name} is no replay: its first line is no header.")
        raise ReplayError(f"{name}, line {number} is damaged or cut short: it is no JSON object.")
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _check_keys(entry: dict[str, Any], keys: tuple[str, ...], place: str) -> None:
    for key in keys:
        if key not in entry:
            raise ReplayError(f"{place}: '{key}' is missing.")
    for key in entry:
        if key not in keys:
            raise ReplayError(f"{place}: '{shortened(key)}' has no place here.")


def _check_header(header: dict[str, Any], name: str) -> None:
    if header.get("format") != FORMAT:
        raise ReplayError(f"{name} is no replay: its first line is no header.")
    version = header.get("version")
    if not _is_int(version):
        raise ReplayError(f"{name}, line 1: the format version is missing.")
    if version != VERSION:
        writer = header.get("package")
        by = f" (by scorpion-env {writer})" if isinstance(writer, str) and len(writer) < 30 else ""
        advice = "update scorpion-env to read it" if version > VERSION else "record it anew"
        raise ReplayError(
            f"{name} was written in format version {shown(version)}{by}, but this is version "
            f"{VERSION}; {advice}."
        )
    _check_keys(header, HEADER_KEYS, f"{name}, line 1")


def _read_rules(value: object, name: str) -> Rules:
    if not isinstance(value, (str, dict)):
        raise ReplayError(f"{name}, line 1: rules must be a preset's name or its data.")
    try:
        return get_rules(value)
    except ScorpionError as error:
        raise ReplayError(f"{name}, line 1: {error}") from None


def _read_start(header: dict[str, Any], name: str) -> tuple[str | None, str | None]:
    deal, board = header["deal"], header["board"]
    if (deal is None) == (board is None):
        raise ReplayError(f"{name}, line 1: there must be either a deal or a board.")
    if not isinstance(deal or board, str):
        raise ReplayError(f"{name}, line 1: the deal or board must be text in quotes.")
    try:
        return (None if deal is None else parse_deal(deal).name), board
    except ValueError as error:  # a number of thousands of digits is no ScorpionError
        raise ReplayError(f"{name}, line 1: {error}") from None


def _read_move(entry: dict[str, Any], before: int, place: str) -> ReplayMove:
    _check_keys(entry, (*MOVE_KEYS, *(("action",) if "action" in entry else ())), place)
    text, points, score = (entry[key] for key in MOVE_KEYS)
    if not isinstance(text, str):
        raise ReplayError(f"{place}: the move must be text in quotes.")
    _check_ints({key: entry[key] for key in entry if key != "move"}, place)
    if before + points != score:
        raise ReplayError(
            f"{place}: {before} and {points} points make {before + points}, but the score says "
            f"{score}."
        )
    return ReplayMove(text, points, score, entry.get("action"))


def _check_end(end: dict[str, Any], played: list[ReplayMove], place: str) -> None:
    _check_keys(end, END_KEYS, place)
    outcome = end["outcome"]
    if not (outcome is None or isinstance(outcome, str)) or outcome not in OUTCOMES:
        raise ReplayError(f"{place}: there is no outcome {shortened(json.dumps(outcome))}.")
    _check_ints({"moves": end["moves"], "score": end["score"]}, place)
    # An undo takes a move back, so that neither of the two counts.
    moves = len(played) - 2 * sum(move.text == "undo" for move in played)
    if end["moves"] != moves:
        raise ReplayError(f"{place}: the end counts {end['moves']} moves, but there are {moves}.")
    score = played[-1].score if played else 0
    if end["score"] != score:
        raise ReplayError(f"{place}: the end says {end['score']} points, but there are {score}.")


def _check_ints(entry: dict[str, Any], place: str) -> None:
    for key, value in entry.items():
        if not _is_int(value):
            raise ReplayError(f"{place}: {key} must be a whole number.")


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
