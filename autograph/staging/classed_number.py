"""A number of several classes in the state of a loop: itself, and which class it has.

The number of a class that differs in dtype from the joined one is carried beside it. One that is
always the same, such as the 0 before a loop over integers, is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from autograph.staging.copies import holds_for_tracing
from autograph.staging.join import keeping_flag
from runtime import default_graph
from runtime.cast import cast
from runtime.dispatch import as_value
from runtime.dtypes import as_dtype, python_type
from runtime.graph.builder import Builder
from runtime.number_union import NONE, spec_of_option
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, is_staged
from runtime.tree_classes import register_tree
from runtime.union import Choice, Known, Option, leaf_spec, values_of


class NumberKind(NamedTuple):
    """What is known of a `ClassedNumber`.

    Args:
        dtype: of the number that stands for all classes; its name.
        weak: whether that is Python's.
        options: the classes.
        known: for each class the number that is always the one of it, if there is such.
    """

    dtype: str
    weak: bool
    options: tuple[Option, ...]
    known: tuple[Known | None, ...]

    @property
    def is_beside(self) -> list[bool]:
        """For each class, whether its number is neither known nor held by the joined one."""
        dtype = as_dtype(self.dtype)
        pairs = zip(self.options, self.known, strict=True)
        return [known is None and spec_of_option(x).dtype != dtype for x, known in pairs]

    def beside(self, union: Choice) -> list[Any]:
        """Return the numbers of a union that the joined one does not hold."""
        pairs = zip(union._leaves, self.is_beside, strict=True)
        return [leaf for row, is_beside in pairs if is_beside for leaf in row]

    @property
    def may_be_none(self) -> bool:
        """Whether None is one of the classes."""
        return NONE in self.options


@holds_for_tracing
class ClassedNumber:
    """A number of one of several classes as a part of a loop's state.

    Args:
        kind: what is known of it.
        number: the joined one.
        which: the number of the class.
        beside: the numbers of those classes that are neither known nor held by the joined one.
    """

    __slots__ = ("beside", "kind", "number", "which")

    def __init__(self, kind: NumberKind, number: Any, which: Any, beside: Sequence[Any]) -> None:
        self.kind, self.number, self.which, self.beside = kind, number, which, tuple(beside)

    def __repr__(self) -> str:
        return " or ".join(str(spec_of_option(option)) for option in self.kind.options)

    def union(self, builder: Builder) -> Choice:
        """Return it as a choice between its classes."""
        beside = iter(self.beside)
        leaves = [
            known.value if known else next(beside) if apart else self._held(builder, option)
            for option, known, apart in zip(
                self.kind.options, self.kind.known, self.kind.is_beside, strict=True
            )
        ]
        pairs = zip(self.kind.options, leaves, strict=True)
        return Choice(self.which, self.kind.options, [(x,) if o.ranks else () for o, x in pairs])

    def _held(self, builder: Builder, option: Option) -> Any:
        spec = spec_of_option(option)
        if not is_staged(self.number):
            return cast_number(builder, self.number, spec)
        return _cast(builder, self.number, spec)

    def symbol(self) -> Any:
        """Return it as the program sees it."""
        builder = default_graph.current()
        assert builder is not None
        number = self.number
        if is_staged(number) and number.union is not None:
            return number  # it is from outside: what it may be is computed there
        union = self.union(builder)
        if not is_staged(self.which):
            return values_of(union)[self.which]
        if self.kind.may_be_none:
            return union if len(self.kind.options) > 1 else None
        if not is_staged(number):
            number = Symbol(builder, as_value(builder, number))
        number.union = union
        return number


register_tree(
    ClassedNumber,
    lambda x: ((x.number, x.which, *x.beside), x.kind),
    lambda kind, parts: ClassedNumber(kind, parts[0], parts[1], parts[2:]),
    lambda kind: [""] * (2 + sum(kind.is_beside)),
)


def is_classed(value: Any) -> bool:
    """Tell whether a value is a number of several classes."""
    return type(value) is ClassedNumber


def cast_number(builder: Builder, number: Any, spec: TensorSpec) -> Any:
    """Return a number as one of another dtype; a known one stays known."""
    if leaf_spec(number) == spec:
        return number
    if is_staged(number):
        return _cast(builder, number, spec)
    return (python_type(spec.dtype) if spec.weak else spec.dtype.type)(number)


def _cast(builder: Builder, number: Symbol, spec: TensorSpec) -> Any:
    with default_graph.building(builder):
        return keeping_flag(number, lambda x: Symbol(builder, cast(builder, x, spec)))
