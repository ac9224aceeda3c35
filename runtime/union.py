"""Values that are one of several things, and which one is known only when the graph runs.

After `r = None if x < 0 else x` with a staged `x`, what `r` holds is a `Choice`: it has a number,
which a graph can hold, and for each number an *option*: `None`, and an array. The parts of an
option that are numbers and arrays are values of the graph; all others are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from runtime import trees
from runtime.dtypes import WEAK_DTYPES
from runtime.spec import TensorSpec, spec_of
from runtime.tensor import Symbol, TensorLike
from runtime.tree_classes import is_reference, register_leaf, register_tree


def is_numeric(leaf: Any) -> bool:
    """Tell whether a leaf can be a value of a graph."""
    return type(leaf) in WEAK_DTYPES or isinstance(leaf, TensorLike | np.ndarray | np.generic)


def leaf_spec(leaf: Any) -> TensorSpec:
    """Return the spec of a numeric leaf."""
    return leaf.spec if isinstance(leaf, TensorLike) else spec_of(leaf)  # type: ignore[attr-defined]


def is_cell(leaf: Any) -> bool:
    """Tell whether a leaf is an array without dimensions."""
    if type(leaf) is Symbol:
        return leaf.is_cell and leaf.spec.shape == ()
    return isinstance(leaf, np.ndarray) and not leaf.ndim


def same_static(values: Sequence[Any]) -> bool:
    """Tell whether all are one object, or equal Python values that were known while tracing."""
    first = values[0]
    return all(value is first or _equal_static(first, value) for value in values[1:])


def _equal_static(a: Any, b: Any) -> bool:
    if type(a) is not type(b) or type(a).__hash__ is None:  # it may change, and is itself
        return False
    leaves = [*trees.flatten(a)[0], *trees.flatten(b)[0]]
    if any(isinstance(x, TensorLike | np.ndarray) for x in leaves):
        return False
    try:
        return bool(a == b) and repr(a) == repr(b)
    except Exception:  # comparing foreign objects may do anything
        return False


def gives_cell(trait: str | None, inputs: Sequence[Any]) -> bool:
    """Tell whether a result without axes of an op with such a trait is an array."""
    return trait == "always" or (trait == "kept" and is_cell(inputs[0]))


class Known:
    """A leaf that no graph can hold: equal to another one that cannot be told from it.

    Args:
        value: the leaf.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and same_static([self.value, other.value])

    def __hash__(self) -> int:
        return hash(type(self.value))


@register_leaf
@dataclass(frozen=True, slots=True)
class Missing:
    """What a choice holds where the variable has no value.

    Args:
        name: of the variable.
    """

    name: str


class Reference:
    """A list, dict or object that stands for itself: a leaf, equal to one of the same object.

    Args:
        target: the object.
    """

    __slots__ = ("target",)

    def __init__(self, target: Any) -> None:
        self.target = target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self.target is other.target

    def __hash__(self) -> int:
        return id(self.target)

    def __repr__(self) -> str:
        return repr(self.target)


@dataclass(frozen=True, slots=True)
class Option:
    """All of a value but its numbers and arrays; hashable.

    Args:
        structure: the tree that it is.
        known: the other leaves, by their positions.
        ranks: how many dimensions each of the numbers and arrays has.
        kinds: the dtype of each, whether it is Python's, and whether it is an array of no
            dimensions, where another option differs in that only; empty where one dtype holds what
            this option is wherever it comes from.
    """

    structure: trees.Structure
    known: tuple[tuple[int, Known], ...]
    ranks: tuple[int | None, ...]
    kinds: tuple[tuple[Any, bool, bool], ...] = ()

    def value(self, leaves: Sequence[Any]) -> Any:
        """Return the value that has these numbers and arrays."""
        if not self.known and len(self.structure.entries) == 1 == len(leaves):
            return leaves[0]
        known = {position: _target(leaf.value) for position, leaf in self.known}
        rest = iter(leaves)
        count = self.structure.count
        filled = [known[k] if k in known else next(rest) for k in range(count)]
        return trees.unflatten(self.structure, filled)

    @property
    def is_number(self) -> bool:
        """Whether it is a number, or an array, and nothing but its dtype is known."""
        return self.structure == trees.LEAF and not self.known

    @property
    def is_array(self) -> bool:
        """Whether it is an array, which may be written."""
        return self.is_number and (self.ranks != (0,) or any(cell for _, _, cell in self.kinds))

    @property
    def is_object(self) -> bool:
        """Whether it is an object itself, or None, not a value that is made of parts."""
        if self.structure == trees.LEAF:
            return bool(self.known)
        return self.structure == _NONE or self.is_reference

    @property
    def is_reference(self) -> bool:
        """Whether it stands for an object that its number tells."""
        first = self.structure.entries[0]
        return first is not None and is_reference(first[0])

    @property
    def missing(self) -> str | None:
        """The name of the variable, for the option that it has no value."""
        first = self.known[0][1].value if self.known else None
        return first.name if isinstance(first, Missing) else None


