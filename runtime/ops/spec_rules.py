"""Spec rules that op definitions share.

Comes in: specs of operands, some of whose sizes may be unknown. Goes out: the spec of the result,
or an error in the words that NumPy has for the same mistake. Dtypes are asked of NumPy, by
`resolve_dtypes` or by a trial on ones (`trial`); there are no tables.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from operator import attrgetter
from typing import Any

import numpy as np

from runtime.dtypes import promote, resolve_ufunc
from runtime.errors import AxisError, DtypeError, ShapeError
from runtime.graph.opdef import OpDef, Samples, SpecRule, op
from runtime.graph.traits import Traits
from runtime.ops.families import ELEMENTWISE
from runtime.spec import (
    UNKNOWN,
    WEAK_SPECS,
    Dim,
    Shape,
    TensorSpec,
    broadcast_shapes,
    make_spec,
    spec_of,
)

Axis = int | tuple[int, ...] | None
Size = int | Dim
ShapeRule = Callable[..., Shape | None]


def broadcast(*specs: TensorSpec) -> Shape | None:
    """Return the shape that the operands broadcast to; ShapeError names their shapes."""
    try:
        return broadcast_shapes(spec.shape for spec in specs)
    except ShapeError as error:
        shapes = " and ".join(str(spec) for spec in specs if spec.rank)
        raise ShapeError(f"{shapes} do not broadcast: {error}") from None


def ufunc_spec(ufunc: np.ufunc) -> Callable[..., TensorSpec]:
    """Return the rule of an elementwise ufunc with one result: NumPy's dtypes and broadcasting."""

    def rule(*specs: TensorSpec) -> TensorSpec:
        (dtype,) = resolve_ufunc(ufunc, *(spec.promotable for spec in specs))
        return make_spec(dtype, broadcast(*specs))

    return rule


def operator_spec(ufunc: np.ufunc, python: Callable[..., Any]) -> SpecRule:
    """Return the rule of a Python operator: as its ufunc, but Python scalars stay Python scalars.

    Args:
        ufunc: what the operator does to arrays.
        python: what it does to Python scalars; asked for the type of its result on ones.
    """
    array_rule = ufunc_spec(ufunc)

    def rule(*specs: TensorSpec) -> TensorSpec:
        if not all(spec.weak for spec in specs):
            return array_rule(*specs)
        return WEAK_SPECS[type(python(*(python_one(spec) for spec in specs)))]

    return rule


def python_one(spec: TensorSpec) -> Any:
    """Return the number one as the Python scalar that a weak spec stands for."""
    kind = spec.promotable
    assert isinstance(kind, type)
    return kind(1)


def promoted(*specs: TensorSpec) -> TensorSpec:
    """The rule of ops that take whatever NumPy's promotion and broadcasting make of the inputs."""
    return make_spec(promote(*(spec.promotable for spec in specs)), broadcast(*specs))


def same(x: TensorSpec, **attrs: Any) -> TensorSpec:
    """The rule of ops whose result is as their input (a Python scalar becomes a NumPy one)."""
    return make_spec(x.dtype, x.shape)


def weak(kind: type) -> SpecRule:
    """Return the rule of ops that make a Python scalar of one value."""

    def rule(x: TensorSpec) -> TensorSpec:
        if x.shape is not None and any(n != 1 for n in x.shape if isinstance(n, int)):
            raise ShapeError(
                f"only one value can be made a Python {kind.__name__}, and {x} is many"
            )
        return WEAK_SPECS[kind]

    return rule


def trial(function: Callable[..., Any], shape: ShapeRule | None = None) -> SpecRule:
    """Return a rule that asks NumPy for the dtype, by a trial on ones of size one.

    Args:
        function: the NumPy function.
        shape: a rule for the shape alone, `(*specs, **attrs) -> shape`; the shape of the trial's
            result when there is none.
    """

    def rule(*specs: TensorSpec, **attrs: Any) -> TensorSpec:
        found = _try_ranks(function, specs, tuple(attrs.items()))
        if shape is None or found.weak:
            return found
        return make_spec(found.dtype, shape(*specs, **attrs))

    return rule


