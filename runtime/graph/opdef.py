"""Definitions of ops, and the registry that holds them all.

An op is declared once, in its family's file under `runtime/ops`, by `op(...)`:

    tanh = op(
        "tanh(x)",                              # inputs, then static attributes after a "/"
        doc="Hyperbolic tangent, element by element.",
        spec=ufunc_spec(np.tanh),               # (*input specs, **attrs) -> spec of the result
        kernel=lambda xp, x: xp.tanh(x),        # (xp, *arrays, **attrs) -> array; xp: numpy or cupy
        samples=floats(-3, 3),                  # what the generated tests draw from
    )

The signature is Python's: parameters before `/` (or all, when there is no default) are tensors,
`*xs` is any number of them, all others are attributes: Python values known while tracing. What is
left out must be left out by writing `None`, so that no op is half defined.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.dtypes import DType
from runtime.spec import TensorSpec

SpecRule = Callable[..., TensorSpec | tuple[TensorSpec, ...]]
Kernel = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Samples:
    """What the generated tests of an op draw from.

    Args:
        dtypes: the dtypes that the sweep covers.
        draw: `(rng, dtype) -> [(inputs, attrs), ...]`, the calls to be compared.
    """

    dtypes: tuple[DType, ...]
    draw: Callable[[np.random.Generator, DType], Iterable[tuple[tuple[Any, ...], dict[str, Any]]]]


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of an op.

    Args:
        name: the op's name.
        inputs: names of the tensor parameters; the last is variadic when `variadic` is true.
        attrs: the static parameters and their defaults (`REQUIRED` where there is none).
    """

    name: str
    inputs: tuple[str, ...]
    variadic: bool
    attrs: Mapping[str, Any]


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


def parse_signature(text: str) -> Signature:
    """Read the signature of an op, such as `sum(x, /, axis=None)`.

    >>> parse_signature("concatenate(*arrays, axis=0)").inputs
    ('arrays',)
    """
    (function,) = ast.parse(f"def {text}: ...").body
    assert isinstance(function, ast.FunctionDef)
    a = function.args
    inputs = [p.arg for p in a.posonlyargs]
    plain = [p.arg for p in a.args]
    if not inputs and not a.defaults:
        inputs, plain = plain, []
    if a.vararg is not None:
        inputs = [*inputs, a.vararg.arg]
    defaults = [REQUIRED] * (len(plain) - len(a.defaults)) + list(map(ast.literal_eval, a.defaults))
    attrs = dict(zip(plain, defaults, strict=True))
    for parameter, default in zip(a.kwonlyargs, a.kw_defaults, strict=True):
        attrs[parameter.arg] = REQUIRED if default is None else ast.literal_eval(default)
    return Signature(function.name, tuple(inputs), a.vararg is not None, attrs)


@dataclass(frozen=True, slots=True, eq=False)
class OpDef:
    """All that is known of an op. Compared by identity; there is one object for each op.

    Args:
        signature: parameters.
        doc: one or more sentences for people.
        spec: shape and dtype rule, `(*input specs, **attrs) -> spec` (a tuple of specs when
            `multiple`); raises ShapeError, DtypeError or IndexError. Ops with regions also get
            `regions=`, the graphs.
        kernel: what the op does to arrays, `(xp, *arrays, **attrs) -> array` (a tuple when
            `multiple`); the definition of its meaning. Ops with regions also get `regions=`, one
            function from a list of arrays to a tuple of arrays for each region.
        samples: what the generated tests draw from.
        python: the op as a Python expression, with the inputs as `{0}`, `{1}`, for operators; for
            subscripts `{key}` is the attribute `key`, its `?` replaced by the other inputs.
        in_place: the op as a Python statement that writes its result into the first input, in the
            same language.
        ufunc: the NumPy ufunc that the op is, which makes it elementwise, fusable and able to write
            into a given buffer.
        scalar: what the op does to single numbers, in the kernel language: `(s, *numbers, **attrs)
            -> number`, where `s` is a `Scalars` (`runtime.kernels.scalar.scalars`). The numbers of
            a ufunc have the dtypes of its loop.
        functions: the NumPy functions that the op stands for.
        effect: the resource that it reads or writes besides its inputs (`"output"`, `"random"`,
            `"check"`), or None: calls with the same effect keep their order and are never dropped.
        view: whether NumPy's result shares memory with the first input: `"always"`, or only when
            that is `"contiguous"`, or None for never.
        write: for a view, `(apply, base, new, *other inputs, **attrs) -> base`: the base after the
            view was given the value `new`; `apply(op, inputs, **attrs)` applies an op.
        multiple: whether the result is a tuple.
        commutative: whether the first two inputs may be exchanged without changing the result.
    """

    signature: Signature
    doc: str
    spec: SpecRule
    kernel: Kernel
    samples: Samples | None
    python: str | None = None
    in_place: str | None = None
    ufunc: np.ufunc | None = None
    scalar: Callable[..., Any] | None = None
    functions: tuple[Callable[..., Any], ...] = ()
    effect: str | None = None
    view: str | None = None
    write: Callable[..., Any] | None = None
    multiple: bool = False
    commutative: bool = False

    @property
    def name(self) -> str:
        """The op's name, unique in the registry."""
        return self.signature.name

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def attributes(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the attributes in the order of the signature, defaults filled in."""
        attrs = {}
        for name, default in self.signature.attrs.items():
            attrs[name] = given.get(name, default)
            if attrs[name] is REQUIRED:
                raise TypeError(f"{self.name}() needs the argument {name!r}")
        for name in given:
            if name not in attrs:
                raise TypeError(f"{self.name}() has no argument {name!r}")
        return attrs


REGISTRY: dict[str, OpDef] = {}
"""Every op by name."""


def op(
    signature: str,
    *,
    doc: str,
    spec: SpecRule,
    kernel: Kernel,
    samples: Samples | None,
    **traits: Any,
) -> OpDef:
    """Define an op and enter it into the registry; TypeError when anything is missing."""
    definition = OpDef(parse_signature(signature), doc, spec, kernel, samples, **traits)
    if definition.name in REGISTRY:
        raise TypeError(f"the op {definition.name!r} is defined twice")
    if not doc.rstrip().endswith("."):
        raise TypeError(f"the op {definition.name!r} needs a sentence that says what it does")
    REGISTRY[definition.name] = definition
    return definition
