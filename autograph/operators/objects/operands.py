"""Operators of objects of the user's classes: their methods, asked in Python's order.

Comes in: the sign of an operator, and its operands. Goes out: what Python gives, with methods that
are written in Python converted.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, EllipsisType, FunctionType, MethodType, NoneType
from typing import Any

import numpy as np

from autograph.operators import table
from autograph.operators.builtins.type_queries import type_name
from autograph.operators.calls.conversion_rules import module_of, rules
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.objects.special_methods import OURS, method_of, special
from autograph.operators.objects.union_values import each
from autograph.staging.number_join import union_of
from autograph.staging.union_operators import with_each
from runtime import default_graph
from runtime.backends import is_foreign
from runtime.dispatch import OTHER_ARRAYS
from runtime.dtypes import python_type
from runtime.errors import MutationError, StagedValueError, exact
from runtime.numpy.staged_call import stage_call
from runtime.opaque import Opaque
from runtime.operator_methods import BINARY, COMPARISONS
from runtime.ops.public_names import is_of_library
from runtime.subscripts import example
from runtime.tensor import Symbol, TensorLike
from runtime.union import Choice, values_of

_SIGNS = {**BINARY, **COMPARISONS, "divmod()": "divmod"}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_REFLECTED = {name: _MIRRORED.get(name, f"r{name}") for name in _SIGNS.values()}
_UNARY: dict[str, Any] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
_SEQUENCES = (list, tuple, deque, str, bytes, bytearray)
"""Classes whose `+` and `*` Python asks for after those of the other operand."""
_PRIORITY_OF_NUMBERS = -1_000_000.0
_NO_OPERANDS = frozenset(
    {dict, set, frozenset, slice, object, BuiltinFunctionType, EllipsisType, FunctionType}
) | {MethodType, NoneType}
"""Classes that no operator of numbers takes."""


def knows(sign: str, left: Any, right: Any) -> bool:
    """Tell whether the classes of operands say what an operator does, or methods of the user's."""
    if default_graph.current() is None or _is_array(left) or _is_array(right):
        return False
    name = _SIGNS[sign]
    if _has(left, name) or _has(right, _REFLECTED[name]):
        return True
    kinds = type(left), type(right)
    if Symbol in kinds and (_is_of_others(left) or _is_of_others(right)):
        return True
    if Symbol in kinds and any(map(_is_of_class_statement, kinds)):
        return True
    return _is_no_operand(sign, left, right) or _is_no_operand(sign, right, left)


def _is_no_operand(sign: str, value: Any, other: Any) -> bool:
    """Tell whether a value is beside a staged one that no operator takes together with it."""
    if type(other) is not Symbol:
        return False
    if type(value) in _SEQUENCES:
        is_beside = other.spec.weak or type(value) is str
        is_number = other.spec.shape == () and other.spec.dtype.kind in "biufc"
        return other.union is not None or (is_beside and is_number and sign not in ("*", "%"))
    is_one = type(value) in _NO_OPERANDS or isinstance(value, type)
    return is_one and other.spec.is_static and 0 not in (other.spec.shape or ())


def _is_array(value: Any) -> bool:
    """Tell whether a value is an array of another library, whose operators know staged values."""
    return not isinstance(value, TensorLike) and is_foreign(value)


def _is_of_class_statement(kind: type) -> bool:
    """Tell whether a class is of a `class` statement of the user's, and none of numbers."""
    is_one = bool(kind.__flags__ & _HEAP_TYPE) and kind.__module__.partition(".")[0] not in OURS
    return is_one and not issubclass(kind, int | float | complex)


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def changes(sign: str, left: Any, right: Any) -> bool:
    """Tell whether an operator like `+=` is to ask methods of the user's."""
    if default_graph.current() is None or _is_array(left):
        return False
    sign = sign.removesuffix("=")
    return _has(left, f"i{BINARY[sign]}") or knows(sign, left, right)


def _has(value: Any, name: str) -> bool:
    if type(value) is Choice:
        return any(_has(option, name) for option in values_of(value))
    kind = type(value)
    has_it = method_of(kind, f"__{name}__") is not None
    return has_it or (name == "ne" and _is_equal_inverted(kind))


def _is_equal_inverted(kind: type) -> bool:
    """Tell whether `!=` is `not ==`, as of classes that do not say what it is."""
    is_default = getattr(kind, "__ne__", None) is object.__ne__
    return is_default and method_of(kind, "__eq__") is not None


def binary(sign: str, left: Any, right: Any) -> Any:
    """Return `left + right`, `left < right`, and the like, by Python's protocol."""
    if Choice in (type(left := union_of(left)), type(right := union_of(right))):
        return with_each(
            partial(table.operators.binary, sign), (left, right), {}, each, inside=False
        )
    if _is_no_operand(sign, left, right) or _is_no_operand(sign, right, left):
        return _python(sign)(example(left), example(right))
    if _is_of_others(left) or _is_of_others(right):
        return stage_call(_python(sign), (left, right), {})
    found = answer(_SIGNS[sign], left, right)
    if sign in ("==", "!="):
        return _or_else(found, lambda: (left is right) is (sign == "=="))
    return _or_else(found, lambda: _refuse(sign, left, right))


