"""What watches a training: figures, evaluations, models, checkpoints, stopping.

:class:`ResumablePPO` calls :class:`TrainingCallback` after every update. That is the one moment at
which a training can be taken up again, and the one at which anything is measured: the policy is the
one that the update left, and the figures of the rollout, the update and the evaluation are written
together, under the steps played so far.
"""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm

from scorpion_agents.config.schema import TrainConfig
from scorpion_agents.evaluation.evaluate import Evaluation, evaluate
from scorpion_agents.evaluation.results import game_replay
from scorpion_agents.models.ppo import PPOAgent, save_model
from scorpion_agents.training import checkpoint as checkpoints
from scorpion_agents.training.checkpoint import Best, Checkpoint, Progress
from scorpion_agents.training.curves import write_table
from scorpion_agents.training.finite import Guard
from scorpion_agents.training.recorded_env import RecordedVecEnv
from scorpion_agents.training.stop import Stop
from scorpion_env import replay
from scorpion_env.notation.files import write_whole

LINE_EVERY = 10
"""Seconds between two lines of progress where there is no terminal to draw a bar on."""

EVALUATIONS_FILE = "evaluations.csv"
BEST_GAME = "best_game.jsonl"


class ResumablePPO(MaskablePPO):
    """MaskablePPO that counts on over interruptions and can be interrupted between iterations.

    Attributes:
        iterations: Rollouts played and learnt from.
        callback: Called before and after each of them.
    """

    iterations = 0
    callback: TrainingCallback

    def dump_logs(self, iteration: int = 0) -> None:
        """Write nothing yet: the update that comes next belongs to the same line."""

    def collect_rollouts(self, *args: Any, **others: Any) -> bool:
        """Play; an error that comes of numbers that are not finite says so."""
        with self.callback.guard.watch(self):
            return super().collect_rollouts(*args, **others)

    def train(self) -> None:
        """Learn from the rollout; the callback looks before and after."""
        self.callback.before_update()
        with self.callback.guard.watch(self):
            super().train()
        self.callback.guard.check_update(self)
        self.iterations += 1
        self.callback.after_update()
        super().dump_logs(self.iterations)
        self.callback.mark()


