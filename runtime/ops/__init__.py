"""The families of ops. Importing this package fills the registry."""

from __future__ import annotations

from importlib import import_module

from runtime.graph.opdef import REGISTRY, OpDef

_NAMES = """
    applied attempts control creation decompositions effects elementwise fourier indexing joining
    linear movement numpy_calls python random_ops recurrences recursion reductions safepoints
    streams strides string_ops text_ops ufuncs windows
"""
FAMILIES = [import_module(f"{__name__}.{name}") for name in _NAMES.split()]

_IN_FAMILIES = {id(value) for family in FAMILIES for value in vars(family).values()}


def check_complete(op: OpDef) -> None:
    """Raise TypeError unless an op has what its tests and its reference page are made of."""
    if id(op) not in _IN_FAMILIES:
        raise TypeError(f"the op {op.name!r} is in no family's file under runtime/ops")
    drawn = op.samples is not None or op.effect is not None
    if not drawn and op.form is None and op.name != "constant":
        raise TypeError(f"the op {op.name!r} has neither samples nor regions nor an effect")
    if not op.doc[0].isupper() and not op.doc[0].isdigit() and op.doc[0] != "-":
        raise TypeError(f"the sentence about the op {op.name!r} begins with a small letter")


for _op in REGISTRY.values():
    check_complete(_op)
