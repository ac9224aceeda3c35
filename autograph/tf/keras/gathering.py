"""`Metric`: what is gathered over batches, kept in variables; weights of what is gathered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.nn import initializers
from autograph.nn.configured import Configured
from autograph.nn.names import counted, in_snake_case
from autograph.operators.calls.converting import do_not_convert
from autograph.operators.calls.init_scope import outside
from autograph.tf.tensors import convert_to_tensor, operate
from runtime.dtypes import as_dtype
from runtime.state.variable import Variable


class Metric(Configured):
    """Something that is gathered over batches.

    A metric of one's own makes variables by `add_weight`, changes them in
    `update_state(y_true, y_pred, sample_weight=None)`, and says in `result()` what they tell.

    Args:
        name: of the metric; by default that of its class.
        dtype: of its result.

    >>> from autograph import tf
    >>> class Positives(tf.keras.metrics.Metric):
    ...     def __init__(self):
    ...         super().__init__(name="positives")
    ...         self.count = self.add_weight(name="count", initializer="zeros")
    ...
    ...     def update_state(self, y_true, y_pred, sample_weight=None):
    ...         self.count.assign_add(tf.reduce_sum(tf.cast(y_pred > 0, tf.float32)))
    ...
    ...     def result(self):
    ...         return self.count
    >>> positives = Positives()
    >>> float(positives(tf.zeros(2), tf.constant([1.0, -1.0])).numpy())
    1.0
    """

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        self.name = counted(in_snake_case(type(self).__name__)) if name is None else name
        self.dtype = as_dtype("float32" if dtype is None else dtype)
        self._own: list[Variable] = []

    def add_weight(
        self,
        shape: Sequence[int] | str = (),
        initializer: Any = "zeros",
        dtype: Any = None,
        name: str = "variable",
        **others: Any,
    ) -> Variable:
        """Return a new variable of the metric, which `reset_state` sets to zeros.

        Args:
            shape: of the variable; its name may stand first, as it once did.
            initializer: `"zeros"`, or another one of `tf.keras.initializers`.
            dtype: that of the metric by default.
            name: of the variable.
            others: TensorFlow's, without an effect.
        """
        size = () if isinstance(shape, str) else tuple(shape)
        made = variable_of(size, dtype or self.dtype, f"{self.name}/{name}", initializer)
        self._own.append(made)
        return made

    add_variable = add_weight
    update_state: Callable[..., Any]
    result: Callable[..., Any]

    @property
    def variables(self) -> list[Variable]:
        """Its variables."""
        return list(self._own)

    @do_not_convert
    def reset_state(self) -> None:
        """Begin anew: set the variables to zeros."""
        for variable in self._own:
            variable.assign(np.zeros(variable.shape, variable.dtype))

    reset_states = reset_state

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.update_state(*args, **options)
        return convert_to_tensor(self.result())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


@outside
def variable_of(shape: Any, dtype: Any, name: str, initializer: Any = "zeros") -> Variable:
    """Return a variable that gives tensors, and is not trained."""
    value = initializers.get(initializer)(shape, as_dtype(dtype))
    made = Variable(np.asarray(value, as_dtype(dtype)), name=name, trainable=False)
    made.gives_tensors, made.operate = True, operate
    return made


def weighted(values: Any, weight: Any) -> tuple[Any, Any]:
    """Return values and their weights, both of one shape and of `float64`."""
    values = convert_to_tensor(values).astype(np.float64)
    if weight is None:
        return values, np.ones_like(values)
    weight = convert_to_tensor(weight).astype(np.float64)
    if len(weight.shape) == len(values.shape) + 1:
        weight = np.squeeze(weight, -1)
    while 0 < len(weight.shape) < len(values.shape):
        weight = weight[..., None]
    return values, np.broadcast_to(weight, values.shape)


def ratio(total: Any, count: Any) -> Any:
    """Return `total / count`, and 0 when nothing was counted."""
    total, count = total.read(), count.read()
    return np.where(count == 0, 0.0, total / np.where(count == 0, 1.0, count))
