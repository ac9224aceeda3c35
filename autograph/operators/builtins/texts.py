"""Texts with staged values in them: `print`, `str`, `repr`, `format`, and the parts of f-strings.

A text that depends on staged values is a `StagedText`: `print` writes it when the graph runs, an
error has it as its message, and a function may return it.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

from autograph.operators import table
from autograph.operators.builtins.overloads import MISSING, given
from autograph.operators.builtins.special_builtins import FORMAT, REPR, STR, asked
from autograph.operators.builtins.type_queries import plain_type
from autograph.operators.containers.promotion import staged_of
from autograph.operators.containers.representation import text_of_list
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.iteration.staged_range import StagedRange
from autograph.operators.objects.special_methods import runs_code, shows_items
from autograph.operators.objects.union_values import each
from autograph.staging.context import journal_now, trace_now
from autograph.staging.deferred_errors import PLACEHOLDERS
from autograph.staging.for_loop import Iteration
from autograph.staging.union_operators import with_each
from runtime import default_graph, trees
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.numpy.staged_call import stage_call
from runtime.opaque import Opaque
from runtime.operator_mode import operate_now
from runtime.ops.exceptions import GROUP
from runtime.state.variable import Variable
from runtime.tensor import Symbol
from runtime.text_methods import call_text, placed, text_value
from runtime.texts import StagedText, joined
from runtime.tree_nodes import children_of
from runtime.union import Choice


def holds_staged(value: Any) -> bool:
    """Tell whether the text of a value is known only when the graph runs."""
    kind = type(value)
    if staged_list(value) is not None:
        return True
    if shows_items(kind):
        return any(map(holds_staged, children_of(value)))
    if isinstance(value, BaseException):
        return any(map(is_asked, (*value.args, *vars(value).values())))
    return kind in _STAGED or (kind is Variable and is_building())


_STAGED = frozenset([Symbol, StagedText, Opaque, StagedRange, Choice])


def is_asked(value: Any) -> bool:
    """Tell whether to show or compare a value is for the graph, or runs code of the user's."""
    return holds_staged(value) or (is_building() and runs_code(value))


def is_building() -> bool:
    """Tell whether a graph is being built."""
    return default_graph.current() is not None


def separated(parts: list[Any], separator: str) -> list[Any]:
    """Return parts of a text with a separator between each two."""
    spread = [piece for part in parts for piece in (separator, part)]
    return spread[1:]


def repr_text(value: Any) -> Any:
    """Return the text that `repr` makes of a value: a str, or a StagedText."""
    if not is_asked(value):
        return _known_text(repr, value)
    staged = staged_list(value)
    if staged is not None:
        return text_of_list(staged)
    if type(value) is Choice:
        return each(value, repr_text)
    if type(value) is Opaque:
        return _placed("{}", stage_call(repr, (value,), {}))
    if type(value) is Symbol or type(value) is StagedText:
        return _placed("{!r}", value)
    if type(value) is Variable:
        return text("Variable(", repr_text(value.read()), f"{value.called})")
    if isinstance(value, BaseException):
        return _error_repr(value)
    if type(value) is StagedRange:
        return _range_text(value)
    if type(value) is Counter:  # its text has the commonest first
        return text_of_list(staged_of(value.copy()))
    return _container_text(value) if shows_items(type(value)) else asked(repr, REPR, (value,))


def _known_text(builtin: Callable[[Any], Any], value: Any) -> Any:
    """Return what `repr` or `str` makes of a value in which nothing staged was found."""
    found = builtin(value)
    if (
        is_building()
        and type(found) is str
        and not isinstance(value, str)
        and PLACEHOLDERS.search(found)
    ):
        raise StagedValueError(
            f"the text of a {type(value).__name__} that holds a staged value: {found}. Write what "
            "it holds into the text"
        )
    return found


class _Mark:
    """Stands for an item in the text of a container that Python makes."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __repr__(self) -> str:
        return f"\0{self._number}\0"


def _container_text(value: Any) -> Any:
    """Return the text of a container: Python's, with that of the graph for some of the items."""
    leaves, structure = trees.flatten_to(value, _is_item)
    marked = [_Mark(k) if is_asked(x) else x for k, x in enumerate(leaves)]
    parts = repr(trees.unflatten(structure, marked)).split("\0")
    return text(*(repr_text(leaves[int(x)]) if k % 2 else x for k, x in enumerate(parts)))


def _is_item(value: Any) -> bool:
    return not shows_items(type(value)) or type(value) is Counter or staged_list(value) is not None


