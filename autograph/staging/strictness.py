"""What the user asks of loops and branches: declared shapes, and strictness.

Strict, variables must keep their dtypes and shapes from round to round, and have values on every
way, as in systems that cannot widen them. A declared shape says which sizes may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from autograph.staging.region import UNDEFINED
from runtime import trees
from runtime.errors import BranchMismatchError, LateStagingError, LoopStateError
from runtime.operator_mode import Operate, operating
from runtime.spec import UNKNOWN, Shape, TensorSpec, accepts, join_specs, make_spec
from runtime.tensor import Symbol
from runtime.union import leaf_spec

Strictness = bool | Operate
"""Whether the reference's rules hold; its own operators may come with them."""

_STRICT: ContextVar[Strictness] = ContextVar("strict", default=False)
NOTHING: Mapping[str, Shape] = MappingProxyType({})
_FIXED: ContextVar[bool] = ContextVar("fixed", default=True)
_SHAPES: ContextVar[Mapping[str, Shape]] = ContextVar("shapes", default=NOTHING)


def is_strict() -> bool:
    """Tell whether variables must stay what they are."""
    return bool(_STRICT.get())


def strictness() -> Strictness:
    """Return what `strictly` was given."""
    return _STRICT.get()


@contextmanager
def strictly(strict: Strictness) -> Iterator[None]:
    """Be strict, or not, in the `with` block."""
    token = _STRICT.set(strict)
    try:
        with operating(strict if callable(strict) else None):
            yield
    finally:
        _STRICT.reset(token)


@contextmanager
def declaring(shapes: Mapping[str, Shape]) -> Iterator[None]:
    """Declare shapes of the variables of the loop that is traced in the `with` block."""
    token, fixed = _SHAPES.set(dict(shapes)), _FIXED.set(True)
    try:
        yield
    finally:
        _SHAPES.reset(token)
        _FIXED.reset(fixed)


def declare(shapes: Mapping[str, Shape]) -> None:
    """Declare shapes of variables of the loop whose body is traced now."""
    known = _SHAPES.get()
    if isinstance(known, dict):
        known.update(shapes)


@contextmanager
def relaxing_shapes() -> Iterator[None]:
    """Let variables of the loop that is traced change their shapes, also when strict."""
    token = _FIXED.set(False)
    try:
        yield
    finally:
        _FIXED.reset(token)


_KEEPING: ContextVar[bool] = ContextVar("keeping", default=False)


@contextmanager
def keeping_specs() -> Iterator[None]:
    """Have the loop that is traced in the `with` block refuse variables that change their specs."""
    token = _KEEPING.set(True)
    try:
        yield
    finally:
        _KEEPING.reset(token)


def takes_keeping() -> bool:
    """Tell whether a loop that begins keeps the specs of its variables; those in it need not."""
    wanted = _KEEPING.get()
    _KEEPING.set(False)
    return wanted


def check_declared(names: Sequence[str], values: Sequence[Any]) -> None:
    """Raise LoopStateError when declared shapes do not fit the variables before a loop."""
    found = dict(zip(names, values, strict=True))
    for name, shape in _SHAPES.get().items():
        if name not in found:
            raise LoopStateError(
                f"shape_invariants names {name!r}, which this loop does not assign: it assigns "
                f"{', '.join(names) or 'nothing'}"
            )
        value = found[name]
        leaves = [] if value is UNDEFINED else trees.flatten(value)[0]
        if len(leaves) == 1 and hasattr(leaves[0], "shape"):
            spec = leaf_spec(leaves[0])
            if not _fits(shape, spec):
                raise _unfit(name, shape, f"{spec} before the loop")


def declared(name: str, before: TensorSpec, after: TensorSpec) -> TensorSpec | None:
    """Return the spec of a variable whose shape is declared; None for others."""
    shape = _SHAPES.get().get(name)
    if shape is None:
        return None
    if not (_fits(shape, before) and _fits(shape, after)):
        raise _unfit(name, shape, f"{before} before the loop and {after} after one iteration")
    joined = join_specs(make_spec(before.dtype, ()), make_spec(after.dtype, ()))
    if joined is None or (is_strict() and before.dtype != after.dtype):
        return None
    return make_spec(joined.dtype, shape)


