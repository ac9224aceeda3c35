"""`tf.print`: tensors as TensorFlow writes them, when the graph runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.tf.tensors import convert_to_tensor
from runtime import default_graph, trees
from runtime.dispatch import apply
from runtime.errors import DtypeError
from runtime.ops.effects import fill_text, literal
from runtime.ops.effects import print_ as print_op
from runtime.ops.tensor_text import ALL
from runtime.state.variable import Variable
from runtime.tensor import Symbol, Tensor, value_now
from runtime.texts import StagedText

_TENSORS = (Tensor, Symbol, Variable, np.ndarray, np.generic)


def print_(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int | None = 3,
    sep: str = " ",
    end: str = "\n",
    name: Any = None,
) -> None:
    """Print values when the graph runs, to the standard error stream unless another is given.

    Args:
        inputs: tensors, texts, other values of Python, and structures of them.
        output_stream: `sys.stdout` or `sys.stderr`.
        summarize: how many items of each end of an axis are printed; -1 for all.
        sep: stands between two inputs.
        end: stands after the last.
        name: is TensorFlow's, and not used.
    """
    place = f"{{!t:{ALL if summarize is None else summarize}}}"
    values: list[Any] = []
    parts = [_form(value, place, values) for value in inputs]
    form = literal(sep).join(parts) + literal(end)
    stream = _stream(output_stream)
    if default_graph.current() is None:
        getattr(sys, stream).write(fill_text(form, tuple(values)))
    else:
        apply(print_op, values, format=form, stream=stream)


def _form(value: Any, place: str, values: list[Any]) -> str:
    """Return an input as a text with places; what goes into these is added to the values."""
    if isinstance(value, str):
        return literal(value)
    if type(value) is StagedText:
        values += value.values
        return value.form
    leaves, structure = trees.flatten_to(value, lambda x: isinstance(x, _TENSORS))
    shown = [_Place(x, place) for x in leaves]
    for leaf in shown:
        values += leaf.values
    return _written(trees.unflatten(structure, shown))


class _Place:
    """A leaf of an input: a place for a tensor, or the text of another value.

    Args:
        leaf: it.
        place: the form of a place for a tensor.
    """

    def __init__(self, leaf: Any, place: str) -> None:
        is_tensor = isinstance(leaf, _TENSORS)
        self.values = [_array(leaf)] if is_tensor else []
        self._text = f"\0{place}\0" if is_tensor else repr(leaf)

    def __repr__(self) -> str:
        return self._text


def _written(shown: Any) -> str:
    """Return the text of a structure, in which places stand between zeros, as a form."""
    pieces: Sequence[str] = repr(shown).split("\0")
    return "".join(x if k % 2 else literal(x) for k, x in enumerate(pieces))


def _array(leaf: Any) -> Any:
    found = value_now(leaf) if default_graph.current() is None else convert_to_tensor(leaf)
    return found.array if isinstance(found, Tensor) else found


def _stream(file: Any) -> str:
    for name in ("stderr", "stdout"):
        if file in (getattr(sys, name), name, f"tf.{name}"):
            return name
    if file is None:
        return "stderr"
    raise DtypeError(f"tf.print writes to sys.stdout or sys.stderr, and not to {file!r}")
