"""Random games in which the engine and the model must agree at every step.

Game number *n* of a preset is the same for ever: everything random in it comes from its number.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from scorpion_env.deals import Position, deal_order
from scorpion_env.game import Game
from scorpion_env.rules import Rules
from support import boards
from support.model import POINTS_FLIP, POINTS_RUN, POINTS_SAME_SUIT, Model, suit
from support.pysol import pysol_order

MAX_MOVES = 120
UNDO_SHARE = 0.3


class Disagreement(AssertionError):
    """Engine and model differ; the text holds what is needed to see it again."""


@dataclass
class Tally:
    """What a number of games went through."""

    games: int = 0
    positions: int = 0
    undone: int = 0
    flips: int = 0
    won: int = 0
    lost: int = 0
    runs: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Adds the numbers of other games."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Duel:
    """One game played by engine and model side by side."""

    def __init__(self, rules: Rules, number: int) -> None:
        self.rules = rules
        self.number = number
        self.chance = random.Random(f"{rules.name}/{number}")
        self.tally = Tally(games=1)
        self.game, self.model = self.begin()
        self.began = self.game.to_text()
        self.start = (self.model.position.flips, len(self.model.position.taken))
        self.history: list[str] = []
        self.placements = [0]  # same-suit placements up to each position still on the way back

    def begin(self) -> tuple[Game, Model]:
        """A seeded deal, a PySolFC deal, or a board on which much has been done already."""
        kind = self.number % 4
        if kind == 3:
            deal = self.chance.choice(["", "ms"]) + str(self.chance.randrange(1, 31999))
            if not deal.startswith("ms") and self.chance.random() < 0.5:
                deal = str(self.chance.randrange(32000, 10**12))
            order = pysol_order(deal, self.rules.decks)
            return Game.new(f"pysol:{deal}", self.rules), Model.from_order(order, self.rules)
        if kind == 2:
            game = Game.from_text(late_board(self.rules, self.chance), self.rules)
            return game, Model.from_board(game.board(), self.rules)
        order = deal_order(self.number, self.rules).tolist()
        return Game.new(self.number, self.rules), Model.from_order(order, self.rules)

    def fault(self, what: str, engine: object, model: object) -> Disagreement:
        """The error for one difference."""
        return Disagreement(
            f"rules {self.rules!r}, game {self.number}: {what} is {engine!r}, but the model says "
            f"{model!r}\nstart:\n{self.began}moves: {' '.join(self.history)}\n"
            f"position of the model:\n{self.model.to_text()}"
        )

    def compare(self) -> None:
        """Everything that can be seen from outside must be what the model says."""
        game, model, here = self.game, self.model, self.model.position
        legal = model.legal()
        mask = np.zeros(model.num_actions, np.bool_)
        mask[list(legal)] = True
        same = [
            ("the board", game.to_text(), model.to_text()),
            ("the score", game.score, here.score),
            ("the number of runs", game.runs, model.runs()),
            ("the outcome", game.outcome, model.outcome()),
            ("the number of flips", game.flips, here.flips),
            ("can_undo", game.can_undo, bool(model.past)),
            ("can_redo", game.can_redo, bool(model.future)),
            ("the last move", game.last_move if model.past else None, self.last_move()),
            ("the recount", game.score, self.recount()),
        ]
        for what, engine, expected in same:
            if engine != expected:
                raise self.fault(what, engine, expected)
        if game.legal_actions().tolist() != sorted(legal) or (game.legal_mask() != mask).any():
            actions = {int(a) for a in game.legal_actions()}
            extra = [model.text_of(a) for a in sorted(actions - legal)]
            absent = [model.text_of(a) for a in sorted(legal - actions)]
            raise self.fault("legal", f"{extra} too many, {absent} absent", sorted(legal))
        texts = list(dict.fromkeys(map(model.text_of, sorted(legal))))
        if game.legal_moves() != texts:
            raise self.fault("legal moves in words", game.legal_moves(), texts)
        self.tally.positions += 1

    def last_move(self) -> str | None:
        """The text of the last move still on the way back."""
        return self.history[-1] if self.model.past else None

    def recount(self) -> int:
        """The score, added up from what lies on the table and the placements so far."""
        down = [sum(not up for _, up in c) for c in self.model.position.columns]
        turned = self.began.count("<") - sum(down)
        taken = len(self.model.position.taken) - self.start[1]
        same_suit = POINTS_SAME_SUIT * self.placements[-1]
        return POINTS_FLIP * turned + POINTS_RUN * taken + same_suit

    def pays(self, action: int) -> bool:
        """Whether an action places a card on one of its suit."""
        if action >= self.model.deal_index:
            return False
        target = self.model.position.columns[action % self.model.width]
        return bool(target) and suit(target[-1][0]) == suit(action // self.model.width)

    def step(self) -> None:
        """Plays one legal action on both sides."""
        action = self.choose()
        text = self.model.text_of(action)
        if action == self.model.undo_index:
            self.history.pop()
            self.placements.pop()
        else:
            self.history.append(text)
            self.placements.append(self.placements[-1] + self.pays(action))
        expected = self.model.play(action)
        paid = self.game.play(action)
        if paid != expected:
            raise self.fault(f"what {text} pays", paid, expected)
        self.compare()

    def choose(self) -> int:
        """A legal action: any, or rarely the reserve, or the best paid of a few."""
        legal = sorted(self.model.legal())
        style = self.number // 4 % 3
        if style == 1:
            legal = [a for a in legal if a != self.model.deal_index] or legal
        if style == 2:
            few = self.chance.sample(legal, min(4, len(legal)))
            return max(few, key=lambda action: self.game.copy().play(action))
        return self.chance.choice(legal)

    def go_back(self) -> None:
        """Takes back a few actions, and half of the time repeats them."""
        back = self.chance.randint(1, min(3, len(self.model.past)))
        repeat = self.chance.random() < 0.5
        undone = self.history[-back:], self.placements[-back:]
        for _ in range(back):
            self.game.undo()
            self.model.undo()
            self.history.pop()
            self.placements.pop()
            self.compare()
        self.tally.undone += back
        for move, placements in zip(*undone, strict=True):
            if not repeat:
                break
            self.game.redo()
            self.model.redo()
            self.history.append(move)
            self.placements.append(placements)
            self.compare()

    def run(self) -> Tally:
        """Plays the game out, or for `MAX_MOVES` turns."""
        self.compare()
        for _ in range(MAX_MOVES):
            if self.model.past and self.chance.random() < UNDO_SHARE:
                self.go_back()
            if self.model.outcome() is not None:
                break
            self.step()
        outcome = self.model.outcome()
        self.tally.won, self.tally.lost = int(outcome == "won"), int(outcome == "lost")
        self.tally.runs, self.tally.flips = self.model.runs(), self.model.position.flips
        return self.tally


def play_games(rules: Rules, first: int, count: int) -> Tally:
    """Plays games `first` … on both sides; the faults found are in the tally."""
    total = Tally()
    for number in range(first, first + count):
        try:
            total.add(Duel(rules, number).run())
        except Disagreement as fault:
            total.add(Tally(games=1, faults=[str(fault)]))
    return total


def late_board(rules: Rules, chance: random.Random) -> str:
    """The text of a board late in a game: pieces of runs, some of them face down, in any order."""
    suits = [s for s in "CDHS" for _ in range(rules.decks)]
    chance.shuffle(suits)
    # Where runs stay, those out of play fill columns of their own, and two others must be left.
    least = len(suits) + 2 - rules.num_columns if rules.runs == "stay" else 1
    in_play = suits[: max(least, chance.choice([1, 1, 2, 3]))]
    pieces = [piece for s in in_play for piece in torn(boards.run(s).split(), chance)]
    reserve: list[str] = []
    if chance.random() < 0.6:
        ranks = chance.choice([boards.RANKS, "A23"])
        loose = [c for piece in pieces for c in piece if c[0] in ranks]
        reserve = chance.sample(loose, rules.reserve) if len(loose) >= rules.reserve else []
        pieces = without(pieces, reserve)
    cells = ["-"] * rules.cells
    for at in range(rules.cells):
        if pieces and chance.random() < 0.4:
            cells[at] = chance.choice(pieces)[0]
            pieces = without(pieces, [cells[at]])
    width = rules.num_columns
    if rules.runs == "stay":
        width -= len(suits) - len(in_play)
    columns: list[list[str]] = [[] for _ in range(chance.randint(2, width))]
    for piece in chance.sample(pieces, len(pieces)):
        chance.choice(columns).extend(piece)
    lines = []
    for column in columns:
        down = chance.randrange(len(column)) if column and chance.random() < 0.4 else 0
        lines.append(" ".join(f"<{c}>" if at < down else c for at, c in enumerate(column)))
    return boards.board(rules, lines, reserve=" ".join(reserve), cells=" ".join(cells))


def torn(run: list[str], chance: random.Random) -> list[list[str]]:
    """A run in up to five pieces."""
    cuts = sorted(chance.sample(range(1, len(run)), chance.randrange(5)))
    return [run[a:b] for a, b in zip([0, *cuts], [*cuts, len(run)], strict=True)]


def without(pieces: list[list[str]], cards: list[str]) -> list[list[str]]:
    """The pieces without some cards, each of which is left out once."""
    out, gone = [], list(cards)
    for piece in pieces:
        kept = []
        for card in piece:
            if card in gone:
                gone.remove(card)
            else:
                kept.append(card)
        out.append(kept)
    return [piece for piece in out if piece]


def hidden_shuffled(game: Game, chance: random.Random) -> Game:
    """A new game from the same position with the cards that nobody sees dealt out anew."""
    board = game.board()
    down = zip(board.columns, board.face_down, strict=True)
    hidden = [c for column, n in down for c in column[:n]] + list(board.reserve)
    chance.shuffle(hidden)
    columns = tuple(
        tuple(hidden.pop() if row < n else c for row, c in enumerate(column))
        for column, n in zip(board.columns, board.face_down, strict=True)
    )
    reserve = tuple(hidden.pop() for _ in board.reserve)
    changed = type(board)(columns, board.face_down, reserve, board.cells, board.foundations)
    return Game(Position("board", changed), game.rules)


def replanted(game: Game) -> Game:
    """A new game from the same position, ids of cards included."""
    return Game(Position("board", game.board()), game.rules)
