"""The arguments of one trace: what a concrete function is called with, and how that is written.

Comes in: the parameters of the Python function, and the structure and trace types of the arguments
for which it was traced. Goes out: the leaves of a call's arguments, checked, with what the trace
holds for the arguments that are left out; and texts in the form that TensorFlow's guides print:

    my_relu(x)
      Args:
        x: float32 Tensor, shape=()
      Returns:
        float32 Tensor, shape=()
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograph.function.parameters import Parameters, convert_leaf
from autograph.function.tracetype import LiteralType, ObjectType, TensorType, TraceType, trace_type
from runtime import io, trees
from runtime.dtypes import dtype_name, python_type
from runtime.spec import TensorSpec

_STARS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


class Text(str):
    """A text that an interactive shell shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class _Written:
    """Stands for a leaf in the text of a structure.

    Args:
        text: how it is written.
        is_given: whether each call gives it.
    """

    def __init__(self, text: str, is_given: bool = False) -> None:
        self._text = text
        self.is_given = is_given

    def __repr__(self) -> str:
        return self._text


@dataclass(frozen=True)
class Arguments:
    """The arguments for which a function was traced.

    Args:
        signature: the parameters of the function.
        structure: of the bound arguments, positional and by keyword.
        types: the trace types of their leaves.
        names: of the leaves.
    """

    signature: Parameters
    structure: Any
    types: tuple[TraceType, ...]
    names: tuple[str, ...]

    @property
    def donated(self) -> list[int]:
        """The numbers of the tensors that callers give away."""
        pairs = zip(self.names, self.types, strict=True)
        tensors = [name for name, kind in pairs if isinstance(kind, TensorType)]
        owners = [re.split(r"\W", name, maxsplit=1)[0] for name in tensors]
        return [k for k, name in enumerate(owners) if name in self.signature.donated]

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, list[Any]]:
        """Return the arguments of a call, complete and converted, and the tensors among them.

        Raises:
            TypeError: one is missing, or is not what the trace is for.
            DtypeError: a tensor has another dtype.
            ShapeError: a tensor has another shape.
        """
        whole = self._filled(self._given(args, kwargs))
        leaves, structure = trees.flatten(whole)
        if structure != self.structure:
            raise TypeError(f"{self.summary()}: {self._difference(whole)}")
        rows = zip(self.names, leaves, self.types, strict=True)
        checked = [self._checked(*row) for row in rows]
        arrays = [
            x for x, kind in zip(checked, self.types, strict=True) if isinstance(kind, TensorType)
        ]
        return trees.unflatten(self.structure, checked), arrays

    def _given(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return arguments by their parameters; positional ones may be the tensors alone."""
        tensors = [name for name, value in self.by_name().items() if _has_tensor(value)]
        kinds = self.signature.python.parameters
        is_simple = all(kinds[x].kind is kinds[x].POSITIONAL_OR_KEYWORD for x in tensors)
        if is_simple and not kwargs and len(args) == len(tensors):
            return dict(zip(tensors, args, strict=True))
        try:
            return self.signature.python.bind_partial(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self.summary()}: {error}") from None

    def _difference(self, whole: Any) -> str:
        """Say which argument has another structure than in the trace."""
        args, kwargs = trees.unflatten(self.structure, range(len(self.types)))
        traced, given = self._by_name(args, kwargs), self._by_name(*whole)
        differences = (trees.difference(traced[n], given[n], n) for n in traced if n in given)
        found = next((text for text in differences if text is not None), "other arguments")
        return f"{found}: so the trace and the call differ. Make arrays of lists of numbers"

    def _filled(self, given: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the bound arguments, with those of the trace where none are given."""
        args, kwargs = trees.unflatten(self.structure, map(_held, self.types))
        kept: dict[str, Any] = {}
        for parameter, value in self._by_name(args, kwargs).items():
            leaves = trees.flatten(given.get(parameter, value))[0]
            if any(isinstance(leaf, _Tensor) for leaf in leaves):
                raise TypeError(f"{self.summary()} needs the argument {parameter!r}")
            kept[parameter] = given.get(parameter, value)
        bound = self.signature.python.bind_partial()
        bound.arguments.update({**kept, **given})
        return bound.args, bound.kwargs

    def _by_name(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return bound arguments by the names of their parameters."""
        return dict(self.signature.python.bind(*args, **kwargs).arguments)

    def _checked(self, name: str, leaf: Any, kind: TraceType) -> Any:
        if isinstance(kind, TensorType) and kind.described is None:
            try:
                return convert_leaf(name, leaf, kind.spec, f"the trace {self.summary()}")
            except AttributeError:
                raise TypeError(f"{self.summary()}: {name} must be {kind}, not {leaf!r}") from None
        if trace_type(leaf) != kind:
            raise TypeError(
                f"{self.summary()}: the argument {name!r} was {kind} when this was traced, which "
                f"is part of the trace, and {leaf!r} is given. Leave it out, or call the function "
                "itself, which has a trace for each"
            )
        return leaf

    def summary(self) -> str:
        """Return the name with the parameters, and what is bound to those without tensors."""
        parts = []
        for name, value in self.by_name().items():
            parts.append(name if _has_tensor(value) else f"{name}={_shown(value)}")
        return f"{self.signature.name.rpartition('.')[2]}({', '.join(parts)})"

    def by_name(self) -> dict[str, Any]:
        """Return what the arguments are by their parameters: specs, and what the trace holds."""
        args, kwargs = trees.unflatten(self.structure, map(_written, self.types))
        return self._by_name(args, kwargs)

    def trees(self) -> dict[str, Any]:
        """Return the arguments as a program takes them, with an `Argument` for each array."""
        pairs = zip(self.names, self.types, strict=True)
        leaves = [
            io.program.Argument(name) if isinstance(kind, TensorType) else _held(kind)
            for name, kind in pairs
        ]
        found = self._by_name(*trees.unflatten(self.structure, leaves))
        kinds = self.signature.python.parameters
        return {_STARS.get(kinds[x].kind, "") + x: tree for x, tree in found.items()}

    def lines(self) -> Iterator[str]:
        """Yield a line for each parameter with tensors."""
        for name, value in self.by_name().items():
            if _has_tensor(value):
                yield f"    {name}: {written(value)}"


def _has_tensor(value: Any) -> bool:
    return any(getattr(x, "is_given", isinstance(x, TensorSpec)) for x in trees.flatten(value)[0])


class _Tensor:
    """Stands for a tensor that no call has given."""


def _held(kind: TraceType) -> Any:
    """Return the value that a trace holds for a leaf."""
    if isinstance(kind, LiteralType):
        return kind.restored
    return kind.values[0] if isinstance(kind, ObjectType) else _Tensor()


def _written(kind: TraceType) -> Any:
    if not isinstance(kind, TensorType):
        return _Written(str(kind))
    return _Written(str(kind), is_given=True) if kind.described else kind.spec


def written(value: Any) -> str:
    """Return a structure with specs as its leaves, as TensorFlow writes it."""
    leaves, structure = trees.flatten(value)
    if structure == trees.LEAF:
        return _write_leaf(value)
    marks = [f"<{k}>" for k in range(1, len(leaves) + 1)]
    rows = (f"\n      {mark}: {_write_leaf(x)}" for mark, x in zip(marks, leaves, strict=True))
    return trees.fold(structure, marks, trees.show_node) + "".join(rows)


def _shown(value: Any) -> str:
    """Return a value as `repr` writes it, without code of the user's."""
    leaves, structure = trees.flatten(value)
    return trees.fold(structure, list(map(repr, leaves)), trees.show_node)


def _write_leaf(leaf: Any) -> str:
    if not isinstance(leaf, TensorSpec):
        return repr(leaf)
    if leaf.weak:
        return python_type(leaf.dtype).__name__
    if leaf.shape is None:
        return f"{dtype_name(leaf.dtype)} Tensor, shape=<unknown>"
    sizes = tuple(n if isinstance(n, int) else None for n in leaf.shape)
    return f"{dtype_name(leaf.dtype)} Tensor, shape={sizes}"
