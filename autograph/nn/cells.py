"""Recurrent layers of any cell: an object that makes one step, and says the sizes of its states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn.layer import ANYTHING, Layer
from runtime import trees


class RNN(Layer):
    """Apply a cell to the steps of a sequence, one after the other.

    A cell is called with the inputs of a step and its states; it returns the output, an array or a
    structure of arrays, and a list of the states afterwards. Its `state_size` is a number, or a
    list of numbers or shapes, one for each state. Inputs are `[batch, steps, ...]`, or a structure
    of such arrays, of which the cell gets a structure of steps. By name there are `mask`,
    `bool[batch, steps]`, which is false where the states stay, and `initial_state`; else states are
    zeros, or the cell's `get_initial_state(batch_size=...)`.

    Args:
        cell: the cell, or a list of cells, each of which takes the output of the one before.
        return_sequences: whether the outputs of all steps are returned, `[batch, steps, ...]`.
        return_state: whether the states after the last step are returned, too.
        go_backwards: whether the last step comes first.
        options: of `Layer`.

    >>> from autograph import nn
    >>> RNN([nn.GRUCell(4), nn.LSTMCell(3)])(np.zeros((2, 5, 6))).shape
    (2, 3)
    """

    takes = ANYTHING

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.cell = StackedRNNCells(cell) if isinstance(cell, list | tuple) else cell
        if not hasattr(self.cell, "state_size"):
            raise ValueError(f"the cell of {self.name!r} has no state_size: {self.cell!r}")
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards = go_backwards

    def call(self, inputs: Any, mask: Any = None, initial_state: Any = None) -> Any:
        leaves, form = trees.flatten(inputs)
        if initial_state is None:
            initial_state = first_states(self.cell, leaves[0].shape[0], leaves[0].dtype)
        given, of_states = trees.flatten(initial_state)
        states = tuple(given)
        steps = [np.swapaxes(x, 0, 1) for x in leaves]
        marks = None if mask is None else np.swapaxes(np.asarray(mask), 0, 1)
        if self.go_backwards:
            steps = [x[::-1] for x in steps]
            marks = None if marks is None else marks[::-1]
        before, of_output = trees.flatten(self._step(steps, 0, form, states, of_states)[0])
        output, outputs = tuple([np.zeros_like(x) for x in before]), []
        for k in range(len(steps[0])):
            made, after = self._step(steps, k, form, states, of_states)
            found = tuple(trees.flatten(made)[0])
            if marks is not None:
                found = chosen(marks[k], found, output)
                after = chosen(marks[k], after, states)
            output, states = found, after
            if self.return_sequences:
                outputs.append(output)
        parts: Sequence[Any] = output
        if self.return_sequences:
            columns = range(len(before))
            parts = [np.swapaxes(np.array([row[k] for row in outputs]), 0, 1) for k in columns]
        result = trees.unflatten(of_output, parts)
        return (result, *trees.unflatten(of_states, states)) if self.return_state else result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return the mask of what is returned: of the outputs of all steps that of the steps."""
        return mask if self.return_sequences else None

    def _step(self, steps: Any, k: Any, form: Any, states: Any, of_states: Any) -> Any:
        """Return the output of a step, and the leaves of the states after it."""
        rows = trees.unflatten(form, [x[k] for x in steps])
        output, after = self.cell(rows, trees.unflatten(of_states, states))
        return output, tuple(trees.flatten(after)[0])


class StackedRNNCells(Layer):
    """Cells as one: each takes the output of the one before. Its states are a list of theirs.

    >>> from autograph import nn
    >>> cell = StackedRNNCells([nn.GRUCell(4), nn.GRUCell(3)])
    >>> y, states = cell(np.zeros((2, 6)), [[np.zeros((2, 4))], [np.zeros((2, 3))]])
    >>> y.shape, len(states)
    ((2, 3), 2)
    """

    takes = ANYTHING

    def __init__(self, cells: Sequence[Any], **options: Any) -> None:
        super().__init__(**options)
        self.cells = list(cells)

    @property
    def state_size(self) -> list[Any]:
        """The sizes of the states of each."""
        return [x.state_size for x in self.cells]

    def get_initial_state(self, batch_size: Any, dtype: Any = None) -> list[Any]:
        """Return the first states of each."""
        return [first_states(x, batch_size, dtype) for x in self.cells]

    def call(self, x: Any, states: Any) -> Any:
        after = []
        for cell, before in zip(self.cells, states, strict=True):
            x, found = cell(x, before)
            after.append(list(found) if isinstance(found, list | tuple) else [found])
        return x, after


def first_states(cell: Any, batch_size: Any, dtype: Any) -> list[Any]:
    """Return the states that a cell begins with, as a list."""
    if hasattr(cell, "get_initial_state"):
        given = cell.get_initial_state(batch_size=batch_size, dtype=dtype)
        return list(given) if isinstance(given, list | tuple) else [given]
    sizes = cell.state_size
    sizes = list(sizes) if isinstance(sizes, list | tuple) else [sizes]
    shapes = [tuple(n) if isinstance(n, list | tuple) else (n,) for n in sizes]
    return [np.zeros((batch_size, *shape), dtype) for shape in shapes]


def chosen(mark: Any, found: Sequence[Any], other: Sequence[Any]) -> tuple[Any, ...]:
    """Return arrays with the samples of the first ones that are marked, else of the others."""
    marks = [np.reshape(mark, (-1, *(1,) * (len(x.shape) - 1))) for x in found]
    return tuple([np.where(m, x, y) for m, x, y in zip(marks, found, other, strict=True)])
