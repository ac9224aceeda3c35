"""Single texts: what is made of values when a graph runs, and what Python's `str` does with it.

One text is a value of dtype `string` without dimensions. The results are those of the running
Python, errors and their texts included.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from runtime.dtypes import STRING
from runtime.errors import DtypeError
from runtime.forks import Lock
from runtime.graph.opdef import MAKERS, REGISTRY, OpDef, Samples, op
from runtime.graph.traits import Error
from runtime.ops.effects import fill_text
from runtime.ops.families import FACTS
from runtime.ops.samples import Call
from runtime.ops.spec_rules import need_scalar
from runtime.spec import WEAK_SPECS, TensorSpec, make_spec

_RAISED = {
    **dict.fromkeys(("int", "float", "slice"), (Error("ValueError"),)),
    "chr": (Error("ValueError"), Error("OverflowError")),
    "ord": (Error("TypeError"),),
    "item": (Error("IndexError"),),
}
"""What a function of texts raises, by its name."""

TEXT = make_spec(STRING, ())
"""The spec of one text."""


def _slice(text: str, *bounds: int | None) -> str:
    return text[slice(*bounds)]


def _part(name: str, number: int) -> Callable[..., Any]:
    return lambda text, separator: getattr(text, name)(separator)[number]


_OF_TEXTS: dict[str, Callable[..., Any]] = {
    "concat": operator.add,
    "repeat": operator.mul,
    "item": operator.getitem,
    "slice": _slice,
    "pick": lambda which, *texts: texts[which],
    **{f"partition_{k}": _part("partition", k) for k in range(3)},
    **{f"rpartition_{k}": _part("rpartition", k) for k in range(3)},
}
_METHODS: dict[type, str] = {
    str: "capitalize casefold center expandtabs ljust lower lstrip removeprefix removesuffix "
    "replace rjust rstrip strip swapcase title upper zfill",
    int: "count find index rfind rindex",
    bool: "endswith isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric "
    "isprintable isspace istitle isupper startswith",
}
METHODS: dict[str, type] = {name: kind for kind, all_ in _METHODS.items() for name in all_.split()}
"""The methods of `str` that a graph calls, and what they give."""

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "contains")
_CALLS: dict[str, tuple[type, Callable[..., Any]]] = {
    **{name: (kind, getattr(str, name)) for name, kind in METHODS.items()},
    **{name: (str, function) for name, function in _OF_TEXTS.items()},
    **{name: (bool, getattr(operator, name)) for name in _COMPARISONS},
    **{function.__name__: (function, function) for function in (int, float, bool)},
    "len": (int, len),
    "ord": (int, ord),
    "chr": (str, chr),
}


def op_of_texts(name: str) -> OpDef:
    """Return the op that a function of texts is: a method of `str`, an operator, `int`, ...

    DtypeError for a function that no graph calls.
    """
    if name not in _CALLS:
        raise DtypeError(f"a graph computes with texts by {', '.join(_CALLS)}, not by {name!r}")
    with _DEFINING:
        found = REGISTRY.get(f"text_{name}")
        return _define(name) if found is None else found


def _made_of(name: str) -> OpDef | None:
    prefix, _, own = name.partition("_")
    return op_of_texts(own) if prefix == "text" and own in _CALLS else None


MAKERS.append(_made_of)
_DEFINING = Lock()


def _plain(value: Any) -> Any:
    """Return a text or number as one of Python's."""
    return value.item() if isinstance(value, np.ndarray | np.generic) else value


def _define(name: str) -> OpDef:
    kind, function = _CALLS[name]

    def spec(*values: TensorSpec, left_out: tuple[int, ...]) -> TensorSpec:
        for value in values:
            need_scalar(value, f"what {name}() is given")
        return TEXT if kind is str else WEAK_SPECS[kind]

    def kernel(xp: Any, *values: Any, left_out: tuple[int, ...]) -> Any:
        given = [_plain(value) for value in values]
        for position in left_out:
            given.insert(position, None)
        return function(*given)

    return op(
        f"text_{name}(*values, left_out=())",
        doc=f"""`{name}` of Python, of single texts.

        At the positions in `left_out` it is given `None`.""",
        spec=spec,
        kernel=kernel,
        samples=Samples((STRING,), lambda rng, dtype: SAMPLES.get(name, [])),
        family=FACTS,
        raises=lambda specs, attrs: _RAISED.get(name, ()),
    )


