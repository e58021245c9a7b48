"""The variants of Scorpion, as data.

:class:`Rules` describes a variant completely and :data:`PRESETS` holds those that have a name. The
kernels read these numbers; no other place in the project says what a variant allows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scorpion_env.cards import CARDS_PER_DECK
from scorpion_env.errors import RulesError, shown, unknown

BUILDS = ("suit", "any", "colour")
EMPTY_COLUMNS = ("king", "any")
RESERVE_TIMES = ("any", "stuck")
RUN_PLACES = ("taken", "stay")

MAX_COLUMNS = 16
MAX_RESERVE = 8
MAX_CELLS = 8
MAX_RUNS = 8
"""Bounds of the fixed-size fields in the compiled state of a game."""

MAX_STEPS = 1_000_000
"""Bound of the step limit and of the undo limit, for whose actions memory is set aside."""


@dataclass(frozen=True)
class Rules:
    """One variant of Scorpion.

    Attributes:
        name: The name it goes by on command lines and in result files.
        description: One line that says what is special about it.
        decks: Number of 52-card decks, 1 or 2.
        columns: Cards dealt to each column; its length is the number of columns.
        face_down: How many of those lie face down, from the base, for each column.
        reserve: Number of cards kept back and dealt once.
        reserve_columns: The columns (from 0) that receive them, one card each, in order.
        reserve_when: ``"any"`` time, or only when ``"stuck"``: no other move than a null move.
        cells: Number of places beside the tableau that hold one card each.
        cells_dealt: How many of them are filled by the deal.
        cells_refill: Whether the end card of a column may go to an empty cell.
        build: What a card is placed on, always of the next higher rank: same ``"suit"``, ``"any"``
            suit, or the other ``"colour"``.
        empty_column: Whether only a ``"king"`` or ``"any"`` card (with its group) fills one.
        runs: ``"taken"`` off the tableau when complete, or ``"stay"``.
        undo_action: Whether undo is an action of the environment.
        undo_limit: How many actions can be taken back; ``None`` for all of them.
        max_steps: After so many actions the environments truncate an episode.

    Raises:
        RulesError: if the numbers contradict each other; the text says which.
    """

    name: str
    description: str = ""
    decks: int = 1
    columns: tuple[int, ...] = (7,) * 7
    face_down: tuple[int, ...] = (3, 3, 3, 3, 0, 0, 0)
    reserve: int = 3
    reserve_columns: tuple[int, ...] = (0, 1, 2)
    reserve_when: str = "any"
    cells: int = 0
    cells_dealt: int = 0
    cells_refill: bool = False
    build: str = "suit"
    empty_column: str = "king"
    runs: str = "taken"
    undo_action: bool = False
    undo_limit: int | None = 100
    max_steps: int = 500

    def __post_init__(self) -> None:
        for field in ("columns", "face_down", "reserve_columns"):
            value = getattr(self, field)
            if not isinstance(value, Iterable) or isinstance(value, str):
                raise RulesError(
                    f"Rules '{self.name}': {field} is a list of numbers, not {shown(value)}."
                )
            object.__setattr__(self, field, tuple(value))
        _check_choices(self)
        _check_numbers(self)
        _check_deal(self)

    @property
    def cards(self) -> int:
        """Number of cards, 52 or 104."""
        return CARDS_PER_DECK * self.decks

    @property
    def num_columns(self) -> int:
        """Number of columns of the tableau."""
        return len(self.columns)

    @property
    def num_runs(self) -> int:
        """Number of runs that win the game, 4 a deck."""
        return 4 * self.decks

    @property
    def deal_action(self) -> int:
        """Index of the action that deals the reserve."""
        return self.cards * self.num_columns

    @property
    def undo_action_index(self) -> int | None:
        """Index of the undo action, or None where undo is no action."""
        return self.num_actions - 1 if self.undo_action else None

    @property
    def num_actions(self) -> int:
        """Number of actions, legal or not.

        ``cards * columns`` moves to a column, one to deal the reserve, then, only where cells can
        be filled again, one a card to move it to a cell, then, only where undo is an action, undo.
        """
        to_cell = self.cards if self.cells_refill else 0
        return self.deal_action + 1 + to_cell + int(self.undo_action)

    def cell_action(self, card: int) -> int:
        """Return the index of the action that moves a card to an empty cell."""
        if not self.cells_refill:
            raise RulesError(f"Rules '{self.name}' have no cells that can be filled.")
        return self.deal_action + 1 + card

    @property
    def gym_id(self) -> str:
        """The Gymnasium id of this variant, such as ``Scorpion-ThreeBlindMice-v0``."""
        words = (w.upper() if w == "ii" else w.capitalize() for w in self.name.split("-"))
        return f"Scorpion-{''.join(words)}-v0"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data; ``get_rules`` reads it back."""
        return {
            field.name: list(value) if isinstance(value, tuple) else value
            for field in dataclasses.fields(self)
            for value in [getattr(self, field.name)]
        }


