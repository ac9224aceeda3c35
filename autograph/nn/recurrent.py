"""Recurrent layers: plain loops over the steps of a sequence, which are loops of the graph.

Sequences are `[batch, steps, features]`. Formulas, defaults and the order of gates in kernels are
Keras'; the products of the inputs of all steps are one product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.nn import activations, initializers
from autograph.nn.core import at_least, dropped, product
from autograph.nn.layer import Layer
from runtime.errors import ShapeError


class Steps(Layer):
    """What recurrent layers share, and cells, which make one step of them.

    Args:
        units: the size of the state.
        activation: of what goes into the state.
        recurrent_activation: of gates.
        use_bias: whether biases are added.
        kernel_initializer, recurrent_initializer, bias_initializer: what the variables hold first.
        dropout: which part of the inputs is dropped in training, the same at all steps.
        recurrent_dropout: which part of the state, likewise.
        options: of `Layer`.
    """

    gates = 1
    state_count = 1

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.units = at_least(1, units, "units", self)
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.dropout, self.recurrent_dropout = dropout, recurrent_dropout

    step: Callable[[Any, Any], Any]
    """`(row, states) -> states` of one step: the row is a product with the kernel, and a bias."""

    def build(self, shape: Sequence[int | None]) -> None:
        self.features = self.size_of(shape)
        wide = self.gates * self.units
        self.kernel = self.add_weight((self.features, wide), self.kernel_initializer, name="kernel")
        self.recurrent_kernel = self.add_weight(
            (self.units, wide), self.recurrent_initializer, name="recurrent_kernel"
        )
        if self.use_bias:
            self.bias = self.add_weight(self.bias_shape, self.first_bias, name="bias")

    @property
    def bias_shape(self) -> tuple[int, ...]:
        """The shape of the bias."""
        return (self.gates * self.units,)

    def first_bias(self, shape: Sequence[int], dtype: Any) -> Any:
        """Return what the bias holds first."""
        return self.bias_initializer(shape, dtype)

    def input_bias(self) -> Any:
        """Return what is added to the products of the inputs."""
        return self.bias

    def rows(self, x: Any) -> Any:
        """Return what `step` takes of inputs: their products with the kernel, and a bias."""
        rows = product(x, self.kernel)
        return rows + self.input_bias() if self.use_bias else rows

    def kept(self, states: Any, training: Any) -> Any:
        """Return what the state is multiplied with before each step."""
        if training and self.recurrent_dropout > 0:
            return dropped(np.ones_like(states[0]), self.recurrent_dropout)
        return 1.0

    def thinned(self, states: Any, kept: Any) -> Any:
        """Return the states before a step, of which a part may be dropped."""
        return (states[0] * kept, *states[1:]) if self.recurrent_dropout > 0 else states

    def checked(self, given: Any) -> Any:
        """Return the states that are given, as a tuple; ShapeError where they are too few."""
        states = tuple(given) if isinstance(given, list | tuple) else (given,)
        if len(states) != self.state_count:
            raise ShapeError(
                f"{self.name!r} begins with {self.state_count} states [batch, {self.units}], and "
                f"was given {len(states)}"
            )
        return states


class Cell(Steps):
    """One step of a recurrent layer.

    `call` takes `[batch, features]` and a list of states `[batch, units]`; it returns the output,
    `[batch, units]`, and a list of the states after the step.
    """

    ranks = (2,)

    @property
    def state_size(self) -> int | list[int]:
        """The size of its state, or of each of them."""
        return self.units if self.state_count == 1 else [self.units] * self.state_count

    @property
    def output_size(self) -> int:
        """The size of its output."""
        return self.units

    def get_initial_state(self, batch_size: Any, dtype: Any = None) -> list[Any]:
        """Return zeros, for each state."""
        dtype = self.dtype if dtype is None else dtype
        return [np.zeros((batch_size, self.units), dtype) for _ in range(self.state_count)]

    def call(self, x: Any, states: Any, training: Any = False) -> Any:
        before = self.checked(states)
        if training and self.dropout > 0:
            x = x * dropped(np.ones_like(x), self.dropout)
        after = self.step(self.rows(x), self.thinned(before, self.kept(before, training)))
        return after[0], list(after)


class Recurrent(Steps):
    """A layer of a sequence: one of the three classes of steps.

    `call` takes `[batch, steps, features]`, and by name `mask`, `bool[batch, steps]`: where it is
    false the state stays, and the output before is the output; and `initial_state`, a list of
    arrays `[batch, units]`. It returns `[batch, units]`, the output of the last step.

    Args:
        units: the size of the state.
        args, options: of `Steps`.
        return_sequences: whether the outputs of all steps are returned, `[batch, steps, units]`.
        return_state: whether the states after the last step are returned, too, after the output.
        go_backwards: whether the last step comes first.
        stateful: whether a call begins with the states that the one before ended with, for batches
            of one size; `reset_states` sets them to 0.
        unroll: has no effect: steps are a loop of the graph.
    """

    ranks = (3,)
    __lasting__: Sequence[Any] = ()  # a name that no search for variables looks at

    def __init__(
        self,
        units: int,
        *args: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(units, *args, **options)
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful = go_backwards, stateful

    def build(self, shape: Sequence[int | None]) -> None:
        super().build(shape)
        if self.stateful:
            size = (self.size_of(shape, 0), self.units)
            self.__lasting__ = [
                self.add_weight(size, "zeros", trainable=False, name=f"state_{k}")
                for k in range(self.state_count)
            ]

    def compute_mask(self, x: Any, mask: Any = None) -> Any:
        """Return the mask of what is returned: of the outputs of all steps that of the steps."""
        return mask if self.return_sequences else None

    @property
    def states(self) -> list[Any] | None:
        """What its states are now, where they last from call to call; else None."""
        return [x.numpy() for x in self.__lasting__] or None

    def reset_states(self) -> None:
        """Let the next call begin with zeros, where states last from call to call."""
        for state in self.__lasting__:
            state.assign(np.zeros(state.shape, state.dtype))

    def call(
        self, x: Any, mask: Any = None, training: Any = False, initial_state: Any = None
    ) -> Any:
        states = self._first(x, initial_state)
        if training and self.dropout > 0:
            x = x * dropped(np.ones_like(x[:, :1]), self.dropout)
        kept = self.kept(states, training)
        rows = np.swapaxes(self.rows(x), 0, 1)
        marks = None if mask is None else np.swapaxes(np.asarray(mask), 0, 1)[..., None]
        if self.go_backwards:
            rows = rows[::-1]
            marks = None if marks is None else marks[::-1]
        output, outputs, states = self._run(rows, marks, states, kept)
        if self.stateful:
            for lasting, state in zip(self.__lasting__, states, strict=True):
                lasting.assign(state)
        found = self._sequence(outputs, *rows.shape[:2]) if self.return_sequences else output
        return (found, *states) if self.return_state else found

    def _sequence(self, outputs: Any, steps: Any, batch: Any) -> Any:
        """Return the outputs of steps as `[batch, steps, units]`."""
        found = np.stack(outputs)
        if isinstance(steps, int) and steps > 0:  # so many are known also to what follows
            count = batch if isinstance(batch, int) else -1
            found = np.reshape(found, (steps, count, self.units))
        return np.swapaxes(found, 0, 1)

    def _run(self, rows: Any, marks: Any, states: Any, kept: Any) -> Any:
        """Go over the steps; return the last output, all of them, and the states after them."""
        output, outputs = np.zeros_like(states[0]), []
        if marks is None:
            for row in rows:
                states = self.step(row, self.thinned(states, kept))
                output = states[0]
                if self.return_sequences:
                    outputs.append(output)
        else:
            for row, mark in zip(rows, marks, strict=True):
                after = self.step(row, self.thinned(states, kept))
                output = np.where(mark, after[0], output)
                states = tuple([np.where(mark, x, y) for x, y in zip(after, states, strict=True)])
                if self.return_sequences:
                    outputs.append(output)
        return output, outputs, states

    def _first(self, x: Any, given: Any) -> Any:
        if given is None and self.stateful:
            return tuple(x.read() for x in self.__lasting__)
        if given is None:
            zeros = np.zeros((x.shape[0], self.units), x.dtype)
            return (zeros,) * self.state_count
        return self.checked(given)


class SimpleSteps(Steps):
    """`h = activation(x @ kernel + h @ recurrent_kernel + bias)` at each step (Elman, 1990)."""

    def __init__(self, units: int, activation: Any = "tanh", *args: Any, **options: Any) -> None:
        super().__init__(units, activation, "sigmoid", *args, **options)

    def step(self, row: Any, states: Any) -> Any:
        (h,) = states
        return (self.activation(row + h @ self.recurrent_kernel),)


class LongSteps(Steps):
    """Steps of `LSTM`, whose states are h and c."""

    gates, state_count = 4, 2

    def __init__(
        self, units: int, *args: Any, unit_forget_bias: bool = True, **options: Any
    ) -> None:
        super().__init__(units, *args, **options)
        self.unit_forget_bias = unit_forget_bias

    def first_bias(self, shape: Sequence[int], dtype: Any) -> Any:
        bias = np.array(self.bias_initializer(shape, dtype))
        if self.unit_forget_bias:
            bias[self.units : 2 * self.units] = 1
        return bias

    def step(self, row: Any, states: Any) -> Any:
        h, c = states
        return gated(self, row + h @ self.recurrent_kernel, c, self.units)


def gated(layer: Any, z: Any, c: Any, n: int) -> tuple[Any, Any]:
    """Return the states h and c of long short-term memory, by what goes into gates of `n`."""
    i, f, o = (layer.recurrent_activation(z[..., k * n : (k + 1) * n]) for k in (0, 1, 3))
    c = f * c + i * layer.activation(z[..., 2 * n : 3 * n])
    return o * layer.activation(c), c


class GatedSteps(Steps):
    """Steps of `GRU`."""

    gates = 3

    def __init__(self, units: int, *args: Any, reset_after: bool = True, **options: Any) -> None:
        super().__init__(units, *args, **options)
        self.reset_after = reset_after

    @property
    def bias_shape(self) -> tuple[int, ...]:
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def input_bias(self) -> Any:
        return self.bias[0] if self.reset_after else self.bias

    def step(self, row: Any, states: Any) -> Any:
        (h,), n = states, self.units
        if self.reset_after:
            inner = h @ self.recurrent_kernel
            if self.use_bias:
                inner = inner + self.bias[1]
            z = self.recurrent_activation(row[:, :n] + inner[:, :n])
            r = self.recurrent_activation(row[:, n : 2 * n] + inner[:, n : 2 * n])
            new = self.activation(row[:, 2 * n :] + r * inner[:, 2 * n :])
        else:
            inner = h @ self.recurrent_kernel[:, : 2 * n]
            z = self.recurrent_activation(row[:, :n] + inner[:, :n])
            r = self.recurrent_activation(row[:, n : 2 * n] + inner[:, n:])
            new = self.activation(row[:, 2 * n :] + (r * h) @ self.recurrent_kernel[:, 2 * n :])
        return (z * h + (1 - z) * new,)


class SimpleRNN(SimpleSteps, Recurrent):
    """`h = activation(x @ kernel + h @ recurrent_kernel + bias)` at each step (Elman, 1990).

    >>> SimpleRNN(4, return_sequences=True)(np.zeros((2, 5, 3))).shape
    (2, 5, 4)
    """


class LSTM(LongSteps, Recurrent):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997), with gates i, f, c, o in kernels.

    The bias of the gate f, which forgets, holds 1 first, with `unit_forget_bias` (Jozefowicz et
    al., 2015). Its states are h and c.

    >>> y, h, c = LSTM(4, return_sequences=True, return_state=True)(np.zeros((2, 5, 3)))
    >>> y.shape, h.shape, c.shape
    ((2, 5, 4), (2, 4), (2, 4))
    """


class GRU(GatedSteps, Recurrent):
    """Gated recurrent units (Cho et al., 2014), with gates z, r, h in kernels.

    With `reset_after` the gate r is applied after the product with the state, and there are two
    biases, `[2, 3 * units]`; else before it.

    >>> GRU(4)(np.zeros((2, 5, 3))).shape
    (2, 4)
    """


class SimpleRNNCell(SimpleSteps, Cell):
    """One step of `SimpleRNN`.

    >>> y, (h,) = SimpleRNNCell(4)(np.zeros((2, 3)), [np.zeros((2, 4))])
    >>> y.shape
    (2, 4)
    """


class LSTMCell(LongSteps, Cell):
    """One step of `LSTM`, of the states h and c.

    >>> y, (h, c) = LSTMCell(4)(np.zeros((2, 3)), [np.zeros((2, 4)), np.zeros((2, 4))])
    >>> y.shape, c.shape
    ((2, 4), (2, 4))
    """


class GRUCell(GatedSteps, Cell):
    """One step of `GRU`.

    >>> y, (h,) = GRUCell(4)(np.zeros((2, 3)), [np.zeros((2, 4))])
    >>> y.shape
    (2, 4)
    """
