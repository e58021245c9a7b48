"""A slow, independent model of the rules, for tests only.

It shares no rule with the engine: a position is plain lists of ``(card, face up)`` pairs, legality
is brute force over every card and every column, undo keeps a whole copy of the position before each
action, and whether a move changes anything is found by playing it on a copy and comparing. Only the
*data* of a preset (:class:`scorpion_env.rules.Rules`) comes from the package.

Card ids are ``52 * deck + 13 * suit + rank``, suits C D H S = 0…3, ranks A = 0 … K = 12. Actions
are ``card * columns + column``; then one for the reserve; then, where emptied cells may be filled
again, one for each card that goes to a cell; then, where undo is an action, one for undo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

SUIT_LETTERS = "CDHS"
RANK_LETTERS = "A23456789TJQK"
RUN_LENGTH = 13
POINTS_SAME_SUIT = 5
POINTS_FLIP = 5
POINTS_RUN = 100

Column = list[tuple[int, bool]]


def rank(card: int) -> int:
    """0 for an ace … 12 for a king."""
    return card % 52 % 13


def suit(card: int) -> int:
    """0…3 for C D H S."""
    return card % 52 // 13


def colour(card: int) -> str:
    """``"red"`` for diamonds and hearts, ``"black"`` for clubs and spades."""
    return "red" if SUIT_LETTERS[suit(card)] in "DH" else "black"


def name(card: int) -> str:
    """The text of a card, such as ``7H``."""
    return RANK_LETTERS[rank(card)] + SUIT_LETTERS[suit(card)]


def card(text: str, deck: int = 0) -> int:
    """The id of a card from its text."""
    return 52 * deck + 13 * SUIT_LETTERS.index(text[1]) + RANK_LETTERS.index(text[0])


@dataclass
class Position:
    """Everything that an undo must bring back."""

    columns: list[Column]
    reserve: list[int]
    cells: list[int | None]
    taken: list[str]  # the suit letter of the king of each run taken, in order
    score: int = 0
    score_once: int = 0  # the score under the points-once reward
    flips: int = 0  # face-down cards turned so far
    paid: set[int] = field(default_factory=set)  # cards whose same-suit placement has paid once

    def copy(self) -> Position:
        """An independent position; the cards themselves never change."""
        return replace(
            self,
            columns=[list(column) for column in self.columns],
            reserve=list(self.reserve),
            cells=list(self.cells),
            taken=list(self.taken),
            paid=set(self.paid),
        )

    def shape(self) -> tuple[Any, ...]:
        """What two positions share that differ only in the order of their columns (or cells)."""
        cells = sorted(-1 if c is None else c for c in self.cells)
        return sorted(map(tuple, self.columns)), self.reserve, cells, sorted(self.taken)


class Model:
    """One game by the letter of the rules.

    ``rules`` is a preset's data, ``position`` where the game starts. ``points`` and ``points_once``
    hold what the last action paid under the two point rewards.
    """

    def __init__(self, rules: Any, position: Position) -> None:
        self.rules = rules
        self.position = position
        self.past: list[Position] = []
        self.future: list[Position] = []
        self.points = 0
        self.points_once = 0

    @classmethod
    def from_board(cls, board: Any, rules: Any) -> Model:
        """A game that starts from a `scorpion_env.notation.board.Board` without unknown cards."""
        columns = [
            [(c, row >= down) for row, c in enumerate(cards)]
            for cards, down in zip(board.columns, board.face_down, strict=True)
        ]
        cells: list[int | None] = [None if c < 0 else c for c in board.cells]
        return cls(rules, Position(columns, list(board.reserve), cells, list(board.foundations)))

    @classmethod
    def from_order(cls, order: Sequence[int], rules: Any) -> Model:
        """A game dealt from cards in dealing order: a row at a time, then reserve, then cells."""
        pack = [int(c) for c in order]
        columns: list[Column] = [[] for _ in rules.columns]
        for row in range(max(rules.columns)):
            for column, height in enumerate(rules.columns):
                if row < height:
                    columns[column].append((pack.pop(0), row >= rules.face_down[column]))
        reserve = [pack.pop(0) for _ in range(rules.reserve)]
        cells: list[int | None] = [pack.pop(0) for _ in range(rules.cells_dealt)]
        cells += [None] * (rules.cells - rules.cells_dealt)
        assert not pack, "the preset does not use every card"
        return cls(rules, Position(columns, reserve, cells, []))

    # --- the actions and their numbers

    @property
    def width(self) -> int:
        return len(self.rules.columns)

    @property
    def deck_cards(self) -> int:
        return 52 * self.rules.decks

    @property
    def deal_index(self) -> int:
        return self.deck_cards * self.width

    @property
    def num_actions(self) -> int:
        to_cell = self.deck_cards if self.rules.cells_refill else 0
        return self.deal_index + 1 + to_cell + (1 if self.rules.undo_action else 0)

    @property
    def undo_index(self) -> int | None:
        return self.num_actions - 1 if self.rules.undo_action else None

    def text_of(self, action: int) -> str:
        """``4H>7``, ``deal``, ``4H>cell`` or ``undo``."""
        if action < self.deal_index:
            return f"{name(action // self.width)}>{action % self.width + 1}"
        if action == self.deal_index:
            return "deal"
        return "undo" if action == self.undo_index else f"{name(action - self.deal_index - 1)}>cell"

    # --- what is legal

    def fits(self, upper: int, lower: int) -> bool:
        """Whether ``upper`` may be placed on ``lower``."""
        if rank(lower) != rank(upper) + 1:
            return False
        if self.rules.build == "suit":
            return suit(upper) == suit(lower)
        if self.rules.build == "colour":
            return colour(upper) != colour(lower)
        return True

    def may_place(self, c: int, source: int | None, target: int) -> bool:
        """Whether a card goes to a column; its ``source`` is None if it comes from a cell."""
        if source == target:
            return False
        column = self.position.columns[target]
        if not column:
            return self.rules.empty_column == "any" or RANK_LETTERS[rank(c)] == "K"
        return self.fits(c, column[-1][0])

    def card_moves(self) -> set[int]:
        """Every legal action but the reserve and undo, the moves that change nothing included."""
        position, found = self.position, set()
        open_at: dict[int, int | None] = {c: None for c in position.cells if c is not None}
        for number, column in enumerate(position.columns):
            open_at |= {c: number for c, face_up in column if face_up}
        for c in range(self.deck_cards):
            if c not in open_at:
                continue
            for target in range(self.width):
                if self.may_place(c, open_at[c], target):
                    found.add(c * self.width + target)
        if self.rules.cells_refill and None in position.cells:
            found |= {self.deal_index + 1 + column[-1][0] for column in position.columns if column}
        return found

    def changes_something(self, action: int) -> bool:
        """Whether a move, played on a copy, does more than change the order of the columns."""
        trial = Model(self.rules, self.position.copy())
        trial.act(action)
        return trial.position.shape() != self.position.shape()

    def moves_on(self) -> bool:
        """Whether a card can be moved so that the position changes."""
        return any(self.changes_something(action) for action in self.card_moves())

    def legal(self) -> set[int]:
        """The legal actions; none once the game is over."""
        if self.outcome() is not None:
            return set()
        found = self.card_moves()
        if self.position.reserve and (self.rules.reserve_when == "any" or not self.moves_on()):
            found.add(self.deal_index)
        if self.undo_index is not None and self.past:
            found.add(self.undo_index)
        return found

    # --- how a game ends

    def is_run(self, cards: Column) -> bool:
        """Thirteen face-up cards, king to ace, in one suit (or in alternating colours)."""
        if len(cards) != RUN_LENGTH or not all(face_up for _, face_up in cards):
            return False
        if [RANK_LETTERS[rank(c)] for c, _ in cards] != list(reversed(RANK_LETTERS)):
            return False
        if self.rules.build == "colour":
            return all(colour(a) != colour(b) for (a, _), (b, _) in pairwise(cards))
        return len({suit(c) for c, _ in cards}) == 1

    def runs(self) -> int:
        """Runs taken; where runs stay, columns that hold exactly one run."""
        if self.rules.runs == "taken":
            return len(self.position.taken)
        return sum(self.is_run(column) for column in self.position.columns)

    def outcome(self) -> str | None:
        """``"won"``, ``"lost"`` or None while the game goes on."""
        position = self.position
        if self.rules.runs == "taken":
            if len(position.taken) == 4 * self.rules.decks:
                return "won"
        elif not position.reserve and all(not c or self.is_run(c) for c in position.columns):
            return "won"
        if position.reserve or (self.rules.undo_action and self.past):
            return None
        return None if self.moves_on() else "lost"

    # --- doing it

    def play(self, action: int) -> int:
        """Plays a legal action and returns its points; undo gives back what was paid."""
        assert action in self.legal(), f"{self.text_of(action)} is not legal"
        before = self.position
        if action == self.undo_index:
            self.undo()
        else:
            self.past.append(before.copy())
            if self.rules.undo_limit is not None:
                self.past = self.past[-self.rules.undo_limit :]
            self.position = before.copy()
            self.act(action)
            self.future = []
        self.points = self.position.score - before.score
        self.points_once = self.position.score_once - before.score_once
        return self.points

    def undo(self) -> None:
        """Takes back the last action whole."""
        self.future.append(self.position)
        self.position = self.past.pop()

    def redo(self) -> None:
        """Repeats the action last taken back."""
        self.past.append(self.position)
        self.position = self.future.pop()

    def act(self, action: int) -> None:
        """Carries out a move or the reserve, without asking whether it is legal."""
        position = self.position
        if action == self.deal_index:
            columns = list(self.rules.reserve_columns)
            for c, column in zip(position.reserve, columns, strict=False):
                position.columns[column].append((c, True))
            position.reserve = []
            for column in columns:
                self.take_runs(column)
        elif action > self.deal_index:
            c = action - self.deal_index - 1
            source = next(col for col in position.columns if col and col[-1][0] == c)
            source.pop()
            position.cells[position.cells.index(None)] = c
            self.flip(source)
        else:
            self.place(action // self.width, action % self.width)

    def place(self, c: int, target: int) -> None:
        """Moves a card with its group to a column."""
        position = self.position
        receiver = position.columns[target]
        if receiver and suit(receiver[-1][0]) == suit(c):
            position.score += POINTS_SAME_SUIT
            position.score_once += 0 if c in position.paid else POINTS_SAME_SUIT
            position.paid.add(c)
        if c in position.cells:
            position.cells[position.cells.index(c)] = None
            receiver.append((c, True))
        else:
            source = next(col for col in position.columns if (c, True) in col)
            at = source.index((c, True))
            receiver += source[at:]
            del source[at:]
            self.flip(source)
        self.take_runs(target)

    def flip(self, column: Column) -> None:
        """Turns the end of a column up, if it lies face down."""
        if column and not column[-1][1]:
            column[-1] = (column[-1][0], True)
            self.position.flips += 1
            self.position.score += POINTS_FLIP
            self.position.score_once += POINTS_FLIP

    def take_runs(self, number: int) -> None:
        """Takes the runs off the end of the column that has just received cards."""
        column = self.position.columns[number]
        while self.rules.runs == "taken" and self.is_run(column[-RUN_LENGTH:]):
            self.position.taken.append(SUIT_LETTERS[suit(column[-RUN_LENGTH][0])])
            del column[-RUN_LENGTH:]
            self.position.score += POINTS_RUN
            self.position.score_once += POINTS_RUN
            self.flip(column)

    # --- text

    def to_text(self) -> str:
        """The board as text, a line for each column, base first."""
        position, lines = self.position, []
        if position.reserve:
            lines.append("Talon: " + " ".join(map(name, position.reserve)))
        if self.rules.cells:
            lines.append(
                "Cells: " + " ".join("-" if c is None else name(c) for c in position.cells)
            )
        if position.taken:
            lines.append("Foundations: " + " ".join(position.taken))
        for column in position.columns:
            lines.append(" ".join(name(c) if up else f"<{name(c)}>" for c, up in column) or "-")
        return "\n".join(lines) + "\n"
