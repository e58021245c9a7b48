"""What the commands share."""

from __future__ import annotations

import pytest

from scorpion_agents.cli.options import main_guard
from scorpion_env import ScorpionError


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
