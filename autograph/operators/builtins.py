"""The table of Python's builtins and `math`: what each is on staged values.

Every builtin that can be given an array has a row. A row is *staged* (part of the graph), *static*
(known while tracing), or *refused* with what to write instead. `OVERLOADS` and the page
`docs/builtins.md` are made of the rows.
"""

from __future__ import annotations

import bisect
import builtins
import collections
import functools
import heapq
import itertools
import math
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators import choosing, kinds, mathematics, numbers, sequences, texts
from autograph.operators.hints import hint, misplaced
from autograph.operators.iterating import (
    ORDERED,
    collector,
    dict_of,
    iterators,
    looped,
    next_,
    set_of,
)
from autograph.operators.overloads import of_values, refusal
from runtime.dtypes import SHORT_NAMES
from runtime.tensor import is_staged
from runtime.text_methods import call_text

__all__ = ["CREATION", "OVERLOADS", "RULES", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What a builtin is on staged values.

    Args:
        name: the builtin's name, with its module if it has one.
        kind: `"staged"`, `"static"` or `"refused"`.
        gives: what it gives; for a refused one, what to write instead.
        overload: what is called in its place; None where the builtin itself does it, by a method
            of the staged value.
    """

    name: str
    kind: str
    gives: str
    overload: Callable[..., Any] | None = None

    @property
    def function(self) -> Any:
        """The function of the running Python, or None when it has none of this name."""
        root, _, rest = self.name.partition(".")
        owner, path = (_MODULES[root], rest) if root in _MODULES else (builtins, self.name)
        return reduce(lambda found, name: getattr(found, name, None), path.split("."), owner)


_MODULES: dict[str, Any] = {
    "bisect": bisect,
    "collections": collections,
    "functools": functools,
    "heapq": heapq,
    "itertools": itertools,
    "math": math,
}


def _refused(name: str, hint: str) -> Rule:
    message = f"{name}() of a staged array: its items are known only when the graph runs; {hint}"
    return Rule(name, "refused", hint, of_values(getattr(builtins, name), refusal(message)))


BUILTINS = (
    Rule("abs", "staged", "the absolute value, element by element"),
    Rule(
        "all", "staged",
        "a Python bool; of an array of one dimension, or of items, which are asked lazily",
        choosing.all_,
    ),
    Rule("any", "staged", "as `all`", choosing.any_),
    Rule("bool", "staged", "a Python bool, of a single value", numbers.bool_),
    Rule("callable", "static", "False"),
    Rule("chr", "staged", "a text of one character", of_values(chr, partial(call_text, "chr"))),
    Rule("complex", "staged", "a Python complex number, of one or two values", numbers.complex_),
    Rule(
        "dict", "staged",
        "of pairs, in `zip` or arrays: a dict whose keys are known when the graph runs",
        dict_of,
    ),
    Rule(
        "divmod", "staged",
        "the pair `x // y, x % y`; Python's numbers raise ZeroDivisionError", numbers.divmod_,
    ),
    Rule("enumerate", "staged", "pairs for a loop; the start may be staged", sequences.enumerate_),
    Rule(
        "filter", "staged",
        "items for a loop, for `list`, `sum` and the like; the function is converted",
        iterators(filter, asks=True),
    ),
    Rule("float", "staged", "a Python float, of a single value", numbers.float_),
    Rule(
        "format", "staged", "a text for print, formatted when the graph runs", texts.format_,
    ),
    _refused("frozenset", "write set(x), or np.unique(x) for the different items"),
    Rule(
        "getattr", "static",
        "the attribute that an array or number has in plain Python, else the default",
        kinds.getattr_,
    ),
    Rule("hasattr", "static", "what it is for the array or number in plain Python", kinds.hasattr_),
    Rule("hash", "refused", "use a number that is known as a key, or index an array", kinds.hash_),
    Rule("id", "refused", "write `x is y` to compare two names", kinds.id_),
    Rule("int", "staged", "a Python int, rounded towards zero, of a single value", numbers.int_),
    Rule(
        "isinstance", "static",
        "what it is in plain Python: arrays are `np.ndarray`, single values scalars of NumPy, "
        "Python's numbers `int`, `float`, ...",
        kinds.isinstance_,
    ),
    Rule("iter", "static", "the items one by one, when their number is known", sequences.iter_),
    Rule("len", "static", "the size of the first axis; staged where it is unknown", sequences.len_),
    Rule("list", "static", "a list of the items, when their number is known", sequences.list_),
    Rule("map", "staged", "items for a loop; the function is converted", sequences.map_),
    Rule(
        "max", "staged",
        "of numbers, or of an array of one dimension; with `key` and `default`; as in Python, NaN "
        "is never greater, and an empty array is a ValueError when the graph runs",
        choosing.max_,
    ),
    Rule("min", "staged", "as `max`", choosing.min_),
    Rule(
        "next", "staged",
        "of an iterator the next item, when the number of items is known; of a generator with "
        "staged conditions the first item, or the default; of an iterator over a dataset the next "
        "element",
        next_,
    ),
    Rule("ord", "staged", "a Python int, of a text of one character", numbers.of_text("ord", ord)),
    Rule("pow", "staged", "`x ** y`; with a modulus, of Python's integers", numbers.pow_),
    Rule(
        "print", "staged",
        "written when the graph runs, as Python writes the values, in lists, tuples and dicts, "
        "too; to sys.stdout or sys.stderr. Without staged values it prints while tracing",
        texts.print_,
    ),
    Rule("range", "staged", "integers for a loop, with staged bounds and step", sequences.range_),
    Rule("repr", "staged", "a text for print, made when the graph runs", texts.repr_),
    Rule("reversed", "staged", "items for a loop, from the end", sequences.reversed_),
    Rule(
        "round", "staged",
        "a Python int, halves to even; with digits, a number of the same kind", numbers.round_,
    ),
    Rule(
        "set", "staged", "of the items; how many differ is known when the graph runs",
        set_of,
    ),
    Rule("slice", "static", "a slice that may hold staged bounds"),
    Rule(
        "sorted", "staged",
        "a list of the items, when their number is known; with `key` and `reverse`",
        choosing.sorted_,
    ),
    Rule("str", "staged", "a text for print, made when the graph runs", texts.str_),
    Rule(
        "sum", "staged",
        "from the left, of items, rows or numbers; with a start", choosing.sum_,
    ),
    Rule("tuple", "static", "a tuple of the items, when their number is known", sequences.tuple_),
    Rule("type", "static", "the type that the value has in plain Python", kinds.type_),
    Rule(
        "zip", "staged",
        "tuples for a loop, of arrays, ranges and lists of numbers; unrolled with other iterables "
        "when the number of items is known; with `strict`",
        sequences.zip_,
    ),
)  # fmt: skip


def _math_rules() -> list[Rule]:
    rules = []
    for name, function in mathematics.FOR_ARRAYS.items():
        instead = f"; for arrays `np.{function}`" if function else ""
        overload = mathematics.number(name) if hasattr(math, name) else None
        rules.append(Rule(f"math.{name}", "staged", f"of single numbers{instead}", overload))
    for name in mathematics.PAIRS:
        gives = f"a pair, of a single number; for arrays `np.{name}`"
        rules.append(Rule(f"math.{name}", "staged", gives, mathematics.pair(name)))
    for name in ("dist", "fsum"):
        gives = "of arrays of one dimension, and of sequences of numbers"
        rules.append(Rule(f"math.{name}", "staged", gives, mathematics.rows(name)))
    gives = "from the left, of an array of one dimension or of numbers"
    rules.append(Rule("math.prod", "staged", gives, mathematics.prod))
    gives = "from the left, of two arrays of one dimension"
    rules.append(Rule("math.sumprod", "staged", gives, mathematics.sumprod))
    return sorted(rules, key=lambda rule: rule.name)


_LOOP = "items for a loop, for `list`, `sum` and the like"

ITERATORS = (
    Rule("collections.Counter", "staged", "of items that are counted by value", collector(Counter)),
    Rule(
        "collections.deque", "staged", "of items whose number may be staged; with `maxlen`",
        collector(deque),
    ),
    Rule(
        "functools.reduce", "staged",
        "from the left; a loop where the number of items is staged; the function is converted",
        iterators(functools.reduce),
    ),
    Rule("itertools.accumulate", "staged", _LOOP, iterators(itertools.accumulate)),
    Rule("itertools.chain", "staged", _LOOP, iterators(itertools.chain)),
    Rule(
        "itertools.chain.from_iterable", "staged", _LOOP, iterators(itertools.chain.from_iterable),
    ),
    Rule(
        "itertools.combinations", "static",
        "tuples of the items, when their number is known; else write nested loops",
    ),
    Rule(
        "itertools.count", "staged", "numbers for a loop that a staged `break` ends",
        iterators(itertools.count),
    ),
    Rule(
        "itertools.cycle", "static",
        "the items again and again; where a staged `break` ends the loop, index by `i % len(x)`",
    ),
    Rule("itertools.dropwhile", "staged", _LOOP, iterators(itertools.dropwhile, asks=True)),
    Rule("itertools.filterfalse", "staged", _LOOP, iterators(itertools.filterfalse, asks=True)),
    Rule(
        "itertools.groupby", "static",
        "groups of the items, by keys that are known; for staged keys compare neighbours in a loop",
    ),
    Rule(
        "itertools.islice", "staged", f"{_LOOP}; the bounds may be staged",
        iterators(itertools.islice),
    ),
    Rule("itertools.pairwise", "staged", _LOOP, iterators(itertools.pairwise)),
    Rule(
        "itertools.product", "static",
        "tuples of the items, when their number is known; else write nested loops",
    ),
    Rule(
        "itertools.repeat", "staged", f"{_LOOP}; the number may be staged",
        iterators(itertools.repeat),
    ),
    Rule("itertools.starmap", "staged", _LOOP, iterators(itertools.starmap)),
    Rule("itertools.takewhile", "staged", _LOOP, iterators(itertools.takewhile, asks=True)),
    Rule(
        "itertools.zip_longest", "static",
        "tuples of the items, when their number is known; else loop over "
        "range(max(len(a), len(b)))",
    ),
)  # fmt: skip


def _rules_of_order() -> list[Rule]:
    heaps = "of a list whose items are staged; its items stand where Python puts them"
    names = ("heapify", "heappop", "heappush", "heappushpop", "heapreplace")
    given = {f"heapq.{name}": heaps for name in names}
    for name in ("bisect_left", "bisect_right", "insort_left", "insort_right"):
        given[f"bisect.{name}"] = "of a list whose items are staged, with bounds and `key`"
    for name in ("nlargest", "nsmallest"):
        given[f"heapq.{name}"] = "as `sorted`, with a number that may be staged"
    functions = {f"{x.__module__.strip('_')}.{x.__name__}": x for x in ORDERED}
    return [Rule(name, "staged", given[name], looped(functions[name])) for name in sorted(given)]


RULES: tuple[Rule, ...] = (*BUILTINS, *_math_rules(), *ITERATORS, *_rules_of_order())
"""The table: a row for each builtin, and for functions of other modules."""

OVERLOADS: dict[Any, Callable[..., Any]] = {
    rule.function: rule.overload
    for rule in RULES
    if rule.overload is not None and rule.function is not None
}
"""Builtins, with what stands for them in converted code."""

CREATION = (
    *("arange", "array", "asarray", "asanyarray", "ascontiguousarray", "copy"),
    *("empty", "empty_like", "eye", "full", "full_like", "geomspace", "identity", "indices"),
    *("linspace", "logspace", "meshgrid", "ones", "ones_like", "tri", "zeros", "zeros_like"),
)
"""NumPy functions that its protocols do not show us: they make arrays from Python values."""

OVERLOADS.update({getattr(np, name): getattr(rnp, name) for name in CREATION if hasattr(rnp, name)})


def _scalar_type(kind: Any) -> Callable[..., Any]:
    def overload(*values: Any) -> Any:
        if len(values) == 1 and is_staged(values[0]):
            return values[0].astype(kind)
        return kind(*values)

    return overload


OVERLOADS[hint] = misplaced
OVERLOADS.update({np.dtype(name).type: _scalar_type(np.dtype(name).type) for name in SHORT_NAMES})
