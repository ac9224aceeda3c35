"""Calls: what is called is converted too, so that its control flow is staged as well.

What happens to a callee is decided in this order; the first that applies, applies:

1. outside of tracing everything is called as it is;
2. builtins and array constructors that have an overload: the overload;
3. `functools.partial`: its function, likewise;
4. methods: their function, with the object they are bound to;
5. functions that are converted, or may not be (`do_not_convert`, module rules): as they are;
6. functions written in Python: converted;
7. classes with an `__init__` written in Python: instances are made with that converted;
8. other objects with a `__call__` written in Python: that method, converted;
9. everything else (functions written in C, say): as it is.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
import weakref
from collections import deque
from typing import Any

import autograph.operators as operators
from autograph import conversion
from autograph.errors import ConversionError
from autograph.logs import log
from autograph.operators.builtins import OVERLOADS
from autograph.operators.choices import each, keeps_arguments
from autograph.operators.frozen import draws, warn_of_frozen
from autograph.operators.generators import is_to_be_staged, staged_generator
from autograph.operators.iterating import COLLECTORS, ORDERED, STEPS, call_with_generators
from autograph.operators.kinds import plain_type
from autograph.operators.lists.calls import (
    BY_ITERATION,
    HASHED,
    NOT_OURS,
    call_with_lists,
    refuse_unconverted,
    with_arrays,
)
from autograph.operators.lists.table import lists_of
from autograph.operators.lists.texts import join
from autograph.operators.recursion import CALLERS, DEEP, called, check_endless, staged_call
from autograph.operators.rules import is_converting, rules
from autograph.operators.texts import METHODS, OF_LISTS, format_text, print_at_run
from autograph.source.build import is_converted
from runtime import mode
from runtime.choice import LISTENERS, Choice
from runtime.control.choosing import with_each
from runtime.state.variable import Variable
from runtime.tensor import Readable, value_now

UNCONVERTED: dict[types.CodeType, str] = {}
"""Functions that could not be converted, with the reason, for the messages of later errors."""

PLAIN = "__autograph_do_not_convert__"


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, converted when a graph is being built."""
    builder = mode.current()
    if builder is None:
        return function(*args, **kwargs)
    if builder.depth >= DEEP:
        check_endless(function, args, kwargs)
    if builder.choices:
        if type(function) is Choice:
            return each(function, lambda option: call(option, *args, **kwargs))
        if Choice in map(type, (*args, *kwargs.values())) and not keeps_arguments(function):
            return with_each(functools.partial(call, function), args, kwargs, each)
    if Readable.is_used and Variable in map(type, (*args, *kwargs.values())):
        args, kwargs = _with_values(function, args, kwargs)
    if builder.lists is None:
        return target(function)(*args, **kwargs)
    found = call_with_generators(function, args, kwargs)
    if found is not NOT_OURS:
        return found
    found = call_with_lists(function, args, kwargs)
    if found is not NOT_OURS:
        return found
    args, kwargs = with_arrays(function, args, kwargs)
    callee = target(function)
    if not _knows_lists(function, callee):
        refuse_unconverted(function, args, kwargs)
    return callee(*args, **kwargs)


CALLERS.add(call.__code__)
_TAKE_OBJECTS = frozenset({getattr, hasattr, hash, id, isinstance, print, repr, str, type})