MOST_AXES = 8
"""How many axes an array of unknown rank is tried with."""


def _try_ranks(function: Any, specs: Sequence[TensorSpec], attrs: tuple[Any, ...]) -> TensorSpec:
    """Try a function; arrays of unknown rank have as few axes as the attributes allow."""
    ranks = range(MOST_AXES) if any(spec.rank is None for spec in specs) else (0,)
    for rank in ranks:
        asked = tuple((x.promotable, rank if x.rank is None else x.rank) for x in specs)
        try:
            return _try(function, asked, attrs)
        except (ShapeError, DtypeError):
            if rank == ranks[-1]:
                raise
    raise AssertionError("there is at least one rank to try")


@lru_cache(maxsize=4096)
def _try(function: Any, asked: tuple[Any, ...], attrs: tuple[Any, ...]) -> TensorSpec:
    ones = [x(1) if isinstance(x, type) else np.ones((1,) * (rank or 0), x) for x, rank in asked]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return spec_of(function(*ones, **dict(attrs)))
    except np.exceptions.AxisError as error:
        raise AxisError(str(error), error.axis, error.ndim) from None
    except DtypeError:
        raise
    except TypeError as error:
        raise DtypeError(str(error)) from None
    except ValueError as error:
        raise ShapeError(str(error)) from None


def normal_axis(axis: int, rank: int) -> int:
    """Return an axis counted from the first one; AxisError when there is no such axis."""
    if not -rank <= axis < rank:
        text = f"axis {axis} is out of bounds for array of dimension {rank}"
        raise AxisError(text, axis, rank)
    return axis % rank


def normal_axes(axis: Axis, rank: int) -> tuple[int, ...]:
    """Return axes counted from the first one; None means all of them."""
    if axis is None:
        return tuple(range(rank))
    axes = tuple(normal_axis(k, rank) for k in ((axis,) if isinstance(axis, int) else axis))
    if len(set(axes)) != len(axes):
        raise ShapeError(f"duplicate value in 'axis': {axis}")
    return axes


def reduced_shape(shape: Shape | None, axis: Axis, keepdims: bool = False) -> Shape | None:
    """Return the shape after a reduction over axes."""
    if shape is None:
        return () if axis is None and not keepdims else None
    axes = normal_axes(axis, len(shape))
    if keepdims:
        return tuple(1 if k in axes else n for k, n in enumerate(shape))
    return tuple(n for k, n in enumerate(shape) if k not in axes)


def not_empty(name: str) -> ShapeRule:
    """Return the shape rule of reductions that need an element to start with."""

    def rule(x: TensorSpec, *, axis: Axis = None, keepdims: bool = False, **attrs: Any) -> Any:
        result = reduced_shape(x.shape, axis, keepdims)
        if x.shape is not None and 0 in x.shape and 0 not in (result or ()):
            raise ShapeError(f"zero-size array to reduction operation {name} which has no identity")
        return result

    return rule


def total(shape: Shape) -> int | None:
    """Return the number of elements, or None when a size is unknown (unless another is zero)."""
    sizes = [n for n in shape if isinstance(n, int)]
    return prod(sizes) if len(sizes) == len(shape) or 0 in sizes else None


def as_size(n: int | None) -> Size:
    """Return a size, unknown for None."""
    return UNKNOWN if n is None else n


def same_size(a: Size, b: Size, message: str) -> Size:
    """Return the size that two are when they must be equal; ShapeError when they are not."""
    if isinstance(a, int) and isinstance(b, int) and a != b:
        raise ShapeError(message.format(a, b))
    return b if isinstance(b, int) or a == UNKNOWN else a


def interpolated(x: TensorSpec, points: TensorSpec, heights: TensorSpec) -> TensorSpec:
    """Return the spec of heights at `x` on the line through points."""
    if max(points.rank or 0, heights.rank or 0) > 1:
        raise ShapeError("object too deep for desired array")
    for m, n in zip(points.shape or (), heights.shape or (), strict=False):
        same_size(m, n, "fp and xp are not of the same length.")
    return make_spec(np.dtype(np.complex128 if heights.dtype.kind == "c" else np.float64), x.shape)


