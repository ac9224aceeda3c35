"""What `compile` sets: the optimiser, the losses of outputs, and what is gathered over batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.nn.losses import Loss
from autograph.operators.calls.converting import do_not_convert
from autograph.tf.keras import losses, metrics, optimizers
from autograph.tf.keras.losses import OfTensors
from autograph.tf.keras.masks import weight_of
from runtime.errors import StructureError


class Output(NamedTuple):
    """One output of a model.

    Attributes:
        name: of it; None for the only one.
        loss: of it, or None.
        weight: of its loss.
        tracker: the mean of its loss, where there are several outputs.
        metrics: what is gathered of it: labels, metrics, and whether samples are weighted.
    """

    name: str | None
    loss: Any
    weight: float
    tracker: Any
    metrics: tuple[tuple[str, Any, bool], ...]


class Compiled:
    """What a model is trained by.

    Args:
        optimizer: its name, or the object.
        loss: its name, a function or an object; for several outputs a list, or a dict by name.
        loss_weights: of the outputs, in the same form.
        plain: metrics, in the same form; for several outputs a list of lists, or a dict.
        weighted: metrics that take sample weights.
        names: of the outputs, as far as they are known.
        run_eagerly: whether steps run as plain Python.
    """

    def __init__(
        self,
        optimizer: Any,
        loss: Any,
        loss_weights: Any,
        plain: Any,
        weighted: Any,
        names: Sequence[str],
        run_eagerly: bool,
    ) -> None:
        self.optimizer = optimizers.get(optimizer)
        self.loss, self.run_eagerly = loss, run_eagerly
        self.tracker = metrics.Mean("loss")
        if isinstance(loss, dict):
            names = list(names) if set(loss) <= set(names) else list(loss)
        elif isinstance(loss, list | tuple) and len(loss) != len(names):
            names = [f"output_{k + 1}" for k in range(len(loss))]
        self.names = list(names)
        if len(self.names) < 2:
            kinds = _labelled(_flat(plain), False) + _labelled(_flat(weighted), True)
            only = next(iter(loss.values())) if isinstance(loss, dict) else loss
            only = only[0] if isinstance(only, list | tuple) else only
            outputs = [Output(None, _loss(only), 1.0, None, tuple(kinds))]
        else:
            outputs = [
                self._output(k, loss, loss_weights, plain, weighted) for k in range(len(names))
            ]
        self.outputs = _apart(outputs)

    def _output(self, k: int, loss: Any, loss_weights: Any, plain: Any, weighted: Any) -> Output:
        name, count = self.names[k], len(self.names)
        of_loss = loss if isinstance(loss, dict | list | tuple) else [loss] * count
        weight = _at(loss_weights, k, name)
        of_metrics = [
            x if isinstance(x, dict) or (x and isinstance(x[0], list | tuple)) else [x] * count
            for x in (plain or [], weighted or [])
        ]
        kinds = _labelled(_flat(_at(of_metrics[0], k, name)), False, f"{name}_")
        kinds += _labelled(_flat(_at(of_metrics[1], k, name)), True, f"{name}_")
        tracker = metrics.Mean(f"{name}_loss")
        found = _loss(_at(of_loss, k, name))
        return Output(name, found, 1.0 if weight is None else weight, tracker, tuple(kinds))

    @property
    def metrics(self) -> list[Any]:
        """All that is gathered: the loss first."""
        trackers = [x.tracker for x in self.outputs if x.tracker is not None]
        return [
            self.tracker,
            *trackers,
            *(metric for x in self.outputs for _, metric, _ in x.metrics),
        ]

    @do_not_convert
    def parts(self, given: Any) -> list[Any]:
        """Return what is given for the outputs, one for each; StructureError if they are others."""
        if len(self.outputs) == 1:
            if isinstance(given, dict | list | tuple) and len(given) == 1:
                return list(given.values()) if isinstance(given, dict) else list(given)
            return [given]
        if given is None:
            return [None] * len(self.outputs)
        if isinstance(given, dict) and set(given) == set(self.names):
            return [given[name] for name in self.names]
        if not isinstance(given, list | tuple) or len(given) != len(self.outputs):
            raise StructureError(
                f"the model has the outputs {', '.join(self.names)}, and is given "
                f"{type(given).__name__} of {len(given) if hasattr(given, '__len__') else 1}; give "
                "a list in this order, or a dict by these names"
            )
        return list(given)

    def loss_of(self, y_true: Any, y_pred: Any, sample_weight: Any) -> Any:
        """Return the loss of a batch, and update the means of the losses of outputs."""
        truths, guesses = self.parts(y_true), self.parts(y_pred)
        weights = self.parts(sample_weight)
        total: Any = None
        for output, truth, guess, weight in zip(
            self.outputs, truths, guesses, weights, strict=True
        ):
            if output.loss is not None and truth is not None:
                found = output.loss(truth, guess, weight)
                if output.tracker is not None:
                    output.tracker.update_state(found, len(guess))
                found = found if output.weight == 1.0 else found * output.weight
                total = found if total is None else total + found
        return total

    def track(self, y_true: Any, y_pred: Any, sample_weight: Any) -> None:
        """Update what is gathered of outputs."""
        truths, guesses = self.parts(y_true), self.parts(y_pred)
        weights = self.parts(sample_weight)
        for output, truth, guess, weight in zip(
            self.outputs, truths, guesses, weights, strict=True
        ):
            for _, metric, is_weighted in output.metrics:
                counts = weight_of(guess, weight if is_weighted else None)
                if counts is not None:
                    metric.update_state(truth, guess, sample_weight=counts)
                else:
                    metric.update_state(truth, guess)

    def results(self) -> dict[str, Any]:
        """Return what was gathered so far, by its labels."""
        found = {} if self.loss is None else {"loss": self.tracker.result()}
        for output in self.outputs:
            if output.tracker is not None:
                found[output.tracker.name] = output.tracker.result()
        for weighted in (False, True):
            for output in self.outputs:
                for label, metric, is_weighted in output.metrics:
                    if is_weighted is weighted:
                        found[label] = metric.result()
        return found


class _Wrapped(OfTensors, Loss):
    """A function of what is expected and predicted as a loss: its mean over samples."""


def _loss(given: Any) -> Any:
    found = None if given is None else losses.get(given)
    return found if found is None or isinstance(found, Loss) else _Wrapped(found)


def _flat(given: Any) -> list[Any]:
    """Return metrics as one list."""
    if given is None:
        return []
    if isinstance(given, dict):
        return [x for value in given.values() for x in _flat(value)]
    if not isinstance(given, list | tuple):
        return [given]
    return [x for value in given for x in _flat(value)]


def _labelled(given: list[Any], is_weighted: bool, prefix: str = "") -> list[tuple[str, Any, bool]]:
    found = [metrics.get(x) for x in given]
    return [(f"{prefix}{metric.name}", metric, is_weighted) for metric in found]


def _apart(outputs: list[Output]) -> list[Output]:
    """Return outputs with labels of which each is there once, as Keras tells them apart."""
    counts: Counter[str] = Counter()
    labels: dict[int, str] = {}
    for weighted in (False, True):
        for output in outputs:
            prefix = "" if output.name is None else f"{output.name}_"
            for label, metric, is_weighted in output.metrics:
                if is_weighted is weighted:
                    name = label
                    if weighted and name in counts:
                        name = f"{prefix}weighted_{metric.name}"
                    labels[id(metric)] = f"{name}_{counts[name]}" if counts[name] else name
                    counts[name] += 1
    return [
        x._replace(metrics=tuple((labels[id(one[1])], *one[1:]) for one in x.metrics))
        for x in outputs
    ]


def _at(given: Any, place: int, name: str) -> Any:
    """Return what is given for one of several outputs, by its name or its place."""
    if isinstance(given, dict):
        return given.get(name)
    return given[place] if given is not None and len(given) else None


def number(value: Any) -> Any:
    """Return what a step tells as a number of Python's, or as an array."""
    found = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    return found.item() if found.ndim == 0 else found