def _with_values(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the arguments of a call; a builtin that takes values gets those of variables."""
    if not isinstance(function, HASHED) or function in _TAKE_OBJECTS or function not in OVERLOADS:
        return args, kwargs
    return tuple(map(value_now, args)), {name: value_now(x) for name, x in kwargs.items()}


def _knows_lists(function: Any, callee: Any) -> bool:
    """Tell whether what is called asks for the items of lists by operators."""
    if isinstance(function, (*HASHED, types.FunctionType)) and function in _KNOWING:
        return True
    inner = getattr(callee, "__func__", callee)
    while isinstance(inner, functools.partial):
        inner = inner.func
    return isinstance(inner, types.FunctionType) and (is_converted(inner) or inner.__code__ in OWN)


_KNOWING = frozenset({*BY_ITERATION, *COLLECTORS, *OF_LISTS, *ORDERED, *STEPS})
"""Functions that are not converted, and whose overloads know staged lists."""


class CallSite:
    """What was decided, once, about what a call in inlined code calls.

    The code asks whether `function` is what it is about to call, and then calls `target`; or
    whether its object is of the class `kind`, whose methods are called as they are; else it asks
    `resolve`. Each is set at most once, so that no thread ever sees one that belongs to another.

    Attributes:
        function: a function whose decision holds wherever it is called.
        target: what is called in its place.
        kind: a class.
    """

    __slots__ = ("__weakref__", "_seen", "function", "kind", "target")

    def __init__(self) -> None:
        self.function: object = _NOTHING
        self.target: Any = None
        self.kind: object = _NOTHING
        self._seen: object = _NOTHING
        _SITES.add(self)

    def resolve(self, function: Any) -> Any:
        """Return what is called in the place of a function."""
        builder = mode.current()
        if builder is not None and (builder.choices or Readable.is_used):
            return functools.partial(call, function)
        if function is self._seen and mode.current() is None:
            return function
        kind = type(function)
        if kind is types.MethodType:
            return types.MethodType(self.resolve(function.__func__), function.__self__)
        owner = type(function.__self__) if kind is types.BuiltinFunctionType else None
        if owner is str and function.__name__ in METHODS:
            return target(function)
        if owner in _PLAIN_KINDS:
            if self.kind is _NOTHING and owner is not str:
                self.kind = owner
            return function
        if function is self.function:
            return self.target
        if mode.current() is None and not _is_settled(function):
            self._seen = function if _is_lasting(function) else _NOTHING
            return function
        return self._decided(function)

    def forget(self) -> None:
        """Have `resolve` asked about every call again."""
        self.function = self.kind = self._seen = _NOTHING

    def _decided(self, function: Any) -> Any:
        found = target(function, often=True)
        if self.function is _NOTHING and is_converting() and _is_lasting(function):
            self.target = found
            self.function = function
        return found


_SITES: weakref.WeakSet[CallSite] = weakref.WeakSet()


def _forget_sites() -> None:
    """Have all sites asked again: now there may be choices or variables among the arguments."""
    for site in list(_SITES):
        site.forget()


LISTENERS.append(_forget_sites)


def _is_settled(function: Any) -> bool:
    """Tell whether a function is called as it is, or converted already, in and out of tracing."""
    if isinstance(function, types.FunctionType):
        return is_converted(function) or not may_convert(function)
    return isinstance(function, types.BuiltinFunctionType | type)


def _is_lasting(function: Any) -> bool:
    """Tell whether to remember a function keeps nothing alive that would be gone without."""
    if isinstance(function, types.FunctionType):
        return function.__code__.co_freevars in ((), ("__class__",))
    return isinstance(function, types.BuiltinFunctionType | type)


_NOTHING = object()
_PLAIN_KINDS = frozenset(
    {bytearray, bytes, complex, deque, dict, float, frozenset, int, list, set, str, tuple}
)
"""Classes written in C of which no instance has attributes of its own."""


def target(function: Any, often: bool = False) -> Any:
    """Return what is called in place of a callable while a graph is being built.

    Args:
        function: the callable.
        often: whether the call itself is made often.
    """
    if draws(function):
        warn_of_frozen(function)
        return function
    try:
        overload = OVERLOADS.get(function)
    except TypeError:  # an unhashable callable object
        overload = None
    if overload is not None:
        return overload
    if isinstance(function, functools.partial):
        return functools.partial(target(function.func, often), *function.args, **function.keywords)
    if isinstance(function, types.MethodType):
        return types.MethodType(target(function.__func__, often), function.__self__)
    if isinstance(function, types.FunctionType):
        return _function_target(function, often)
    if isinstance(function, type):
        return _class_target(function)
    if not isinstance(function, types.BuiltinFunctionType):
        return _object_target(function)
    method = METHODS.get(function.__name__) if type(function.__self__) is str else None
    return functools.partial(method, function.__self__) if method is not None else function


def _function_target(function: types.FunctionType, often: bool = False) -> Any:
    """The code is converted once; the function around it is made anew, and kept by nobody."""
    if function.__code__ in _DISPATCHES:
        return functools.partial(_DISPATCHES[function.__code__], function)
    if is_to_be_staged(function.__code__) and not why_left(function, _IS_GENERATOR):
        return _generator_target(function)
    if not may_convert(function) or function.__code__ in UNCONVERTED:
        if is_converted(function):
            return called(function)
        log(2, lambda: f"{function.__qualname__} is called as it is: {_why_as_it_is(function)}")
        return function
    try:
        lists = lists_of(mode.current()) is not None
        return called(conversion.convert(function, operators, often, lists))
    except ConversionError as error:
        UNCONVERTED[function.__code__] = str(error)
        reason = UNCONVERTED[function.__code__]
        log(1, lambda: f"{function.__qualname__} could not be converted: {reason}")
        return function


def _dispatched(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call a function of `functools.singledispatch` by the class that its argument stands for."""
    if not args:
        return function(**kwargs)
    return call(function.dispatch(plain_type(args[0])), *args, **kwargs)


def _dispatched_method(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call a method of `functools.singledispatchmethod`, likewise."""
    if not args:
        return function(**kwargs)
    held = inspect.getclosurevars(function).nonlocals
    chosen = function.register.__self__.dispatcher.dispatch(plain_type(args[0]))
    return call(chosen.__get__(held["obj"], held["cls"]), *args, **kwargs)


_METHOD: Any = functools.singledispatchmethod(id).__get__(None, int)
_FUNCTION: Any = functools.singledispatch(id)
_DISPATCHES = {_FUNCTION.__code__: _dispatched, _METHOD.__code__: _dispatched_method}
"""What `functools` calls a function by the class of an argument with."""


def _generator_target(function: types.FunctionType) -> Any:
    try:
        made = staged_generator(function)
    except ConversionError as error:
        UNCONVERTED[function.__code__] = str(error)
        return function
    OWN.add(made.__code__)
    return made


def _why_as_it_is(function: types.FunctionType) -> str:
    return why_left(function) or "it could not be converted"


def may_convert(function: types.FunctionType) -> bool:
    """Tell whether the rules allow a function to be converted."""
    return not why_left(function)


_IS_GENERATOR = inspect.CO_GENERATOR
_SUSPENDS = _IS_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def why_left(function: types.FunctionType, allowed: int = 0) -> str:
    """Return why a function is called as it is; empty if it may be converted.

    Args:
        function: the function.
        allowed: the flag of generators, if these are converted, too.
    """
    name = function.__qualname__
    if is_converted(function) and not allowed:
        return f"{name} is converted already"
    if not is_converting():
        return f"{name} is called in a block with do_not_convert"
    if getattr(function, PLAIN, False):
        return f"{name} is marked with do_not_convert"
    module = function.__module__ or ""
    if rules.are_left(module):
        return f"the module {module.partition('.')[0]} is not converted"
    if function.__code__.co_flags & _SUSPENDS & ~allowed:
        return f"{name} is a generator or an async function"
    return ""


def _class_target(cls: type) -> Any:
    """Return what makes an instance with `__init__` converted, for classes that do not hide how."""
    init = cls.__init__  # type: ignore[misc]
    plain = type(cls) is type and isinstance(init, types.FunctionType) and may_convert(init)
    if not plain:
        return cls

    def make(*args: Any, **kwargs: Any) -> Any:
        instance = cls.__new__(cls, *args, **kwargs)
        if isinstance(instance, cls):
            _function_target(init)(instance, *args, **kwargs)
        return instance

    OWN.add(make.__code__)
    return make


OWN: set[types.CodeType] = {x.__code__ for x in (staged_call, format_text, join, print_at_run)}
"""Functions of ours that hand their arguments to converted code."""


def _object_target(function: Any) -> Any:
    method = vars(type(function)).get("__call__")
    if isinstance(method, types.FunctionType) and may_convert(method):
        return types.MethodType(_function_target(method), function)
    return function


def is_itself(function: Any) -> bool:
    """Tell whether a function is the one whose converted code asks."""
    python = getattr(function, "python_function", function)
    if not isinstance(python, types.FunctionType):
        return False
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        asking = conversion.original_of(frame.f_code)
        if asking is not None:
            return asking is python.__code__
        frame = frame.f_back
    return False
