"""Writes the golden files again: whole games as text, and counts of legal action sequences.

    python tests/golden/make_golden.py

Run it only when results are meant to change, and say so in the changelog.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from endgames import LARGEST, small_endgames
from scorpion_env.game import Game
from scorpion_env.rules import PRESETS, Rules

HERE = Path(__file__).parent
GAMES = HERE / "games"
PERFT = HERE / "perft.txt"
ENDGAMES = HERE / "endgames.txt"

ENDGAME_SEED = 1
ENDGAMES_EACH = 15  # that are won, and that are lost
PERFT_DEALS = (1, 2, 3)
PERFT_DEPTHS = (1, 2, 3, 4)
PERFT_LIMIT = 2_000_000  # longer sequences than these are not counted
MAX_MOVES = 80  # no more than undo goes back
MAX_TRIES = {1: 3000, 2: 40}  # by number of decks; chance does not win with two


def file_of(name: str, number: int) -> Path:
    """The file of a preset's first or second game."""
    return GAMES / name / f"{number}.txt"


def transcript(rules: Rules, deal: str, moves: list[str]) -> str:
    """A game as text: before each move the board, what is legal and the score; then the move."""
    game = Game.new(deal, rules)
    lines = [f"# rules {rules.name}, deal {deal}"]
    for number, move in enumerate(moves, start=1):
        lines += state(game)
        lines.append(f"move {number}: {move} pays {game.play(move)}")
    lines += state(game)
    lines.append(f"outcome: {game.outcome or 'open'}")
    return "\n".join(lines) + "\n"


def state(game: Game) -> list[str]:
    """The lines that describe a position."""
    return [
        "",
        game.to_text().rstrip(),
        f"legal: {' '.join(game.legal_moves()) or 'none'}",
        f"score: {game.score}, runs: {game.runs}",
    ]


def moves_of(text: str) -> tuple[str, list[str]]:
    """The deal and the moves of a transcript."""
    lines = text.splitlines()
    moves = [line.split()[2] for line in lines if line.startswith("move ")]
    return lines[0].split("deal ")[1], moves


def played_at_random(rules: Rules, deal: int, number: int, *, eager: bool) -> Game:
    """A game by random moves; an eager player does not undo, deals late and likes points."""
    game, seen = Game.new(deal, rules), set()
    chance = random.Random(1000 * deal + number)
    while game.outcome is None and game.moves < MAX_MOVES:
        moves = game.legal_moves()
        if eager:
            seen.add(tuple(sorted(game.to_text().splitlines())))
            moves = [m for m in moves if m != "undo" and after(game, m) not in seen]
            if not moves:
                break
            moves = [m for m in moves if m != "deal"] or moves
            paying = [m for m in moves if game.copy().play(m) >= 5]
            moves = paying if paying and chance.random() < 0.8 else moves
        game.play(moves[int(chance.random() * len(moves))])
    return game


def after(game: Game, move: str) -> tuple[str, ...]:
    """The position after a move, whatever the order of its columns."""
    twin = game.copy()
    twin.play(move)
    return tuple(sorted(twin.to_text().splitlines()))


def history(game: Game) -> list[str]:
    """The moves that led to a position."""
    twin, moves = game.copy(), []
    while twin.can_undo:
        moves.append(str(twin.last_move))
        twin.undo()
    return moves[::-1]


def won_game(rules: Rules) -> tuple[int, list[str]]:
    """The first game that an eager player wins, or the best of those tried."""
    best = (-1, -1, 0, [""])
    for number in range(MAX_TRIES[rules.decks]):
        deal = 10 + number // 4
        game = played_at_random(rules, deal, number, eager=True)
        if game.outcome == "won":
            return deal, history(game)
        best = max(best, (game.runs, game.score, deal, history(game)))
    return best[2], best[3]


def sequences(game: Game, depth: int) -> int:
    """How many sequences of that many legal actions there are; undo does not count as one."""
    actions = [int(a) for a in game.legal_actions() if a != game.rules.undo_action_index]
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        game.play(action)
        total += sequences(game, depth - 1)
        game.undo()
    return total


def perft_lines() -> Iterator[str]:
    """One line for each preset, deal and depth."""
    yield "# preset deal depth sequences"
    for name in PRESETS:
        for deal in PERFT_DEALS:
            for depth in PERFT_DEPTHS:
                count = sequences(Game.new(deal, name), depth)
                if count > PERFT_LIMIT:
                    break
                yield f"{name} {deal} {depth} {count}"


def endgame_lines() -> Iterator[str]:
    """One line for each preset and verdict: numbers of small endgames."""
    yield "# preset verdict numbers of endgames (see tests/endgames.py)"
    for name, rules in PRESETS.items():
        numbers: dict[bool, list[int]] = {True: [], False: []}
        for number, _, won in small_endgames(rules, ENDGAME_SEED, LARGEST):
            if len(numbers[won]) < ENDGAMES_EACH:
                numbers[won].append(number)
            elif len(numbers[not won]) == ENDGAMES_EACH:
                break
        for won, verdict in ((True, "won"), (False, "lost")):
            yield f"{name} {verdict} {' '.join(map(str, numbers[won]))}"


def chosen_endgames(name: str) -> Iterator[tuple[int, bool]]:
    """The numbers of a preset's endgames in the file, and which of them are won."""
    for line in ENDGAMES.read_text(encoding="utf-8").splitlines():
        preset, verdict, *numbers = line.split()
        if preset == name:
            yield from ((int(number), verdict == "won") for number in numbers)


def main() -> None:
    """Writes every golden file."""
    ENDGAMES.write_text("\n".join(endgame_lines()) + "\n", encoding="utf-8")
    PERFT.write_text("\n".join(perft_lines()) + "\n", encoding="utf-8")
    for name, rules in PRESETS.items():
        game = played_at_random(rules, 7, 0, eager=False)
        moves = history(game)
        (GAMES / name).mkdir(parents=True, exist_ok=True)
        file_of(name, 1).write_text(transcript(rules, "7", moves), encoding="utf-8")
        deal, moves = won_game(rules)
        text = transcript(rules, str(deal), moves)
        file_of(name, 2).write_text(text, encoding="utf-8")
        print(f"{name}: deal {deal}, {len(moves)} moves, {text.splitlines()[-1]}")


if __name__ == "__main__":
    main()