def need_integer(spec: TensorSpec, what: str) -> None:
    """Raise DtypeError unless a spec is of integers."""
    if spec.dtype.kind not in "iu":
        raise DtypeError(f"{what} must be an integer, not {spec}")


def need_scalar(spec: TensorSpec, what: str) -> None:
    """Raise ShapeError unless a spec is, or may be, a single value."""
    if spec.shape:
        raise ShapeError(f"{what} must be a single value, not {spec}")


@dataclass(frozen=True, slots=True)
class LibraryKernel:
    """The kernel that calls the function of an array module with this (dotted) name."""

    name: str

    def of(self, xp: Any) -> Callable[..., Any]:
        """Return the function of an array module."""
        found: Callable[..., Any] = attrgetter(self.name)(xp)
        return found

    def __call__(self, xp: Any, *inputs: Any, **attrs: Any) -> Any:
        return self.of(xp)(*inputs, **attrs)


def numpys(
    function: Callable[..., Any], shape: ShapeRule | None = None, spec: SpecRule | None = None
) -> dict[str, Any]:
    """Return what an op has that is a function of NumPy's: its spec by a trial if none is given."""
    name = f"{function.__module__}.{function.__name__}".removeprefix("numpy.")
    spec = trial(function, shape) if spec is None else spec
    return {"spec": spec, "kernel": LibraryKernel(name), "functions": (function,)}


def operator_of(xp: Any, name: str, python: Callable[..., Any]) -> Callable[..., Any]:
    """Return what an array module has for the operator of an op; Python's where that will do."""
    return python if xp is np else getattr(xp, "operators", {}).get(name, python)


def ufunc_op(
    signature: str, *, doc: str, samples: Samples, family: Traits = ELEMENTWISE, **own: Any
) -> OpDef:
    """Define the op that is the NumPy ufunc of the same name.

    Its scalar is the inner loop of the ufunc, unless it is given.
    """
    name = signature.partition("(")[0]
    ufunc = getattr(np, name)
    own.setdefault("scalar", lambda s, *x: s.loop(ufunc, *x))
    return op(
        signature,
        doc=doc,
        spec=ufunc_spec(ufunc),
        kernel=LibraryKernel(name),
        samples=samples,
        ufunc=ufunc,
        functions=(ufunc,),
        family=family,
        **own,
    )


def core_shape(signature: str, specs: Sequence[TensorSpec]) -> Shape | None:
    """Return the shape of a generalised ufunc's result, such as that of `(n?,k),(k,m?)->(n?,m?)`.

    ShapeError when an operand has too few dimensions or two core sizes differ.
    """
    cores, _, out = signature.replace(" ", "").partition("->")
    if any(spec.shape is None for spec in specs):
        return None
    sizes: dict[str, Size] = {}
    missing: set[str] = set()
    loops = []
    for number, (core, spec) in enumerate(zip(_cores(cores), specs, strict=True)):
        names = _present(core, spec, number, signature, missing)
        assert spec.shape is not None
        split = len(spec.shape) - len(names)
        loops.append(spec.shape[:split])
        for name, size in zip(names, spec.shape[split:], strict=True):
            message = (
                f"operand {number} has the size {{1}} in its core dimension {name!r}, not {{0}}"
            )
            sizes[name] = same_size(sizes.get(name, size), size, f"{message} ({signature})")
    kept = (name for name in _cores(out)[0] if name not in missing)
    return (*(broadcast_shapes(loops) or ()), *(sizes[name] for name in kept))


def _cores(text: str) -> list[list[str]]:
    """Return the names of the core dimensions of each operand."""
    return [[n for n in part.strip("()").split(",") if n] for part in text.split("),(")]


def _present(
    core: list[str], spec: TensorSpec, number: int, signature: str, missing: set[str]
) -> list[str]:
    """Return the core dimensions that an operand has; optional ones (`n?`) may be missing."""
    rank = spec.rank or 0
    if rank >= len(core):
        return core
    missing.update(name for name in core if name.endswith("?"))
    names = [name for name in core if not name.endswith("?")]
    if rank < len(names):
        raise ShapeError(f"operand {number}, {spec}, does not have enough dimensions ({signature})")
    return names
