"""`tf.keras.callbacks`: what looks on while a model is trained, and may stop it."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable
from typing import Any, TextIO

from autograph.tf.absent import missing_from
from autograph.tf.keras.backups import BackupAndRestore
from autograph.tf.keras.progress import say
from autograph.tf.keras.watching import MOMENTS, Callback, History, Logs
from autograph.tf.summary import SummaryWriter, create_file_writer, histogram, scalar


class LambdaCallback(Callback):
    """A callback of functions, by the names of its methods.

    Args:
        functions: `on_epoch_end=lambda epoch, logs: ...`, and so on.
    """

    def __init__(self, **functions: Callable[..., Any] | None) -> None:
        renamed = {"on_batch_begin": "on_train_batch_begin", "on_batch_end": "on_train_batch_end"}
        for name, function in functions.items():
            moment = renamed.get(name, name)
            if moment not in (*MOMENTS, "on_epoch_begin", "on_epoch_end"):
                raise TypeError(f"LambdaCallback has no moment {name!r}; there are {MOMENTS}")
            if function is not None:
                setattr(self, moment, function)


class _Watching(Callback):
    """Looks on at one of the numbers of epochs.

    Args:
        monitor: its name, such as `val_loss`.
        mode: `min`, `max`, or `auto`: `max` for accuracies and the like.
        min_delta: how much better counts as better.
    """

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"the mode of {type(self).__name__} is auto, min or max, not {mode!r}")
        more = ("acc", "auc", "precision", "recall", "f1", "fmeasure", "true_")
        is_more = mode == "max" or (mode == "auto" and any(x in monitor for x in more))
        self.monitor, self._sign = monitor, -1.0 if is_more else 1.0
        self._least = abs(min_delta)
        self.best = self._sign * math.inf

    def watched(self, logs: Logs | None) -> float:
        """Return the number; ValueError when it is not among those of an epoch."""
        if self.monitor not in (logs or {}):
            known = ", ".join(logs or {}) or "none"
            hint = "; give fit validation_data" if self.monitor.startswith("val_") else ""
            raise ValueError(
                f"{type(self).__name__} looks at {self.monitor!r}, and an epoch tells {known}{hint}"
            )
        assert logs is not None
        return float(logs[self.monitor])

    def is_better(self, value: float) -> bool:
        """Tell whether a number is better than the best one so far."""
        return self._sign * (self.best - value) > self._least


class EarlyStopping(_Watching):
    """Stops training when a number has not become better for some epochs.

    Args:
        monitor: its name.
        min_delta: how much better counts as better.
        patience: for how many epochs it may be no better.
        verbose: whether it says so.
        mode: `min`, `max` or `auto`.
        baseline: what it must be better than at first.
        restore_best_weights: whether the weights of the best epoch come back.
        start_from_epoch: the first epoch that counts.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self._weights: Any = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begin anew."""
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self._weights = None
        self.best = self._sign * math.inf

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Compare the number; stop when it was no better for too long."""
        value = self.watched(logs)
        if epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self._weights is None:
            self._weights = self.model.get_weights()
        self.wait += 1
        if self.is_better(value):
            self.best, self.best_epoch = value, epoch
            if self.restore_best_weights:
                self._weights = self.model.get_weights()
            if self.baseline is None or self._sign * (self.baseline - value) > self._least:
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch, self.model.stop_training = epoch, True
            if self._weights is not None:
                self.model.set_weights(self._weights)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Say when training was stopped."""
        if self.stopped_epoch and self.verbose:
            say(f"Epoch {self.stopped_epoch + 1}: early stopping")


class ModelCheckpoint(_Watching):
    """Writes a model, or its weights, into a file after epochs.

    Args:
        filepath: the file, with numbers of the epoch in braces: `"{epoch:02d}-{val_loss:.2f}"`.
        monitor: the number that tells which epoch is best.
        verbose: whether it says so.
        save_best_only: whether only the best epoch is written.
        save_weights_only: whether weights are written, and not whole models.
        mode: `min`, `max` or `auto`.
        save_freq: `"epoch"`, or after how many steps.
        initial_value_threshold: what the number must be better than at first.
    """

    def __init__(
        self,
        filepath: Any,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: str | int = "epoch",
        initial_value_threshold: float | None = None,
    ) -> None:
        super().__init__(monitor, mode)
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"save_freq is 'epoch' or a number of steps, not {save_freq!r}")
        self.save_freq, self._epoch, self._steps = save_freq, 0, 0
        if isinstance(save_freq, int):  # a method of the object: only then steps are looked at
            self.on_train_batch_end = self._after_step
        self.filepath, self.verbose = os.fspath(filepath), verbose
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        if initial_value_threshold is not None:
            self.best = initial_value_threshold

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Keep the number of the epoch."""
        self._epoch = epoch

    def _after_step(self, batch: int, logs: Logs | None = None) -> None:
        self._steps += 1
        if self._steps % int(self.save_freq) == 0:
            self._write(self._epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Write the weights, if they are to be written."""
        if self.save_freq == "epoch":
            self._write(epoch, logs)

    def _write(self, epoch: int, logs: Logs | None) -> None:
        if self.save_best_only:
            value = self.watched(logs)
            if not self.is_better(value):
                return
            self.best = value
        path = self.filepath.format(epoch=epoch + 1, **(logs or {}))
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        (self.model.save_weights if self.save_weights_only else self.model.save)(path)
        if self.verbose:
            say(f"\nEpoch {epoch + 1}: saving model to {path}")


class CSVLogger(Callback):
    """Writes the numbers of epochs into a file, one line for each.

    Args:
        filename: of the file.
        separator: what stands between numbers.
        append: whether lines are added to what is there.
    """

    def __init__(self, filename: Any, separator: str = ",", append: bool = False) -> None:
        self.filename, self.separator, self.append = filename, separator, append
        self._file: TextIO | None = None
        self._writer: Any = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Open the file."""
        self._has_head = bool(
            self.append and os.path.exists(self.filename) and os.path.getsize(self.filename)
        )
        self._file = open(self.filename, "a" if self.append else "w", newline="")  # noqa: SIM115
        self._writer = None

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Write a line."""
        assert self._file is not None
        row = {"epoch": epoch, **dict(sorted((logs or {}).items()))}
        if self._writer is None:
            self._writer = csv.DictWriter(self._file, list(row), delimiter=self.separator)
            if not self._has_head:
                self._writer.writeheader()
        self._writer.writerow(row)
        self._file.flush()

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


_NOTHING_FOR = {
    *("write_images", "write_steps_per_second", "profile_batch", "embeddings_freq"),
    "embeddings_metadata",
}


class TensorBoard(Callback):
    """Writes the numbers of epochs into files of `tf.summary`, for training and for validation.

    Args:
        log_dir: the folder, in which there will be `train` and `validation`.
        histogram_freq: after how many epochs histograms of weights are written; 0 for never.
        write_graph: has no effect: `tf.summary.trace_export` writes graphs.
        update_freq: `"epoch"`.
        others: Keras' (`write_images`, `profile_batch`, `embeddings_freq`), where they ask for
            nothing.
    """

    def __init__(
        self,
        log_dir: Any = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        update_freq: str = "epoch",
        **others: Any,
    ) -> None:
        if update_freq != "epoch":
            raise ValueError(f"TensorBoard writes after epochs, not after {update_freq!r}")
        asked = [name for name, value in others.items() if value]
        if asked or others.keys() - _NOTHING_FOR:
            name = next(iter([*asked, *others.keys() - _NOTHING_FOR]))
            raise ValueError(f"TensorBoard has no {name!r} here: it writes numbers and histograms")
        self.log_dir, self.histogram_freq = os.fspath(log_dir), histogram_freq
        self._writers: dict[str, SummaryWriter] = {}

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Write the numbers of an epoch, and how weights are distributed."""
        self._write_numbers(epoch, logs)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            with self._writers["train"].as_default():
                for weight in self.model.weights:
                    histogram(weight.name, weight.numpy(), step=epoch)

    def _write_numbers(self, epoch: int, logs: Logs | None) -> None:
        for name, value in (logs or {}).items():
            part = "validation" if name.startswith("val_") else "train"
            if part not in self._writers:
                self._writers[part] = create_file_writer(os.path.join(self.log_dir, part))
            with self._writers[part].as_default():
                scalar(f"epoch_{name.removeprefix('val_')}", value, step=epoch)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """End the files."""
        for writer in self._writers.values():
            writer.close()
        self._writers = {}


class TerminateOnNaN(Callback):
    """Stops training when the loss is infinite or no number."""

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Look at the loss."""
        if not math.isfinite(float((logs or {}).get("loss", 0.0))):
            say(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch.

    Args:
        schedule: a function of the number of the epoch and the rate, which returns the rate.
        verbose: whether it says so.
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Set the rate."""
        found = float(self.schedule(epoch, float(self.model.optimizer.learning_rate.numpy())))
        self.model.optimizer.learning_rate = found
        if self.verbose:
            say(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {found}.")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Tell the rate among the numbers of the epoch."""
        if logs is not None:
            logs["learning_rate"] = float(self.model.optimizer.learning_rate.numpy())


class ReduceLROnPlateau(_Watching):
    """Makes the learning rate smaller when a number has not become better for some epochs.

    Args:
        monitor: its name.
        factor: of the rate.
        patience: for how many epochs it may be no better.
        verbose: whether it says so.
        mode: `min`, `max` or `auto`.
        min_delta: how much better counts as better.
        cooldown: for how many epochs nothing happens afterwards.
        min_lr: the smallest rate.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        if factor >= 1:
            raise ValueError(f"factor is below 1, not {factor}")
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begin anew."""
        self.best, self._wait, self._cool = self._sign * math.inf, 0, 0

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Compare the number; make the rate smaller when it was no better for too long."""
        value, rate = self.watched(logs), self.model.optimizer.learning_rate
        assert logs is not None
        logs["learning_rate"] = float(rate.numpy())
        if self._cool > 0:
            self._cool, self._wait = self._cool - 1, 0
        if self.is_better(value):
            self.best, self._wait = value, 0
            return
        if self._cool > 0:
            return
        self._wait += 1
        if self._wait >= self.patience and float(rate.numpy()) > self.min_lr:
            lower = max(float(rate.numpy()) * self.factor, self.min_lr)
            self.model.optimizer.learning_rate = lower
            self._cool, self._wait = self.cooldown, 0
            if self.verbose:
                say(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {lower}.")


__all__ = [
    "BackupAndRestore",
    "CSVLogger",
    "Callback",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "ModelCheckpoint",
    "ReduceLROnPlateau",
    "TensorBoard",
    "TerminateOnNaN",
]
__getattr__ = missing_from("autograph.tf.keras.callbacks", globals())
