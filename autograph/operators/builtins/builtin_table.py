"""The table of Python's builtins and `math`: what each is on staged values.

Every builtin that can be given an array has a row. A row is *staged* (part of the graph), *static*
(known while tracing), or *refused* with what to write instead. `OVERLOADS` and the page
`docs/builtins.md` are made of the rows.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograph.operators.builtins import (
    combinatorics,
    copies,
    decompositions,
    heapq_bisect,
    mathematics,
    number_builtins,
    ordering,
    quantifiers,
    reductions,
    sequences,
    texts,
    type_queries,
)
from autograph.operators.builtins.builtin_rows import (
    LOOP,
    Rule,
    iterator_row,
    order_row,
    refused_row,
    tuples_row,
)
from autograph.operators.builtins.iterable_builtins import (
    collector,
    dict_of,
    next_,
    set_of,
)
from autograph.operators.builtins.overloads import of_values
from autograph.operators.builtins.special_builtins import FORMAT, REPR, STR
from autograph.operators.calls.exits import exit_, quit_
from autograph.operators.containers import method_calls
from autograph.operators.control_flow.hints import hint, misplaced
from autograph.operators.iteration.staged_range import index_of
from autograph.operators.objects.attributes import delete_attribute, set_attribute
from runtime.dispatch import as_value, lift
from runtime.dtypes import SHORT_NAMES
from runtime.opaque import Opaque
from runtime.tensor import Symbol, is_staged
from runtime.text_methods import call_text
from runtime.union import is_cell

__all__ = ["OVERLOADS", "RULES", "Rule"]


BUILTINS = (
    Rule("abs", "staged", "the absolute value, element by element",
        methods=("__abs__",),
    ),
    Rule(
        "all", "staged",
        "a Python bool; of an array of one dimension, or of items, which are asked lazily",
        quantifiers.all_, decompositions.all_, container=True,
    ),
    Rule(
        "any", "staged", "as `all`", quantifiers.any_, decompositions.any_, container=True,
    ),
    Rule("bin", "staged", "a text, of an integer", number_builtins.bin_),
    Rule(
        "bool", "staged", "a Python bool, of a single value", number_builtins.bool_,
        container=method_calls.bool_,
        methods=("__bool__", "__len__"),
    ),
    Rule("callable", "static", "False"),
    Rule("chr", "staged", "a text of one character", of_values(chr, partial(call_text, "chr"))),
    Rule(
        "complex", "staged",
        "a Python complex number, of one or two values",
        number_builtins.complex_,
        methods=("__complex__", "__float__", "__index__"),
    ),
    Rule(
        "dict", "staged",
        "of pairs, in `zip` or arrays: a dict whose keys are known when the graph runs",
        dict_of, decompositions.collected, container=True,
    ),
    Rule(
        "divmod", "staged",
        "the pair `x // y, x % y`; Python's numbers raise ZeroDivisionError",
        number_builtins.divmod_,
        methods=("__divmod__",),
    ),
    Rule(
        "enumerate", "staged", "pairs for a loop; the start may be staged", sequences.enumerate_,
        decompositions.enumerate_, container=True, draws=True,
    ),
    Rule("exit", "staged", "raises SystemExit", quit_, of_objects=True, container=True),
    iterator_row(
        "filter", decompositions.filter_,
        "items for a loop, for `list`, `sum` and the like; the function is converted",
    ),
    Rule("float", "staged", "a Python float, of a single value", number_builtins.float_,
        methods=("__float__", "__index__"),
    ),
    Rule(
        "format", "staged", "a text for print, formatted when the graph runs", texts.format_,
        container=True,
        methods=FORMAT,
    ),
    refused_row("frozenset", "write set(x), or np.unique(x) for the different items"),
    Rule(
        "getattr", "static",
        "the attribute that an array or number has in plain Python, else the default",
        type_queries.getattr_, of_objects=True,
    ),
    Rule(
        "hasattr", "static", "what it is for the array or number in plain Python",
        type_queries.hasattr_, of_objects=True,
    ),
    Rule(
        "hash", "refused", "use a number that is known as a key, or index an array",
        type_queries.hash_, of_objects=True,
        methods=("__hash__",),
    ),
    Rule("hex", "staged", "a text, of an integer", number_builtins.hex_),
    Rule(
        "id", "refused", "write `x is y` to compare two names", type_queries.id_,
        container=type_queries.id_, of_choices=True,
        of_objects=True,
    ),
    Rule(
        "int", "staged",
        "a Python int, rounded towards zero, of a single value",
        number_builtins.int_,
        methods=("__int__", "__index__"),
    ),
    Rule(
        "isinstance", "static",
        "what it is in plain Python: arrays are `np.ndarray`, single values scalars of NumPy, "
        "Python's numbers `int`, `float`, ...",
        type_queries.isinstance_, container=type_queries.isinstance_, of_objects=True,
    ),
    Rule(
        "iter", "static", "the items one by one, when their number is known", sequences.iter_,
        container=True, draws=True, methods=("__iter__",),
    ),
    Rule(
        "len", "static", "the size of the first axis; staged where it is unknown", sequences.len_,
        container=method_calls.len_,
        methods=("__len__",),
    ),
    Rule(
        "list", "static", "a list of the items, when their number is known", sequences.list_,
        decompositions.collected, method_calls.list_,
    ),
    Rule(
        "map", "staged", "items for a loop; the function is converted", sequences.map_,
        decompositions.map_, container=True, draws=True,
    ),
    Rule(
        "max", "staged",
        "of numbers, or of an array of one dimension; with `key` and `default`; as in Python, NaN "
        "is never greater, and an empty array is a ValueError when the graph runs",
        reductions.max_, decompositions.collected, container=True,
    ),
    Rule(
        "min", "staged", "as `max`", reductions.min_, decompositions.collected, container=True,
    ),
    Rule(
        "next", "staged",
        "of an iterator the next item, when the number of items is known; of a generator with "
        "staged conditions the first item, or the default; of an iterator over a dataset the next "
        "element",
        next_, decompositions.next_, draws=True,
        methods=("__next__",),
    ),
    Rule("oct", "staged", "a text, of an integer", number_builtins.oct_),
    Rule(
        "ord", "staged",
        "a Python int, of a text of one character",
        number_builtins.of_text("ord", ord),
    ),
    Rule("pow", "staged", "`x ** y`; with a modulus, of Python's integers", number_builtins.pow_,
        methods=("__pow__",),
    ),
    Rule(
        "print", "staged",
        "written when the graph runs, as Python writes the values, in lists, tuples and dicts, "
        "too; to sys.stdout or sys.stderr. What is known is printed to another file while tracing",
        texts.print_, container=True, of_objects=True,
    ),
    Rule("quit", "staged", "raises SystemExit", quit_, of_objects=True, container=True),
    Rule("range", "staged", "integers for a loop, with staged bounds and step", sequences.range_),
    Rule(
        "repr", "staged", "a text for print, made when the graph runs", texts.repr_,
        container=True, of_objects=True,
        methods=REPR,
    ),
    Rule(
        "reversed", "staged", "items for a loop, from the end", sequences.reversed_,
        container=True,
        methods=("__reversed__",),
    ),
    Rule(
        "round", "staged",
        "a Python int, halves to even; with digits, a number of the same kind",
        number_builtins.round_,
        methods=("__round__",),
    ),
    Rule(
        "set", "staged", "of the items; how many differ is known when the graph runs",
        set_of, decompositions.collected, container=True,
    ),
    Rule("slice", "static", "a slice that may hold staged bounds"),
    Rule(
        "sorted", "staged",
        "a list of the items, of which only the graph may know how many; with `key` and `reverse`",
        ordering.sorted_, decompositions.collected, method_calls.sorted_,
    ),
    Rule(
        "str", "staged", "a text for print, made when the graph runs", texts.str_,
        container=True, of_objects=True,
        methods=STR,
    ),
    Rule(
        "sum", "staged",
        "from the left, of items, rows or numbers; with a start", reductions.sum_,
        decompositions.collected, container=True,
    ),
    Rule(
        "tuple", "staged", "a tuple of the items, of which only the graph may know how many",
        sequences.tuple_, decompositions.collected, method_calls.tuple_,
    ),
    Rule(
        "type", "static", "the type that the value has in plain Python", type_queries.type_,
        container=type_queries.type_, of_objects=True,
    ),
    Rule(
        "zip", "staged",
        "tuples for a loop, of arrays, ranges and lists of numbers; unrolled with other iterables "
        "when the number of items is known; with `strict`",
        sequences.zip_, container=True, draws=True,
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


ITERATORS = (
    order_row(
        "dict.fromkeys", decompositions.dict_from_keys,
        "a dict of the items, of which only the graph may know how many",
    ),
    Rule(
        "collections.Counter", "staged", "of items that are counted by value",
        collector(Counter, decompositions.counter), decompositions.counter, container=True,
    ),
    Rule(
        "collections.deque", "staged",
        "of items whose number may be staged; with `maxlen`; one that is given is changed, too",
        collector(deque, decompositions.deque_), decompositions.deque_, container=True,
    ),
    Rule(
        "copy.copy", "staged", "of lists and the like whose items only the graph knows, too",
        copies.copy_, container=True,
    ),
    Rule(
        "copy.deepcopy", "staged", "as `copy.copy`, unless there are others in those",
        copies.deepcopy, container=True,
    ),
    iterator_row(
        "functools.reduce", decompositions.reduce,
        "from the left; a loop where the number of items is staged; the function is converted",
    ),
    iterator_row("itertools.accumulate", decompositions.accumulate),
    iterator_row("itertools.chain", decompositions.chain),
    iterator_row("itertools.chain.from_iterable", decompositions.chain_of),
    tuples_row("itertools.combinations", combinatorics.combinations),
    tuples_row(
        "itertools.combinations_with_replacement", combinatorics.combinations_with_replacement
    ),
    iterator_row("itertools.compress", decompositions.compress),
    Rule(
        "itertools.count", "staged", "numbers for a loop that a staged `break` ends",
        sequences.endless(itertools.count), decompositions.count, container=True,
    ),
    Rule(
        "itertools.cycle", "staged", "the items again and again, for a loop that ends",
        sequences.endless(itertools.cycle),
    ),
    iterator_row("itertools.dropwhile", decompositions.dropwhile),
    iterator_row("itertools.filterfalse", decompositions.filterfalse),
    iterator_row("itertools.groupby", decompositions.groupby),
    iterator_row("itertools.islice", decompositions.islice, f"{LOOP}; the bounds may be staged"),
    iterator_row("itertools.pairwise", decompositions.pairwise),
    tuples_row("itertools.permutations", combinatorics.permutations),
    tuples_row("itertools.product", combinatorics.product),
    Rule(
        "itertools.repeat", "staged", f"{LOOP}; the number may be staged",
        sequences.endless(itertools.repeat), decompositions.repeat, container=True,
    ),
    iterator_row("itertools.starmap", decompositions.starmap),
    iterator_row("itertools.takewhile", decompositions.takewhile),
    Rule(
        "itertools.zip_longest", "static",
        "tuples of the items, when their number is known; else loop over "
        "range(max(len(a), len(b)))",
    ),
    Rule(
        "numpy.ndindex", "static", "tuples of ints, where the shape is known",
        sequences.listed(np.ndindex),
    ),
    Rule(
        "operator.index", "staged", "a Python int, of an integer",
        of_values(operator.index, index_of), methods=("__index__",),
    ),
    Rule("sys.exit", "staged", "raises SystemExit", exit_, of_objects=True, container=True),
)  # fmt: skip


_HEAP = "of a list whose items are staged; its items stand where Python puts them"
_SORTED = "of a list whose items are staged, with bounds and `key`"
_BEST = "as `sorted`, with a number that may be staged"

ORDER = (
    order_row("bisect.bisect_left", heapq_bisect.bisect_left, _SORTED),
    order_row("bisect.bisect_right", heapq_bisect.bisect_right, _SORTED),
    order_row("bisect.insort_left", heapq_bisect.insort_left, _SORTED),
    order_row("bisect.insort_right", heapq_bisect.insort_right, _SORTED),
    order_row("heapq.heapify", heapq_bisect.heapify, _HEAP),
    order_row("heapq.heappop", heapq_bisect.heappop, _HEAP),
    order_row("heapq.heappush", heapq_bisect.heappush, _HEAP),
    order_row("heapq.heappushpop", heapq_bisect.heappushpop, _HEAP),
    order_row("heapq.heapreplace", heapq_bisect.heapreplace, _HEAP),
    order_row("heapq.nlargest", heapq_bisect.nlargest, _BEST),
    order_row("heapq.nsmallest", heapq_bisect.nsmallest, _BEST),
)

RULES: tuple[Rule, ...] = (*BUILTINS, *_math_rules(), *ITERATORS, *ORDER)
"""The table: a row for each builtin, and for functions of other modules."""

_BY_FUNCTION = {rule.function: rule for rule in RULES if rule.function is not None}


def row_of(function: Any) -> Rule | None:
    """Return the row of a builtin; None for anything else."""
    try:
        return _BY_FUNCTION.get(function)
    except TypeError:  # an unhashable callable object
        return None


OVERLOADS: dict[Any, Callable[..., Any]] = {
    function: rule.overload for function, rule in _BY_FUNCTION.items() if rule.overload is not None
}
"""Builtins, with what stands for them in converted code."""


def _scalar_type(kind: Any) -> Callable[..., Any]:
    def overload(*values: Any) -> Any:
        (value, *others) = map(lift, values) if values else (kind(),)
        if others or not (is_staged(value) or isinstance(value, Opaque)):
            return kind(*values)
        if isinstance(value, Symbol) and value.union is not None:  # it is of one class from now on
            value = Symbol(value.builder, value.builder.resolve(as_value(value.builder, value)))
        found = value.astype(kind, copy=False)
        return found[()] if is_cell(found) else found

    return overload


OVERLOADS.update({hint: misplaced, setattr: set_attribute, delattr: delete_attribute})
OVERLOADS.update({np.dtype(name).type: _scalar_type(np.dtype(name).type) for name in SHORT_NAMES})