SAMPLES: dict[str, list[Call]] = {
    "concat": [(("ab", "c"), {})],
    "repeat": [(("ab", 2), {})],
    "item": [(("Ab", -1), {})],
    "slice": [(("text", 2), {"left_out": (1, 3)})],
    "contains": [(("Ab", "b"), {})],
    "lower": [(("Ab",), {})],
    "zfill": [(("7", 3), {})],
    "count": [(("a,b", ","), {})],
    "int": [((" 12 ",), {})],
    "float": [(("-1.5",), {})],
    "len": [(("grün",), {})],
}

text = op(
    "text(*values, format)",
    doc="A text with the values, as Python writes them, in the places of `{}`.",
    spec=lambda *values, format: TEXT,
    kernel=lambda xp, *values, format: fill_text(format, values),
    samples=Samples((STRING,), lambda rng, dtype: [((1.5, "b"), {"format": "{:.2f} {!r}{{}}"})]),
    family=FACTS,
)


def _rows(length: Any, buffers: tuple[Any, ...], weak: tuple[bool, ...]) -> list[tuple[Any, ...]]:
    """Return the leaves of each item."""
    size = int(length)
    pairs = zip(buffers, weak, strict=True)
    columns = [x[:size].tolist() if is_weak else list(x[:size]) for x, is_weak in pairs]
    return list(zip(*columns, strict=True)) if columns else [()] * size


def _row_text(row: tuple[Any, ...], forms: tuple[str, ...], counts: tuple[int, ...]) -> str:
    leaves = iter(row)
    pairs = zip(forms, counts, strict=True)
    return ": ".join(fill_text(form, tuple(islice(leaves, count))) for form, count in pairs)


def _in_order(rows: list[tuple[Any, ...]], order: str) -> list[tuple[Any, ...]]:
    """Return items in the order in which Python writes those of a set or a Counter."""
    if order == "count":
        return sorted(rows, key=lambda row: row[-1], reverse=True)
    if order != "hash":
        return rows
    single = all(len(row) == 1 for row in rows)
    by_item = {row[0] if single else row: row for row in rows}
    items: set[Any] = set()
    items.update(list(by_item))  # one by one, as a loop does: so the order is the same
    return [by_item[item] for item in items]


def _container_kernel(
    xp: Any,
    length: Any,
    *buffers: Any,
    forms: tuple[str, ...],
    counts: tuple[int, ...],
    weak: tuple[bool, ...],
    around: tuple[str, str, str],
    order: str,
) -> str:
    start, end, empty = around
    rows = _in_order(_rows(length, buffers, weak), order)
    return (
        f"{start}{', '.join(_row_text(row, forms, counts) for row in rows)}{end}" if rows else empty
    )


_LIST = {"counts": (1,), "weak": (False,), "around": ("[", "]", "[]")}

container_text = op(
    "container_text(length, *buffers, forms, counts, weak, around, order='')",
    doc="""What `repr` writes of a container of so many items, each of whose leaves is in a buffer.

    `forms` have places for the leaves of the parts of an item, `counts` says how many each has,
    `weak` which of them are numbers of Python, `around` what stands before and behind, and the
    text where there are no items; the order `hash` is that of a set, `count` of a Counter.""",
    spec=lambda length, *buffers, **attrs: TEXT,
    kernel=_container_kernel,
    samples=Samples(
        (STRING,),
        lambda rng, dtype: [
            ((2, np.arange(3)), {**_LIST, "forms": ("({!r}, 1)",)}),
            ((0, np.arange(3)), {**_LIST, "forms": ("{!r}",)}),
        ],
    ),
    family=FACTS,
)