def _python(sign: str) -> Callable[[Any, Any], Any]:
    """Return Python's function of an operator."""
    return divmod if sign == "divmod()" else getattr(operator, f"__{_SIGNS[sign]}__")


def are_for_numpy(sign: str, left: Any, right: Any) -> bool:
    """Tell whether one operand is NumPy's, and takes the other, a staged list, for an array.

    NumPy's numbers repeat a list by `*`.

    Raises:
        StagedValueError: only the run of the graph knows what the other is.
    """
    if staged_list(left) is None:
        left, right = right, left
    if type(left) not in (list, StagedTuple) or staged_list(left) is None:
        return False
    if type(right) is Opaque:
        raise StagedValueError(
            f"`{sign}` of a {type(left).__name__} whose items are known only when the graph runs "
            "and of a value of which the graph knows only a call: it may be an array of texts"
        )
    return hands_on(right) and (sign != "*" or _is_ndarray(right))


def as_array(value: Any) -> Any:
    """Return what NumPy takes an operand for: a staged list as an array."""
    return value if staged_list(value) is None else table.operators.call(np.asarray, value)


_POLYNOMIALS = (np.poly1d, *np.polynomial.Polynomial.__bases__)


def _is_of_others(value: Any) -> bool:
    """Tell whether operators of an object are calls: of sparse matrices, polynomials, dtypes."""
    return is_of_library(value) or isinstance(value, (*_POLYNOMIALS, *OTHER_ARRAYS, np.dtype))


def change(sign: str, left: Any, right: Any) -> Any:
    """Return what `left += right` and the like assign to `left`, by Python's protocol."""
    if Choice in (type(left := union_of(left)), type(right := union_of(right))):
        return with_each(
            partial(table.operators.change, sign), (left, right), {}, each, inside=False
        )
    name = BINARY[sign.removesuffix("=")]
    if _is_no_operand(sign, left, right) or _is_no_operand(sign, right, left):
        return getattr(operator, f"__i{name}__")(example(left), example(right))
    if isinstance(left, OTHER_ARRAYS):
        raise MutationError(
            f"an array of class {type(left).__name__} that is known while tracing is written with "
            f"a staged value by {sign}; write x = x {sign.removesuffix('=')} y, which makes another"
        )
    if _is_of_others(left) or _is_of_others(right):
        how = name if _is_of_others(left) else f"i{name}"  # those have no such operator
        return stage_call(getattr(operator, f"__{how}__"), (left, right), {})
    if getattr(type(right), "__array_ufunc__", name) is None and _is_ndarray(left):
        getattr(operator, f"__i{name}__")(example(left), right)  # raises: nothing is left to it
    found = _attempt(left, f"i{name}", right)
    found = _or_else(found, lambda: answer(name, left, right))
    return _or_else(found, lambda: _refuse(sign, left, right))


def matmul(sign: str, left: Any, right: Any) -> Any:
    """Return what `left @ right` or `left @= right` gives; numbers have no such operator."""
    if Symbol in (type(left), type(right)) and not (_is_ndarray(left) or _is_ndarray(right)):
        return _refuse(sign, left, right)
    python: Callable[[Any, Any], Any] = operator.imatmul if sign == "@=" else operator.matmul
    return python(left, right)


def by_numbers(python: Callable[[Any, Any], Any], name: str) -> Callable[[Any, Any], Any]:
    """Return Python's function of an operator for all operands.

    A number of NumPy's that stands first knows no staged one, and would call the ufunc with it.
    """
    reflected = f"__{_REFLECTED[name]}__"

    def done(left: Any, right: Any) -> Any:
        if type(right) is Symbol and isinstance(left, np.generic):
            return getattr(right, reflected)(left)
        return python(left, right)

    return done


def unary(sign: str, value: Any) -> Any:
    """Return `-value`, `+value` or `~value`."""
    python = _UNARY[sign]
    if type(value) is Symbol or default_graph.current() is None:
        return python(value)
    if type(value) is Choice:
        return each(value, partial(table.operators.unary, sign))
    method = special(value, f"__{python.__name__}__")
    return python(value) if method is None else table.operators.call(method)


def answer(name: str, left: Any, right: Any) -> Any:
    """Return what the operands' methods of a name give, asked in Python's order.

    That of a class that refines the other operand's comes first.
    """
    reflected = _REFLECTED[name]

    def forwards() -> Any:
        found = _attempt(left, name, right)
        if not hands_on(right):
            return found
        return _or_else(found, lambda: _attempt(left, name, _as_handed_on(right, left, name)))

    def backwards() -> Any:
        return _attempt(right, reflected, _as_handed_on(left, right, name))

    if _comes_first(type(right), type(left), reflected):
        return _or_else(backwards(), forwards)
    if type(left) is type(right) and name not in _MIRRORED:
        return forwards()
    return _or_else(forwards(), backwards)


