"""Functions of a graph that call themselves.

`call` has the function as its region; inside of it `call_again` stands for a call of that function,
by its name. What the function needs from outside, it is given in each call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import local
from typing import Any

from runtime.errors import DtypeError, GraphFormatError, ShapeError
from runtime.graph.lexer import Words
from runtime.graph.node import Graph, Node
from runtime.graph.opdef import op
from runtime.graph.traits import OF_REGIONS, Form, raises
from runtime.graph.walk import walk
from runtime.ops.families import EFFECTS
from runtime.spec import UNKNOWN, Dim, TensorSpec, accepts, make_spec

Region = Callable[..., tuple[Any, ...]]


class _Active(local):
    """The functions that are being run by the interpreter, in each thread."""

    def __init__(self) -> None:
        self.functions: list[tuple[str, Region]] = []


_ACTIVE = _Active()


@contextmanager
def _running(name: str, function: Region) -> Iterator[None]:
    _ACTIVE.functions.append((name, function))
    try:
        yield
    finally:
        _ACTIVE.functions.pop()


def open_dims(spec: TensorSpec) -> TensorSpec:
    """Return a spec whose unknown sizes have no names: each call has sizes of its own.

    >>> print(open_dims(TensorSpec(["n", 3], "float64")))
    f64[?, 3]
    """
    if spec.shape is None or not any(isinstance(n, Dim) for n in spec.shape):
        return spec
    shape = tuple(UNKNOWN if isinstance(n, Dim) else n for n in spec.shape)
    return make_spec(spec.dtype, shape, spec.weak)


@lru_cache(maxsize=256)
def read_specs(texts: tuple[str, ...]) -> tuple[TensorSpec, ...]:
    """Return the specs that texts stand for, as graphs write them."""
    return tuple(Words(text).spec() for text in texts)


def _call_spec(
    *operands: TensorSpec, function: str, regions: Sequence[Graph]
) -> tuple[TensorSpec, ...]:
    if len(regions) != 1:
        raise GraphFormatError(f"there are {len(regions)} regions, and 1 is needed")
    (body,) = regions
    _check_given(body, operands, function)
    for node in walk(body):
        if node.op is call_again and node.attrs["function"] == function:
            _check_given(body, [value.spec for value in node.inputs], function)
            _check_made(body, node, function)
    return tuple(open_dims(value.spec) for value in body.results)


def _check_given(body: Graph, given: Sequence[TensorSpec], function: str) -> None:
    if len(given) != len(body.params):
        raise GraphFormatError(
            f"{function} has {len(body.params)} parameters and is given {len(given)}"
        )
    for number, (param, spec) in enumerate(zip(body.params, given, strict=True)):
        if not accepts(param.spec, spec):
            kind = DtypeError if param.spec.dtype != spec.dtype else ShapeError
            raise kind(f"parameter {number} of {function} is {param.spec}, not {spec}")


def _check_made(body: Graph, node: Node, function: str) -> None:
    wanted = [value.spec for value in node.results]
    made = [value.spec for value in body.results]
    if len(wanted) != len(made):
        raise GraphFormatError(f"{function} returns {len(made)} values, not {len(wanted)}")
    for number, (spec, found) in enumerate(zip(wanted, made, strict=True)):
        if not accepts(open_dims(spec), found):
            raise GraphFormatError(f"result {number} of {function} is {found}, not {spec}")


def _call_kernel(
    xp: Any, *operands: Any, function: str, regions: Sequence[Region]
) -> tuple[Any, ...]:
    (body,) = regions
    with _running(function, body):
        return body(*operands)


call = op(
    "call(*operands, function)",
    doc="Call the function that the region is; in it, `call_again` calls it by its name.",
    spec=_call_spec,
    kernel=_call_kernel,
    samples=None,
    effect="check",
    family=EFFECTS,
    form=Form.CALL,
    raises=raises("Exception"),
    derivative=OF_REGIONS,
    warns=True,
)


def _again_kernel(
    xp: Any, *operands: Any, function: str, results: tuple[str, ...]
) -> tuple[Any, ...]:
    for name, found in reversed(_ACTIVE.functions):
        if name == function:
            return found(*operands)
    raise GraphFormatError(f"{function} is called outside of itself")


call_again = op(
    "call_again(*operands, function, results)",
    doc="""Call the function of that name in which this stands, once more.

    `results` says what it returns: a spec, as graphs write it, for each result.""",
    spec=lambda *operands, function, results: read_specs(tuple(results)),
    kernel=_again_kernel,
    samples=None,
    effect="check",
    family=EFFECTS,
    form=Form.CALL_AGAIN,
    raises=raises("Exception"),
    derivative=OF_REGIONS,
    warns=True,
)
