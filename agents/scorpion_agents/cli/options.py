"""What the scripts share on the command line: options, error handling, output.

Every script is a `click` command, guarded by :func:`main_guard`. Exit codes: 0 done, 2 bad input,
130 interrupted. Results go to standard output, progress and errors to standard error.
"""

from __future__ import annotations

import functools
import math
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich import box
from rich.console import Console
from rich.table import Table

from scorpion_agents.command import PROGRAM
from scorpion_env import __version__
from scorpion_env.deals import Deal, parse_deals
from scorpion_env.errors import ScorpionError
from scorpion_env.notation.files import is_file, read_object
from scorpion_env.rules import Rules, get_rules

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

PLAIN_WIDTH = 500
"""Characters to a line where output is no terminal: wide enough that no table is wrapped."""

HELP = {"help_option_names": ["-h", "--help"]}
"""Context settings of every command."""

version_option = click.version_option(
    __version__, prog_name=PROGRAM, message="%(prog)s %(version)s"
)

F = TypeVar("F", bound=Callable[..., Any])


def main_guard(function: F) -> F:
    """Decorate the function of a click command: refusals become one sentence, not a traceback.

    A :class:`ScorpionError` prints ``Error: …`` and exits with 2, Ctrl-C exits with 130, and a
    reader that closes the pipe early (``| head``) ends the script quietly. It stands directly
    above the function, below click's decorators::

        @click.command()
        @rules_option
        @main_guard
        def main(rules: Rules) -> None: ...
    """

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            result = function(*args, **kwargs)
            sys.stdout.flush()
            return result
        except ScorpionError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(EXIT_BAD_INPUT)
        except ModuleNotFoundError as error:
            click.echo(
                f"Error: This needs '{error.name}': pip install -c constraints.txt -e '.[train]'.",
                err=True,
            )
            sys.exit(EXIT_BAD_INPUT)
        except MemoryError as error:
            click.echo(f"Error: There is not enough memory. {error}".rstrip(), err=True)
            sys.exit(EXIT_BAD_INPUT)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            sys.exit(EXIT_INTERRUPTED)
        except OSError as error:
            # Python flushes standard output once more on its way out, which must not fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if isinstance(error, BrokenPipeError):
                sys.exit(0)
            click.echo(f"Error: {error}", err=True)
            sys.exit(EXIT_BAD_INPUT)

    return guarded  # type: ignore[return-value]


def named_rules(name: str) -> Rules:
    """Return a preset's rules, or those of a JSON file with the fields of `Rules`.

    Raises:
        ScorpionError: if there are none.
    """
    if name.endswith(".json"):
        return get_rules(read_object(name, "description of rules"))
    return get_rules(name)


def _read_rules(context: click.Context, option: click.Parameter, name: str) -> Rules:
    try:
        return named_rules(name)
    except ScorpionError as error:
        raise click.BadParameter(str(error), context, option) from None


class FiniteRange(click.FloatRange):
    """A range of numbers, which holds no NaN and no infinity."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number that a word means."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


rules_option = click.option(
    "--rules",
    metavar="PRESET",
    callback=_read_rules,
    default="classic",
    show_default=True,
    help="The variant: classic, flexible, wasp, ... or a JSON file with the fields of Rules.",
)


def played_rules(context: click.Context, rules: Rules, agents: Iterable[str]) -> Rules:
    """Return the rules of the option ``--rules``, or if it is not given, those of the agents.

    Raises:
        ScorpionError: if their models play different rules.
    """
    if context.get_parameter_source("rules") != click.core.ParameterSource.DEFAULT:
        return rules
    from scorpion_agents.registry import rules_of

    found = {name: known for name in agents if (known := rules_of(name)) is not None}
    if not found:
        return rules
    (first, its), *others = found.items()
    for name, other in others:
        if other != its:
            raise ScorpionError(
                f"{first} plays rules '{its.name}' and {name} plays rules '{other.name}'; agents "
                "that are compared play the same."
            )
    return its


deals_option = click.option(
    "--deals",
    metavar="DEALS",
    help="0:1000 (seeded deals 0 to 999), pysol:32000:34000, or a file of boards.",
)

deal_option = click.option(
    "--deal", metavar="DEAL", help="A single deal: 7, pysol:24 or pysol:ms24."
)

seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**63 - 1),
    default=0,
    show_default=True,
    help="Seed of whatever is left to chance, and of unknown cards in boards.",
)

MEGABYTE = 2**20


def node_limit_option(
    default: int, text: str = "Positions to look at, for each deal."
) -> Callable[[F], F]:
    """Return the option ``--node-limit`` of the scripts that solve."""
    return click.option(
        "--node-limit",
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        help=text,
    )


def memory_limit_option(default: int, text: str) -> Callable[[F], F]:
    """Return the option ``--memory-limit``, in megabytes; its default is given in bytes."""
    return click.option(
        "--memory-limit",
        type=click.IntRange(min=1),
        default=default // MEGABYTE,
        show_default=True,
        help=text,
    )


max_steps_option = click.option(
    "--max-steps", type=click.IntRange(min=1), help="Another step limit."
)

stochastic_option = click.option(
    "--stochastic", is_flag=True, help="Trained agents draw their actions."
)

trust_option = click.option(
    "--trust", is_flag=True, help="Load a model file that could execute code."
)

json_option = click.option(
    "--json",
    "json_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the whole result to this file.",
)


def chosen_deals(
    deals: str | None, deal: str | None, rules: Rules, *, seed: int, default: str = "0:1000"
) -> list[Deal]:
    """Return the games that the options ``--deals`` and ``--deal`` name.

    Raises:
        ScorpionError: if both are given, or either is refused.
    """
    if deals is not None and deal is not None:
        raise ScorpionError("Give either --deals or --deal, not both.")
    text = next(given for given in (deal, deals, default) if given is not None)
    return parse_deals(text, rules, seed=seed)


def check_writable(*paths: Path | None, read: Iterable[str | Path | None] = ()) -> None:
    """Refuse what cannot be written before hours are spent on it.

    Args:
        paths: The files that will be written.
        read: Those that are read, among other words.

    Raises:
        ScorpionError: if a file lies in a folder that is not there, is named twice, or is one of
            those that are read.
    """
    taken = {Path(word).resolve() for word in read if word is not None and is_file(word)}
    seen: set[Path] = set()
    for path in paths:
        if path is None:
            continue
        if not path.parent.is_dir():
            raise ScorpionError(f"Cannot write {path}: there is no folder {path.parent}.")
        if path.resolve() in seen:
            raise ScorpionError(
                f"{path} is named twice; one result would be written over the other."
            )
        if path.resolve() in taken:
            raise ScorpionError(f"{path} is read; the result would replace it.")
        seen.add(path.resolve())


def make_console(*, stderr: bool = False) -> Console:
    """Return a console that is plain and never wraps a table where output is no terminal."""
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console = Console(stderr=stderr, highlight=False, width=PLAIN_WIDTH, color_system=None)
    return console


def make_table(console: Console, *headings: str, title: str | None = None) -> Table:
    """Return an empty table, the first column to the left, without lines outside a terminal.

    In a narrow terminal the cells are folded; nothing of them is cut off.
    """
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD if console.is_terminal else None,
        pad_edge=False,
    )
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="left" if i == 0 else "right", overflow="fold")
    return table
