"""Replays: whole games written down as JSON Lines, to be repeated, checked and shown.

The first line is a header, then comes one line a move, then one line that says how the game ended,
without which a file cut short could pass for a shorter game::

    {"format": "scorpion-replay", "version": 1, "package": "0.1.0", "rules": "classic", "deal": "7", "board": null, "reward": "points"}
    {"move": "4H>7", "points": 5, "score": 5}
    …
    {"outcome": "won", "moves": 103, "score": 640}

``rules`` is a preset's name, or all fields of rules that are no preset. A game that started from a
position has ``board`` (its text, hidden cards included) instead of ``deal``. ``points`` and
``score`` are the app's, whatever reward an agent was paid. ``outcome`` is null for a game that was
not finished. Where two decks leave a text ambiguous, a move's line also has ``action``, its index.

Reading takes nothing on trust: every line has a fixed form, and `check` plays every move again.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import SupportsIndex

from scorpion_env.deals import Start
from scorpion_env.errors import ReplayError, ScorpionError, shortened, unknown
from scorpion_env.game import Game
from scorpion_env.notation.files import read_text, write_whole
from scorpion_env.replay.format import Replay, ReplayMove, dumps, loads
from scorpion_env.rewards import REWARDS
from scorpion_env.rules import Rules

MAX_FILE = 64_000_000
"""Bytes; the file of a genuine game has some 100 kB."""


def record(
    start: Start,
    rules: str | Rules,
    actions: Iterable[SupportsIndex],
    *,
    reward: str = "points",
    truncated: bool = False,
) -> Replay:
    """Play a game's actions again and write them down.

    Args:
        start: The deal, or the position it started from.
        rules: The variant.
        actions: Indices of the actions, in order; illegal ones are to be left out.
        reward: The reward that was paid, named in the header.
        truncated: Whether the step limit ended the game.

    Raises:
        ScorpionError: if the start or an action is refused.
    """
    return from_game(Game(start, rules), actions, reward=reward, truncated=truncated)


def from_game(
    game: Game,
    actions: Iterable[SupportsIndex],
    *,
    reward: str = "points",
    truncated: bool = False,
) -> Replay:
    """Play actions in a game that has not begun and write them down; see `record`.

    The game itself is left as it is.

    Raises:
        IllegalMove: if an action is refused.
    """
    if reward not in REWARDS:
        raise ReplayError(unknown("reward", reward, REWARDS))
    if game.moves:
        raise ReplayError(f"A replay starts before the first move, not after {game.moves}.")
    game = game.copy()
    deal = game.deal
    board = game.to_text() if deal is None else None
    played = []
    for action in actions:
        index = action.__index__()
        text = game.action_text(index)
        ambiguous = game.parse_move(text) != index
        points = game.play(index)
        played.append(ReplayMove(text, points, game.score, index if ambiguous else None))
    outcome = game.outcome or ("truncated" if truncated else None)
    return Replay(
        rules=game.rules,
        deal=deal,
        board=board,
        played=tuple(played),
        outcome=outcome,
        moves=game.moves,
        score=game.score,
        reward=reward,
        package=_package_version(),
    )


# --- files ----------------------------------------------------------------------------------------


def save(replay: Replay, path: str | Path) -> None:
    """Write the replay to a file, whole or not at all.

    Raises:
        ScorpionError: if the file cannot be written.
    """
    write_whole(path, dumps(replay))


def load(path: str | Path) -> Replay:
    """Read a replay file; `check` also plays its moves.

    Raises:
        ReplayError: if the file is missing, truncated, damaged, or of another format or version.
    """
    return loads(read_text(path, "replay", limit=MAX_FILE, refusal=ReplayError), name=str(path))


# --- playing --------------------------------------------------------------------------------------


def start_game(replay: Replay) -> Game:
    """Return the game before its first move.

    Raises:
        ReplayError: if the replay's deal or board is refused.
    """
    try:
        if replay.deal is not None:
            return Game.new(replay.deal, replay.rules)
        return Game.from_text(replay.board or "", replay.rules)
    except ScorpionError as error:
        raise ReplayError(f"The start of the replay is refused: {error}") from None
    except (MemoryError, OverflowError):
        raise ReplayError("The rules of the replay need more memory than there is.") from None


def steps(replay: Replay, *, name: str = "replay") -> Iterator[tuple[Game, int | None]]:
    """Play a replay: yield the game at its start and after every move, with the action played.

    It is the same `Game` each time; copy it to keep a position. The action at the start is None.

    Raises:
        ReplayError: naming the first line that does not match what the game does.
    """
    game = start_game(replay)
    yield game, None
    for number, move in enumerate(replay.played, start=2):
        place = f"{name}, line {number}"
        try:
            action = game.parse_move(move.text)
            if move.action is not None:
                if game.action_text(move.action) != move.text:
                    raise ReplayError(f"{place}: action {move.action} is not {move.text}.")
                action = move.action
            points = game.play(action)
        except ReplayError:
            raise
        except ScorpionError as error:
            raise ReplayError(
                f"{place}: the move {shortened(move.text)} is refused: {error}"
            ) from None
        if points != move.points:
            raise ReplayError(
                f"{place}: {move.text} earns {points} points, but the file says {move.points}."
            )
        if game.score != move.score:
            raise ReplayError(
                f"{place}: the score is {game.score}, but the file says {move.score}."
            )
        yield game, action
    _check_outcome(game, replay, f"{name}, line {len(replay.played) + 2}")


def check(replay: Replay | str | Path) -> Game:
    """Play every move of a replay, or of a replay file, and return the game at its end.

    Raises:
        ReplayError: if the file is refused, or naming the first line that does not match.
    """
    name = "replay" if isinstance(replay, Replay) else str(replay)
    if not isinstance(replay, Replay):
        replay = load(replay)
    for game, _ in steps(replay, name=name):  # noqa: B007
        pass
    return game


def _check_outcome(game: Game, replay: Replay, place: str) -> None:
    if replay.outcome != (game.outcome or replay.outcome) or (
        game.outcome is None and replay.outcome in ("won", "lost")
    ):
        is_so = f"is {game.outcome}" if game.outcome else "goes on"
        raise ReplayError(f"{place}: the file says '{replay.outcome}', but the game {is_so}.")
    if (game.moves, game.score) != (replay.moves, replay.score):
        raise ReplayError(
            f"{place}: the game has {game.moves} moves and {game.score} points, but the file says "
            f"{replay.moves} and {replay.score}."
        )


def _package_version() -> str:
    from scorpion_env import __version__  # the package itself imports most modules first

    return __version__
