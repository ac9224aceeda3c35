"""How tensors and variables print, while a graph is traced and otherwise: as TensorFlow's do."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.node_names import Names, named, node_type, parameter_name
from autograph.tf.shapes import shape_text
from runtime import default_graph
from runtime.dtypes import dtype_name
from runtime.state.variable import Variable
from runtime.tensor import Symbol, Tensor


def tensor_str(tensor: Tensor) -> str:
    """Return what `print` writes of a tensor."""
    return f"tf.Tensor({_value(tensor, str)}, {_kind(tensor)})"


def tensor_repr(tensor: Tensor) -> str:
    """Return what a shell writes of a tensor."""
    return f"<tf.Tensor: {_kind(tensor)}, numpy={_value(tensor, repr)}>"


def symbol_str(symbol: Symbol) -> str:
    """Return what `print` writes of a tensor of the graph that is traced."""
    spec = symbol.spec
    shape = "" if spec.shape is None else f", shape={shape_text(spec.shape)}"
    return f'Tensor("{node_name(symbol)}:0"{shape}, dtype={dtype_name(spec.dtype)})'


def symbol_repr(symbol: Symbol) -> str:
    """Return what a shell writes of a tensor of the graph that is traced."""
    spec = symbol.spec
    kind = f"shape={shape_text(spec.shape)} dtype={dtype_name(spec.dtype)}"
    return f"<tf.Tensor '{node_name(symbol)}:0' {kind}>"


def variable_repr(variable: Variable) -> str:
    """Return what is written of a variable; its value only outside of graphs."""
    spec = variable.spec
    kind = f"shape={shape_text(spec.shape)} dtype={dtype_name(spec.dtype)}"
    value = ""
    if default_graph.current() is None and variable.has_value:
        value = f", numpy={_value(Tensor(variable.numpy()), repr)}"
    return f"<tf.Variable '{variable.name}:0' {kind}{value}>"


def node_name(symbol: Symbol) -> str:
    """Return the name that the node of a tensor gets in the graph."""
    value = symbol.held()[0]
    if value is None or value.name is not None:
        return parameter_name(None if value is None else value.name)
    used = Names()
    names = named(symbol.builder.nodes, lambda node: used.unique(node_type(node)[1]))
    found = (name for node, name in names if value in node.results)
    return next(found, parameter_name(None))


def _kind(tensor: Tensor) -> str:
    spec = tensor.spec
    return f"shape={shape_text(spec.shape)}, dtype={dtype_name(spec.dtype)}"


def _value(tensor: Tensor, write: Any) -> str:
    """Return the text of the elements, which begin on a line of their own where they take more."""
    value = tensor.numpy()
    text: str = str(value) if isinstance(value, np.generic) else write(value)
    return "\n" + text if "\n" in text else text
