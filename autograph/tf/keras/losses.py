"""`tf.keras.losses`: the losses of `autograph.nn`, that take and give tensors."""

from __future__ import annotations

from typing import Any

from autograph.nn import losses as plain
from autograph.nn.names import find
from autograph.tf.absent import missing_from
from autograph.tf.keras.masks import mask_of
from autograph.tf.tensors import as_result, convert_to_tensor, takes


class OfTensors:
    """What makes tensors of what is expected and predicted."""

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, mask: Any = None
    ) -> Any:
        weight = None if sample_weight is None else convert_to_tensor(sample_weight)
        super_: Any = super()
        truth, guess = convert_to_tensor(y_true), convert_to_tensor(y_pred)
        mask = mask_of(y_pred) if mask is None else mask
        return as_result(super_.__call__(truth, guess, weight, mask))


class Loss(OfTensors, plain.Loss):
    """A loss of one's own: a class with a method `call(y_true, y_pred)`, of numbers for samples.

    Args:
        reduction: `"sum_over_batch_size"` (the mean), `"sum"` or None.
        name: of the loss.

    >>> from autograph import tf
    >>> class Squares(tf.keras.losses.Loss):
    ...     def call(self, y_true, y_pred):
    ...         return tf.reduce_mean((y_true - y_pred) ** 2, axis=-1)
    >>> float(Squares()([[1.0]], [[3.0]]).numpy())
    4.0
    """

    def __init__(
        self, name: str | None = None, reduction: str | None = "sum_over_batch_size"
    ) -> None:
        known = reduction in plain.REDUCTIONS
        if not known and name in plain.REDUCTIONS:  # the order that Keras had
            name, reduction = reduction, name
        super().__init__(self.call, reduction, type(self).__name__ if name is None else name)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Return one number for each sample."""
        raise NotImplementedError(f"{type(self).__name__} needs a method call(y_true, y_pred)")


def _face(found: Any) -> type:
    return type(found.__name__, (OfTensors, found), {"__doc__": found.__doc__})


CLASSES = {name: _face(getattr(plain, name)) for name in plain.CLASSES}
FUNCTIONS = {name: takes(2)(getattr(plain, name)) for name in plain.FUNCTIONS}
SHORT = {
    "mse": "MeanSquaredError",
    "mae": "MeanAbsoluteError",
    "mape": "MeanAbsolutePercentageError",
    "msle": "MeanSquaredLogarithmicError",
}
globals().update(CLASSES)
globals().update(FUNCTIONS)
OTHER = {
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
    "kld": "kl_divergence",
}
"""Other names of functions, which are written in capitals, too."""
for _short, _name in OTHER.items():
    globals().update({_short: FUNCTIONS[_name], _short.upper(): FUNCTIONS[_name]})


class Reduction:
    """The names of reductions of losses, as Keras had them."""

    AUTO = SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
    SUM = "sum"
    NONE = "none"


__all__ = ["Loss", "Reduction", "get", *CLASSES, *FUNCTIONS]  # noqa: PLE0604  (the names stand in tables)
__getattr__ = missing_from("autograph.tf.keras.losses", globals())


def get(identifier: Any) -> Any:
    """Return a loss by its name (`mse`, `mean_squared_error`), or what is given."""
    found = find(identifier, globals(), CLASSES, "loss", SHORT)
    return found() if isinstance(found, type) else found