def _check_choices(rules: Rules) -> None:
    for field, known in (
        ("reserve_when", RESERVE_TIMES),
        ("build", BUILDS),
        ("empty_column", EMPTY_COLUMNS),
        ("runs", RUN_PLACES),
    ):
        if getattr(rules, field) not in known:
            raise RulesError(
                f"Rules '{rules.name}': {unknown(field, getattr(rules, field), known)}"
            )


def _check_numbers(rules: Rules) -> None:
    def demand(holds: bool, sentence: str) -> None:
        if not holds:
            raise RulesError(f"Rules '{rules.name}': {sentence}.")

    demand(type(rules.name) is str and len(rules.name) > 0, "the name must be a text")
    demand(type(rules.description) is str, "the description must be a text")
    for field in ("columns", "face_down", "reserve_columns"):
        demand(
            all(type(value) is int for value in getattr(rules, field)),
            f"{field} must hold whole numbers, not {shown(getattr(rules, field))}",
        )
    for field in ("cells_refill", "undo_action"):
        demand(
            type(getattr(rules, field)) is bool,
            f"{field} must be true or false, not {shown(getattr(rules, field))}",
        )
    for field in ("decks", "reserve", "cells", "cells_dealt", "max_steps"):
        demand(
            type(getattr(rules, field)) is int,
            f"{field} must be a whole number, not {shown(getattr(rules, field))}",
        )
    demand(rules.decks in (1, 2), f"decks must be 1 or 2, not {rules.decks}")
    demand(
        2 <= rules.num_columns <= MAX_COLUMNS,
        f"there must be 2 to {MAX_COLUMNS} columns, not {rules.num_columns}",
    )
    demand(
        all(count >= 0 for count in rules.columns), "a column cannot be dealt fewer than 0 cards"
    )
    demand(
        len(rules.face_down) == rules.num_columns,
        f"face_down has {len(rules.face_down)} numbers for {rules.num_columns} columns",
    )
    for i, (down, dealt) in enumerate(zip(rules.face_down, rules.columns, strict=True), start=1):
        demand(
            0 <= down < dealt or down == dealt == 0,
            f"column {i} is dealt {dealt} cards, of which {down} cannot be face down: "
            "the last one is always face up",
        )
    demand(0 <= rules.reserve <= MAX_RESERVE, f"reserve must be 0 to {MAX_RESERVE} cards")
    demand(0 <= rules.cells <= MAX_CELLS, f"cells must be 0 to {MAX_CELLS}")
    demand(
        0 <= rules.cells_dealt <= rules.cells,
        f"{rules.cells_dealt} cards cannot be dealt to {rules.cells} cells",
    )
    demand(rules.cells > 0 or not rules.cells_refill, "cells_refill is set, but there are no cells")
    demand(
        1 <= rules.max_steps <= MAX_STEPS,
        f"max_steps must be 1 to {MAX_STEPS}, not {rules.max_steps}",
    )
    demand(
        rules.undo_limit is None
        or (type(rules.undo_limit) is int and 1 <= rules.undo_limit <= MAX_STEPS),
        f"undo_limit must be 1 to {MAX_STEPS}, or None for no limit, not {shown(rules.undo_limit)}",
    )


