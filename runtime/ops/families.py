"""What ops of one kind have in common; each op writes what it has of its own."""

from __future__ import annotations

from dataclasses import replace

from runtime.graph.traits import (
    NOT_DIFFERENTIABLE,
    NOT_MEASURED,
    OF_REGIONS,
    ONE_BY_ONE,
    UNWRITTEN,
    Traits,
    raises_nothing,
    raises_of_operands,
    raises_of_shapes,
)
from runtime.ops.batch_rules import elementwise

ARRAYS = Traits(
    python=None,
    in_place=None,
    ufunc=None,
    scalar=None,
    functions=(),
    effect=None,
    raises=raises_of_operands,
    warns=True,
    view=None,
    write=None,
    subscript=None,
    copies=False,
    extends=False,
    prepared=None,
    cell=None,
    form=None,
    multiple=False,
    commutative=False,
    reduction=None,
    accumulation=None,
    applies=None,
    product=None,
    cost=NOT_MEASURED,
    derivative=UNWRITTEN,
    batching=ONE_BY_ONE,
)
"""Functions from arrays to new arrays."""

ELEMENTWISE = replace(ARRAYS, cost=1, batching=elementwise)
"""Functions of numbers, element by element, that cost what an addition costs."""

BITS = replace(ELEMENTWISE, warns=False, derivative=NOT_DIFFERENTIABLE)
"""Operations on bits, which are defined for all integers."""

DISCRETE = replace(BITS, raises=raises_of_shapes)
"""Questions of numbers, which are defined for all numbers."""

MOVED = replace(ARRAYS, warns=False)
"""Functions that move elements, and compute nothing of them."""

VIEW = replace(MOVED, view="always", raises=raises_nothing)
"""Functions whose result is another view of the same memory."""

FACTS = replace(ARRAYS, warns=False, raises=raises_nothing, derivative=NOT_DIFFERENTIABLE)
"""What is asked of arrays besides their elements, texts included."""

PYTHON = replace(ARRAYS, warns=False)
"""Functions of Python for single numbers."""

REGIONS = replace(ARRAYS, multiple=True, derivative=OF_REGIONS, raises=raises_nothing)
"""Control flow: what it raises and warns of, its regions do."""

EFFECTS = replace(FACTS, multiple=True)
"""What is done besides computing: the effect is of each op's own."""
