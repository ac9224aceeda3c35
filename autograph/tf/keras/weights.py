"""What variables hold, as lists of arrays and as files of NumPy's or HDF5, in which is no code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.tf.keras import hdf5
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
    """Raise ValueError when a file is one of HDF5, of which only weights are read."""
    if hdf5.is_hdf5(path):
        raise ValueError(
            f"{os.fspath(path)} is a file of HDF5, of which weights are read, and no models: make "
            "the model, and have it load_weights of a file that save_weights wrote"
        )


def save(layer: Any, path: Any, overwrite: bool = True) -> None:
    """Write the variables of a built model into a file."""
    variables, is_hdf5 = named(layer), hdf5.writes(path)
    file = os.fspath(path) if is_hdf5 else file_of(path)
    if not overwrite and os.path.exists(file):
        raise FileExistsError(f"{file} is there already; give overwrite=True")
    if is_hdf5:
        hdf5.save(layer, file)
    else:
        save_variables(file, variables)


def load(layer: Any, path: Any) -> None:
    """Assign what a file holds to the variables of a model."""
    variables = named(layer)
    if hdf5.is_hdf5(path):
        hdf5.load(layer, os.fspath(path))
    else:
        load_variables(file_of(path), variables)


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
