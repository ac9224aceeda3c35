"""What a staged value is to Python: its type, and what follows from it, known while tracing.

A staged value answers as the value that plain Python would have there: an `np.ndarray`, a NumPy
scalar, or a Python number for a weak one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, get_args

import numpy as np

from autograph.operators.builtins.overloads import MISSING, StandIn, given, of_symbol
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.heap.heap_objects import is_on_heap, plain_class
from autograph.operators.objects import attributes
from autograph.operators.objects.attributes import get_attribute, has_attribute
from autograph.staging.context import trace_now
from runtime.dtypes import is_string, python_type
from runtime.errors import StagedValueError
from runtime.operator_mode import operate_now
from runtime.tensor import Symbol, TensorLike
from runtime.text_methods import text_value
from runtime.texts import StagedText
from runtime.union import Choice, values_of


def plain_type(value: Any) -> type:
    """Return the type that a value has in plain Python; StagedValueError when that is unknown."""
    if type(value) is StagedText:
        return str
    if type(value) is not Symbol:
        kind = type(value)
        if kind is StagedTuple:
            return tuple
        return value.kind() if issubclass(kind, StandIn) else plain_class(kind)
    if value.known is not None:
        return type(value.known)
    spec = value.spec
    if spec.weak:
        return python_type(spec.dtype)
    if spec.rank is None:
        raise StagedValueError(
            f"the type of a staged value ({spec}) was asked for: whether it is an array or a "
            "number is known only when the graph runs; give the argument a signature with a rank"
        )
    return np.ndarray if spec.rank or value.is_cell else spec.dtype.type


def type_name(value: Any) -> str:
    """Return the name of the type of a value, as Python's own messages write it."""
    kind = plain_type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def not_iterable(value: Symbol) -> TypeError:
    """Return the error that Python raises for iterating over a single value."""
    if plain_type(value) is np.ndarray:
        return TypeError("iteration over a 0-d array")
    return TypeError(f"{type_name(value)!r} object is not iterable")


def _type(value: Any) -> Any:
    return _of_each(value, plain_type)


def _is_instance(value: Any, classes: Any) -> Any:
    if _is_base(classes, type(value)):
        return True
    return _of_each(value, lambda x: issubclass(plain_type(x), classes))


def _is_base(classes: Any, kind: type) -> bool:
    """Tell whether a class is one of some by its bases; methods that it has do not count."""
    several = classes if isinstance(classes, tuple) else get_args(classes)
    return any(_is_base(x, kind) for x in several) or any(classes is x for x in kind.__mro__[:-1])


def _of_each(value: Any, ask: Callable[[Any], Any]) -> Any:
    """Return what follows from the class of a value; staged where it is of one of several."""
    union = value.union if type(value) is Symbol else None
    if union is None:
        return ask(value)
    found = list(map(ask, values_of(union)))
    same = all(x == found[0] for x in found)
    return found[0] if same else Choice.each(union, ask)


def _has(value: Any, name: str) -> Any:
    return _of_each(value, lambda x: hasattr(plain_type(x), name))


def _get(value: Any, name: str, default: Any = MISSING) -> Any:
    has_it = _has(value, name)
    if type(has_it) is not bool:  # of one of several classes, of which some have it
        return Choice.each(value.union, lambda x: getattr_(x, name, *given(default)))
    kind = plain_type(value)
    if not hasattr(kind, name):
        if default is not MISSING:
            return default
        raise AttributeError(f"{type_name(value)!r} object has no attribute {name!r}")
    if type(value) is Symbol and not hasattr(TensorLike, name):
        raise AttributeError(
            f"the attribute {name!r} of a staged value ({value.spec}) is not supported; compute "
            "what is needed from it by functions of NumPy"
        )
    return getattr(value, name, *given(default))


def attribute(value: Any, name: str) -> Any:
    """Return `value.name`; numbers may lack attributes that symbols have."""
    if type(value) is not Symbol:
        return attributes.attribute(value, name)
    if value.union is not None:
        return Choice.each(value.union, lambda option: attribute(option, name))
    spec = value.spec
    if spec.shape == () and not value.is_cell and not is_string(spec.dtype):
        is_of_arrays = spec.weak or (operate_now() is None and hasattr(np.ndarray, name))
        if is_of_arrays and not hasattr(plain_type(value), name):
            raise AttributeError(f"{type_name(value)!r} object has no attribute {name!r}")
    return plain_type(value) if name == "__class__" else getattr(value, name)


def _hash(value: Any) -> int:
    kind = plain_type(value)
    if kind is str:
        return hash(value)
    if kind is np.ndarray:
        raise TypeError("unhashable type: 'numpy.ndarray'")
    raise StagedValueError(
        f"hash() of a staged value ({value.spec}), which is known only when the graph runs; as a "
        "key use a number that is known, or index an array"
    )


def _id(value: Any) -> int:
    spec = text_value(value).spec
    raise StagedValueError(
        f"id() of a staged value ({spec}): it has no object of its own until the graph runs. "
        "To compare two names write `x is y`; to compare values write x == y"
    )


def noting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of an object and a name that notes which names the program asks for."""

    @functools.wraps(function)
    def noted(*args: Any) -> Any:
        trace = trace_now()
        if trace is not None:
            trace.asked.update(name for name in args[1:2] if isinstance(name, str))
        return function(*args)

    return noted


_type_of = of_symbol(plain_type, _type)


def type_(value: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
    """`type(value)`, and `type(name, bases, namespace)`."""
    if rest or options or value is MISSING:
        return type(*given(value, *rest), **options)
    return _type_of(value)


@functools.wraps(id)
def _id_of(value: Any) -> int:
    if type(value) is Choice:
        raise StagedValueError(
            "id() of what a staged branch chose: it is none of Python's objects until the graph "
            "runs. Write `x is y`"
        )
    if is_on_heap(value):
        raise StagedValueError(
            f"id() of an object of class {plain_class(type(value)).__name__}, which a staged "
            "branch or loop makes: it is none of Python's until the graph runs. Write `x is y`"
        )
    trace = trace_now()
    if trace is not None and value is not None and trace.given.get(id(value)) is value:
        raise StagedValueError(
            f"id() of a {type(value).__name__} that is given: while tracing, a copy stands for it. "
            "Write `x is y`"
        )
    return id(value)


_is_instance_of = of_symbol(isinstance, _is_instance)


@functools.wraps(isinstance)
def isinstance_(value: Any = MISSING, *classes: Any) -> Any:
    """`isinstance(value, classes)`."""
    return _is_instance_of((() if type(value) is StagedTuple else value), *classes)


hasattr_ = of_symbol(noting(has_attribute), _has)
getattr_ = of_symbol(noting(get_attribute), _get)
hash_ = of_symbol(hash, _hash)
id_ = of_symbol(_id_of, _id)
