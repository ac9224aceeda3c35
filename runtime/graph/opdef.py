"""Definitions of ops, and the registry that holds them all.

An op is declared once, in its family's file under `runtime/ops`, by `op(...)`:

    tanh = op(
        "tanh(x)",                              # inputs, then static attributes after a "/"
        doc="Hyperbolic tangent, element by element.",
        spec=ufunc_spec(np.tanh),               # (*input specs, **attrs) -> spec of the result
        kernel=lambda xp, x: xp.tanh(x),        # (xp, *arrays, **attrs) -> array; xp: numpy or cupy
        samples=floats(-3, 3),                  # what the generated tests draw from
        family=ELEMENTWISE,                     # the traits that it shares with others
        cost=5,                                 # and those of its own
    )

The signature is Python's: parameters before `/` (or all, when there is no default) are tensors,
`*xs` is any number of them, all others are attributes: Python values known while tracing. Nothing
has a default: a family (`runtime.ops.families`) writes what its ops do not have.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.dtypes import DType
from runtime.graph.traits import Traits
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
class OpSignature:
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


def parse_signature(text: str) -> OpSignature:
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
    return OpSignature(function.name, tuple(inputs), a.vararg is not None, attrs)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OpDef(Traits):
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
    """

    signature: OpSignature
    doc: str
    spec: SpecRule
    kernel: Kernel
    samples: Samples | None

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
MAKERS: list[Callable[[str], OpDef | None]] = []
"""Families of ops that are defined when they are first asked for, by their names."""


def find_op(name: str) -> OpDef | None:
    """Return the op of a name, or None."""
    made = (make(name) for make in MAKERS)
    return REGISTRY.get(name) or next((found for found in made if found is not None), None)


def op(
    signature: str,
    *,
    doc: str,
    spec: SpecRule,
    kernel: Kernel,
    samples: Samples | None,
    family: Traits,
    **own: Any,
) -> OpDef:
    """Define an op and enter it into the registry; TypeError when anything is missing.

    Args:
        signature, doc, spec, kernel, samples: as in `OpDef`.
        family: the traits that it shares with others.
        own: the traits that it has of its own.
    """
    definition = OpDef(
        signature=parse_signature(signature),
        doc=doc,
        spec=spec,
        kernel=kernel,
        samples=samples,
        **family.with_own(**own),
    )
    if definition.name in REGISTRY:
        raise TypeError(f"the op {definition.name!r} is defined twice")
    if not doc.rstrip().endswith("."):
        raise TypeError(f"the op {definition.name!r} needs a sentence that says what it does")
    REGISTRY[definition.name] = definition
    return definition
