"""Boards as text.

One line a column, base first, under up to three headed lines::

    Talon: 9C 2H 6H
    <JD> <5H> <KH> AS 4H TH 8D
    …

``<7H>`` is a face-down card, ``??`` an unknown one, ``-`` an empty column or cell. ``Talon:``
stands while the reserve is there (``Talon: -`` says that it is out), ``Cells:`` where the variant
has cells, ``Foundations: H S`` (the suits of the kings) once runs are taken; ``#`` starts a
comment.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from scorpion_env.cards import (
    CARDS_PER_DECK,
    CARDS_PER_SUIT,
    SUITS,
    card_text,
    parse_card,
)
from scorpion_env.errors import BoardError, nearest, shown
from scorpion_env.notation.board import EMPTY, UNKNOWN, Board, missing_cards, taken_runs
from scorpion_env.rules import Rules

HEADINGS = ("Talon", "Cells", "Foundations")


def format_board(board: Board) -> str:
    """Return the text of a board, which ends with a line break."""
    lines = []
    if board.reserve:
        lines.append("Talon: " + " ".join(map(_word, board.reserve)))
    if board.cells:
        lines.append("Cells: " + " ".join(map(_word, board.cells)))
    if board.foundations:
        lines.append("Foundations: " + " ".join(board.foundations))
    for column, down in zip(board.columns, board.face_down, strict=True):
        words = [f"<{_word(c)}>" if row < down else _word(c) for row, c in enumerate(column)]
        lines.append(" ".join(words) or "-")
    return "\n".join(lines) + "\n"


def _word(card: int) -> str:
    return {UNKNOWN: "??", EMPTY: "-"}.get(card) or card_text(card)


def parse_board(text: str, rules: Rules) -> Board:
    """Return the board that a text describes, checked against the rules.

    Two copies of a card in a two-deck game receive their ids in the order of the text, those that
    lie open first.

    Raises:
        BoardError: with line and column, if a card is misspelt, doubled or missing, a face-down
            card lies on a face-up one, or the number of columns or cards is wrong.
    """
    if not isinstance(text, str):
        raise BoardError(f"a board is a text, not {shown(text)}")
    heads: dict[str, tuple[int, list[int]]] = {}
    foundations: tuple[str, ...] = ()
    columns: list[tuple[int, ...]] = []
    face_down: list[int] = []
    copies = _Copies(rules)
    last = 1, 1
    for number, line in enumerate(text.splitlines(), start=1):
        words = [(m.group(), m.start() + 1) for m in re.finditer(r"\S+", line.split("#")[0])]
        if not words:
            continue
        last = number, len(line.rstrip()) + 1
        if words[0][0].endswith(":"):
            heading = words[0][0][:-1].capitalize()
            _check_heading(heading, number, heads, columns)
            if heading == "Foundations":
                foundations = _read_foundations(words[1:], number, rules)
                heads[heading] = (number, [])
            else:
                heads[heading] = (number, [copies.take(*word, number) for word in words[1:]])
        else:
            cards, down = _read_column(words, number, copies)
            columns.append(cards)
            face_down.append(down)
    if len(columns) != rules.num_columns:
        raise BoardError(
            f"the board has {len(columns)} columns, but rules '{rules.name}' have "
            f"{rules.num_columns}; write '-' for an empty column",
            *last,
        )
    board = Board(
        tuple(columns),
        tuple(face_down),
        _read_reserve(heads.get("Talon"), rules),
        _read_cells(heads.get("Cells"), rules),
        foundations,
    )
    _check_complete(board, rules, last)
    return _renumbered(board, rules)


def _renumbered(board: Board, rules: Rules) -> Board:
    """Give the copies of a card their ids in the order of the text, but visible ones first.

    Otherwise the id of a card that a player sees would tell of those that lie hidden before it.
    """
    if rules.decks == 1:
        return board
    used: Counter[int] = Counter()

    def number(cards: tuple[int, ...]) -> tuple[int, ...]:
        numbered = []
        for card in cards:
            kind = card % CARDS_PER_DECK
            numbered.append(kind + CARDS_PER_DECK * used[kind] if card >= 0 else card)
            used[kind] += card >= 0
        return tuple(numbered)

    pairs = list(zip(board.columns, board.face_down, strict=True))
    visible = [number(column[down:]) for column, down in pairs]
    cells = number(board.cells)
    hidden = [number(column[:down]) for column, down in pairs]
    columns = tuple(low + high for low, high in zip(hidden, visible, strict=True))
    return replace(board, columns=columns, cells=cells, reserve=number(board.reserve))


class _Copies:
    """Hands out the ids of the copies of each card, and refuses one copy too many."""

    def __init__(self, rules: Rules) -> None:
        self.decks = rules.decks
        self.used: Counter[int] = Counter()

    def take(self, word: str, column: int, line: int) -> int:
        if word == "??":
            return UNKNOWN
        if word == "-":
            return EMPTY
        try:
            card = parse_card(word)
        except ValueError as error:
            raise BoardError(str(error), line, column) from None
        if self.used[card] == self.decks:
            times = "twice" if self.decks == 1 else "three times"
            raise BoardError(f"the card {card_text(card)} is there {times}", line, column)
        self.used[card] += 1
        return card + CARDS_PER_DECK * (self.used[card] - 1)


def _check_heading(
    heading: str, line: int, heads: dict[str, tuple[int, list[int]]], columns: list[tuple[int, ...]]
) -> None:
    if heading not in HEADINGS:
        hint = nearest(heading, HEADINGS)
        raise BoardError(
            f"'{heading}:' is no heading; known are Talon, Cells and Foundations.{hint}", line, 1
        )
    if heading in heads:
        raise BoardError(f"'{heading}:' is there twice", line, 1)
    if columns:
        raise BoardError(f"'{heading}:' must stand above the columns", line, 1)


def _read_column(
    words: list[tuple[str, int]], line: int, copies: _Copies
) -> tuple[tuple[int, ...], int]:
    if [word for word, _ in words] == ["-"]:
        return (), 0
    cards: list[int] = []
    down = 0
    for word, place in words:
        hidden = word.startswith("<") and word.endswith(">")
        if hidden:
            if down < len(cards):
                raise BoardError(f"the face-down card {word} lies on a face-up one", line, place)
            down += 1
        card = copies.take(word[1:-1] if hidden else word, place, line)
        if card == EMPTY:
            raise BoardError("'-' stands for an empty column, alone on its line", line, place)
        cards.append(card)
    if down == len(cards):
        raise BoardError(
            "the last card of a column is never face down; write it without < >",
            line,
            words[-1][1],
        )
    return tuple(cards), down


def _read_foundations(words: list[tuple[str, int]], line: int, rules: Rules) -> tuple[str, ...]:
    if words and rules.runs == "stay":
        raise BoardError(f"rules '{rules.name}' take no runs off the tableau", line, 1)
    suits: list[str] = []
    for word, place in words:
        suit = word.upper()
        if len(suit) != 1 or suit not in SUITS:
            raise BoardError(f"'{word}' is no suit; write C, D, H or S", line, place)
        if suits.count(suit) == rules.decks:
            raise BoardError(f"there is no further run of suit {suit}", line, place)
        suits.append(suit)
    return tuple(suits)


def _read_reserve(head: tuple[int, list[int]] | None, rules: Rules) -> tuple[int, ...]:
    if head is None:
        return ()
    line, cards = head
    if cards == [EMPTY]:  # the line says that the reserve is out
        return ()
    if len(cards) not in (0, rules.reserve) or EMPTY in cards:
        raise BoardError(
            f"the reserve of rules '{rules.name}' has {rules.reserve} cards; write them all, or "
            "leave the line out once it is dealt",
            line,
        )
    return tuple(cards)


def _read_cells(head: tuple[int, list[int]] | None, rules: Rules) -> tuple[int, ...]:
    line, cards = head or (0, [EMPTY] * rules.cells)
    if len(cards) != rules.cells:
        raise BoardError(
            f"rules '{rules.name}' have {rules.cells} cells, but the line names {len(cards)}; "
            "write '-' for an empty one",
            line,
        )
    return tuple(cards)


def _check_complete(board: Board, rules: Rules, last: tuple[int, int]) -> None:
    """Refuse a board whose known, unknown and taken cards do not make the whole deck."""
    absent = missing_cards(board, rules)
    unknown_cards = sum(card == UNKNOWN for card in board.on_board())
    taken = CARDS_PER_SUIT * len(board.foundations)
    if len(absent) > unknown_cards + taken:
        names = ", ".join(card_text(card) for card in absent[:5])
        raise BoardError(
            f"{len(absent) - unknown_cards - taken} card(s) missing from the board, among {names}",
            *last,
        )
    if len(absent) < unknown_cards + taken:
        raise BoardError(
            f"{unknown_cards} unknown and {taken} taken cards are written, but only "
            f"{len(absent)} are not on the board",
            *last,
        )
    taken_runs(board, rules)


def split_boards(text: str) -> list[tuple[str, str]]:
    """Return ``(title, board text)`` for each board of a file, in which blank lines part them.

    A block's first line is its title when it starts with neither a card nor a heading. Line
    numbers are kept: the text of each board is padded with the blank lines above it.
    """
    boards: list[tuple[str, str]] = []
    lines = text.splitlines()
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and lines[end].strip():
            end += 1
        while start < end and not lines[start].split("#")[0].strip():
            start += 1
        if end > start:
            title = ""
            first = start
            if not _starts_board(lines[start]):
                title = lines[start].split("#")[0].strip()
                first += 1
            if first < end:
                boards.append((title, "\n" * first + "\n".join(lines[first:end]) + "\n"))
        start = end + 1
    return boards


def _starts_board(line: str) -> bool:
    word = line.split()[0]
    if word in ("-", "??") or word.endswith(":"):
        return True
    # Letters that are no rank count too: a misspelt card is better refused than taken for a title.
    return bool(re.fullmatch(r"<?(\?\?|(10|[A-Z2-9])[CDHS])>?", word))
