"""`plot_model`: the layers of a model, drawn by Graphviz, where its program `dot` is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from autograph.tf.keras.symbolic import KerasTensor
from runtime import trees


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = False,
    rankdir: str = "TB",
    **others: Any,
) -> str:
    """Return what a model looks like as a text in Graphviz' language DOT.

    Args:
        model: of inputs and outputs, or a `Sequential`; of others the layers stand alone.
        show_shapes, show_dtype, show_layer_names: what a layer is told of beside its class.
        rankdir: `"TB"` for downwards, `"LR"` for rightwards.
        others: Keras' further options, which change nothing here.

    >>> from autograph import tf
    >>> x = tf.keras.Input((3,), name="x")
    >>> print(model_to_dot(tf.keras.Model(x, tf.keras.layers.ReLU(name="y")(x)), show_shapes=True))
    digraph {
      rankdir=TB; node [shape=box]
      "x" [label="InputLayer\\n(None, 3)"]
      "y" [label="ReLU\\n(None, 3)"]
      "x" -> "y"
    }
    """
    lines = [f"  rankdir={rankdir}; node [shape=box]"]
    for layer in model.layers:
        said = [f"{layer.name} ({type(layer).__name__})" if show_layer_names else _kind(layer)]
        shapes = trees.flatten_to(layer.output_shape, _is_shape)[0]
        said += [str(x) for x in shapes if show_shapes and x is not None]
        said += [str(layer.dtype)] if show_dtype else []
        lines.append(f"  {_quoted(layer.name)} [label={_quoted(chr(10).join(said))}]")
    edges = dict.fromkeys(_edges(model))
    lines += [f"  {_quoted(x)} -> {_quoted(y)}" for x, y in edges]
    return "\n".join(["digraph {", *lines, "}"])


def _kind(layer: Any) -> str:
    return type(layer).__name__


def _is_shape(x: Any) -> bool:
    return isinstance(x, tuple) and all(n is None or isinstance(n, int) for n in x)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _edges(model: Any) -> Iterator[tuple[str, str]]:
    """Yield the names of two layers of which one is given what the other gives."""
    if model.inputs is None:
        if hasattr(model, "add"):
            names = [x.name for x in model.layers]
            yield from pairwise(names)
        return
    known = {x.name for x in model.layers}
    sources: dict[int, list[str]] = {id(x): [x.name] for x in trees.flatten(model.inputs)[0]}
    for call in model._program:
        given = [x for x in trees.flatten(call.arguments)[0] if type(x) is KerasTensor]
        found = [y for x in given for y in sources[id(x if x.call is None else x.call)]]
        name = getattr(call.layer, "name", None)
        if name in known:
            yield from ((x, str(name)) for x in found)
        sources[id(call)] = [str(name)] if name in known else found  # operators are no layers


def plot_model(model: Any, to_file: Any = "model.png", **options: Any) -> None:
    """Draw the layers of a model into a file.

    Args:
        model: of inputs and outputs, or a `Sequential`.
        to_file: the file; its end says what it is to be: `.png`, `.svg`, `.pdf`, or `.dot` for the
            text itself, which needs no other program.
        options: those of `model_to_dot`; `dpi` has no effect.

    Raises:
        ImportError: Graphviz' program `dot` is not installed.
    """
    path, text = os.fspath(to_file), model_to_dot(model, **options)
    kind = os.path.splitext(path)[1].removeprefix(".")
    if kind == "dot":
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    program = shutil.which("dot")
    if program is None:
        raise ImportError(
            "plot_model draws by Graphviz, whose program dot is not installed; give to_file a name "
            "that ends with .dot for the text that it would draw, or use model.summary()"
        )
    command = [program, f"-T{kind or 'png'}", "-o", path]
    subprocess.run(command, input=text, text=True, check=True)
