"""Ops with effects: what they do besides their result keeps its order and is never dropped."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import numpy as np

from runtime import trees
from runtime.backends import on_host
from runtime.dtypes import as_texts, conversion, dtype_name, is_lossless, is_string
from runtime.errors import DerivativeError, DtypeError, ShapeError
from runtime.graph.opdef import find_op, op
from runtime.graph.reference import Reference, Table, named, portable_name
from runtime.graph.traits import OF_HOST, Application, Derivative, raises, raises_nothing
from runtime.ops.batch_rules import holds
from runtime.ops.derivatives.impure_rules import asked
from runtime.ops.exceptions import OF_CALLS, REFUSAL, exception_class, exception_form, is_builtin
from runtime.ops.families import EFFECTS, MOVED
from runtime.ops.samples import calls
from runtime.ops.spec_rules import need_scalar
from runtime.ops.tensor_text import tensor_text
from runtime.spec import TensorSpec, accepts, make_spec

_PLACES = re.compile(r"\{\{|\}\}|\{(?:!([rsat]))?(?::([^{}]*))?\}")


def literal(text: str) -> str:
    """Return the form that writes a text as it is, braces included.

    >>> literal("{}")
    '{{}}'
    """
    return text.replace("{", "{{").replace("}", "}}")


def fill_text(text: str, values: tuple[Any, ...]) -> str:
    """Return a text with the values, as Python writes them, in the places of `{}`.

    A place may say how: `{!r}`, `{:.3f}`, or `{!t:3}` for `tensor_text`. Other braces stand for
    themselves.

    >>> fill_text("{{x}} = {}, {:.2f}", (1.5, 2.5))
    '{x} = 1.5, 2.50'
    """
    given = iter(values)

    def fill(found: re.Match[str]) -> str:
        if found[0] in ("{{", "}}"):
            return found[0][0]
        value = on_host(next(given))
        if found[1] == "t":
            return tensor_text(value, int(found[2]))
        converted = _CONVERSIONS[found[1]](value) if found[1] else value
        return format(converted, found[2] or "")

    return _PLACES.sub(fill, text)


_CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def _print_kernel(xp: Any, *values: Any, format: str, stream: str, flush: bool) -> tuple[Any, ...]:
    file = getattr(sys, stream)
    file.write(fill_text(format, values))
    if flush:
        file.flush()
    return ()


def _print_spec(
    *values: TensorSpec, format: str, stream: str, flush: bool
) -> tuple[TensorSpec, ...]:
    if stream not in ("stdout", "stderr"):
        raise DtypeError(f"a graph prints to 'stdout' or 'stderr', not to {stream!r}")
    return ()


print_ = op(
    "print(*values, format, stream='stdout', flush=False)",
    doc="Write a text to the standard output, with the values in the places of `{}`.",
    spec=_print_spec,
    kernel=_print_kernel,
    samples=None,
    effect="output",
    family=EFFECTS,
)


def _warn_kernel(xp: Any, text: str, category: str, file: str, line: int) -> tuple[Any, ...]:
    registry = _SHOWN.setdefault(file, {})
    kind = named(category)
    if not (isinstance(kind, type) and issubclass(kind, Warning)):
        raise RuntimeError(f"{category} is no class of warnings")
    warnings.warn_explicit(text, kind, file, line, registry=registry)
    return ()


_SHOWN: dict[str, dict[Any, Any]] = {}
"""What was shown by file, for filters that show a warning once."""


warn = op(
    "warn(*, text, category, file, line)",
    doc="Warn of what was computed while tracing, as the program does in a line of its own.",
    spec=lambda text, category, file, line: (),
    kernel=_warn_kernel,
    samples=None,
    effect="output",
    family=EFFECTS,
)


def _check_spec(
    test: TensorSpec, *values: TensorSpec, error: Any, message: str
) -> tuple[TensorSpec, ...]:
    need_scalar(test, "what is checked")
    if isinstance(error, str) and not (is_builtin(error) or error == REFUSAL.__name__):
        raise DtypeError(f"a check raises one of Python's exceptions by its name, not {error!r}")
    return ()


def _check_kernel(xp: Any, test: Any, *values: Any, error: Any, message: str) -> tuple[Any, ...]:
    if not test:
        _raise(_made(error, message, values))
    return ()


def _made(error: Any, message: str, values: tuple[Any, ...]) -> BaseException:
    if not isinstance(error, str):
        return exception_form(error).made(values)
    kind = exception_class(error)
    return kind(fill_text(message, values)) if message else kind()


def _raise(error: BaseException) -> NoReturn:
    """Raise an exception with the context that it has, if it has one."""
    context = error.__context__
    try:
        raise error
    finally:
        if context is not None:
            error.__context__ = context


check = op(
    "check(test, *values, error='AssertionError', message='')",
    doc="Raise the named exception, with a text made of message and values, unless `test` is true. "
    "Other exceptions than one of Python's with one text are an `ExceptionForm`, made of values.",
    spec=_check_spec,
    kernel=_check_kernel,
    samples=None,
    effect="check",
    family=EFFECTS,
    batching=holds,
    raises=raises("Exception"),
)


class Failure(Exception):  # noqa: N818  (it never leaves a graph)
    """A staged `try` is left at one of its points, with the values that its handler takes."""

    def __init__(self, point: int, values: tuple[Any, ...]) -> None:
        super().__init__(point)
        self.point = point
        self.values = values

    def among(self, points: tuple[int, ...]) -> tuple[int, tuple[Any, ...]]:
        """Return the number of the handler, from 1, and its values; go on when it has none."""
        if self.point not in points:
            raise self
        return points.index(self.point) + 1, self.values


def _fail_spec(test: TensorSpec, *values: TensorSpec, point: int) -> tuple[TensorSpec, ...]:
    need_scalar(test, "what is checked")
    return ()


def _fail_kernel(xp: Any, test: Any, *values: Any, point: int) -> tuple[Any, ...]:
    if not test:
        raise Failure(point, values)
    return ()


fail = op(
    "fail(test, *values, point)",
    doc="Leave the `try_` that has this point, with values for its handler, unless `test` is true.",
    spec=_fail_spec,
    kernel=_fail_kernel,
    samples=None,
    effect="check",
    family=EFFECTS,
    batching=holds,
    raises=raises("Exception"),
)


class Called:
    """A Python function that graphs call. It lives as long as they do; printed it is a reference.

    Args:
        function: takes arrays on the host.
        gradient: for what derives the graph: takes the same arrays, then the gradients of the
            results, and returns the gradients of the arrays; None where there is none.
        name: for people; the function's own if there is none.
        is_public: whether texts that this process reads may call it by its name.
        of: the function that saved texts name for it; itself by default.
        sees_results: whether `gradient` takes the results, too, behind the arrays.
    """

    __slots__ = ("__weakref__", "function", "gradient", "name", "reference", "sees_results")

    def __init__(
        self,
        function: Callable[..., Any],
        gradient: Callable[..., Any] | None = None,
        name: str = "",
        is_public: bool = True,
        of: Callable[..., Any] | None = None,
        sees_results: bool = False,
    ) -> None:
        self.function = function
        self.gradient = gradient
        self.sees_results = sees_results
        own = of or function
        known = portable_name(own)
        self.name = name or getattr(own, "__qualname__", type(own).__name__)
        found = CALLED.add(self, self.name)
        self.reference = found if known is None else Reference("function", known, None)
        if known is not None and is_public:
            _BY_NAME[known] = self

    def __call__(self, *values: Any, **options: Any) -> Any:
        return self.function(*values, **options)

    def __repr__(self) -> str:
        return self.reference.text(elide=False)

    def forget(self) -> None:
        """Drop the function: no graph calls it any more."""
        self.function = _refuse_forgotten


CALLED: Table[Called] = Table("function", "trace it here, or give it a function of a module")
_BY_NAME: WeakValueDictionary[str, Called] = WeakValueDictionary()
"""The functions of modules that graphs of this process call."""


def called(function: Any) -> Any:
    """Return the function that stands in a graph, which may be one that was printed."""
    if not isinstance(function, Reference):
        return function
    if function.is_portable:
        return _BY_NAME.get(function.name) or refuse_by_name(function.name)
    return CALLED.get(function) or _refuse_forgotten


def refuse_by_name(name: str) -> NoReturn:
    """Refuse to call a function because a text says so."""
    raise RuntimeError(
        f"this graph calls the Python function {name!r}, and no text chooses what is called: give "
        f"it to what reads the text, as in functions=[{name.partition(':')[2]}]"
    )


def _refuse_forgotten(*values: Any) -> None:
    raise RuntimeError("the Python function that this graph calls is gone")


def _call_kernel(xp: Any, *values: Any, function: Any) -> tuple[Any, ...]:
    called(function)(*map(on_host, values))
    return ()


call_python = op(
    "call_python(*values, function)",
    doc="Hand values to a Python function, in order with what is printed.",
    spec=lambda *values, function: (),
    kernel=_call_kernel,
    samples=None,
    effect="output",
    family=EFFECTS,
    raises=raises(*OF_CALLS),
    warns=True,
    derivative=OF_HOST,
)


@lru_cache(maxsize=256)
def _declared(dtypes: tuple[str, ...], shapes: tuple[Any, ...]) -> tuple[TensorSpec, ...]:
    """Return the specs of results; None in a shape is an unknown size, and for one an unknown."""
    return tuple(TensorSpec(shape, dtype) for dtype, shape in zip(dtypes, shapes, strict=True))


def as_declared(found: Any, spec: TensorSpec, what: str) -> Any:
    """Return a result of a Python function as an array of the dtype and shape that are declared.

    Raises:
        DtypeError: it has another dtype, which would lose something.
        ShapeError: it has another shape.
    """
    array = _texts(found) if is_string(spec.dtype) else np.asarray(found)
    weak = isinstance(found, bool | int | float | complex | list | tuple)
    fits = weak and np.can_cast(array.dtype, spec.dtype, "same_kind")
    if not (fits or is_lossless(array.dtype, spec.dtype)):
        raise DtypeError(
            f"{what} returned {array.dtype}, and {spec} is declared: declare what it returns, or "
            f"convert there: {conversion(spec.dtype)}"
        )
    if not accepts(make_spec(spec.dtype, spec.shape), make_spec(spec.dtype, array.shape)):
        raise ShapeError(
            f"{what} returned an array of shape {array.shape}, and {spec} is declared: declare "
            "what it returns, with None for sizes that vary"
        )
    return array.astype(spec.dtype, copy=False)


def _texts(found: Any) -> Any:
    """Return texts, or bytes that encode them, as an array of texts; other arrays as they are."""
    array = np.asarray(found)
    if array.dtype.kind == "S" or (array.dtype == object and isinstance(array.flat[0], bytes)):
        array = np.vectorize(bytes.decode, otypes=[object])(array)
    return as_texts(array) if array.dtype.kind in "OU" else array


GIVEN: dict[str, Callable[[Any], Any]] = {"arrays": np.asarray}
"""What functions may be given arrays as, by name; who defines a class of arrays adds it."""


def declared_as(specs: Iterable[TensorSpec], structure: trees.Structure) -> dict[str, Any]:
    """Return the attributes of `ask_python` that declare what a function returns."""
    specs = tuple(specs)
    shapes = (
        None if x.shape is None else tuple(n if isinstance(n, int) else None for n in x.shape)
        for x in specs
    )
    dtypes = tuple(dtype_name(x.dtype) for x in specs)
    return {"dtypes": dtypes, "shapes": tuple(shapes), "form": str(structure)}


def ask(
    *values: Any,
    function: Any,
    dtypes: tuple[str, ...],
    shapes: tuple[Any, ...],
    form: str,
    given: str,
) -> list[Any]:
    """Return the leaves of what a Python function returns, as they are declared.

    TypeError where that has another structure.
    """
    asked = called(function)
    found = asked(*(GIVEN[given](on_host(x)) for x in values))
    if not dtypes:
        return []
    leaves, structure = ((found,), "*") if form == "*" else trees.flatten(found)
    if str(structure) != form:
        raise TypeError(
            f"{asked.name} returned {structure}, and {form} is declared (* is an array or a number)"
        )
    rows = zip(leaves, _declared(dtypes, shapes), strict=True)
    return [as_declared(getattr(x, "array", x), spec, asked.name)[()] for x, spec in rows]


def _ask_kernel(xp: Any, *values: Any, **attrs: Any) -> tuple[Any, ...]:
    return tuple(x if type(x) is str else xp.asarray(x) for x in ask(*values, **attrs))


ask_python = op(
    "ask_python(*values, function, dtypes, shapes, form, given='arrays')",
    doc="""Call a Python function with values, in order with what is printed, for declared results.

    `form` is the structure of what it returns, with `*` for arrays and numbers, and `given` says
    what it is given: `arrays` of NumPy's, or `tensors`.""",
    spec=lambda *values, dtypes, shapes, **others: _declared(dtypes, shapes),
    kernel=_ask_kernel,
    samples=None,
    effect="output",
    family=EFFECTS,
    raises=raises(*OF_CALLS),
    warns=True,
    derivative=asked(Called, declared_as),
)