def _range_text(value: StagedRange) -> Any:
    """Return the text of a range, which has a step where that is not 1."""
    bounds = ["range(", str_of(value.start), ", ", str_of(value.stop)]
    return table.operators.if_exp(
        value.step == 1,
        lambda: text(*bounds, ")"),
        lambda: text(*bounds, ", ", str_of(value.step), ")"),
    )


def _placed(form: str, value: Any) -> Any:
    """Return the text of a value in a form that has one place."""
    found = text_value(value)
    return placed(form, found) if type(found) is Symbol else form.format(found)


def _place(value: Symbol) -> str:
    """Return the place where `str` of a value stands: `format` writes floats of 64 bits."""
    is_short = value.spec.dtype.name in ("float16", "float32", "complex64")
    return "{!s}" if is_short else "{}"


def str_of(value: Any) -> Any:
    """Return the text that `str` makes of a value: a str, or a StagedText."""
    if type(value) is Opaque:
        return _placed("{}", stage_call(str, (value,), {}))
    if type(value) is Symbol:
        return placed(_place(value), value)
    if type(value) is StagedText:
        return value
    if type(value) is Choice:
        return each(value, str_of)
    if isinstance(value, BaseException) and holds_staged(value):
        return _error_text(value)
    if shows_items(type(value)) or holds_staged(value):
        return repr_text(value)
    return _known_text(lambda x: asked(str, STR, (x,)), value)


def _error_text(error: BaseException) -> Any:
    """Return what `str` makes of an exception that holds staged values."""
    own = type(error).__str__
    if isinstance(own, FunctionType):
        return table.operators.call(own, error)
    if isinstance(error, OSError) and error.strerror is not None:
        names = [repr_text(x) for x in (error.filename, error.filename2) if x is not None]
        where = [": ", *separated(names, " -> ")] if names else []
        return text("[Errno ", str_of(error.errno), "] ", str_of(error.strerror), *where)
    if isinstance(error, GROUP):
        return str(error)  # it tells how many there are
    if len(error.args) == 1:
        return repr_text(error.args[0]) if isinstance(error, KeyError) else str_of(error.args[0])
    return repr_text(error.args) if error.args else ""


def _error_repr(error: BaseException) -> Any:
    """Return what `repr` makes of an exception that holds staged values."""
    own = type(error).__repr__
    if isinstance(own, FunctionType):
        return table.operators.call(own, error)
    args = repr_text(error.args[0] if len(error.args) == 1 else error.args)
    return text(type(error).__name__, *(["(", args, ")"] if len(error.args) == 1 else [args]))


def field(value: Any, form: Any = "", conversion: str = "") -> Any:
    """Return what `{value!conversion:form}` writes in an f-string: a str, or a StagedText.

    >>> field(1.5, ".2f")
    '1.50'
    """
    if type(value) is Choice or type(form) is Choice:
        return with_each(field, (value, form, conversion), {}, each)
    if type(value) is Opaque:
        made = {"": value, "s": str, "r": repr, "a": ascii}[conversion]
        value = stage_call(made, (value,), {}) if conversion else value
        return _placed("{}", stage_call(format, (value, form), {}))
    if not holds_staged(value) and type(form) is str:
        if conversion == "a" or not is_asked(value):
            made = {"": value, "s": str, "r": repr, "a": ascii}[conversion]
            return format(made(value) if conversion else value, form)
        if conversion:
            return field(repr_text(value) if conversion == "r" else str_of(value), form)
        if shows_items(type(value)) and not form:
            return repr_text(value)
        return asked(format, FORMAT, (value, form))
    if type(form) is not str or "{" in form or "}" in form:
        raise StagedValueError(
            "the format of a staged value is itself staged; write the width and the "
            "precision as numbers"
        )
    if type(value) is Variable and form:
        value = value.read()
    if type(value) is Symbol or (type(value) is StagedText and (form or conversion)):
        if form and not conversion and type(value) is Symbol and value.union is None:
            _need_form(plain_type(value), value.spec.dtype, value.spec.rank, form)
        mark = f"!{conversion}" if conversion else ""
        return _placed(f"{{{mark}{':' if form else ''}{form}}}", value)
    if form and conversion:
        return field(field(value, "", conversion), form)
    if form:
        raise TypeError(f"unsupported format string passed to {type(value).__name__}.__format__")
    return repr_text(value) if conversion == "r" else str_of(value)


@cache
def _need_form(kind: type, dtype: np.dtype[Any], rank: int | None, form: str) -> None:
    """Raise what Python raises where no number of a class, or no array, has a form."""
    format(np.zeros((1,) * (rank or 0), dtype) if kind is np.ndarray else kind(), form)