def _check_deal(rules: Rules) -> None:
    if len(rules.reserve_columns) != rules.reserve:
        raise RulesError(
            f"Rules '{rules.name}': the reserve has {rules.reserve} cards, but reserve_columns "
            f"names {len(rules.reserve_columns)} columns."
        )
    for column in rules.reserve_columns:
        if not 0 <= column < rules.num_columns:
            raise RulesError(
                f"Rules '{rules.name}': the reserve goes to column {column + 1}, but there are "
                f"only {rules.num_columns} columns."
            )
    if len(set(rules.reserve_columns)) != rules.reserve:
        raise RulesError(f"Rules '{rules.name}': a column receives two cards of the reserve.")
    dealt = sum(rules.columns) + rules.reserve + rules.cells_dealt
    if dealt != rules.cards:
        raise RulesError(
            f"Rules '{rules.name}': {sum(rules.columns)} cards in columns, {rules.reserve} in the "
            f"reserve and {rules.cells_dealt} in cells make {dealt}, but there are {rules.cards} "
            "cards."
        )


_MICE: dict[str, Any] = {
    "columns": (5,) * 10,
    "face_down": (0,) * 7 + (3,) * 3,
    "reserve": 0,
    "reserve_columns": (),
    "cells": 2,
    "cells_dealt": 2,
}

_PRESETS = (
    Rules("classic", "The app's default: same suit, kings to empty columns, runs are taken."),
    Rules("flexible", "A card goes on any suit; only one-suit runs are taken.", build="any"),
    Rules(
        "traditional",
        "Runs stay on the table; the reserve comes only when no other move exists.",
        reserve_when="stuck",
        runs="stay",
    ),
    Rules("wasp", "Any group may go to an empty column.", empty_column="any"),
    Rules("scorpion-ii", "All 49 tableau cards lie face up.", face_down=(0,) * 7),
    Rules(
        "pysol-scorpion-ii",
        "Face-down cards in columns 1-3 only.",
        face_down=(3, 3, 3, 0, 0, 0, 0),
    ),
    Rules("open", "Classic with unlimited undo as an action.", undo_action=True, undo_limit=None),
    Rules("three-blind-mice", "Ten columns of 5; two open cards, each playable once.", **_MICE),
    Rules(
        "three-blind-mice-dealt",
        "Ten columns of 5, three face down in each; two reserve cards.",
        columns=(5,) * 10,
        face_down=(3,) * 10,
        reserve=2,
        reserve_columns=(0, 1),
    ),
    Rules(
        "double",
        "Two decks, 14 columns of 7, six reserve cards, eight runs.",
        decks=2,
        columns=(7,) * 14,
        face_down=(3,) * 8 + (0,) * 6,
        reserve=6,
        reserve_columns=(0, 1, 2, 3, 4, 5),
        max_steps=1000,
    ),
    Rules(
        "pysol-double",
        "Two decks, 10 columns of 10, four reserve cards, eight runs.",
        decks=2,
        columns=(10,) * 10,
        face_down=(4,) * 5 + (0,) * 5,
        reserve=4,
        reserve_columns=(0, 1, 2, 3),
        max_steps=1000,
    ),
    Rules("scorpion-tail", "Built in alternating colours; so are the runs.", build="colour"),
    Rules(
        "scorpion-head",
        "No reserve; four free cells for one card each.",
        columns=(8, 8, 8, 7, 7, 7, 7),
        face_down=(0, 0, 0, 4, 4, 4, 4),
        reserve=0,
        reserve_columns=(),
        cells=4,
        cells_refill=True,
    ),
    Rules("farmers-wife", "Three Blind Mice in alternating colours.", build="colour", **_MICE),
    Rules(
        "how-they-run",
        "Three Blind Mice whose emptied cells serve as free cells.",
        cells_refill=True,
        **_MICE,
    ),
)

PRESETS: dict[str, Rules] = {rules.name: rules for rules in _PRESETS}
"""Every variant that has a name."""


def get_rules(rules: str | Rules | Mapping[str, Any]) -> Rules:
    """Return the rules that a preset's name, a `Rules` or its plain data stand for.

    Raises:
        RulesError: if no preset has that name (the nearest is named), or a key is unknown.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, Mapping):
        known = [field.name for field in dataclasses.fields(Rules)]
        for key in rules:
            if key not in known:
                raise RulesError(unknown("key of rules", key, known))
        if "name" not in rules:
            raise RulesError("Rules need a name.")
        try:
            return Rules(**rules)
        except TypeError as error:
            raise RulesError(
                f"Rules '{rules['name']}': a value has a wrong type ({error})."
            ) from None
    if rules not in PRESETS:
        raise RulesError(unknown("preset", rules, PRESETS))
    return PRESETS[rules]