class TrainingCallback(BaseCallback):
    """Watches a training: progress, figures of the last games, evaluations, models, stopping.

    Args:
        config: What is trained.
        folder: The run folder.
        env: The games.
        stop: Ends the training early.
        say: Receives the lines meant for people.
        threads: Threads of torch, for the checkpoint.
        bar: Draw a progress bar where there is a terminal.
    """

    def __init__(
        self,
        config: TrainConfig,
        folder: Path,
        env: RecordedVecEnv,
        *,
        stop: Stop,
        say: Callable[[str], None],
        threads: int,
        bar: bool,
    ) -> None:
        super().__init__()
        self.say = say
        self.config = config
        self.folder = folder
        self.stop = stop
        self.guard = Guard(config, folder)
        self.best: Best | None = None
        self.reached: Checkpoint | None = None
        """The moment after the last update; what an interrupted training saves."""
        self._saved: Checkpoint | None = None
        self._best_weights: checkpoints.Arrays = {}
        self._env = env
        self._threads = threads
        self._draws_bar = bar
        self._rules = config.resolved.rules
        self._games: deque[tuple[float, int, int, bool]] = deque(maxlen=config.stats_window)
        self._next_evaluation = config.eval_every
        self._next_checkpoint = config.checkpoint_every
        self._saved_at = self._began = self._said_at = time.monotonic()
        self._evaluations: list[dict[str, Any]] = []
        self._ended = False
        self._bar: tqdm[Any] | None = None

    @property
    def algorithm(self) -> ResumablePPO:
        """The algorithm that calls back."""
        assert isinstance(self.model, ResumablePPO)
        return self.model

    # --- going on -----------------------------------------------------------------------------

    def resume(self, model: ResumablePPO, checkpoint: Checkpoint | None) -> None:
        """Bring algorithm, games, counters and the files of the run to where a checkpoint was.

        Args:
            model: The algorithm, as it is made from the configuration.
            checkpoint: The checkpoint; None brings the files to the very beginning.

        Raises:
            ScorpionError: if the checkpoint does not fit.
        """
        if checkpoint is None:
            shutil.rmtree(self.folder / "best", ignore_errors=True)
            shutil.rmtree(self.folder / "last", ignore_errors=True)
            (self.folder / EVALUATIONS_FILE).unlink(missing_ok=True)
            return
        progress = checkpoint.progress
        try:
            checkpoints.restore_model(checkpoint, model, self._env)
            self._restore_best(model, checkpoint)
        except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
            raise checkpoints.refused(self.folder, checkpoint, error) from error
        model.iterations = progress.iterations
        self._games.extend(progress.games)
        model.ep_info_buffer = deque(maxlen=self.config.stats_window)
        model.ep_success_buffer = deque(maxlen=self.config.stats_window)
        for total, length, _, won in self._games:
            model.ep_info_buffer.append({"r": total, "l": length})
            model.ep_success_buffer.append(won)
        self._next_evaluation = progress.next_evaluation
        self._next_checkpoint = progress.next_checkpoint
        self._began -= 60 * progress.minutes
        self._evaluations = list(progress.evaluations)
        if self._evaluations:
            write_table(self.folder / EVALUATIONS_FILE, self._evaluations)
        else:
            (self.folder / EVALUATIONS_FILE).unlink(missing_ok=True)

    def _restore_best(self, model: ResumablePPO, checkpoint: Checkpoint) -> None:
        """Let ``best`` be what it was; a later one belongs to steps that are played again."""
        self.best, self._best_weights = checkpoint.progress.best, checkpoint.part("best")
        if self.best is None:
            shutil.rmtree(self.folder / "best", ignore_errors=True)
            return
        checkpoints.load_weights(model, self._best_weights)
        self._write_best(model)
        checkpoints.load_weights(model, checkpoint.part("policy"))

    def _on_training_start(self) -> None:
        # The clocks go on where they were, too.
        minutes = (time.monotonic() - self._began) / 60
        self.model.start_time = time.time_ns() - int(minutes * 60e9)
        self.model._num_timesteps_at_start = 0
        self._bar = tqdm(
            total=self.config.timesteps,
            initial=self.model.num_timesteps,
            unit="step",
            unit_scale=True,
            disable=None if self._draws_bar else True,
        )
        if self._bar.disable and self._draws_bar:
            self.say(f"No terminal, so no progress bar: a line every {LINE_EVERY} seconds instead.")
        self.mark()

    def _on_step(self) -> bool:
        for i in np.flatnonzero(self.locals["dones"]):
            info = self.locals["infos"][i]
            episode = info["episode"]
            self._games.append((episode["r"], episode["l"], info["score"], info["is_success"]))
        assert self._bar is not None
        self._bar.update(self.config.num_envs)
        return not (self.stop.asked or self._ended)

    def _on_training_end(self) -> None:
        assert self._bar is not None
        self._bar.close()

    # --- after an update ----------------------------------------------------------------------

    def before_update(self) -> None:
        """Check what was played; set what the algorithm does not schedule itself."""
        self.guard.check_rollout(self.algorithm)
        self.algorithm.ent_coef = self.config.ent_coef(self.model._current_progress_remaining)

    def after_update(self) -> None:
        """Record the figures of the iteration; measure the policy when that is due."""
        if self._games:
            wins = float(np.mean([won for *_, won in self._games]))
            points = float(np.mean([score for _, _, score, _ in self._games]))
            self.logger.record("rollout/win_rate", wins)
            self.logger.record("rollout/mean_points", points)
            self._tell(wins, points)
        minutes = (time.monotonic() - self._began) / 60
        limit = self.config.max_minutes
        self._ended = self.model.num_timesteps >= self.config.timesteps or (
            limit is not None and minutes >= limit
        )
        if self.model.num_timesteps >= self._next_evaluation or self._ended:
            while self._next_evaluation <= self.model.num_timesteps:
                self._next_evaluation += self.config.eval_every
            self._evaluate()

    def mark(self) -> None:
        """Keep this moment, and write it to the disk when that is due."""
        now = time.monotonic()
        steps = self.model.num_timesteps
        due = steps >= self._next_checkpoint
        while self._next_checkpoint <= steps:
            self._next_checkpoint += self.config.checkpoint_every
        arrays = checkpoints.model_arrays(self.algorithm, self._env)
        arrays |= {f"best.{k}": v for k, v in self._best_weights.items()}
        self.reached = Checkpoint(
            Progress(
                config=self.config.model_dump(mode="json"),
                versions=checkpoints.current_versions(),
                threads=self._threads,
                device=str(self.model.device),
                complete=self._ended,
                timesteps=steps,
                iterations=self.algorithm.iterations,
                updates=self.algorithm._n_updates,
                minutes=(now - self._began) / 60,
                next_evaluation=self._next_evaluation,
                next_checkpoint=self._next_checkpoint,
                games=list(self._games),
                evaluations=list(self._evaluations),
                best=self.best,
                generators=checkpoints.generators(),
            ),
            arrays,
        )
        if due or self._ended or (now - self._saved_at) / 60 >= self.config.checkpoint_minutes:
            self.save()

    def save(self) -> None:
        """Write the last moment that was kept: the checkpoint, and the model for others to load."""
        if self.reached is None or self.reached is self._saved:
            return
        checkpoints.write_checkpoint(self.folder, self.reached)
        # An interrupted update has left half of itself in the policy.
        checkpoints.load_weights(self.algorithm, self.reached.part("policy"))
        about = {"timesteps": self.reached.progress.timesteps, "seed": self.config.seed}
        save_model(self.folder / "last", self.algorithm.policy, self.config, about)
        self._saved, self._saved_at = self.reached, time.monotonic()

    def _tell(self, wins: float, points: float) -> None:
        assert self._bar is not None
        self._bar.set_postfix(win=f"{wins:.1%}", points=f"{points:.0f}")
        now = time.monotonic()
        if not self._bar.disable or now - self._said_at < LINE_EVERY:
            return
        self._said_at = now
        steps = self.model.num_timesteps
        self.say(
            f"{steps:,} of {self.config.timesteps:,} steps, {steps / (now - self._began):,.0f} a "
            f"second; last {len(self._games)} games: wins {wins:.1%}, mean points {points:.0f}"
        )

    def _evaluate(self) -> None:
        """Measure the policy, likeliest actions, on deals that training never draws."""
        agent = PPOAgent(
            "ppo", self._rules, self.algorithm.policy, mask_null_moves=self.config.mask_null_moves
        )
        found = evaluate(
            agent,
            self._rules,
            self.config.resolved.eval_deals,
            max_steps=self.config.max_steps,
            keep_actions=True,
        )
        summary = found.summary()
        self.logger.record("eval/win_rate", summary.win_rate)
        self.logger.record("eval/mean_points", summary.mean_points)
        self._evaluations.append(
            {
                "timesteps": self.model.num_timesteps,
                "win_rate": summary.win_rate,
                "mean_points": summary.mean_points,
                "mean_runs": summary.mean_runs,
                "illegal_actions": summary.illegal_actions,
            }
        )
        write_table(self.folder / EVALUATIONS_FILE, self._evaluations)
        reached = (summary.win_rate, summary.mean_points)
        if self.best is not None and reached <= (self.best.win_rate, self.best.mean_points):
            return
        self.best = Best(
            timesteps=self.model.num_timesteps,
            win_rate=summary.win_rate,
            mean_points=summary.mean_points,
            game=self._best_game(found),
        )
        self._best_weights = checkpoints.policy_arrays(self.algorithm)
        self._write_best(self.algorithm)

    def _best_game(self, measured: Evaluation) -> str:
        """Return the replay of the game with the most points, as text."""
        return replay.dumps(game_replay(max(measured.deals, key=lambda r: r.points), self._rules))

    def _write_best(self, model: MaskablePPO) -> None:
        """Write the best model, whose parameters the policy has now, and its best game."""
        assert self.best is not None
        about = {
            "timesteps": self.best.timesteps,
            "seed": self.config.seed,
            "chosen_by": {
                "deals": self.config.eval_deals,
                "win_rate": self.best.win_rate,
                "mean_points": self.best.mean_points,
            },
        }
        save_model(self.folder / "best", model.policy, self.config, about)
        write_whole(self.folder / "best" / BEST_GAME, self.best.game)
