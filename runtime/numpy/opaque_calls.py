"""What is done with a value that no spec describes: calls of operators and members in the graph."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial, partialmethod
from typing import Any, NoReturn

import numpy as np

from runtime.errors import StagedBoolError, StagedValueError
from runtime.numpy.call_text import Member
from runtime.numpy.staged_call import stage_call
from runtime.opaque import Opaque, samples_of
from runtime.ops.numpy_calls import set_member

BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lshift", "rshift",
)  # fmt: skip
"""Python's operators of two operands, which may be reflected, and may write the first one."""

OTHERS = ("eq", "ne", "lt", "le", "gt", "ge", "getitem", "setitem", "delitem")
UNARY = ("neg", "pos", "invert", "abs")


def _of_operator(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
    return lambda *operands: stage_call(function, operands, {})


def _reflected(name: str) -> Callable[[Any, Any], Any]:
    function = _of_operator(name)
    return lambda self, other: function(other, self)


def _member(self: Opaque, name: str) -> Any:
    """Return an attribute, or a method that is called when the graph runs."""
    samples = samples_of(self).values
    found = (_asked(x, name) for x in samples)
    known = [x for x in found if not isinstance(x, AttributeError)]
    if name.startswith("_") or not known:
        raise AttributeError(f"{type(samples[0]).__name__!r} object has no attribute {name!r}")
    if isinstance(known[0], type) and all(x is known[0] for x in known):  # no method
        return known[0]
    if not callable(known[0]):
        return stage_call(Member(name, False), (self,), {})
    return partial(_call, self, Member(name, True))


def _asked(value: Any, name: str) -> Any:
    """Return an attribute of a sample, or what asking for it raises."""
    try:
        return getattr(value, name)
    except Exception as error:
        return error


def _call(self: Opaque, member: Member, /, *args: Any, **kwargs: Any) -> Any:
    return stage_call(member, (self, *args), kwargs)


FLAGS = type(np.empty(0).flags)


def _set_member(self: Opaque, name: str, value: Any) -> None:
    if any(isinstance(x, FLAGS) for x in samples_of(self).values):
        raise StagedValueError(
            f"the flag {name!r} of an array is set, by which later writes may raise, and a graph "
            "writes arguments when it has run; set it outside of the staged function"
        )
    stage_call(set_member, (self, name, value), {})


def _function(self: Opaque, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    return stage_call(function, args, kwargs)


def _ufunc(self: Opaque, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    return stage_call(ufunc if method == "__call__" else getattr(ufunc, method), inputs, options)


def truth_of_opaque(value: Opaque) -> Any:
    """Return the truth of an object, staged."""
    return stage_call(bool, (value,), {})


def _refuse(self: Opaque, *others: Any) -> NoReturn:
    raise StagedValueError(
        f"a value was needed while tracing, and this is {self!r}, known only when the graph runs. "
        "Compute with it in the staged function; np.asarray(x) of it is an array"
    )


def _items(self: Opaque) -> Iterator[Any]:
    """Return the items of a tuple, of which its class says how many there are."""
    samples = samples_of(self).values
    sizes = {len(x) if isinstance(x, tuple) else -1 for x in samples}
    if len(sizes) > 1 or -1 in sizes:
        _refuse(self)
    return iter([stage_call(operator.getitem, (self, k), {}) for k in range(*sizes)])


def _refuse_truth(self: Opaque) -> NoReturn:
    raise StagedBoolError(
        f"the truth of {self!r} was asked for in code that was not converted; write it as a "
        "statement of the staged function"
    )


def install() -> None:
    """Give opaque values their operators and members."""
    for name in BINARY:
        setattr(Opaque, f"__{name}__", _of_operator(name))
        setattr(Opaque, f"__r{name}__", _reflected(name))
        setattr(Opaque, f"__i{name}__", _of_operator(f"i{name}"))
    for name in (*OTHERS, *UNARY):
        setattr(Opaque, f"__{name}__", _of_operator(name))
    for name in ("len", "int", "float", "index", "array", "contains", "format"):
        setattr(Opaque, f"__{name}__", _refuse)
    members = {
        "__getattr__": _member,
        "__setattr__": _set_member,
        "__iter__": _items,
        "__bool__": _refuse_truth,
        "__call__": partialmethod(_call, Member("__call__", True)),
        "__enter__": lambda self: _call(self, Member("__enter__", True)),
        "__exit__": lambda self, *error: _call(self, Member("__exit__", True), None, None, None),
        "__array_function__": _function,
        "__array_ufunc__": _ufunc,
        "__divmod__": lambda self, other: stage_call(divmod, (self, other), {}),
        "__rdivmod__": lambda self, other: stage_call(divmod, (other, self), {}),
    }
    for name, member in members.items():
        setattr(Opaque, name, member)


install()
