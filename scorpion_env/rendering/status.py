"""What a picture says beside the cards: score, moves, runs, the last move, the outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from scorpion_env.cards import SUITS, SYMBOLS, card_text, parse_card, rank_of
from scorpion_env.notation.board import Board
from scorpion_env.rules import Rules

FACE_DOWN_TEXT = "##"
UNKNOWN_TEXT = "??"
EMPTY_CELL_TEXT = "--"
EMPTY_COLUMN_TEXT = "-"

SYMBOL_OF = dict(zip(SUITS, SYMBOLS, strict=True))
SUIT_NAMES = dict(zip(SUITS, ("clubs", "diamonds", "hearts", "spades"), strict=True))

OUTCOMES = {
    "won": "The game is won.",
    "lost": "The game is lost: nothing more can change.",
    "truncated": "The step limit ended the game.",
}


class PlayedGame(Protocol):
    """As much of a game as a status tells; `scorpion_env.Game` is one."""

    @property
    def score(self) -> int:
        """Points so far."""

    @property
    def moves(self) -> int:
        """Moves that led here."""

    @property
    def runs(self) -> int:
        """Runs complete."""

    @property
    def last_move(self) -> str | None:
        """Text of the last move."""

    @property
    def outcome(self) -> str | None:
        """How the game ended."""

    def legal_moves(self) -> list[str]:
        """Return the texts of the legal moves."""


@dataclass(frozen=True)
class Status:
    """The numbers around a board.

    Attributes:
        score: points so far.
        moves: moves made so far.
        runs: runs complete so far (taken, or lying complete where they stay).
        last_move: text of the last move (`4H>7`, `deal`, `4H>cell`, `undo`), None before the first.
        legal_moves: texts of the legal moves; shown only if the style asks for them.
        outcome: "won", "lost", "truncated", or None while the game goes on.
        last_card: id of the card that the last move took, if known: with two decks it tells which
            of two copies to mark.
    """

    score: int = 0
    moves: int = 0
    runs: int = 0
    last_move: str | None = None
    legal_moves: Sequence[str] = ()
    outcome: str | None = None
    last_card: int | None = field(default=None, kw_only=True)

    @classmethod
    def of_game(cls, game: PlayedGame, *, last_card: int | None = None) -> Status:
        """Return the status of a `Game`, its legal moves included."""
        return cls(
            game.score,
            game.moves,
            game.runs,
            game.last_move,
            game.legal_moves(),
            game.outcome,
            last_card=last_card,
        )


@dataclass(frozen=True)
class Marks:
    """Where the last move left its traces.

    Attributes:
        cards: (column, row) pairs, 0-based, row counted from the base.
        columns: columns whose moved card is no longer there (its run was taken).
        cells: cells that received the card.
    """

    cards: frozenset[tuple[int, int]] = frozenset()
    columns: frozenset[int] = frozenset()
    cells: frozenset[int] = frozenset()


def moved_card(action: int | None, rules: Rules) -> int | None:
    """Return the id of the card that an action takes, None if it takes none."""
    if action is None or action in (rules.deal_action, rules.undo_action_index):
        return None
    if action > rules.deal_action:
        return action - rules.deal_action - 1
    return action // rules.num_columns


def split_move(move: str) -> tuple[str, str]:
    """Split `4H>7` into card and goal; any other move text is all card and no goal."""
    card, _, goal = move.partition(">")
    return card, goal


def face_text(card: int, *, symbols: bool = False) -> str:
    """Return the two characters of a face-up card: `7H`, or `7♥` with symbols; `??` if unknown."""
    if card < 0:
        return UNKNOWN_TEXT
    text = card_text(card)
    return text[:-1] + SYMBOL_OF[text[-1]] if symbols else text


def last_move_marks(board: Board, rules: Rules, status: Status) -> Marks:
    """Find the cards that the last move put where they are."""
    card, goal = split_move(status.last_move or "")
    if card == "deal":
        columns = rules.reserve_columns
        return Marks(
            cards=frozenset((c, len(board.columns[c]) - 1) for c in columns if board.columns[c]),
            columns=frozenset(c for c in columns if not board.columns[c]),
        )
    if goal == "cell":
        return Marks(cells=frozenset(i for i, c in enumerate(board.cells) if _is(c, card, status)))
    if not goal.isdecimal() or not 1 <= int(goal) <= len(board.columns):
        return Marks()
    column = int(goal) - 1
    row = _landing_row(board, column, card, status)
    if row is None:
        return Marks(columns=frozenset({column}))
    return Marks(cards=frozenset({(column, row)}))


def _is(card: int, text: str, status: Status) -> bool:
    """Return whether a card is the one that the last move took, as far as the status tells."""
    if card < 0:
        return False
    return card_text(card) == text if status.last_card is None else card == status.last_card


def _landing_row(board: Board, column: int, card: str, status: Status) -> int | None:
    """Return the row where `card` landed in a column, None if it is not there any more.

    If both copies of two decks lie there and the status does not tell which one moved, it is one
    that is the base or lies on the next higher rank, and of two such the one nearer the end.
    """
    cards = board.columns[column]
    rows = [r for r in range(board.face_down[column], len(cards)) if _is(cards[r], card, status)]
    rank = rank_of(parse_card(card)) if rows else 0
    fitting = [
        r for r in rows if r == 0 or (cards[r - 1] >= 0 and rank_of(cards[r - 1]) == rank + 1)
    ]
    return max(fitting or rows, default=None)


def movable_places(board: Board, legal_moves: Sequence[str]) -> frozenset[tuple[int, int]]:
    """Return the (column, row) places of the face-up cards that some legal move takes."""
    goals: dict[str, set[str]] = {}
    for move in legal_moves:
        card, goal = split_move(move)
        goals.setdefault(card, set()).add(goal)
    places = set()
    for column, cards in enumerate(board.columns):
        for row in range(board.face_down[column], len(cards)):
            wanted = goals.get(face_text(cards[row]), set()) - {str(column + 1)}
            if row < len(cards) - 1:
                wanted = wanted - {"cell"}  # only an end card goes to a cell
            if wanted:
                places.add((column, row))
    return frozenset(places)


def movable_cells(board: Board, legal_moves: Sequence[str]) -> frozenset[int]:
    """Return the cells whose card some legal move takes."""
    cards = {card for card, goal in map(split_move, legal_moves) if goal.isdecimal()}
    return frozenset(i for i, card in enumerate(board.cells) if face_text(card) in cards)
