"""Calls: what is called is converted too, so that its control flow is staged as well.

What happens to a callee is decided in this order; the first that applies, applies:

1. outside of tracing everything is called as it is;
2. builtins and array constructors that have an overload: the overload; functions of NumPy's:
   what stands for them, so that none of their code is given a staged value;
3. `functools.partial`: its function, likewise; what `functools.cache` made: see `memoised`;
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
from abc import ABCMeta
from contextlib import suppress
from enum import EnumMeta
from typing import Any

from autograph import conversion
from autograph.errors import ConversionError
from autograph.logs import log
from autograph.operators import table
from autograph.operators.builtins.builtin_calls import call_builtin
from autograph.operators.builtins.builtin_table import OVERLOADS, row_of
from autograph.operators.builtins.object_builtins import builtin_of_objects
from autograph.operators.builtins.ordering import sort
from autograph.operators.builtins.special_builtins import NOT_OURS
from autograph.operators.builtins.text_forms import METHODS, format_text
from autograph.operators.builtins.texts import print_at_run
from autograph.operators.builtins.type_queries import attribute, plain_type
from autograph.operators.calls.caller_frames import as_written, named_as_caller, tells_its_caller
from autograph.operators.calls.constructors import make_group, member_of
from autograph.operators.calls.conversion_rules import PLAIN, is_converting, rules
from autograph.operators.calls.endless_calls import DEEP, check_endless
from autograph.operators.calls.hidden_effects import hidden_effect, is_of_closed
from autograph.operators.calls.left_calls import refuse_error, without_placeholders
from autograph.operators.calls.memoised import CACHE_METHODS, memoised
from autograph.operators.calls.numpy_calls import (
    ARRAY_CLASSES,
    by_numpys_name,
    is_of_arrays,
    numpy_target,
)
from autograph.operators.calls.output_calls import staged_output
from autograph.operators.calls.recursion import called, is_in_graph, staged_call
from autograph.operators.calls.spread_calls import Spread, spread_call
from autograph.operators.containers.method_calls import (
    call_with_lists,
    refuse_unconverted,
    with_arrays,
)
from autograph.operators.containers.split_join import join
from autograph.operators.heap.heap import begun, settled
from autograph.operators.heap.heap_objects import may_be_on_heap
from autograph.operators.iteration.generators import is_to_be_staged, staged_generator
from autograph.operators.mutation.journal import Journal, made
from autograph.operators.mutation.reachable_objects import CACHED
from autograph.operators.mutation.recorded_calls import makes_new, record_call, record_given
from autograph.operators.objects.attributes import delete_attribute, set_attribute, whole
from autograph.operators.objects.union_values import each, keeps_arguments
from autograph.source.build import is_converted
from autograph.staging.context import journal_now, region_of, trace_now
from autograph.staging.union_operators import with_each
from runtime import default_graph
from runtime.opaque import Opaque, holds_opaque
from runtime.ops.exceptions import GROUP
from runtime.state.variable import Variable
from runtime.tensor import Readable, Symbol, value_now
from runtime.union import Choice, choices_in

UNCONVERTED: dict[types.CodeType, str] = {}
"""Functions that could not be converted, with the reason, for the messages of later errors."""


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, converted when a graph is being built."""
    builder = default_graph.current()
    if builder is None:
        return as_written(function, args, kwargs, sys._getframe(1))(*args, **kwargs)
    builder.progress.step()
    if Spread in map(type, args):
        return spread_call(function, args, kwargs)
    function = by_numpys_name(builder, function)
    if type(function) in ARRAY_CLASSES and is_of_arrays(function, args, kwargs):
        return function(*args, **kwargs)
    if builder.depth >= DEEP:
        check_endless(function, args, kwargs)
    region = region_of(builder)
    if region.trace.choices:
        if type(function) is Choice:
            return each(function, lambda option: call(option, *args, **kwargs))
        owner = getattr(function, "__self__", None)
        if type(owner) is Symbol and owner.union is not None and _is_named(function):
            name = function.__name__
            return each(owner.union, lambda x: call(getattr(x, name), *args, **kwargs))
        is_kept = _takes_unions(function) or _makes_object(function)
        if Choice in map(type, (*args, *kwargs.values())) and not is_kept:
            once = functools.partial(call, function)
            return with_each(once, args, kwargs, each, inside=False)
    if Readable.is_used and Variable in map(type, (*args, *kwargs.values())):
        args, kwargs = _with_values(function, args, kwargs)
    is_opaque = Opaque.is_used and holds_opaque((args, kwargs))
    if is_opaque and (builtin := builtin_of_objects(function)) is not None:
        return builtin(*args, **kwargs)
    if (writer := staged_output(function, args, kwargs, sys._getframe(1))) is not None:
        return writer(*args, **kwargs)
    callee, journal = target(function), region.journal
    if (writes := journal or region.trace.journal) is not None:
        record_call(writes, function, callee, args, kwargs)
    if (told := hidden_effect(function, callee, region)) is not None:
        return told
    found = call_builtin(function, args, kwargs)
    if found is NOT_OURS:
        found = call_with_lists(function, args, kwargs)
    if found is not NOT_OURS:
        return _born(journal, function, found)
    given, args, kwargs = args, *with_arrays(function, args, kwargs)
    if args is not given and next(choices_in([args, kwargs]), None) is not None:
        return with_each(functools.partial(call, function), args, kwargs, each)
    if not _knows_lists(function, callee):
        refuse_unconverted(function, args, kwargs)
    if is_left := callee is function:
        if function is vars:
            whole(*args)
        callee = as_written(function, args, kwargs, sys._getframe(1))
    elif tells_its_caller(callee):
        callee = named_as_caller(callee, sys._getframe(1))
    try:
        found = callee(*args, **kwargs)
    except Exception as error:
        if is_left:
            refuse_error(function, error, (args, kwargs))
        raise
    return _born(journal, function, without_placeholders(function, found, (args, kwargs)))