def _comes_first(kind: type, other: type, name: str) -> bool:
    """Tell whether the reflected method of the right operand is asked first."""
    if other in _SEQUENCES and name in ("radd", "rmul"):
        return True
    if kind is other or not issubclass(kind, other):
        return False
    own, inherited = (getattr(x, f"__{name}__", None) for x in (kind, other))
    return own is not None and (name in _MIRRORED or own is not inherited)


def _attempt(value: Any, name: str, other: Any) -> Any:
    """Return what the method of an operand gives; NotImplemented if it has none."""
    method = special(value, f"__{name}__")
    if method is not None:
        return table.operators.call(method, other)
    if name == "ne" and _is_equal_inverted(type(value)):
        return _inverted(_attempt(value, "eq", other))
    slot = getattr(type(value), f"__{name}__", None)
    if slot is None or hands_on(value):
        return NotImplemented
    return slot(value, other)


def hands_on(value: Any) -> bool:
    """Tell whether NumPy gives an operand to the methods of another one that it does not know."""
    is_staged = type(value) is Symbol and not value.spec.weak
    return is_staged or isinstance(value, np.generic | np.ndarray)


def _as_handed_on(value: Any, other: Any, name: str) -> Any:
    """Return a left operand as the methods of the right one get it.

    NumPy's numbers come as Python's, unless the other class says that it knows NumPy's; of arrays,
    NumPy asks with each element.
    """
    if not hands_on(value) or _is_left_to(value, other):
        return value
    kind = type(other)
    is_array = _is_ndarray(value) or any(hasattr(kind, x) for x in _OF_ARRAYS)
    if is_array or rules.are_left(module_of(kind)):
        raise StagedValueError(
            f"an operator of an array and of an object of class {kind.__name__}, which NumPy "
            f"takes for one element, or for an array, or which knows no staged ones. Write the "
            f"object on the left, or `__array_ufunc__ = None` in its class, so that NumPy leaves "
            f"the operator to it"
        )
    return value if name == "matmul" else value.item()


_OF_ARRAYS = [
    "__array_ufunc__",
    "__array__",
    "__array_interface__",
    "__array_struct__",
    "__getitem__",
]
"""What classes have whose objects NumPy's numbers take for arrays."""


def _is_left_to(value: Any, other: Any) -> bool:
    """Tell whether NumPy leaves an operator of its own to the class of the other operand."""
    kind, priority = type(other), 0.0 if _is_ndarray(value) else _PRIORITY_OF_NUMBERS
    deferred = getattr(kind, "__array_ufunc__", value) is None
    return deferred or getattr(kind, "__array_priority__", priority) > priority


def _is_ndarray(value: Any) -> bool:
    if type(value) is Symbol:
        return value.spec.shape != () or value.is_cell
    return hasattr(value, "__matmul__")


def _or_else(found: Any, otherwise: Callable[[], Any]) -> Any:
    """Return what an operand's method gave, or something else where that is NotImplemented."""
    if type(found) is Choice:
        return each(found, lambda option: _or_else(option, otherwise))
    return otherwise() if found is NotImplemented else found


def _inverted(found: Any) -> Any:
    """Return `not found`, of what `__eq__` gave."""
    if type(found) is Choice:
        return each(found, _inverted)
    return found if found is NotImplemented else table.operators.not_(found)


def _refuse(sign: str, left: Any, right: Any) -> Any:
    """Raise Python's TypeError for operands of which none knows the other."""
    if sign in COMPARISONS and hands_on(right) and not _is_left_to(right, left):
        mirrored = _REFLECTED[_SIGNS[sign]]
        sign = next(one for one, name in COMPARISONS.items() if name == mirrored)
        left, right = right, left
    no_ufunc = getattr(type(left), "__array_ufunc__", sign) is None
    if no_ufunc and hands_on(right) and sign not in COMPARISONS:
        _python(sign.removesuffix("="))(left, example(right))  # raises: the ufunc takes no such one
    is_left = hands_on(left) and _is_left_to(left, right)
    is_whole = is_left or sign in ("@", "@=") or (sign in COMPARISONS and not hands_on(left))
    names = [type_name(x) if is_whole else _shown(x) for x in (left, right)]
    if sign in COMPARISONS:
        between = " and ".join(map(repr, names))
        raise exact(TypeError(f"{sign!r} not supported between instances of {between}"))
    if type(left) in _SEQUENCES and sign in ("+", "*"):
        return getattr(operator, f"__{BINARY[sign]}__")(left, right)
    if sign != "@=" and not is_left and (hands_on(left) or hands_on(right)):
        sign = sign.removesuffix("=")  # NumPy's own
    shown = {"**": "** or pow()"}.get(sign, sign)
    between = " and ".join(map(repr, names))
    raise exact(TypeError(f"unsupported operand type(s) for {shown}: {between}"))


def _shown(value: Any) -> str:
    """Return what messages call the class of an operand; NumPy hands on Python's numbers."""
    if not hands_on(value):
        return type_name(value)
    return python_type(value.dtype).__name__ if value.dtype.kind in "biufc" else type_name(value)
