"""Calls of code that keeps what it does, or asks, to itself: clocks, files, locks, hashes.

Comes in: a function that is about to be called as it is, while another one is traced. Goes out: a
call that each run of the graph makes, for clocks; else the trace is told that it serves one call.
"""

from __future__ import annotations

import sys
import time
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from autograph.operators import table
from autograph.operators.calls.conversion_rules import module_of, rules
from autograph.operators.calls.host_callback import numpy_function
from autograph.staging.context import RegionContext
from autograph.staging.strictness import is_strict
from runtime.errors import StagedValueError

_CLOCKS = {
    getattr(time, f"{name}{end}"): (kind, dtype)
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time")
    for end, kind, dtype in (("", float, np.float64), ("_ns", int, np.int64))
}
# fmt: off
_OPEN = {
    "_bisect", "_collections", "_collections_abc", "_datetime", "_decimal", "_functools", "_heapq",
    "_json", "_operator", "_random", "_sre", "_statistics", "_string", "_struct", "_weakref", "abc",
    "ast", "base64", "binascii", "bisect", "builtins", "calendar", "cmath", "collections",
    "colorsys", "contextlib", "copy", "dataclasses", "datetime", "decimal", "difflib", "dis",
    "enum", "fnmatch", "fractions", "functools", "graphlib", "heapq", "html", "inspect",
    "ipaddress", "itertools", "json", "keyword", "locale", "logging", "math", "numbers", "operator",
    "posixpath", "pprint", "random", "re", "reprlib", "shlex", "statistics", "string", "struct",
    "sys", "textwrap", "traceback", "types", "typing", "unicodedata", "warnings", "weakref",
}
# fmt: on
"""Modules of Python's library whose functions are of their arguments only, or known to staging."""
_CLOSED = sys.stdlib_module_names - _OPEN
_BY_NAME = frozenset({open, input})
_NOW = frozenset({"now", "today", "utcnow"})


def hidden_effect(function: Any, callee: Any, region: RegionContext) -> Any:
    """Return what a clock tells at each run; for all else None.

    Args:
        function: what the program calls.
        callee: what is called in its place.
        region: where.

    Raises:
        StagedValueError: nobody can tell what the function does, and it is called in a staged
            branch or loop.
    """
    is_itself = getattr(callee, "__func__", callee) is getattr(function, "__func__", function)
    if not is_itself or not _hides(function, region) or is_strict() or region.trace.journal is None:
        return None
    if function in _CLOCKS:
        kind, dtype = _CLOCKS[function]
        return table.operators.call(kind, numpy_function(function, [], dtype))
    name = f"{getattr(function, '__qualname__', function)}()"
    if region.journal is not None:
        raise StagedValueError(
            f"{name} is called in a staged branch or loop, and what it does cannot be undone. Call "
            "it before, or with ag.py_function, which calls it when the graph runs"
        )
    region.trace.journal.hidden.append(name)
    return None


def _hides(function: Any, region: RegionContext) -> bool:
    if isinstance(function, FunctionType):
        module = function.__module__ or ""
        return module.partition(".")[0] in _CLOSED and rules.are_left(module)
    if isinstance(function, MethodType):
        return _is_outside(function.__self__, region)
    if not isinstance(function, BuiltinFunctionType):
        return False
    owner: Any = function.__self__
    if isinstance(owner, type):
        return function.__name__ in _NOW and owner.__module__ == "datetime"
    of_module: Any = function.__module__  # None for methods
    if of_module is None:
        return _is_outside(owner, region)
    return of_module in _CLOSED or function in _BY_NAME


def _is_outside(owner: Any, region: RegionContext) -> bool:
    """Tell whether an object that hides what it holds was there before the trace, or the region."""
    if not is_of_closed(type(owner)):
        return False
    if region.journal is not None and not region.journal.is_born(owner):
        return True
    journal = region.trace.journal
    return journal is not None and id(owner) in journal.snapshot.owners


def is_of_closed(kind: type) -> bool:
    """Tell whether the objects of a class of Python's library hide what they hold."""
    return module_of(kind).partition(".")[0] in _CLOSED