def _fits(shape: Shape, spec: TensorSpec) -> bool:
    return accepts(make_spec(spec.dtype, shape), make_spec(spec.dtype, spec.shape))


def _unfit(name: str, shape: Shape, found: str) -> LoopStateError:
    return LoopStateError(
        f"shape_invariants gives {name} the shape {_text(shape)}, and it is {found}. Write None "
        "for each size that changes from round to round"
    )


def _text(shape: Shape | None) -> str:
    if shape is None:
        return "of any rank"
    sizes = ["None" if size == UNKNOWN else str(size) for size in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


_GROWS = re.compile(r"\.buffers\[\d+\]$")
"""What a staged list holds its items in: it grows, and the user knows nothing of it."""


def refuse_change(name: str, before: TensorSpec, after: TensorSpec) -> None:
    """Raise LoopStateError, strict, for a variable that is something else after a round."""
    if not is_strict() or _GROWS.search(name):
        return
    is_number = before.weak and before.dtype.kind == after.dtype.kind
    if before.dtype != after.dtype and not is_number:  # Python's 0 may become any integer
        raise LoopStateError(
            f"{name!r} has dtype {before.dtype} before the loop, but dtype {after.dtype} after one "
            "iteration. Convert it, for example with .astype(), or leave strict=True out"
        )
    if before.shape != after.shape and before.shape is not None and _FIXED.get():
        pairs = zip(before.shape, after.shape or (), strict=False)
        open_shape = tuple(UNKNOWN if a != b else a for a, b in pairs)
        advice = ""
        if after.shape is not None and len(after.shape) == len(before.shape):
            given = f"{{{name!r}: {_text(open_shape)}}}"
            advice = f" If that is meant, declare it: ag.hint(..., shape_invariants={given})"
        raise LoopStateError(
            f"{name!r} has shape {_text(before.shape)} before the loop, but shape "
            f"{_text(after.shape)} after one iteration.{advice}"
        )


def refuse_arms(name: str, specs: Sequence[TensorSpec]) -> None:
    """Raise BranchMismatchError, strict, for a variable that is of another dtype in each arm."""
    if not is_strict() or _GROWS.search(name):
        return
    first = next((spec for spec in specs if not spec.weak), specs[0])
    for spec in specs:
        is_number = spec.weak and spec.dtype.kind == first.dtype.kind
        if spec.dtype != first.dtype and not is_number:  # Python's 0 may become any integer
            raise BranchMismatchError(
                f"{name!r} has dtype {specs[0].dtype} in the main branch, but dtype "
                f"{next(x.dtype for x in specs if x.dtype != specs[0].dtype)} in the else branch. "
                "Convert it, for example with .astype(), or leave strict=True out"
            )


def refuse_late_staging(kind: str) -> None:
    """Raise LateStagingError, strict, for a loop of Python's that a staged condition ends."""
    if is_strict():
        raise LateStagingError(
            f"this `{kind}` began as a loop of Python's, and a `break`, a `return` or its "
            "condition depends on a staged value after its first rounds: that is not allowed in a "
            "graph. Let it begin staged (range(n) of a staged n, ag.hint(..., mode='staged')), or "
            "leave strict=True out"
        )


@contextmanager
def every_way_assigns(state: Any, kind: str) -> Iterator[None]:
    """Raise LoopStateError, strict, when a variable has a value only after some ways."""
    before = state.read() if is_strict() else []
    yield
    if not is_strict():
        return
    rows = zip(state.names, state.marks, before, state.read(), strict=False)
    for name, mark, old, new in rows:
        if mark or old is not UNDEFINED or new is UNDEFINED:
            continue
        if kind == "loop":
            raise LoopStateError(
                f"{name!r} must be defined before the loop, which may have no iterations. Give it "
                "a value before, or leave strict=True out"
            )
        if any(type(leaf) is Symbol and leaf.valid for leaf in trees.flatten(new)[0]):
            raise LoopStateError(
                f"{name!r} must also be initialized in the other branch of the `if`, or before it. "
                "Give it a value there, or leave strict=True out"
            )