def _makes_object(function: Any) -> bool:
    """Tell whether a class of the program's is called: its object keeps what it is given."""
    if type(function) is not type or issubclass(function, BaseException):
        return False
    return isinstance(function.__init__, types.FunctionType)


def _is_named(method: Any) -> bool:
    """Tell whether a method of a symbol is not one of Python's signs, which have all classes."""
    return hasattr(Symbol, getattr(method, "__name__", ""))


def _takes_unions(function: Any) -> bool:
    """Tell whether what is called takes one of several things as an argument, and not each."""
    if ((row := row_of(function)) is not None and row.of_choices) or keeps_arguments(function):
        return True
    trace = trace_now()
    return bool(trace is not None and trace.recursions and is_in_graph(target(function)))


def _born(journal: Journal | None, function: Any, found: Any) -> Any:
    """Return what a call gave; the journal is told of a new container."""
    if journal is not None and (
        makes_new(function) or (isinstance(function, type) and is_of_closed(function))
    ):
        journal.bear(found)
    return found


def _with_values(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the arguments of a call; a builtin that takes values gets those of variables."""
    row = row_of(function)
    if row is None or row.overload is None or row.of_objects:
        return args, kwargs
    return tuple(map(value_now, args)), {name: value_now(x) for name, x in kwargs.items()}


def _knows_lists(function: Any, callee: Any) -> bool:
    """Tell whether what is called asks for the items of lists by operators."""
    row = row_of(function)
    if row is not None and row.container:
        return True
    inner = getattr(callee, "__func__", callee)
    while isinstance(inner, functools.partial):
        inner = inner.func
    if not isinstance(inner, types.FunctionType):
        return False
    code = inner.__code__
    return is_converted(inner) or code in _OURS or vars(inner).get(_KNOWS_LISTS) is code


_KNOWS_LISTS = "__autograph_knows_lists__"


def knowing_lists(function: Any) -> Any:
    """Mark a function of ours that knows staged lists; what wraps it is not marked by that."""
    setattr(function, _KNOWS_LISTS, function.__code__)
    return function


def target(function: Any) -> Any:
    """Return what is called in place of a callable while a graph is being built.

    Args:
        function: the callable.
    """
    try:
        overload = OVERLOADS.get(function)
    except TypeError:  # an unhashable callable object
        overload = None
    if overload is not None:
        return overload
    found = numpy_target(function)
    if found is not None:
        return found
    if type(function) is CACHED:
        return memoised(function)
    if isinstance(function, functools.partial):
        return functools.partial(target(function.func), *function.args, **function.keywords)
    if isinstance(function, types.MethodType):
        if type(function.__self__) is Symbol and _is_named(function):
            attribute(function.__self__, function.__name__)
        return types.MethodType(target(function.__func__), function.__self__)
    if isinstance(function, types.FunctionType):
        return _function_target(function)
    if isinstance(function, type):
        return _class_target(function)
    if not isinstance(function, types.BuiltinFunctionType):
        return _object_target(function)
    if type(function.__self__) is CACHED and function.__name__ in CACHE_METHODS:
        return functools.partial(CACHE_METHODS[function.__name__], function.__self__)
    method = _METHODS.get(type(function.__self__), {}).get(function.__name__)
    return functools.partial(method, function.__self__) if method is not None else function


_METHODS: dict[type, Any] = {str: METHODS, list: {"sort": sort}}
"""Methods of Python's own classes that may be given, or hold, what is staged."""


def _function_target(function: types.FunctionType) -> Any:
    """The code is converted once; the function around it is made anew, and kept by nobody."""
    if function.__code__ in _DISPATCHES:
        return functools.partial(_DISPATCHES[function.__code__], function)
    if is_to_be_staged(function.__code__) and not why_left(function, _IS_GENERATOR):
        return _generator_target(function)
    if not why_left(function, _IS_GENERATOR) and not may_convert(function):
        with suppress(ConversionError):  # it yields in the midst of something
            return conversion.convert_kept(function, table.operators)
    if not may_convert(function) or function.__code__ in UNCONVERTED:
        if is_converted(function):
            return called(function)
        log(2, lambda: f"{function.__qualname__} is called as it is: {_why_as_it_is(function)}")
        return function
    try:
        return called(conversion.convert(function, table.operators))
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
    return knowing_lists(made)


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
    if issubclass(cls, GROUP):
        return functools.partial(make_group, cls)
    if isinstance(cls, EnumMeta):
        return functools.partial(member_of, cls)
    init = cls.__init__  # type: ignore[misc]
    if init is object.__init__ and may_be_on_heap(cls):
        return lambda *args, **kwargs: settled(made(begun(cls, *args, **kwargs)))
    is_written = type(cls) in (type, ABCMeta) and isinstance(init, types.FunctionType)
    if not (is_written and (may_convert(init) or is_converted(init))):
        return cls

    def make(*args: Any, **kwargs: Any) -> Any:
        instance = made(begun(cls, *args, **kwargs))
        if isinstance(instance, cls):
            _function_target(init)(instance, *args, **kwargs)
        return settled(instance)

    return knowing_lists(make)


_OURS = frozenset(
    x.__code__
    for x in (staged_call, format_text, join, print_at_run, set_attribute, delete_attribute)
)
"""Functions of ours that hand their arguments to converted code."""


def _object_target(function: Any) -> Any:
    kinds = type(function).__mro__
    method = next((vars(x)["__call__"] for x in kinds if "__call__" in vars(x)), None)
    if isinstance(method, types.FunctionType) and may_convert(method):
        return types.MethodType(_function_target(method), function)
    return function


def is_itself(function: Any) -> bool:
    """Tell whether a function is the one whose converted code asks, and is to be a loop."""
    trace = trace_now()
    if trace is None or not trace.loops_tail_calls:
        return False
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


def entered(manager: Any) -> Any:
    """Return a context manager that is about to be entered; its code is not converted."""
    journal = journal_now()
    if journal is not None:
        record_given(journal, (manager,))
    return manager
