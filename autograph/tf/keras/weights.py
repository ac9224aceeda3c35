"""What variables hold, as lists of arrays and as files of NumPy's: loading one runs no code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.errors import ShapeError
from runtime.state.checkpoint import load_variables, save_variables


def get_weights(layer: Any) -> list[Any]:
    """Return what the variables of a layer or model hold, as arrays."""
    return [x.numpy() for x in layer.weights]


def set_weights(layer: Any, weights: Sequence[Any]) -> None:
    """Assign arrays to the variables of a layer or model: to all of them, or to none.

    Raises:
        ValueError: there are more or fewer.
        ShapeError: an array has another shape than its variable.
    """
    variables = layer.weights
    if len(weights) != len(variables):
        raise ValueError(
            f"set_weights of {layer.name!r} takes {len(variables)} arrays, as get_weights gives "
            f"them, and was given {len(weights)}"
        )
    arrays = [np.asarray(x, v.dtype) for x, v in zip(weights, variables, strict=True)]
    for array, variable in zip(arrays, variables, strict=True):
        if array.shape != tuple(variable.shape):
            raise ShapeError(
                f"set_weights of {layer.name!r}: {variable.name!r} has the shape "
                f"{tuple(variable.shape)}, and was given {array.shape}"
            )
    for array, variable in zip(arrays, variables, strict=True):
        variable.assign(array)


def file_of(path: Any) -> str:
    """Return the name of the file that weights are written to: one of NumPy's."""
    name = os.fspath(path)
    return name if name.endswith(".npz") else f"{name}.npz"


def refuse_hdf5(path: Any) -> None:
    """Raise ValueError when a file is one of HDF5, as Keras writes for names with `.h5`."""
    if not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        if file.read(4) == b"\x89HDF":
            raise ValueError(
                f"{os.fspath(path)} is a file of HDF5, which is not read here; carry the weights "
                "over as arrays: np.savez('weights.npz', *model.get_weights()) in Keras, and "
                "model.set_weights(list(np.load('weights.npz').values())) here"
            )


def save(layer: Any, path: Any, overwrite: bool = True) -> None:
    """Write the variables of a built model into a file, by their numbers and names."""
    if not overwrite and os.path.exists(file_of(path)):
        raise FileExistsError(f"{file_of(path)} is there already; give overwrite=True")
    save_variables(file_of(path), named(layer))


def load(layer: Any, path: Any) -> None:
    """Assign what a file holds to the variables of a model."""
    refuse_hdf5(path)
    load_variables(file_of(path), named(layer))


def named(layer: Any) -> dict[str, Any]:
    """Return the variables of a model by their numbers and names; ValueError if it has none yet."""
    found = layer.weights
    if not found and not layer.built:
        raise ValueError(
            f"the model {layer.name!r} has no variables yet: they are made when it is first called "
            "or built; call it on a batch, or model.build((None, features)), before its weights "
            "are saved or loaded"
        )
    return {f"{k}_{x.name.rpartition('/')[2]}": x for k, x in enumerate(found)}
