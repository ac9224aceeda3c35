"""`fit`, `evaluate` and `predict`: steps over batches, with callbacks that look on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from autograph.tf.keras import batches as data_of
from autograph.tf.keras.compiling import Stepping, trained
from autograph.tf.keras.progress import INTERVAL
from autograph.tf.keras.watching import Callback, CallbackList, History, Progress, numbers
from runtime import trees


class Trainer(Stepping):
    """What models have to be trained, evaluated and asked."""

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Iterable[Callback] | Callback | None = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: dict[int, float] | None = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: int = 1,
        **others: Any,
    ) -> History:
        """Train the model, and return the numbers of the epochs.

        Ctrl-C ends it with a KeyboardInterrupt after the step that runs: what the variables hold
        then is that of a whole step, and `model.history` has the epochs so far.

        Args:
            x: arrays `[samples, ...]` (a list or dict of them for several inputs), or batches: a
                dataset, a generator, a sequence.
            y: what is expected `[samples, ...]`; not beside batches, which are `(x, y)`.
            batch_size, shuffle: samples of a step, 32, and whether each epoch has another order.
            initial_epoch, epochs: how many epochs are done before, and afterwards.
            verbose: 0 for silence, 1 for a bar, 2 for one line an epoch.
            callbacks: of `tf.keras.callbacks`.
            validation_split: which part of the samples, the last ones, is for validation.
            validation_data: `(x, y)`, `(x, y, sample_weight)`, or batches.
            class_weight, sample_weight: weights of samples, by their classes and `[samples]`.
            steps_per_epoch, validation_steps: how many batches are used.
            validation_batch_size, validation_freq: that of training, and after each epoch.
            others: without an effect: `workers`, `max_queue_size`, `use_multiprocessing`.

        Raises:
            RuntimeError: the model is not compiled.
            ValueError: arrays are of different numbers of samples, or an argument is not possible.
        """
        check_options("fit", others)
        data = (x, y, sample_weight)
        if validation_split:
            data, validation_data = data_of.split_off(data, validation_split)
        self._needed("fit")
        batches = data_of.batches_of(*data, batch_size, shuffle, steps_per_epoch, class_weight)
        size = validation_batch_size or batch_size
        validation = data_of.for_validation(validation_data, size, validation_steps)
        given = [callbacks] if isinstance(callbacks, Callback) else list(callbacks or ())
        every = (validation, validation_freq)
        return self._fit(batches, range(initial_epoch, epochs), verbosity(verbose), given, every)

    def _fit(
        self, batches: Any, epochs: range, shown: int, given: list[Callback], every: Any
    ) -> History:
        """Train the model on batches, with callbacks, and validations after some epochs."""
        self.stop_training, self.first_epoch = False, epochs.start
        history = self.__history__ = History()
        bar = [Progress(shown, "train", lambda: batches.steps)] if shown else []
        params = {"epochs": epochs.stop, "steps": batches.steps, "verbose": shown}
        calls = CallbackList([*given, *bar, history], self, params)
        inner = CallbackList(given, self, params)
        validation, freq = every

        def validate(epoch: int, guard: WholeSteps) -> dict[str, Any]:
            if validation is None or (epoch + 1) % freq:
                return {}
            found = self._evaluated(validation, inner, guard)
            return {f"val_{name}": x for name, x in found.items()}

        self._train(epochs, batches, calls, validate)
        return history

    def _train(self, epochs: range, batches: Any, calls: CallbackList, validate: Any) -> None:
        """Run epochs, each followed by a validation."""
        logs: dict[str, Any] = {}
        with WholeSteps() as guard:
            calls.call("on_train_begin", logs)
            try:
                for epoch in epochs[max(self.first_epoch - epochs.start, 0) :]:
                    self.reset_metrics()
                    calls.call("on_epoch_begin", epoch, {})
                    logs = self._epoch("train", batches, calls, guard)
                    logs.update(validate(epoch, guard))
                    calls.call("on_epoch_end", epoch, logs)
                    if self.stop_training:
                        break
                self.optimizer.finalize_variable_values(trained(self))
            finally:
                calls.call("on_train_end", logs)

    def _epoch(self, kind: str, batches: Any, calls: CallbackList, guard: WholeSteps) -> Any:
        """Run the steps of one epoch; return what the last one tells, as numbers."""
        before, after = calls.at(f"on_{kind}_batch_begin"), calls.after_batches(kind)
        done, logs = 0, None
        for count, act in self._acts(kind, batches, calls.watches(kind)):
            for method in before:
                method(done, {})
            logs = guard.run(act)
            done += count
            for method in after:
                method(done - 1, logs)
            if kind == "train" and self.stop_training:
                break
        if logs is None:
            raise ValueError("the data have no batch: a generator is used up after one epoch")
        return numbers(logs)

    def _acts(
        self, kind: str, batches: Any, is_watched: bool
    ) -> Iterator[tuple[int, Callable[[], Any]]]:
        """Yield what is to be called in an epoch, and how many steps each call makes.

        Steps over arrays of which nobody wants to see each are one loop of a graph, in parts that
        take `INTERVAL` seconds: so often the bar moves, and Ctrl-C is heard.
        """
        step, together = self._step(kind), None if is_watched else self._together(kind)
        if together is None or not isinstance(batches, data_of.Arrays) or batches.whole < 2:
            for element in batches.epoch():
                yield 1, partial(step, element)
            return
        data, order, rest = batches.together()
        first = 0
        while first < len(order):
            last, began = min(first + batches.pace, len(order)), perf_counter()
            yield last - first, partial(together, data, order, np.int64(first), np.int64(last))
            took = perf_counter() - began
            batches.pace = max(1, int((last - first) * INTERVAL / took))
            first = last
        if rest is not None:
            yield 1, partial(step, rest)

    def _evaluated(self, batches: Any, calls: CallbackList, guard: WholeSteps) -> dict[str, Any]:
        self.reset_metrics()
        calls.call("on_test_begin", {})
        logs: dict[str, Any] = self._epoch("test", batches, calls, guard)
        calls.call("on_test_end", logs)
        return logs

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Iterable[Callback] | None = None,
        return_dict: bool = False,
        **others: Any,
    ) -> Any:
        """Return the loss, or a list of the loss and the metrics, of data as `fit` takes them.

        Args:
            x, y, batch_size, sample_weight, verbose, callbacks: as `fit` has them.
            steps: how many batches are used.
            return_dict: whether the numbers are given by their names.
            others: as `fit` has them.
        """
        self._needed("evaluate")
        check_options("evaluate", others)
        batches = data_of.batches_of(x, y, sample_weight, batch_size, False, steps)
        calls = self._calls("test", batches, verbose, callbacks)
        with WholeSteps() as guard:
            logs = self._evaluated(batches, calls, guard)
        found = list(logs.values())
        return logs if return_dict else found[0] if len(found) == 1 else found

    def _calls(self, kind: str, batches: Any, verbose: Any, callbacks: Any) -> CallbackList:
        shown = verbosity(verbose)
        bar = [Progress(shown, kind, lambda: batches.steps)] if shown else []
        params = {"epochs": 1, "steps": batches.steps, "verbose": shown}
        return CallbackList([*(callbacks or ()), *bar], self, params)

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Iterable[Callback] | None = None,
        **others: Any,
    ) -> Any:
        """Return what the model gives for samples, as arrays of NumPy.

        Args:
            x: arrays `[samples, ...]`, or batches.
            batch_size, verbose, callbacks: as `fit` has them.
            steps: how many batches are used.
            others: as `fit` has them.
        """
        check_options("predict", others)
        batches = data_of.batches_of(x, None, None, batch_size, False, steps)
        calls = self._calls("predict", batches, verbose, callbacks)
        step, parts = self._step("predict"), []
        calls.call("on_predict_begin", {})
        for count, element in enumerate(batches.epoch()):
            calls.call("on_predict_batch_begin", count, {})
            found = step(element)
            leaves, structure = trees.flatten(found)
            parts.append([np.asarray(leaf) for leaf in leaves])
            calls.call("on_predict_batch_end", count, {"outputs": found})
        calls.call("on_predict_end", {})
        return trees.unflatten(structure, [np.concatenate(x) for x in zip(*parts, strict=True)])

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """Change the variables once; return the loss, or a list of it and the metrics."""
        self._needed("train_on_batch")
        return self._on_batch("train", x, y, sample_weight, class_weight, return_dict)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """Return the loss of a batch, or a list of it and the metrics."""
        self._needed("test_on_batch")
        return self._on_batch("test", x, y, sample_weight, None, return_dict)

    def _on_batch(
        self, kind: str, x: Any, y: Any, weight: Any, class_weight: Any, return_dict: bool
    ) -> Any:
        arrays = data_of.arrays_of(x), data_of.arrays_of(y), data_of.arrays_of(weight)
        batches = data_of.batches_of(*arrays, data_of.count_of(arrays), class_weight=class_weight)
        self.reset_metrics()
        with WholeSteps() as guard:
            logs = self._epoch(kind, batches, CallbackList((), self, {}), guard)
        found = list(logs.values())
        return logs if return_dict else found[0] if len(found) == 1 else found

    def predict_on_batch(self, x: Any) -> Any:
        """Return what the model gives for one batch, as arrays of NumPy."""
        arrays = data_of.arrays_of(x)
        return self.predict(arrays, data_of.count_of(arrays), verbose=0)


IGNORED = ("workers", "max_queue_size", "use_multiprocessing")


def check_options(method: str, others: dict[str, Any]) -> None:
    """Raise a TypeError unless options are such that have no effect here."""
    unknown = [name for name in others if name not in IGNORED]
    if unknown:
        raise TypeError(f"{method} has no argument {unknown[0]!r} here")


def verbosity(verbose: Any) -> int:
    """Return 0, 1 or 2."""
    if verbose == "auto":
        return 1
    if verbose not in (0, 1, 2):
        raise ValueError(f"verbose is 0, 1, 2 or 'auto', not {verbose!r}")
    return int(verbose)


class WholeSteps:
    """A block in which Ctrl-C does not stop a step midway: variables are those of a whole step.

    A second Ctrl-C stops at once.
    """

    def __init__(self) -> None:
        self._is_running = self._is_asked = False
        self._before: Any = None

    def __enter__(self) -> WholeSteps:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._asked)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _asked(self, number: int, frame: Any) -> None:
        if self._is_running and not self._is_asked:
            self._is_asked = True
            return
        signal.default_int_handler(number, frame)

    def run(self, step: Callable[..., Any], *args: Any) -> Any:
        """Run a step; raise KeyboardInterrupt after it if Ctrl-C was pressed."""
        self._is_running = True
        try:
            found = step(*args)
        finally:
            self._is_running = False
        if self._is_asked:
            raise KeyboardInterrupt("stopped after a whole step")
        return found
