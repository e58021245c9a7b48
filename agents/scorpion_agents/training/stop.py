"""How a training is asked to end early."""

from __future__ import annotations


class Stop:
    """Asked by a signal handler, obeyed at the next step."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self, *_: object) -> None:
        """Ask the training to save and end; a second time, end at once."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
