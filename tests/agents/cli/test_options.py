"""What the commands share."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from scorpion_agents.cli import COMMANDS
from scorpion_agents.cli.options import main_guard, make_table
from scorpion_env import ScorpionError, __version__
from support.commands import call_script, run_script


def test_the_guard_turns_exceptions_into_exit_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def guarded(error: BaseException) -> int:
        @main_guard
        def main() -> None:
            raise error

        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0)

    assert guarded(ScorpionError("No such deal.")) == 2
    assert capsys.readouterr().err == "Error: No such deal.\n"
    assert guarded(KeyboardInterrupt()) == 130


@pytest.mark.parametrize(
    ("script", "option"),
    [("render.py", "--delay"), ("solve.py", "--time-limit"), ("curriculum.py", "--easiest")],
)
@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999"])
def test_numbers_that_are_none_are_refused(script: str, option: str, number: str) -> None:
    refused = call_script(script, option, number)
    assert refused.returncode == 2
    assert option in refused.stderr
    assert "finite number" in refused.stderr or "range" in refused.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_its_version_and_its_options(command: str) -> None:
    for option in ("-h", "--help"):
        found = call_script(command, option)
        assert found.returncode == 0
        assert "--version" in found.stdout
    assert call_script(command, "--version").stdout == f"scorpion {__version__}\n"


def test_so_do_the_scripts_of_the_repository() -> None:
    found = run_script("presets.py", "-h")
    assert (found.returncode, "--version" in found.stdout) == (0, True)


def test_a_narrow_terminal_cuts_nothing_off() -> None:
    cells = [f"{a}.25% to {a}.75%" for a in range(7)]
    out = io.StringIO()
    console = Console(file=out, width=40, force_terminal=True, color_system=None)
    table = make_table(console, "", *(f"runs/agent-{i}" for i in range(7)))
    table.add_row("95 % (Wilson)", *cells)
    console.print(table)
    text = out.getvalue()
    assert "…" not in text
    letters = sorted("".join(text.split()).replace("─", ""))
    wanted = "".join(["95%(Wilson)", *cells, *(f"runs/agent-{i}" for i in range(7))])
    assert letters == sorted(wanted.replace(" ", ""))
    assert max(map(len, text.splitlines())) <= 40
