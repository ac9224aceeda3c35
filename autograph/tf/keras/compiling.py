"""`compile`, and the steps of a model: what is staged when it is trained, evaluated and asked.

A step is one staged function, which is traced once for each shape of a batch. What it tells comes
from metrics, which are variables of the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.function.decorator import function as stage
from autograph.function.eager import functions_run_eagerly
from autograph.nn.variables import parameters
from autograph.operators.calls.converting import do_not_convert
from autograph.operators.calls.init_scope import outside
from autograph.staging.functional import map_
from autograph.tf.functions import function
from autograph.tf.keras import batches as data_of
from autograph.tf.keras.compiled import Compiled
from autograph.tf.keras.gathering import Metric
from autograph.tf.keras.watching import History
from autograph.transforms.tape import GradientTape
from runtime import trees


class Stepping:
    """What models have to make steps.

    A model of one's own may define `train_step(self, data)`, `test_step` and `predict_step`.
    """

    name: str
    output_names: list[str]
    stop_training = False
    __history__: History | None = None  # a name that guards do not look at
    _compiled: Compiled | None = None
    losses: list[Any]

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool | None = None,
        steps_per_execution: int | None = None,
        jit_compile: Any = "auto",
        **others: Any,
    ) -> None:
        """Say what the model is trained by.

        Args:
            optimizer: its name (`"adam"`), or one of `tf.keras.optimizers`.
            loss: its name, one of `tf.keras.losses`, or a function of `y_true` and `y_pred`; for
                several outputs a list, or a dict by their names.
            metrics: a list of names (`"accuracy"`), of `tf.keras.metrics`, or of functions.
            loss_weights: of the losses of several outputs.
            weighted_metrics: metrics that take the weights of samples.
            run_eagerly: whether steps run as plain Python, for a debugger.
            steps_per_execution: has no effect: as many steps are made at a time as pay.
            jit_compile: has no effect: graphs are always compiled.
            others: TensorFlow's, which are refused.

        Raises:
            ValueError: there is no optimiser, loss or metric of a name.
            TypeError: an option is not there.
        """
        if others:
            raise TypeError(
                f"compile has no option {next(iter(others))!r} here; give optimizer, loss, metrics"
            )
        names = getattr(self, "output_names", [])
        self.__compiled_with__ = {
            "loss": loss,
            "metrics": metrics,
            "loss_weights": loss_weights,
            "weighted_metrics": weighted_metrics,
            "run_eagerly": run_eagerly,
        }
        self._compiled = Compiled(
            optimizer, loss, loss_weights, metrics, weighted_metrics, names, bool(run_eagerly)
        )
        self._staged: dict[str, Callable[..., Any]] = {}

    @property
    def optimizer(self) -> Any:
        """The optimiser that `compile` set."""
        return self._needed("optimizer").optimizer

    @property
    def run_eagerly(self) -> bool:
        """Whether steps run as plain Python."""
        return self._needed("run_eagerly").run_eagerly

    @run_eagerly.setter
    def run_eagerly(self, eagerly: bool) -> None:
        self._needed("run_eagerly").run_eagerly = eagerly
        self._staged = {}

    @property
    def loss(self) -> Any:
        """The loss that `compile` set."""
        return self._needed("loss").loss

    @property
    def metrics(self) -> list[Any]:
        """What is gathered over batches: the loss, metrics of `compile`, and of attributes."""
        own = [x for x in vars(self).values() if isinstance(x, Metric)]
        return own if self._compiled is None else [*self._compiled.metrics, *own]

    @property
    def metrics_names(self) -> list[str]:
        """Their names."""
        return [x.name for x in self.metrics]

    @do_not_convert
    def reset_metrics(self) -> None:
        """Let all that is gathered begin anew."""
        for metric in self.metrics:
            metric.reset_state()

    def _needed(self, asks: str) -> Compiled:
        if self._compiled is None:
            raise RuntimeError(
                f"the model {self.name!r} is not compiled, as {asks} needs it; call "
                "model.compile(optimizer=..., loss=...) first"
            )
        return self._compiled

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None
    ) -> Any:
        """Return the loss of a batch, as `compile` says, and gather it."""
        compiled = self._needed("compute_loss")
        loss = compiled.loss_of(y, y_pred, sample_weight)
        for term in self.losses:
            term = np.sum(term)
            loss = term if loss is None else loss + term
        if loss is None:
            refuse_loss(self.name, y)
        compiled.tracker.update_state(loss, samples(y_pred))
        return loss

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Gather the metrics of a batch; return all that was gathered so far."""
        compiled = self._needed("compute_metrics")
        compiled.track(y, y_pred, sample_weight)
        return compiled.results()

    @property
    def compiled_loss(self) -> OfBatch:
        """What `compile` sets as the loss, for a `train_step` of one's own, as Keras had it."""
        return OfBatch(self._needed("compiled_loss"))

    @property
    def compiled_metrics(self) -> OfBatch:
        """What `compile` sets as metrics, for a `train_step` of one's own, as Keras had it."""
        return OfBatch(self._needed("compiled_metrics"))

    @property
    def history(self) -> History | None:
        """What `fit` told of its epochs the last time."""
        return self.__history__

    def train_step(self, data: Any) -> Any:
        """Change the variables once; return what is told of the step, a dict.

        Args:
            data: a batch: `(x, y, sample_weight)`.
        """
        x, y, sample_weight = data_of.unpacked(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x, y, y_pred, sample_weight)
            scaled = self.optimizer.scale_loss(loss)
        variables = trained(self)
        if variables:
            self.optimizer.apply(tape.gradient(scaled, variables), variables)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data: Any) -> Any:
        """Return what is told of a batch, a dict."""
        x, y, sample_weight = data_of.unpacked(data)
        y_pred = self(x, training=False)
        self.compute_loss(x, y, y_pred, sample_weight)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """Return what the model gives for a batch."""
        return self(data_of.unpacked(data)[0], training=False)

    __call__: Callable[..., Any]

    def _step(self, kind: str) -> Callable[..., Any]:
        """Return a step as a function that is staged, if it is to be."""
        step: Callable[..., Any] = getattr(self, f"{kind}_step")
        if self._compiled is not None and self._compiled.run_eagerly:
            return step
        staged = self.__dict__.setdefault("_staged", {})
        if kind not in staged:
            staged[kind] = function(step)
        made: Callable[..., Any] = staged[kind]
        return made

    def _together(self, kind: str) -> Callable[..., Any] | None:
        """Return a staged function that makes several steps, or None where they run eagerly.

        It takes all samples, the numbers of those of each step `i64[steps, batch_size]`, and which
        steps are made: from `first` to before `last`. It returns what the last one tells.
        """
        assert self._compiled is not None
        if self._compiled.run_eagerly or functions_run_eagerly():
            return None
        step = self._step(kind)

        def steps(data: Any, order: Any, first: Any, last: Any) -> Any:
            def one(rows: Any) -> Any:
                return step(trees.map_tree(lambda x: x[rows], data))

            return trees.map_tree(lambda x: x[-1], map_(one, order[first:last]))

        staged, key = self._staged, f"{kind}_together"
        if key not in staged:
            staged[key] = stage(steps, reduce_retracing=True)
        return staged[key]


