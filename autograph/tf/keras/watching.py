"""What callbacks are, and the two that are always there: the history, and the bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from autograph.tf.keras.compiled import number
from autograph.tf.keras.progress import Bar, say

Logs = dict[str, Any]
MOMENTS = tuple(
    f"on_{kind}{part}_{side}"
    for kind in ("train", "test", "predict")
    for part in ("", "_batch")
    for side in ("begin", "end")
)


class Callback:
    """What is called while a model is trained, evaluated or predicts.

    A callback of one's own defines some of `on_train_begin(logs)`, `on_train_end(logs)`,
    `on_epoch_begin(epoch, logs)`, `on_epoch_end(epoch, logs)`, `on_train_batch_begin(batch, logs)`,
    `on_train_batch_end(batch, logs)`, and the same of `test` and `predict`.

    `self.model` is the model, and `self.model.stop_training = True` ends its training.

    >>> import numpy as np
    >>> from autograph import tf
    >>> class Told(tf.keras.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print(epoch, sorted(logs))
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> _ = model.fit(np.ones((4, 2)), np.ones(4), epochs=2, verbose=0, callbacks=[Told()])
    0 ['loss']
    1 ['loss']
    """

    model: Any = None
    params: Mapping[str, Any] = {}

    def set_model(self, model: Any) -> None:
        """Say which model it is."""
        self.model = model

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Say how it is trained: `epochs`, `steps`, `verbose`."""
        self.params = params


class CallbackList:
    """Callbacks, each of which is called at the moments that it has a method for.

    Args:
        callbacks: the callbacks.
        model: the model.
        params: how it is trained.
    """

    def __init__(
        self, callbacks: Iterable[Callback], model: Any, params: Mapping[str, Any]
    ) -> None:
        self.callbacks = list(callbacks)
        for callback in self.callbacks:
            callback.set_model(model)
            callback.set_params(params)

    def at(self, moment: str) -> list[Callable[..., Any]]:
        """Return the methods that are called at a moment, such as `on_epoch_end`."""
        return [getattr(x, moment) for x in self.callbacks if hasattr(x, moment)]

    def after_batches(self, kind: str) -> list[Callable[..., Any]]:
        """Return what is called after batches; but for the bar, with numbers of Python's."""
        moment = f"on_{kind}_batch_end"
        bars = [x for x in self.callbacks if type(x) is Progress]
        told = [x for x in self.callbacks if type(x) is not Progress and hasattr(x, moment)]
        plain = [_with_numbers(getattr(x, moment)) for x in told]
        return [*plain, *(getattr(x, moment) for x in bars)]

    def watches(self, kind: str) -> bool:
        """Tell whether a callback, but for the bar, is called before or after each batch."""
        moments = (f"on_{kind}_batch_begin", f"on_{kind}_batch_end")
        told = [x for x in self.callbacks if type(x) is not Progress]
        return any(hasattr(x, moment) for x in told for moment in moments)

    def call(self, moment: str, *args: Any) -> None:
        """Call all that have something to do at a moment."""
        for method in self.at(moment):
            method(*args)


class History(Callback):
    """What `fit` returns: `history`, a dict of lists with one number for each epoch."""

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begin without epochs."""
        self.history, self.epoch = {}, []

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Keep the numbers of an epoch."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class Progress(Callback):
    """Shows the bar of an epoch, or one line for it.

    Args:
        verbose: 1 for the bar, 2 for lines.
        kind: `train`, `test` or `predict`.
        steps: returns how many steps there are, or None.
    """

    def __init__(self, verbose: int, kind: str, steps: Callable[[], int | None]) -> None:
        self._verbose, self._steps = verbose, steps
        self._done = 0
        self._bar: Bar | None = None
        setattr(self, f"on_{kind}_batch_end", self._step)
        if kind != "train":
            setattr(self, f"on_{kind}_begin", self._begin)
            setattr(self, f"on_{kind}_end", self._finish)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Write the number of the epoch."""
        say(f"Epoch {epoch + 1}/{self.params['epochs']}")
        self._begin()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Write the numbers of the epoch."""
        self._finish(logs)

    def _begin(self, logs: Logs | None = None) -> None:
        self._done, self._bar = 0, Bar(self._steps())

    def _step(self, batch: int, logs: Logs | None = None) -> None:
        self._done = batch + 1
        assert self._bar is not None
        is_due = self._bar.is_due(self._done)
        if is_due and self._verbose == 1 and self._done != self._bar.steps:
            self._bar.draw(self._done, numbers(logs))

    def _finish(self, logs: Logs | None = None) -> None:
        assert self._bar is not None
        if self._verbose == 1:
            self._bar.draw(self._done, numbers(logs), is_last=True)
        else:
            say(self._bar.line(self._done, numbers(logs)))
        self._bar = None

    def on_train_end(self, logs: Logs | None = None) -> None:
        """End the line of a bar that was not finished."""
        if self._bar is not None and self._verbose == 1:
            self._bar.leave()


def numbers(logs: Mapping[str, Any] | None) -> Logs:
    """Return what a step tells as numbers."""
    return {name: number(x) for name, x in (logs or {}).items()}


def _with_numbers(method: Callable[..., Any]) -> Callable[..., Any]:
    return lambda batch, logs: method(batch, numbers(logs))
