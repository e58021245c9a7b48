"""One of several seeds, trained and measured in a process of its own."""

from __future__ import annotations

import signal
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.training.final import measure_final
from scorpion_agents.training.stop import Stop
from scorpion_agents.training.train import CONFIG_FILE, is_complete, resume, train
from scorpion_env.errors import ScorpionError

INTERRUPTED = 130
REFUSED = 2


def run_seed(config: TrainConfig, folder: Path, command: str, parent: Connection) -> None:
    """Train and measure one seed in a process of its own, until the parent hangs up."""

    def say(line: str) -> None:
        print(f"seed {config.seed}: {line}", file=sys.stderr, flush=True)

    def obey() -> None:
        try:
            parent.recv()
        except (EOFError, OSError):  # the parent wants an end, or has ended itself
            stop.asked = True

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it was not inherited
    stop = Stop()
    threading.Thread(target=obey, daemon=True).start()
    try:
        if not (folder / CONFIG_FILE).is_file():
            interrupted = train(config, folder, stop=stop, say=say, bar=False).interrupted
        elif not is_complete(folder):
            interrupted = resume(folder, stop=stop, say=say, bar=False).interrupted
        else:
            interrupted = False
        if interrupted:
            say("interrupted; the model is saved")
            sys.exit(INTERRUPTED)
        final = measure_final(folder, command=command, progress=lambda _: _heed(stop))
        figures = final[-1].summary()
        say(f"wins {figures.win_rate:.2%}, mean points {figures.mean_points:.1f}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except ScorpionError as error:
        say(f"Error: {error}")
        sys.exit(REFUSED)


def _heed(stop: Stop) -> None:
    if stop.asked:
        raise KeyboardInterrupt