_NONE = trees.flatten(None)[1]


def _target(leaf: Any) -> Any:
    return leaf.target if type(leaf) is Reference else leaf


def with_kinds(option: Option, leaves: Sequence[Any]) -> Option:
    """Return an option that only values of the dtypes of these are."""
    if option.kinds or not all(map(is_numeric, leaves)):
        return option
    specs = map(leaf_spec, leaves)
    pairs = zip(specs, leaves, strict=True)
    return replace(option, kinds=tuple((x.dtype, x.weak, is_cell(leaf)) for x, leaf in pairs))


def option_of(value: Any) -> tuple[Option, tuple[Any, ...]]:
    """Return a value taken apart: what is known of it, and its numbers and arrays.

    >>> option_of(("left", 1.5))[1]
    (1.5,)
    """
    leaves, structure = trees.flatten(value)
    known = tuple((k, Known(leaf)) for k, leaf in enumerate(leaves) if not is_numeric(leaf))
    numeric = tuple(filter(is_numeric, leaves))
    return Option(structure, known, tuple(leaf_spec(x).rank for x in numeric)), numeric


class Choice:
    """A value that is one of several.

    Args:
        which: the number of the option, a symbol or an `int`.
        options: what it may be.
        leaves: for each option its numbers and arrays; what those of other options hold is unknown.

    Attributes:
        _join: the variable and the place where it was last made, for `copies.Joined`.

    `autograph.staging.union_operators` gives it Python's operators: whatever is done with a choice
    is done with each option, in a branch of its own.
    """

    __slots__ = ("_join", "_leaves", "_options", "_which")

    _which: Any
    _join: Any
    _options: tuple[Option, ...]
    _leaves: tuple[tuple[Any, ...], ...]
    each: ClassVar[Callable[[Choice, Callable[[Any], Any]], Any]]
    change: ClassVar[Callable[[Choice, Callable[[Any], Any]], Any]]

    def __init__(
        self, which: Any, options: Sequence[Option], leaves: Sequence[Sequence[Any]]
    ) -> None:
        object.__setattr__(self, "_which", which)
        object.__setattr__(self, "_options", tuple(options))
        object.__setattr__(self, "_leaves", tuple(map(tuple, leaves)))
        object.__setattr__(self, "_join", None)

    def __repr__(self) -> str:
        return f"<one of {describe_options(self)}>"


def describe_options(choice: Choice) -> str:
    """Say what a choice may be."""
    return " or ".join(_describe(value) for value in values_of(choice))


def _describe(value: Any) -> str:
    if is_reference(type(value)):
        return f"a {type(value).__name__}"
    if isinstance(value, Missing):
        return "nothing"
    return str(leaf_spec(value)) if is_numeric(value) else repr(value)


def values_of(choice: Choice) -> list[Any]:
    """Return the values that a choice may be."""
    pairs = zip(choice._options, choice._leaves, strict=True)
    return [option.value(leaves) for option, leaves in pairs]


def choices_in(value: Any) -> Iterator[Choice]:
    """Yield the choices in a structure."""
    if type(value) is Choice:
        yield value
    elif (node := trees.node_of(value)) is not None:
        for child in node.children:
            yield from choices_in(child)


def objects_of(choice: Choice) -> list[Any]:
    """Return the objects that a choice may be, or that are parts of what it may be."""
    return [_target(leaf.value) for option in choice._options for _, leaf in option.known]


def _take(choice: Choice) -> tuple[Sequence[Any], Any]:
    flat = [leaf for leaves in choice._leaves for leaf in leaves]
    return (choice._which, *flat), choice._options


def grouped(options: Sequence[Option], leaves: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Return the numbers and arrays of each option."""
    rest = iter(leaves)
    return (tuple(islice(rest, len(option.ranks))) for option in options)


def _make(options: Sequence[Option], children: Sequence[Any]) -> Choice:
    which, *leaves = children
    rows = list(grouped(options, leaves))
    for option, row in zip(options, rows, strict=True):
        for (_, _, cell), leaf in zip(option.kinds, row, strict=False):
            if type(leaf) is Symbol and leaf.spec.shape == ():
                leaf.is_cell = cell  # a new symbol, of a region or after it, does not know
    return Choice(which, options, rows)


def _labels(options: Sequence[Option]) -> list[str]:
    return [""] * (1 + sum(len(option.ranks) for option in options))


register_tree(Choice, _take, _make, _labels)
