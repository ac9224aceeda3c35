"""Models of inputs and outputs, as what they are made of: layers, and their calls in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.tf.keras.layer import InputLayer, Layer
from autograph.tf.keras.symbolic import Call, Input, KerasTensor, Place
from runtime import trees


def listed(given: Sequence[KerasTensor], program: Sequence[Call]) -> list[Layer]:
    """Return the layers of a model in order, each input before what first uses it."""
    inputs = {id(x): _input_layer(x) for x in given}
    found: dict[Layer, None] = {}
    for call in program:
        for x in trees.flatten(call.arguments)[0]:
            if id(x) in inputs:
                found.setdefault(inputs[id(x)])
        if isinstance(call.layer, Layer):
            found.setdefault(call.layer)
    return [*found, *(x for x in inputs.values() if x not in found)]


def _input_layer(x: KerasTensor) -> InputLayer:
    made = InputLayer(x.shape[1:], name=x.name)
    made.output_shape, made.__ends__ = [x.shape], ((x, x),)
    made.built = True
    return made


def config(model: Any) -> dict[str, Any]:
    """Return the inputs, layers and calls of a model, with places for symbolic tensors."""
    given = trees.flatten(model.inputs)[0]
    inputs = {id(x): k for k, x in enumerate(given)}
    calls = {id(x): k for k, x in enumerate(model._program)}
    parts = {id(x): k for k, x in enumerate(model._parts)}

    def place(x: Any) -> Any:
        if type(x) is not KerasTensor:
            return x
        return Place(-1, inputs[id(x)]) if x.call is None else Place(calls[id(x.call)], x.place)

    return {
        "name": model.name,
        "given": [(x.shape, x.dtype, x.name) for x in given],
        "layers": list(model._parts),
        "calls": [(parts[id(x.layer)], trees.map_tree(place, x.arguments)) for x in model._program],
        "inputs": trees.map_tree(place, model.inputs),
        "outputs": trees.map_tree(place, model.outputs),
    }


def ends(config: dict[str, Any]) -> tuple[Any, Any]:
    """Return the symbolic inputs and outputs of a model."""
    made: list[Any] = [
        Input(batch_shape=shape, dtype=dtype, name=name) for shape, dtype, name in config["given"]
    ]
    results: dict[int, Sequence[Any]] = {-1: made}

    def filled(data: Any) -> Any:
        leaves, structure = trees.flatten_to(data, lambda x: isinstance(x, Place))
        tensors = [results[x.call][x.place] if isinstance(x, Place) else x for x in leaves]
        return trees.unflatten(structure, tensors)

    for k, (place, arguments) in enumerate(config["calls"]):
        args, options = filled(arguments)
        results[k] = trees.flatten(config["layers"][place](*args, **options))[0]
    return filled(config["inputs"]), filled(config["outputs"])
