"""Layers around other layers: over the steps of a sequence, and from both of its ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn.layer import ANYTHING, Layer

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
