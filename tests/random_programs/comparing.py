"""Comparing what a random program does in plain Python with what it does converted and staged.

Comes in: the text of a program and arguments. Goes out: how four runs differ, if they do: plain,
converted on NumPy's values, staged and optimised, and staged in the interpreter of graphs. Equal
means: the same values, shapes and dtypes, the same contents of the arguments afterwards, or an
error of the same kind.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from itertools import combinations
from typing import Any
from unittest.mock import patch

import numpy as np

import autograph as ag
from autograph import conversion, operators
from autograph.function.argument_mutation import Made, carry_out, objects_in
from autograph.operators.control_flow import rolling
from runtime import trees
from runtime.errors import InternalError, RuntimeGraphError
from runtime.graph.interpret import interpret
from runtime.graph.verify import verify
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, some, time_limit


@contextmanager
def rolled_at_once() -> Iterator[None]:
    """Roll all loops over numbers of Python's that can be, however short they are."""
    limits = {"FEW_ROUNDS": 2, "FEW_NODES": 0, "FEW_UNLIKE": 0, "PROBED": 1}
    with patch.multiple(rolling, **limits):
        yield


WAYS = {"as usual": nullcontext, "loops rolled at once": rolled_at_once}
"""Which loops are loops of the graph."""


def compiled(text: str, name: str) -> Any:
    """Return the function `f` of a program."""
    file = f"<random program {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"np": np, "__name__": "random_program"}
    exec(compile(text, file, "exec"), space)
    return space["f"]


def fresh(arguments: Sequence[Any]) -> list[Any]:
    """Return copies of the arguments, in their layouts, that share memory where they do."""
    memo: dict[int, Any] = {}
    return [_fresh(x, memo) if isinstance(x, np.ndarray) else copy(x) for x in arguments]


def _fresh(x: Any, memo: dict[int, Any]) -> Any:
    owner = x if x.base is None else x.base
    if id(x) not in memo:
        memory = memo.setdefault(id(owner), owner.copy(order="K"))
        offset = x.ctypes.data - owner.ctypes.data
        view = np.ndarray(x.shape, x.dtype, memory.ravel("K"), offset, x.strides)
        memo[id(x)] = memory if x is owner else view
    return memo[id(x)]


def share_memory(arguments: Sequence[Any]) -> bool:
    """Tell whether two of the arguments share memory."""
    arrays = [x for x in arguments if isinstance(x, np.ndarray)]
    return any(np.may_share_memory(x, y) for x, y in combinations(arrays, 2))


def outcome(function: Any, arguments: Sequence[Any]) -> tuple[Any, Any]:
    """Return what a call returned and its arguments, in a pair, and the error that it raised."""
    given = fresh(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", ag.FallbackWarning)  # it is refused
        try:
            found = function(*given)
        except Exception as error:
            return (None, given), error
    return (found, given), None


def difference(plain: tuple[Any, Any], staged: tuple[Any, Any]) -> str:
    """Say how two outcomes differ: "same", "refused: ..." or what is different."""
    (expected, wrong), (found, error) = plain, staged
    if error is not None and wrong is None:
        refused = is_refusal(error)
        return f"{'refused' if refused else 'raises'}: {type(error).__name__}: {error}"
    if wrong is not None:
        if error is None:
            return f"does not raise {type(wrong).__name__}: {wrong}"
        near = isinstance(error, type(wrong)) or isinstance(wrong, type(error))
        kind = f"refused: {error}" if is_refusal(error) else "another error"
        return SAME if near else f"{kind}: {error!r} for {wrong!r}"
    return _first_difference(expected, found)


def is_refusal(error: Exception) -> bool:
    """Tell whether an error says that a program cannot be staged; a mistake of ours does not."""
    if isinstance(error, InternalError):
        return False
    explained = isinstance(error, UnboundLocalError) and "only when it runs" in str(error)
    return explained or isinstance(error, RuntimeGraphError)


def _first_difference(expected: Any, found: Any) -> str:
    leaves, structure = trees.flatten(expected)
    others, other = trees.flatten(found)
    if structure != other or repr(structure) != repr(other):  # keys of one value have classes
        return f"structure {other} for {structure}"
    for path, x, y in zip(trees.paths(structure), leaves, others, strict=True):
        if not is_equal(x, y):
            return f"at {path}: {y!r} for {x!r}"
    return SAME


def is_equal(x: Any, y: Any) -> bool:
    """Tell whether two leaves are equal, and of one class and dtype."""
    if isinstance(x, set | frozenset):
        return type(x) is type(y) and sorted(map(repr, x)) == sorted(map(repr, y))
    if not isinstance(x, np.ndarray | np.generic | int | float | complex):
        return type(x) is type(y) and x == y
    if type(x) is not type(y):
        return False
    a, b = np.asarray(x), np.asarray(y)
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return False
    equal = a == b
    if a.dtype.kind in "fc" and b.dtype.kind in "fc":
        equal |= np.isnan(a) & np.isnan(b)
    return bool(np.all(equal))


def interpreted(staged: Any, arguments: Sequence[Any]) -> tuple[Any, Any]:
    """Return the outcome of the traced graph, not optimised, in the interpreter."""
    concrete = staged.get_concrete_function(*fresh(arguments))
    verify(concrete.traced_graph)
    signature = concrete.trace.signature

    def run(*given: Any) -> Any:
        tensors = [x for x in trees.flatten(given)[0] if isinstance(x, np.ndarray | np.generic)]
        results = signature.store(interpret(concrete.traced_graph, tensors, np), tensors)
        objects = objects_in((given, {}))
        made = concrete._maker(results, tensors, objects, False)
        found = made(Made(signature.structure, signature.outputs))
        carry_out(concrete.trace.changes, objects, made)
        return found

    return outcome(run, arguments)


def compare(text: str, name: str, arguments: Sequence[Sequence[Any]], turn: int | None) -> str:
    """Compare a program in one way or all, for two argument lists or all; returns the worst."""
    found = SAME
    for form in some(list(WAYS), 1, turn):
        try:
            with time_limit(), WAYS[form]():
                other = _compared(compiled(text, name), some(arguments, 2, turn))
        except TimeLimitError:
            return TOO_LONG
        if other != SAME and not other.startswith("refused"):
            return f"{form}: {other}"
        found = found if other == SAME else other
    return found


def _compared(plain: Any, arguments: Sequence[Sequence[Any]]) -> str:
    converted, staged = conversion.convert(plain, operators), ag.function(plain)
    found = SAME
    for given in arguments:
        expected = outcome(plain, given)
        other = difference(expected, outcome(converted, given))
        if other != SAME:
            return f"converted: {other}"
        for _ in range(2):  # the slow path, and the entry
            one = difference(expected, outcome(staged, given))
            if one != SAME and not one.startswith("refused"):
                return one
            found = found if one == SAME else one
        if expected[1] is None and one == SAME and not share_memory(given):
            other = difference(expected, interpreted(staged, given))
            if other != SAME:
                return f"interpreted: {other}"
    return found
