"""What models are made of, as data of JSON, and back.

    value  = null | boolean | number | text | list | {text: value}
           | {"$": "tuple", "items": list}           | {"$": "items", "items": [[value, value]*]}
           | {"$": "dtype", "name": text}            | {"$": "array", "dtype": text, "items": list}
           | {"$": "slice", "items": list}           | {"$": "ellipsis"}
           | {"$": "tensor", "call": number, "place": number}
           | {"$": "object", "class": text, "config": {text: value}, "name": text?}
           | {"$": "function", "name": text}

Classes and functions of this library have the names of the modules of `tf.keras`, such as
`layers.Dense`; others have their own, and whoever reads says what they are. Nothing is imported,
and no code is read: what a name stands for is looked up in tables.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from autograph import tf
from autograph.nn.layer import Layer
from autograph.nn.optimizers import schedules
from autograph.tf.keras import (
    activations,
    constraints,
    initializers,
    layers,
    losses,
    metrics,
    optimizers,
    regularizers,
)
from autograph.tf.keras.symbolic import Item, Place
from runtime.dtypes import as_dtype, dtype_name

MODULES = (activations, constraints, initializers, layers, losses, metrics, optimizers)
CLASSES: dict[str, Any] = {"Item": Item}
"""Further ones; the module that makes them puts them here."""
_CUSTOM: dict[str, Any] = {}
_SCOPE: ContextVar[Mapping[str, Any] | None] = ContextVar("custom objects", default=None)


def known() -> dict[str, Any]:
    """Return what has a name here."""
    found = {
        f"{module.__name__.rpartition('.')[2]}.{name}": getattr(module, name)
        for module in (*MODULES, regularizers)
        for name in module.__all__
    }
    found.update({f"schedules.{name}": getattr(schedules, name) for name in dir(schedules)})
    found.update(CLASSES)
    found.update({f"tf.{name}": getattr(tf, name) for name in tf.NAMES})
    for module in (tf.image, tf.linalg, tf.math, tf.nn, tf.strings):
        face = module.__name__.removeprefix("autograph.")
        found.update({f"{face}.{name}": getattr(module, name) for name in module.__all__})
    found.update({f"operator.{name}": getattr(operator, name) for name in OPERATORS})
    return found


OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "neg")
"""Functions of Python's `operator` that functional models hold."""


def register_keras_serializable(
    package: str = "Custom", name: str | None = None
) -> Callable[[Any], Any]:
    """Return a decorator that makes a class or function known to those who read models.

    Args:
        package: has no effect: names are those of classes.
        name: by default its own.
    """

    def known_from_now(found: Any) -> Any:
        _CUSTOM[found.__name__ if name is None else name] = found
        return found

    return known_from_now


@contextmanager
def custom_object_scope(custom_objects: Mapping[str, Any] | None) -> Iterator[None]:
    """Let classes and functions be known by their names in a `with` block."""
    token = _SCOPE.set({**(_SCOPE.get() or {}), **(custom_objects or {})})
    try:
        yield
    finally:
        _SCOPE.reset(token)


class Writer:
    """Makes data of values; `met` has the classes and functions that are not of this library."""

    def __init__(self) -> None:
        self.met: dict[str, Any] = {}
        self._names: dict[int, str] = {}
        for name, x in known().items():  # other names of a class come after its own
            self._names.setdefault(id(x), name)

    def write(self, value: Any) -> Any:
        """Return a value as data; TypeError when it cannot be."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.dtype) or (isinstance(value, type) and _is_dtype(value)):
            return {"$": "dtype", "name": dtype_name(as_dtype(value))}
        if isinstance(value, np.generic):
            return self.write(value.item())
        if isinstance(value, np.ndarray) or hasattr(value, "numpy"):
            array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
            return {"$": "array", "dtype": dtype_name(array.dtype), "items": array.tolist()}
        if isinstance(value, Place):
            return {"$": "tensor", "call": value.call, "place": value.place}
        if isinstance(value, list | tuple):
            items = [self.write(x) for x in value]
            return items if type(value) is list else {"$": "tuple", "items": items}
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, slice):
            return {
                "$": "slice",
                "items": [self.write(x) for x in (value.start, value.stop, value.step)],
            }
        if value is ...:
            return {"$": "ellipsis"}
        return self._named(value)

    def _mapping(self, value: dict[Any, Any]) -> Any:
        if all(type(key) is str for key in value) and "$" not in value:
            return {key: self.write(x) for key, x in value.items()}
        items = [[self.write(key), self.write(x)] for key, x in value.items()]
        return {"$": "items", "items": items}

    def _named(self, value: Any) -> Any:
        if hasattr(value, "get_config"):
            kind = type(value)
            config = self.write(value.get_config())
            found = {"$": "object", "class": self._name(kind, kind.__name__), "config": config}
            return found | ({"name": value.name} if isinstance(value, Layer) else {})
        if callable(value) and hasattr(value, "__name__"):
            if value.__name__ == "<lambda>":
                raise TypeError(
                    f"{value!r} cannot be saved: it has no name by which it would be found again; "
                    "write a function with def, and give it to load_model in custom_objects"
                )
            return {"$": "function", "name": self._name(value, value.__name__)}
        raise TypeError(
            f"{value!r} cannot be saved: write a method get_config, which returns the arguments "
            "that it is made with"
        )

    def _name(self, found: Any, own: str) -> str:
        if id(found) in self._names:
            return self._names[id(found)]
        name = next((name for name, x in _CUSTOM.items() if x is found), own)
        self.met[name] = found
        return name


def _is_dtype(value: type) -> bool:
    return issubclass(value, np.generic) or hasattr(value, "as_numpy_dtype")


class Reader:
    """Makes values of data."""

    def __init__(self) -> None:
        self._known = known()

    def read(self, data: Any) -> Any:
        """Return the value of data; ValueError when it is none, or a name is not known."""
        if isinstance(data, list):
            return [self.read(x) for x in data]
        if not isinstance(data, dict):
            return data
        kind = data.get("$")
        if kind is None:
            return {key: self.read(x) for key, x in data.items()}
        make = getattr(self, f"_{kind}", None) if kind in KINDS else None
        if make is None:
            raise ValueError(f"the file has something of the kind {kind!r}, which is not known")
        return make(data)

    def _tensor(self, data: Any) -> Any:
        return Place(data["call"], data["place"])

    def _tuple(self, data: Any) -> Any:
        return tuple(self.read(data["items"]))

    def _items(self, data: Any) -> Any:
        return dict(self.read(data["items"]))

    def _dtype(self, data: Any) -> Any:
        return as_dtype(data["name"])

    def _array(self, data: Any) -> Any:
        return np.array(data["items"], as_dtype(data["dtype"]))

    def _slice(self, data: Any) -> Any:
        return slice(*self.read(data["items"]))

    def _ellipsis(self, data: Any) -> Any:
        return ...

    def _function(self, data: Any) -> Any:
        return self.find(data["name"])

    def _object(self, data: Any) -> Any:
        kind, config = self.find(data["class"]), self.read(data["config"])
        made = kind.from_config(config) if hasattr(kind, "from_config") else kind(**config)
        if "name" in data:
            made.name = data["name"]
        return made

    def find(self, name: str) -> Any:
        """Return what a name stands for."""
        for space in (_SCOPE.get() or {}, _CUSTOM, self._known):
            if name in space:
                return space[name]
        raise ValueError(
            f"the file has {name!r}, which is not known here; give custom_objects={{{name!r}: "
            "...}, the class or function itself"
        )


KINDS = ("tensor", "tuple", "items", "dtype", "array", "slice", "ellipsis", "function", "object")
