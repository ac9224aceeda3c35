"""Weights in files of HDF5, as Keras 3 writes them: `h5py` is needed where such a file is used.

    file = ["layers" "/"] group ...
    group = "vars" "/" number ... , and a group for each part: its attribute, or its class, counted

A layer is found by its place, not by its name, which may be another one in each process. What a
layer of Keras' keeps in parts of its own (`cell`, `query_dense`) lies in groups of these names.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograph.nn.layer import Layer
from autograph.nn.names import in_snake_case
from runtime.errors import ShapeError
from runtime.state.variable import Variable

PARTS = {"query": "query_dense", "key": "key_dense", "value": "value_dense"}
PARTS["attention_output"] = "output_dense"
"""Groups that have another name than the attribute here."""
IN_CELL = ("GRU", "LSTM", "SimpleRNN")
"""Layers whose variables Keras keeps in a cell."""


def writes(path: Any) -> bool:
    """Tell whether a name is that of such a file, and whether there is a library to write it."""
    return str(path).endswith((".h5", ".hdf5")) and importlib.util.find_spec("h5py") is not None


def is_hdf5(path: Any) -> bool:
    """Tell whether a file is one of HDF5."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x89HDF"


def save(model: Any, path: Any) -> None:
    """Write the variables of a built model."""
    with _library().File(path, "w") as file:
        for group, variables in _groups(model):
            place = file.require_group(f"{group}/vars".lstrip("/"))
            for number, variable in enumerate(variables):
                place.create_dataset(str(number), data=variable.numpy())


def load(model: Any, path: Any) -> None:
    """Assign what a file holds: to all variables of a built model, or to none.

    Raises:
        ValueError: there are more or fewer variables in a layer than in the file.
        ShapeError: one has another shape there.
    """
    found: list[tuple[Variable, Any]] = []
    with _library().File(path, "r") as file:
        if "layer_names" in file.attrs:
            raise ValueError(
                f"{path} was written by Keras before 3.0; load it there, and write it again by "
                "save_weights('name.weights.h5')"
            )
        for group, variables in _groups(model):
            place = file.get(f"{group}/vars".lstrip("/"), {})
            if len(place) != len(variables):
                raise ValueError(
                    f"{path} has {len(place)} variables of {group or 'the model'!r}, and the model "
                    f"has {len(variables)} there"
                )
            found += ((x, _array(place[str(k)], x)) for k, x in enumerate(variables))
    for variable, array in found:
        variable.assign(array)


def _array(data: Any, variable: Variable) -> Any:
    """Return an array of a file that fits a variable."""
    if tuple(data.shape) != tuple(variable.shape):
        raise ShapeError(
            f"{variable.name!r} has the shape {tuple(variable.shape)}, and {tuple(data.shape)} in "
            "the file"
        )
    return np.asarray(data[()], variable.dtype)


def _groups(model: Any) -> Iterator[tuple[str, Sequence[Variable]]]:
    """Yield the groups of a model that hold variables, each with these."""
    seen: set[int] = set()
    yield from _of_layer(model, "", seen)
    missing = [x.name for x in model.weights if id(x) not in seen]
    if missing:
        raise ValueError(f"{missing[0]!r} is in no layer that files of HDF5 know; write an .npz")


def _of_layer(layer: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Sequence[Variable]]]:
    if id(layer) in seen:
        return
    seen.add(id(layer))
    held = {id(x) for x in vars(layer).values() if isinstance(x, Variable)} - seen
    own = [x for x in layer.variables if id(x) in held]
    seen.update(map(id, own))
    if own:
        yield f"{path}/cell" if type(layer).__name__ in IN_CELL else path, own
    yield from _of_list(vars(layer).get("_parts", ()), f"{path}/layers", seen)
    for name, value in vars(layer).items():
        if isinstance(value, Layer):
            yield from _of_layer(value, f"{path}/{PARTS.get(name, name)}", seen)
        elif isinstance(value, list | tuple | dict) and not name.startswith("_"):
            yield from _of_list(value, f"{path}/{name}", seen)


def _of_list(parts: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Sequence[Variable]]]:
    counts: Counter[str] = Counter()
    for part in parts.values() if isinstance(parts, dict) else parts:
        if isinstance(part, Layer):
            name = in_snake_case(type(part).__name__)
            counts[name] += 1
            suffix = f"_{counts[name] - 1}" if counts[name] > 1 else ""
            yield from _of_layer(part, f"{path}/{name}{suffix}", seen)


def _library() -> Any:
    """Return `h5py`."""
    try:
        return importlib.import_module("h5py")
    except ImportError:
        raise ImportError(
            "files of HDF5 need h5py, which is not installed: pip install 'autograph-runtime[hdf5]'"
        ) from None
