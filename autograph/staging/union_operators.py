"""What is done with a choice is done with each of its options, in a branch of its own.

So an option for which Python raises an error raises that error when the graph runs and it is the
one, and what the others give is joined again.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from autograph.staging.cond import NOTHING, stage_branches
from autograph.staging.internal_errors import is_own
from autograph.staging.options import Use, follow, follow_lists, store_containers, uses
from autograph.staging.region import UNDEFINED, State
from runtime import trees
from runtime.errors import MutationError, StagedValueError
from runtime.ops import control
from runtime.tensor import Symbol
from runtime.texts import StagedText
from runtime.union import (
    Choice,
    Missing,
    choices_in,
    describe_options,
    is_numeric,
    leaf_spec,
    values_of,
)


def each(choice: Choice, use: Use) -> Any:
    """Return what `use` gives for the option that a choice is, joined."""
    return stage_options(choice, uses(choice, use))


def stage_options(choice: Choice, arms: Sequence[Callable[[], Any]], state: State = NOTHING) -> Any:
    """Stage a branch with one arm for each option."""
    if len(arms) == 2:  # `which` is 0 or 1: a truth value
        attrs = {"label": None, "quiet": False}
        found = stage_branches(control.cond, choice._which, arms[::-1], state, **attrs)
    else:
        found = stage_branches(control.switch, choice._which, arms, state)
    if found is UNDEFINED:
        arms[0]()  # every option raises, so this does
    return found


def check_present(value: Any) -> None:
    """Have the graph raise UnboundLocalError where a value is a variable that has none."""
    for choice in choices_in(value):
        if any(option.missing is not None for option in choice._options):
            each(choice, lambda option: None)


def _forward(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: each(self, lambda value: function(value, other))


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: each(self, lambda value: function(other, value))


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    function, writing = getattr(operator, name), getattr(operator, f"i{name.rstrip('_')}")

    def method(self: Choice, other: Any) -> Any:
        values = [x for x in values_of(self) if x is not None]  # of which Python raises TypeError
        if all(is_numeric(x) and not _is_immutable(x) for x in values):
            write_each(self, lambda value: writing(value, other))
            return self
        if not all(map(_is_immutable, values_of(self))):
            follow_lists(self)
            store_containers(self)
            raise MutationError(
                f"this is {describe_options(self)}, depending on a staged condition, and an "
                "operator such as += may change it in place. Write x = x + y"
            )
        return each(self, lambda value: function(value, other))

    return method


def _is_immutable(value: Any) -> bool:
    if is_numeric(value):
        return leaf_spec(value).rank == 0 and not getattr(value, "is_cell", False)
    return value is None or isinstance(value, str | StagedText | bytes | tuple | Missing)


def _unary(function: Use) -> Use:
    return lambda self: each(self, function)


def _get_attribute(self: Choice, name: str) -> Any:
    if name.startswith("__") and name not in NAMES:
        raise AttributeError(name)
    frame = sys._getframe(1)
    if is_own(frame, frame.f_lasti) and not all(hasattr(x, name) for x in values_of(self)):
        _refuse_reading(self)  # or the program would be told of what it does not ask for
    found = each(self, lambda value: getattr(value, name))
    if type(found) is Choice:
        object.__setattr__(found, "_join", self._join)
    return found


def _writing(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *others: write_each(self, lambda value: function(value, *others))


def write_each(choice: Choice, use: Use) -> Any:
    """Do to the object that a choice is what writes it; MutationError when it is made of parts."""
    pairs = zip(choice._options, values_of(choice), strict=True)
    if not all(x.is_object or x.is_array or x.missing or _is_immutable(y) for x, y in pairs):
        follow(choice)
        refuse_writing(choice)
    return choice.change(use)


def refuse_writing(choice: Choice, use: Use = id) -> Any:
    """Raise MutationError for a choice that is written."""
    raise MutationError(
        f"this is {describe_options(choice)}, depending on a staged condition; which of them is "
        "changed is known only when the graph runs. Change it in the branches of the condition"
    )


def _refuse_reading(self: Choice, *others: Any) -> Any:
    follow_lists(self)
    raise StagedValueError(
        f"this is {describe_options(self)}, which one is known only when the graph runs, and "
        "Python asks for it while tracing, in code that was not converted"
    )


def _iterate(self: Choice) -> Iterator[Any]:
    """Yield the items, where all options that have items have as many."""
    values = values_of(self)
    lengths = {length for value in values if (length := _length(value)) is not None}
    if not (lengths - {0} or all(map(_is_iterable, values))):
        each(self, _check_iterable)  # no item is read, which would raise
    if len(lengths) != 1:
        _refuse_reading(self)
    return iter([each(self, partial(_item, position=k)) for k in range(*lengths)])


def _check_iterable(value: Any) -> None:
    """Raise Python's TypeError if a value has no items."""
    if not _is_iterable(value):
        iter(value)