class OfBatch:
    """What `compile` sets, as functions of what is expected and predicted.

    Args:
        compiled: what is set.
    """

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any = None,
        regularization_losses: Any = (),
    ) -> Any:
        """Return the loss of a batch, and gather it.

        Args:
            y_true, y_pred: what is expected and predicted.
            sample_weight: of the samples.
            regularization_losses: what is added: `model.losses`.
        """
        loss = self._compiled.loss_of(y_true, y_pred, sample_weight)
        for term in regularization_losses or ():
            loss = loss + np.sum(term)
        self._compiled.tracker.update_state(loss, samples(y_pred))
        return loss

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Gather the metrics of a batch."""
        self._compiled.track(y_true, y_pred, sample_weight)


@outside
def trained(model: Any) -> list[Any]:
    """Return the variables of a model that are trained."""
    return list(parameters(model).values())


def samples(y_pred: Any) -> Any:
    """Return how many samples a batch has."""
    return len(trees.flatten(y_pred)[0][0])


def refuse_loss(name: str, y: Any) -> None:
    """Raise the error of a batch that has no loss."""
    if y is None:
        raise ValueError(f"the model {name!r} is trained by y, and was given x alone")
    raise ValueError(f"the model {name!r} was compiled without a loss; give compile(loss=...)")
