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

from runtime.dtypes import STRING, DType
from runtime.errors import DtypeError
from runtime.graph.opdef import Samples, op
from runtime.ops.effects import fill_text
from runtime.ops.rules import need_scalar
from runtime.ops.samples import Call, Rng
from runtime.spec import WEAK_SPECS, TensorSpec, make_spec

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


def _call_spec(*values: TensorSpec, name: str, left_out: tuple[int, ...]) -> TensorSpec:
    if name not in _CALLS:
        raise DtypeError(f"a graph computes with texts by {', '.join(_CALLS)}, not by {name!r}")
    for value in values:
        need_scalar(value, f"what {name}() is given")
    kind, _ = _CALLS[name]
    return TEXT if kind is str else WEAK_SPECS[kind]


def _plain(value: Any) -> Any:
    """Return a text or number as one of Python's."""
    return value.item() if isinstance(value, np.ndarray | np.generic) else value


def _call_kernel(xp: Any, *values: Any, name: str, left_out: tuple[int, ...]) -> Any:
    given = [_plain(value) for value in values]
    for position in left_out:
        given.insert(position, None)
    return _CALLS[name][1](*given)


def _draw(rng: Rng, dtype: DType) -> list[Call]:
    return [
        (("ab", "c"), {"name": "concat"}),
        (("ab", 2), {"name": "repeat"}),
        (("Ab", -1), {"name": "item"}),
        (("text", 2), {"name": "slice", "left_out": (1, 3)}),
        (("Ab", "b"), {"name": "contains"}),
        (("Ab",), {"name": "lower"}),
        (("7", 3), {"name": "zfill"}),
        (("a,b", ","), {"name": "count"}),
        ((" 12 ",), {"name": "int"}),
        (("-1.5",), {"name": "float"}),
        (("grün",), {"name": "len"}),
    ]


python_text = op(
    "python_text(*values, name, left_out=())",
    doc="""What a method of Python's `str`, or a function or operator, gives for single texts.

    At the positions in `left_out` it is given `None`.""",
    spec=_call_spec,
    kernel=_call_kernel,
    samples=Samples((STRING,), _draw),
)

text = op(
    "text(*values, format)",
    doc="A text with the values, as Python writes them, in the places of `{}`.",
    spec=lambda *values, format: TEXT,
    kernel=lambda xp, *values, format: fill_text(format, values),
    samples=Samples((STRING,), lambda rng, dtype: [((1.5, "b"), {"format": "{:.2f} {!r}{{}}"})]),
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
)