def _is_iterable(value: Any) -> bool:
    is_number = type(value) is Symbol and value.spec.rank == 0
    return hasattr(value, "__iter__") and not is_number


def _length(value: Any) -> int | None:
    return len(value) if hasattr(value, "__len__") and _is_iterable(value) else None


def _item(value: Any, position: int) -> Any:
    return tuple(value)[position]


def _of_ufunc(self: Choice, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    return with_each(getattr(ufunc, method), inputs, options, each)


def _of_function(self: Choice, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    return with_each(function, args, kwargs, each)


Stage = Callable[[Choice, Use], Any]


def with_each(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    stage: Stage,
    inside: bool = True,
) -> Any:
    """Call a function with each option of the choices among its arguments, or inside of them.

    Args:
        function: what to call.
        args: its positional arguments.
        kwargs: its keyword arguments.
        stage: `each`, or what does the same and more.
        inside: whether lists and the like are taken apart, too, which gives the function copies:
            not for one that may write into them, or keep them.
    """
    given = [*args, *kwargs.values()]
    choice = next(choices_in(given) if inside else filter(_is_choice, given), None)
    if choice is None:
        return function(*args, **kwargs)

    def use(value: Any) -> Any:
        some = [_replaced(x, choice, value, inside) for x in args]
        named = {name: _replaced(x, choice, value, inside) for name, x in kwargs.items()}
        return with_each(function, some, named, stage, inside)

    return stage(choice, use)


def _is_choice(value: Any) -> bool:
    return type(value) is Choice


def _replaced(value: Any, choice: Choice, option: Any, inside: bool = True) -> Any:
    """Return a structure with an option in all places of a choice."""
    if value is choice:
        return option
    if not inside:
        return value
    if all(x is not choice for x in choices_in(value)) or (node := trees.node_of(value)) is None:
        return value
    return node.holding([_replaced(child, choice, option) for child in node.children])


NAMES = frozenset({"__name__", "__qualname__", "__module__"})
"""What programs ask of classes and functions, and Python's own code of no other values."""

BINARY = (
    "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split()  # noqa: SIM905
)
"""Python's binary operators, by their names in `operator`."""


WRITERS: dict[str, Callable[..., Any]] = {
    "setattr": setattr,
    "delattr": delattr,
    "setitem": operator.setitem,
    "delitem": operator.delitem,
}
"""What writes an attribute or an item, by the names of Python's methods."""


def install() -> None:
    """Give `Choice` its methods."""
    methods: dict[str, Callable[..., Any]] = {}
    for name in BINARY:
        bare = name.rstrip("_")
        methods[f"__{bare}__"] = _forward(getattr(operator, name))
        methods[f"__r{bare}__"] = _reflected(getattr(operator, name))
        methods[f"__i{bare}__"] = _in_place(name)
    for name in ("lt", "le", "gt", "ge", "eq", "ne", "getitem"):
        methods[f"__{name}__"] = _forward(getattr(operator, name))
    for name in ("neg", "pos", "invert", "abs"):
        methods[f"__{name}__"] = _unary(getattr(operator, name))
    for name, function in WRITERS.items():
        methods[f"__{name}__"] = _writing(function)
    for name in "bool len int float complex index str format hash contains array".split():  # noqa: SIM905
        methods[f"__{name}__"] = _refuse_reading
    methods["__getattr__"] = _get_attribute
    methods["__iter__"] = _iterate
    methods["__array_ufunc__"] = _of_ufunc
    methods["__array_function__"] = _of_function
    for name, method in methods.items():
        setattr(Choice, name, method)
    Choice.each = each
    Choice.change = refuse_writing


install()
