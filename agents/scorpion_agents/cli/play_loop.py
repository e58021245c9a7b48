"""A game that a person plays by typed commands; printing included, reading not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from scorpion_agents import adviser
from scorpion_agents.cli.terminal import show_board
from scorpion_env import replay
from scorpion_env.cards import CARDS_PER_DECK, SUITS, SYMBOLS, card_text, parse_card
from scorpion_env.errors import IllegalMove, ReplayError, ScorpionError, shortened, unknown
from scorpion_env.game import Game
from scorpion_env.kernels.observation import VISIBLE
from scorpion_env.notation.board import Board
from scorpion_env.rendering import Status, Style, moved_card

COMMANDS = ("deal", "undo", "redo", "hint", "moves", "board", "save", "help", "quit")
ALIASES = {"d": "deal", "u": "undo", "r": "redo", "h": "hint", "m": "moves", "b": "board",
           "?": "help", "q": "quit", "exit": "quit"}  # fmt: skip

HELP = """\
4H 7      move the 4 of hearts, with the cards on it, to column 7 (also 4H>7)
deal      deal the reserve
undo      take the last move back; redo plays it again
hint      name a move that looks good
moves     list the legal moves
board     show the board again
save f    write the game to the file f, for play.py or render.py --from-replay f
quit      end"""
HELP_CELL = "4H cell   move the card to a free cell"
HELP_COPIES = "4H@3 7    move the 4 of hearts in column 3, where two copies could go"

MOVE = re.compile(
    rf"""(?P<card>(?:10|\w)\s*[{SUITS}{SYMBOLS}])
    (?:@(?P<place>[\w.]+)\s*(?:>|\s|->|\bto\b)|\s*(?:>|->|\bto\b)?)
    \s*(?P<goal>\w+)""",
    re.IGNORECASE | re.VERBOSE,
)
"""`4H 7`, `4H>7`, `4h7`, `4♥>7`; with a place, `4H@3 7`."""


class Session:
    """One game, its way back, and what is said about it.

    Attributes:
        game: The game.
    """

    def __init__(self, game: Game, style: Style, actions: Iterable[int] = ()) -> None:
        """Go on with a game that has not begun, after playing `actions`."""
        self.game = game.copy()
        self._start = game.copy()
        self._style = style
        self._line: list[int] = []
        self._undone: list[int] = []
        self._commands: dict[str, Callable[[], None]] = {
            "deal": self._do_deal,
            "undo": self._do_undo,
            "redo": self._do_redo,
            "hint": self._do_hint,
            "moves": self._do_moves,
            "board": self._show,
            "help": self._do_help,
        }
        for action in actions:
            self._play(action)

    def open(self, name: str) -> None:
        """Print the rules, what the game is called, and the board."""
        print(f"Scorpion, rules {self.game.rules.name}, {name}. Type help for the commands.\n")
        self._show()
        self._say_score()

    def command(self, line: str) -> bool:
        """Carry out one line; return False if it ends the session."""
        words = line.split()
        if not words:
            return True
        first = words[0].lower()
        name = ALIASES.get(first, first) if len(words) == 1 or first == "save" else ""
        try:
            if name == "quit":
                self._say_score()
                return False
            if name == "save":
                self._do_save(line.strip()[len(first) :].strip())
            elif name in self._commands:
                self._commands[name]()
            else:
                self._do_move(line)
        except ScorpionError as error:
            print(error)
        self._say_score()
        return True

    # --- commands -------------------------------------------------------------------------------

    def _do_move(self, line: str) -> None:
        action = parse_command(self.game, line)
        if self._hidden(moved_card(action, self.game.rules)):
            card = self.game.action_text(action).partition(">")[0]
            raise IllegalMove(f"{card} cannot be seen yet: it lies face down or in the reserve.")
        self._play_and_show(action)

    def _hidden(self, card: int | None) -> bool:
        """Return whether the player cannot know where a card is.

        The engine's refusal would tell a face-down card from one in the reserve.
        """
        if card is None or self.game.outcome is not None or not self.game.board().reserve:
            return False
        return not self.game.observation()[card, VISIBLE]

    def _do_deal(self) -> None:
        self._play_and_show(self.game.rules.deal_action)

    def _do_undo(self) -> None:
        if not self.game.undo():
            raise IllegalMove(
                f"Only the last {self.game.rules.undo_limit} moves can be taken back."
                if self._line
                else "There is no move to take back."
            )
        self._undone.append(self._line.pop())
        self._show()
        print(f"Taken back: {self.game.action_text(self._undone[-1])}.")

    def _do_redo(self) -> None:
        before = self.game.score
        if not self.game.redo():
            raise IllegalMove("There is no move to play again.")
        self._line.append(self._undone.pop())
        self._show()
        self._say_move(self.game.score - before)

    def _do_hint(self) -> None:
        if self.game.outcome is not None:
            raise IllegalMove("The game is over; undo takes the last move back.")
        agent = adviser(self.game.rules)
        mask = self.game.legal_mask()
        undo = self.game.rules.undo_action_index
        if undo is not None and mask.sum() > 1:
            mask[undo] = False
        action = int(agent.act(self.game.observation()[None], mask[None], np.zeros(1))[0])
        print(f"Hint: {move_label(self.game, action)}")

    def _do_moves(self) -> None:
        labels = [move_label(self.game, int(action)) for action in self.game.legal_actions()]
        print(f"Legal moves ({len(labels)}): {' '.join(labels) or 'none'}")

    def _do_help(self) -> None:
        print(HELP)
        if self.game.rules.cells_refill:
            print(HELP_CELL)
        if self.game.rules.decks > 1:
            print(HELP_COPIES)

    def _do_save(self, name: str) -> None:
        if not name:
            raise ReplayError("Name a file: save game.jsonl")
        path = Path(name).expanduser()
        if path.exists():
            try:
                replay.load(path)
            except ReplayError:
                raise ReplayError(f"{path} is there and is no replay; name another file.") from None
        replay.save(replay.from_game(self._start, self._line), path)
        print(f"Saved {path}.")

    # --- helpers --------------------------------------------------------------------------------

    def _play(self, action: int) -> int:
        """Play an action and keep the line of play; undo as an action is plain undo here."""
        points = self.game.play(action)
        if action == self.game.rules.undo_action_index:
            self._undone.append(self._line.pop())
        else:
            self._line.append(action)
            self._undone.clear()
        return points

    def _play_and_show(self, action: int) -> None:
        points = self._play(action)
        self._show()
        self._say_move(points)

    def _show(self) -> None:
        card = moved_card(self._line[-1] if self._line else None, self.game.rules)
        status = Status.of_game(self.game, last_card=card)
        show_board(self.game.board(), self.game.rules, status, self._style)

    def _say_move(self, points: int) -> None:
        print(f"{self.game.last_move}: {points} points.")
        if self.game.outcome == "won":
            print(f"You have won with {self.game.score} points in {self.game.moves} moves.")
        elif self.game.outcome == "lost":
            print("Nothing more can change: the game is lost. You may still undo.")

    def _say_score(self) -> None:
        moves = "1 move" if self.game.moves == 1 else f"{self.game.moves} moves"
        print(f"Score {self.game.score}, {moves}.", flush=True)


# --- moves as people type them --------------------------------------------------------------------


def parse_command(game: Game, text: str) -> int:
    """Return the action that a typed move stands for, legal or not.

    Raises:
        IllegalMove: if it is no move, or leaves open which of two copies is meant.
    """
    found = MOVE.fullmatch(text.strip())
    if found is None:
        word = shortened(text)
        if not re.fullmatch(r"[A-Za-z]+", word):
            raise IllegalMove(f"'{word}' is no move; write card and column, such as 4H 7.")
        raise IllegalMove(unknown("command", word, COMMANDS))
    card = found["card"].replace(" ", "").upper()
    move = f"{card}>{found['goal'].lower()}"
    action = game.parse_move(move)
    place = found["place"]
    copies = _copies(game, action)
    if place is None:
        legal = [copy for copy in copies if game.why_not(copy) is None]
        if len(legal) > 1:
            labels = " or ".join(move_label(game, copy) for copy in legal)
            raise IllegalMove(f"Two cards {card} can go there; write {labels}.")
        seen = game.observation()[:, VISIBLE]
        in_sight = [copy for copy in copies if seen[moved_card(copy, game.rules) or 0]]
        return next(iter([*legal, *in_sight, action]))
    board = game.board()
    there = [c for c in copies if place.lower() in _places(board, moved_card(c, game.rules))]
    if not there:
        raise IllegalMove(f"There is no {card_text(parse_card(card))} at {place}.")
    if len(there) > 1:
        labels = " or ".join(move_label(game, copy) for copy in there)
        raise IllegalMove(f"Two cards {card} are there; write {labels}.")
    return there[0]


def move_label(game: Game, action: int) -> str:
    """Return an action as one types it: `4H>7`, or `4H@3>7` where another copy could go too."""
    text = game.action_text(action)
    if sum(game.why_not(copy) is None for copy in _copies(game, action)) < 2:
        return text
    card, _, goal = text.partition(">")
    board = game.board()
    names = _places(board, moved_card(action, game.rules))
    others = {
        name
        for copy in _copies(game, action)
        if copy != action
        for name in _places(board, moved_card(copy, game.rules))
    }
    place = next((name for name in names if name not in others), "")
    return f"{card}@{place}>{goal}" if place else text


def _copies(game: Game, action: int) -> list[int]:
    """Return the actions that make the same move with either copy of the card."""
    rules = game.rules
    card = moved_card(action, rules)
    if card is None:
        return [action]
    step = 1 if action > rules.deal_action else rules.num_columns
    first = action - (card - card % CARDS_PER_DECK) * step
    return [first + copy * CARDS_PER_DECK * step for copy in range(rules.decks)]


def _places(board: Board, card: int | None) -> tuple[str, ...]:
    """Return the names of a card's place, short and long: column, column.row; or cell number."""
    for number, cards in enumerate(board.columns, start=1):
        if card in cards[board.face_down[number - 1] :]:
            return (str(number), f"{number}.{cards.index(card) + 1}")
    if card in board.cells:
        return (f"cell{board.cells.index(card) + 1}",)
    return ()