def _before(call: Application) -> tuple[int, Application]:
    """Return the application that was done before, as its own rule sees it."""
    count, op = call.attrs["count"], find_op(call.attrs["name"])
    if op is None or not isinstance(op.derivative, Derivative):
        raise DerivativeError(
            f"{call.attrs['name']} has no derivative; use ag.stop_gradient(x) for what it is given"
        )
    operands, results, wanted = call.operands[count:], call.operands[:count], call.wanted[count:]
    attrs = dict(call.attrs["attrs"])
    return count, Application(call.apply, op, operands, attrs, results, wanted)


def _done_jvp(call: Application, tangents: Sequence[Any]) -> Sequence[Any]:
    count, before = _before(call)
    found: Sequence[Any] = before.op.derivative.jvp(before, tangents[count:])
    return found


def _done_vjp(call: Application, cotangents: Sequence[Any]) -> Sequence[Any]:
    count, before = _before(call)
    return [*(None,) * count, *before.op.derivative.vjp(before, cotangents)]


done = op(
    "done(*values, count, name, attrs)",
    doc="""The first `count` values: what an op with an effect gave when it was done.

    It was the op `name`, with the other values and `attrs`; its derivative is that one's.""",
    spec=lambda *values, count, name, attrs: values[:count],
    kernel=lambda xp, *values, count, name, attrs: values[:count],
    samples=calls("f", lambda some: []),
    family=MOVED,
    multiple=True,
    raises=raises_nothing,
    derivative=Derivative(_done_jvp, _done_vjp),
)


STORES: Table[Any] = Table("variable", "trace it here")
"""Variables, as long as they are there."""


def _keep_kernel(xp: Any, value: Any, *before: Any, variable: Reference) -> tuple[Any, ...]:
    held = STORES.get(variable)
    if held is not None:
        held.lend(value)
    return ()


keep = op(
    "keep(value, *before, variable)",
    doc="Have a variable hold a value from here on; nobody may write into what it held before.",
    spec=lambda value, *before, variable: (),
    kernel=_keep_kernel,
    samples=None,
    effect="state",
    family=EFFECTS,
)


def settle(variables: Iterable[Reference]) -> None:
    """Have variables hold arrays of their own, when a graph that has lent them some has failed."""
    for reference in variables:
        variable = STORES.get(reference)
        if variable is not None:
            variable.settle()