def text(*parts: Any) -> Any:
    """Return an f-string: its constant parts and its fields, joined.

    >>> text("x = ", field(1.5), "!")
    'x = 1.5!'
    """
    if Choice in map(type, parts):
        return with_each(text, parts, {}, each)
    return joined(list(parts)) if StagedText in map(type, parts) else "".join(parts)


def _over_characters(text: StagedText) -> Iteration:
    """Return how a loop goes over the characters of a text."""
    return Iteration(call_text("len", text), (), lambda index, _: call_text("item", text, index))


StagedText.__staged_iteration__ = _over_characters  # type: ignore[attr-defined]


def print_(*values: Any, **options: Any) -> None:
    """`print(...)`: printed when the graph runs; to a file of the user's, while tracing.

    In functions that follow another library's rules, it is Python's own: it tells of the trace.
    """
    if is_building():
        values = tuple(x if holds_staged(x) or not is_asked(x) else str_of(x) for x in values)
    if operate_now() is not None:
        values = tuple(x.described() if type(x) is StagedText else x for x in values)
    elif is_building() and _is_staged_print(values, options):
        _print_staged(values, options)
        return
    _print_once(values, options)


def _is_staged_print(values: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """Tell whether a graph prints values: to a file of the user's it cannot, if it need not."""
    is_of_system = options.get("file") in (None, sys.stdout, sys.stderr)
    return is_of_system or journal_now() is not None or any(map(holds_staged, values))


def _print_once(values: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Print, unless a trace that was given up has done so."""
    trace = trace_now()
    if trace is None or trace.journal is None:
        print(*values, **options)  # noqa: T201  (it stands for print)
        return
    text, file = io.StringIO(), options.get("file")
    print(*values, **{**options, "file": text})  # noqa: T201
    if trace.journal.printed.is_new(file, text.getvalue()):
        flush = options.get("flush", False)
        print(text.getvalue(), end="", file=file, flush=flush)


def print_at_run(*values: Any, **options: Any) -> None:
    """Print values as Python does, in a staged function at each run of its graph.

    What is known while tracing is printed at each run, too.

    Args:
        values: what is printed; of large arrays NumPy writes a summary.
        options: `sep`, `end`, `file` and `flush`, as for `print`.

    >>> import numpy as np
    >>> print_at_run("loss", np.float64(0.5), sep=": ")
    loss: 0.5
    """
    if is_building():
        _print_staged(values, options)
    else:
        print(*values, **options)  # noqa: T201  (it stands for print)


def _print_staged(values: Sequence[Any], options: Mapping[str, Any]) -> None:
    stream = _stream(options.get("file"))
    print(**{**options, "file": io.StringIO()})  # noqa: T201  (for Python's own errors)
    separator, end = options.get("sep"), options.get("end")
    parts = separated([_written(x) for x in values], " " if separator is None else separator)
    parts.append("\n" if end is None else end)
    write = partial(_write, stream, bool(options.get("flush", False)))
    if Choice in map(type, parts):
        with_each(write, parts, {}, each)
    else:
        write(*parts)


def _write(stream: str, flush: bool, *parts: Any) -> None:
    whole = joined(list(parts))
    apply(REGISTRY["print"], whole.values, format=whole.form, stream=stream, flush=flush)


def _written(value: Any) -> Any:
    """Return the text of a value that is written at once."""
    return StagedText(_place(value), (value,)) if type(value) is Symbol else str_of(value)


def _stream(file: Any) -> str:
    """Return the name in `sys` of a file that a graph can print to."""
    if file is None or file is sys.stdout:
        return "stdout"
    if file is sys.stderr:
        return "stderr"
    if not hasattr(file, "write"):
        raise AttributeError(f"{type(file).__name__!r} object has no attribute 'write'")
    raise StagedValueError(
        "print() in staged code writes to sys.stdout or sys.stderr; it takes no other file=. "
        "Return the values, and print them outside of the staged function"
    )


def _overload(builtin: Callable[..., Any], staged: Callable[..., Any]) -> Callable[..., Any]:
    def overload(value: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
        if value is MISSING or rest or options:
            return builtin(*given(value), *rest, **options)
        return staged(value) if is_asked(value) else builtin(value)

    return overload


def format_(value: Any = MISSING, /, *rest: Any) -> Any:
    """`format(value, form)`."""
    is_ours = value is not MISSING and is_asked(value) and len(rest) < 2
    return (field if is_ours else format)(*given(value), *rest)


str_ = _overload(str, str_of)
repr_ = _overload(repr, repr_text)
