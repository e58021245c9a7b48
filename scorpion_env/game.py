"""One game, for people and for search."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from scorpion_env.batch.single import SingleGame
from scorpion_env.cards import ACE, KING, card_text, rank_of, suit_of
from scorpion_env.deals import Position, Start, as_deal, parse_position
from scorpion_env.errors import IllegalMove, shown
from scorpion_env.kernels.observation import observe_game
from scorpion_env.kernels.state import NO_LIMIT, OUTCOMES, PLAYING, TAKEN, seen_dtype
from scorpion_env.notation.board import Board
from scorpion_env.notation.board_text import format_board
from scorpion_env.notation.move_text import action_text, parse_move
from scorpion_env.rules import Rules, get_rules

Move = str | SupportsIndex
"""A move: its text (``"4H>7"``, ``"deal"``, ``"undo"``, ``"4H>cell"``) or an action's index."""

KINGS_ONLY = "Only a king may go to an empty column."
SAME_SUIT = "Rule: the cards must be of the same suit."
"""The app's two sentences, in English."""


class Game:
    """One game of a variant: its position, its moves, and the way back.

    >>> game = Game.new(deal=7)
    >>> game.legal_moves()[-1]
    'deal'
    >>> game.play("deal")
    0
    >>> game.undo()
    True

    Two games are equal when rules, position, score and number of moves are.
    """

    def __init__(self, start: Start, rules: str | Rules = "classic") -> None:
        """Start a game; `Game.new` and `Game.from_text` read better."""
        self._rules = get_rules(rules)
        self._batch = SingleGame(
            self._rules, 1, undo_actions=self._rules.undo_limit or self._rules.max_steps
        )
        self._batch.rules_record["max_steps"] = NO_LIMIT  # people may take their time
        deal = as_deal(start, self._rules)
        self._batch.start(0, deal)
        self._from_board = isinstance(deal, Position)
        self._played: list[int] = []
        self._undone: list[int] = []

    @classmethod
    def new(cls, deal: Start = 0, rules: str | Rules = "classic") -> Game:
        """Return a game of a deal: a number, ``"pysol:24"`` or ``"pysol:ms24"``.

        Raises:
            ScorpionError: if there is no such deal or preset.
        """
        return cls(deal, rules)

    @classmethod
    def from_text(cls, text: str, rules: str | Rules = "classic", *, seed: int = 0) -> Game:
        """Return a game that starts from a board.

        Args:
            text: The board; :mod:`scorpion_env.notation.board_text` has the form.
            rules: Preset or rules.
            seed: Determines the cards that the text leaves unknown.

        Raises:
            BoardError: with line and column, if the text is no board of these rules.
        """
        return cls(parse_position(text, get_rules(rules), seed), rules)

    # --- the position ---------------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The variant."""
        return self._rules

    @property
    def deal(self) -> str | None:
        """The text of the deal, or None for a game that started from a board."""
        return None if self._from_board else self._batch.deal_name(0)

    @property
    def score(self) -> int:
        """Points so far, by the app's table."""
        return int(self._batch.games["score"][0])

    @property
    def moves(self) -> int:
        """Moves that led here; a move that was taken back does not count."""
        return int(self._batch.games["moves"][0])

    @property
    def runs(self) -> int:
        """Runs taken; where runs stay, columns that hold one complete run and nothing else."""
        return int(self._batch.games["runs"][0])

    @property
    def flips(self) -> int:
        """Face-down cards turned so far."""
        return int(self._batch.games["flips"][0])

    @property
    def outcome(self) -> str | None:
        """``"won"``, ``"lost"`` (no move can change the position), or None."""
        return OUTCOMES[int(self._batch.games["status"][0])]

    @property
    def last_move(self) -> str | None:
        """Text of the last move that was not taken back."""
        return self.action_text(self._played[-1]) if self._played else None

    def board(self) -> Board:
        """Return the position, hidden cards included."""
        return self._batch.board(0)

    def to_text(self) -> str:
        """Return the position as a board text; `from_text` reads it."""
        return format_board(self.board())

    def observation(self) -> npt.NDArray[np.int8]:
        """Return what a player sees, int8 ``(cards, 7)``, as the environments show it."""
        seen = np.zeros(1, seen_dtype(self._rules.cards))
        observe_game(self._batch.games[0], self._batch.rules_record[0], seen[0], 0)
        return seen["cards"][0]

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        if self.deal is not None and not self._played:
            return f"Game.new(deal={self.deal!r}, rules={self._rules.name!r})"
        return f"Game.from_text({self.to_text()!r}, rules={self._rules.name!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self._rules, self.score, self.moves, self.to_text()) == (
            other._rules,
            other.score,
            other.moves,
            other.to_text(),
        )

    __hash__ = None  # type: ignore[assignment]  # a game changes

    def copy(self) -> Game:
        """Return an independent game in the same position, with the same way back."""
        twin = object.__new__(Game)
        twin._rules = self._rules
        twin._batch = self._batch.copy()
        twin._from_board = self._from_board
        twin._played = self._played.copy()
        twin._undone = self._undone.copy()
        return twin

    __copy__ = copy

    # --- moves ----------------------------------------------------------------------------------

    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool ``(actions,)``; all False once the game is over."""
        mask = np.zeros(self._rules.num_actions, np.bool_)
        mask[self.legal_actions()] = True
        return mask

    def legal_actions(self) -> npt.NDArray[np.int64]:
        """Return the indices of the legal actions, int64, ascending; none once it is over."""
        if self.outcome is not None:
            return np.zeros(0, np.int64)
        game = self._batch.games[0]
        return np.sort(game["legal"][: game["legal_count"]].astype(np.int64))

    def legal_moves(self) -> list[str]:
        """Return the legal moves as text, in the order of their actions."""
        return list(dict.fromkeys(self.action_text(int(a)) for a in self.legal_actions()))

    def action_text(self, action: SupportsIndex) -> str:
        """Return the text of an action.

        Raises:
            IllegalMove: if the number lies outside the action space.
        """
        return action_text(self._checked(action), self._rules)

    def parse_move(self, move: Move) -> int:
        """Return the index of the action that a move's text stands for, legal or not.

        With two decks it is the first copy that may be moved so, else the first that lies open.

        Raises:
            IllegalMove: if the text is no move.
        """
        if not isinstance(move, str):
            return self._checked(move)
        actions = parse_move(move, self._rules)
        legal = self.legal_mask()
        playable = self._batch.games["playable"][0]
        open_copies = [a for a in actions if playable[self._card_of(a)]]
        return next((a for a in actions if legal[a]), (open_copies or actions)[0])

    def _card_of(self, action: int) -> int:
        """Return the card that an action moves; any card for `deal` and `undo`."""
        deal = self._rules.deal_action
        if action < deal:
            return action // self._rules.num_columns
        return min(max(action - deal - 1, 0), self._rules.cards - 1)

    def play(self, move: Move) -> int:
        """Play a move and return its points.

        Raises:
            IllegalMove: if it is refused; the text says why, and the game is unchanged.
        """
        action = self.parse_move(move)
        reason = self.why_not(action)
        if reason is not None:
            raise IllegalMove(reason)
        if action == self._rules.undo_action_index:
            points = -self.score
            self.undo()
            return points + self.score
        points = self._play(action)
        self._undone.clear()
        return points

    def _play(self, action: int) -> int:
        self._batch.play(action)
        self._played.append(action)
        return int(self._batch.games["points"][0])

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to take back."""
        return bool(self._batch.games["log_actions"][0])

    @property
    def can_redo(self) -> bool:
        """Whether a move that was taken back can be played again."""
        return bool(self._undone)

    def undo(self) -> bool:
        """Take back the last move whole; return False if there is none.

        The last ``rules.undo_limit`` moves are kept.
        """
        if not self.can_undo:
            return False
        self._batch.undo()
        self._undone.append(self._played.pop())
        return True

    def redo(self) -> bool:
        """Play the move that was last taken back once more; return False if there is none."""
        if not self._undone:
            return False
        self._play(self._undone.pop())
        return True

    # --- refusals -------------------------------------------------------------------------------

    def why_not(self, move: Move) -> str | None:
        """Return the sentence that refuses a move, or None if it is legal.

        Raises:
            IllegalMove: if the text is no move at all.
        """
        rules, action = self._rules, self.parse_move(move)
        if self._batch.games["status"][0] != PLAYING:
            return f"The game is over: it is {self.outcome}."
        if action in self.legal_actions():
            return None
        if action == rules.undo_action_index:
            return "There is no move to take back."
        if action == rules.deal_action:
            if rules.reserve == 0:
                return f"Rules '{rules.name}' have no reserve to deal."
            if self._batch.games["reserve_left"][0] == 0:
                return "The reserve is already dealt."
            return "The reserve may be dealt only when no other move is left."
        if action > rules.deal_action:
            return self._why_not_to_cell(action - rules.deal_action - 1)
        card, column = divmod(action, rules.num_columns)
        return self._why_not_placed(card, column)

    def _why_not_taken_up(self, card: int) -> str | None:
        g = self._batch.games[0]
        column = int(g["column"][card])
        if column == TAKEN:
            return f"{card_text(card)} has been taken with its run."
        if column < 0:
            return f"{card_text(card)} is not in play yet."
        if column < self._rules.num_columns and g["row"][card] < g["down"][column]:
            return f"{card_text(card)} lies face down."
        return None

    def _why_not_to_cell(self, card: int) -> str:
        g = self._batch.games[0]
        reason = self._why_not_taken_up(card)
        if reason is not None:
            return reason
        if g["column"][card] >= self._rules.num_columns:
            return f"{card_text(card)} is in a cell already."
        if card not in g["end"]:
            return "Only the last card of a column may go to a cell."
        return "No cell is empty."

    def _why_not_placed(self, card: int, column: int) -> str:
        g, rules = self._batch.games[0], self._rules
        reason = self._why_not_taken_up(card)
        if reason is not None:
            return reason
        if g["column"][card] == column:
            return f"{card_text(card)} is in column {column + 1} already."
        end = int(g["end"][column])
        if end < 0:
            return KINGS_ONLY
        name = card_text(end)
        if rank_of(end) == ACE:
            return f"Nothing goes on an ace, and column {column + 1} ends in {name}."
        if rules.build == "suit" and suit_of(end) != suit_of(card):
            return SAME_SUIT
        if rank_of(end) != rank_of(card) + 1:
            if rank_of(card) == KING:
                return f"A king goes to an empty column only, not on {name}."
            return f"{card_text(card)} goes on the next higher rank, not on {name}."
        return f"{card_text(card)} goes on a card of the other colour, not on {name}."

    def _checked(self, action: SupportsIndex) -> int:
        try:
            index = action.__index__()
        except (AttributeError, TypeError):
            raise IllegalMove(f"A move is a text or a number, not {shown(action)}.") from None
        if not 0 <= index < self._rules.num_actions:
            raise IllegalMove(
                f"Action {index} is outside the action space 0 to {self._rules.num_actions - 1}."
            )
        return index
