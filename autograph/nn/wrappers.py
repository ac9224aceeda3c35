"""Layers around other layers: over the steps of a sequence, and from both of its ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn import initializers
from autograph.nn.core import at_least
from autograph.nn.layer import ANYTHING, Layer
from autograph.transforms.custom import stop_gradient

MODES = ("concat", "sum", "ave", "mul", None)


class TimeDistributed(Layer):
    """A layer that is applied to each step of a sequence: `[batch, steps, ...]`.

    All steps are one larger batch for the layer, so a `BatchNormalization` in it has their common
    mean.

    Args:
        layer: what is applied.
        options: of `Layer`.

    >>> from autograph import nn
    >>> TimeDistributed(nn.Flatten())(np.zeros((2, 5, 4, 3))).shape
    (2, 5, 12)
    """

    takes = ANYTHING
    least_rank = 3

    def __init__(self, layer: Any, **options: Any) -> None:
        super().__init__(**options)
        self.layer = layer

    def call(self, x: Any) -> Any:
        y = self.layer(np.reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:])))
        return np.reshape(y, (*x.shape[:2], *y.shape[1:]))


class SpectralNormalization(Layer):
    """A layer whose kernel is divided by its largest singular value (Miyato et al., 2018).

    That happens in training; it is found by power iterations that go on from call to call.

    Args:
        layer: with a variable `kernel`, or `embeddings`, which is assigned to.
        power_iterations: how many there are at each call.
        options: of `Layer`.

    >>> from autograph import nn
    >>> layer = SpectralNormalization(nn.Dense(2), power_iterations=50)
    >>> y = layer(np.array([[1.0, 2.0, 3.0]]), training=True)
    >>> np.round(np.linalg.norm(layer.layer.kernel.numpy(), 2), 6)
    np.float64(1.0)
    """

    takes = ANYTHING

    def __init__(self, layer: Any, power_iterations: int = 1, **options: Any) -> None:
        super().__init__(**options)
        self.layer = layer
        self.power_iterations = at_least(1, power_iterations, "power_iterations", self)

    def build(self, shape: Any) -> None:
        self.layer.make_variables(shape, self.dtype)
        names = [x for x in ("kernel", "embeddings") if hasattr(self.layer, x)]
        if not names:
            raise ValueError(f"the layer of {self.name!r} has no kernel, and no embeddings")
        self.matrix = getattr(self.layer, names[0])
        size, first = (1, self.matrix.shape[-1]), initializers.TruncatedNormal(stddev=0.02)
        self.vector_u = self.add_weight(
            size, first, self.matrix.dtype, trainable=False, name="vector_u"
        )

    def call(self, x: Any, training: Any = False) -> Any:
        if training:
            kernel = self.matrix.read()
            rows = stop_gradient(np.reshape(kernel, (-1, kernel.shape[-1])))
            u = v = self.vector_u.read()
            for _ in range(self.power_iterations):
                v = _unit(u @ rows.T)
                u = _unit(v @ rows)
            size = np.sum((v @ rows) * u)
            share = 1 / np.where(size == 0, 1, size)
            self.vector_u.assign(np.where(size == 0, self.vector_u.read(), u))
            # Gradients are those by the kernel that is assigned.
            self.matrix.assign(kernel + stop_gradient(kernel * share - kernel))
        return self.layer(x)


def _unit(x: Any) -> Any:
    return x / np.sqrt(np.maximum(np.sum(x * x), 1e-14))


class Bidirectional(Layer):
    """A recurrent layer that reads a sequence from its beginning, and another from its end.

    `call` takes what the layer takes: `[batch, steps, features]`, and by name `mask` and
    `initial_state`, the states of the first layer and then those of the second.

    Args:
        layer: a recurrent layer; both are made as it is, with variables of their own.
        merge_mode: how the outputs are joined: "concat", "sum", "ave" (the mean), "mul", or None
            for a list of both.
        backward_layer: another one for the way from the end; its `go_backwards` is the other one.
        options: of `Layer`.

    >>> from autograph import nn
    >>> Bidirectional(nn.LSTM(4, return_sequences=True))(np.zeros((2, 5, 3))).shape
    (2, 5, 8)
    """

    least_rank = 3

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        backward_layer: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if merge_mode not in MODES:
            known = ", ".join(map(repr, MODES))
            raise ValueError(f"merge_mode of {self.name!r} is {known}, not {merge_mode!r}")
        self.merge_mode = merge_mode
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state
        self.forward_layer = _made_anew(layer, f"forward_{layer.name}")
        if backward_layer is None:
            other = {"go_backwards": not layer.go_backwards}
            self.backward_layer = _made_anew(layer, f"backward_{layer.name}", other)
        elif backward_layer.go_backwards == layer.go_backwards:
            raise ValueError(f"the layers of {self.name!r} read in one direction (go_backwards)")
        else:
            self.backward_layer = backward_layer

    def call(self, x: Any, mask: Any = None, initial_state: Any = None) -> Any:
        if initial_state is None:
            first, second = None, None
        else:
            half = len(initial_state) // 2
            first, second = list(initial_state[:half]), list(initial_state[half:])
        y = self.forward_layer(x, mask=mask, initial_state=first)
        z = self.backward_layer(x, mask=mask, initial_state=second)
        states: tuple[Any, ...] = ()
        if self.return_state:
            states = (*y[1:], *z[1:])
            y, z = y[0], z[0]
        if self.return_sequences:
            z = z[:, ::-1]
        joined = self._joined(y, z)
        if self.merge_mode is None:
            return [*joined, *states]
        return (joined, *states) if states else joined

    def compute_mask(self, x: Any, mask: Any = None) -> Any:
        """Return the mask of what is returned: of the outputs of all steps that of the steps."""
        found = mask if self.return_sequences else None
        return [found, found] if self.merge_mode is None else found

    def _joined(self, y: Any, z: Any) -> Any:
        if self.merge_mode == "concat":
            return np.concatenate([y, z], axis=-1)
        if self.merge_mode == "sum":
            return y + z
        if self.merge_mode == "ave":
            return (y + z) / 2
        return y * z if self.merge_mode == "mul" else [y, z]


def _made_anew(layer: Any, name: str, others: Any = None) -> Any:
    """Return a layer that is made as another one was, with some other arguments."""
    return type(layer).from_config({**layer.get_config(), "name": name, **(others or {})})
