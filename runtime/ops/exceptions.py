"""Exceptions as graphs hold them: the class is known, what they were given may be computed.

Comes in: an exception. Goes out: its `Parts`, a tree with its arguments and attributes, and an
`ExceptionForm`, from which a graph makes the exception again when it raises it.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

import numpy as np

from runtime import trees
from runtime.errors import StagedValueError
from runtime.graph.lexer import Words
from runtime.graph.literal import literal_text
from runtime.graph.location import PLACE, error_location
from runtime.graph.reference import Reference, Table, named, portable_name
from runtime.tree_classes import is_reference, register_tree

VALUE = object()
"""A leaf of an exception that the graph computes; an attribute that is not set."""
_HEAP_TYPE = 1 << 9
GROUP: Any = getattr(builtins, "BaseExceptionGroup", ())
"""The class of groups, from Python 3.11 on."""


REFUSAL = StagedValueError
"""What is raised, by no handler caught, where values that are known late have no staged meaning."""


def exception_class(name: str) -> type[Exception]:
    """Return an exception of Python's own, NumPy's `LinAlgError`, or a refusal, by its name."""
    others = {REFUSAL.__name__: REFUSAL, "AxisError": np.exceptions.AxisError}
    found: type[Exception] = getattr(builtins, name, others.get(name, np.linalg.LinAlgError))
    return found


OF_CALLS = (
    "LinAlgError", "AxisError", "ZeroDivisionError", "OverflowError", "FloatingPointError",
    "IndexError", "KeyError", "FileNotFoundError", "OSError", "NotImplementedError",
    "RuntimeError", "StopIteration", "AttributeError", "TypeError", "ValueError", "Exception",
)  # fmt: skip
"""What functions raise that graphs call: an exception is of the first of these classes."""


def is_builtin(name: str) -> bool:
    """Tell whether Python has an exception of a name."""
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


@dataclass(slots=True, eq=False)
class Parts:
    """An exception taken apart.

    Args:
        kind: its class.
        args: what `error.args` is; exceptions of a group are taken apart.
        members: its attributes, those of the class's slots among them.
        cause: of `raise ... from`, taken apart.
        context: what was being handled when it was raised, taken apart.
        suppresses: whether the context is not shown.
        place: the user's line that raised it.
    """

    kind: type[BaseException]
    args: tuple[Any, ...]
    members: dict[str, Any]
    cause: Parts | None
    context: Parts | None
    suppresses: bool
    place: Any

    def made(self) -> BaseException:
        """Return an exception of these parts; no `__init__` of the user's runs again."""
        base = next(x for x in self.kind.__mro__ if not x.__flags__ & _HEAP_TYPE)
        args = mapped(self.args, Parts, Parts.made)
        error: BaseException = base.__new__(self.kind, *args)
        error.args = args
        for name, value in self.members.items():
            if getattr(error, name, VALUE) is not value:
                with suppress(AttributeError):  # what `__new__` has set already
                    object.__setattr__(error, name, value)
        error.__cause__ = None if self.cause is None else self.cause.made()
        if self.context is self.cause:
            error.__context__ = error.__cause__
        elif self.context is not None:
            error.__context__ = self.context.made()
        error.__suppress_context__ = self.suppresses
        if self.place is not None:
            setattr(error, PLACE, self.place)
        return error


def parts_of(error: BaseException, place: Any = None, end: BaseException | None = None) -> Parts:
    """Take an exception apart.

    Args:
        error: the exception.
        place: the user's line that raised it.
        end: what was being handled before all this, which belongs to no graph.
    """
    cause, context = error.__cause__, error.__context__
    causes = (
        None if cause is None or cause is error else parts_of(cause, error_location(cause), end)
    )
    if context is cause:
        contexts = causes
    elif context is None or context is end:
        contexts = None
    else:
        contexts = parts_of(context, error_location(context), end)
    suppresses, args = error.__suppress_context__, error.args
    if isinstance(error, GROUP):
        args = mapped(args, BaseException, lambda x: parts_of(x, error_location(x), end))
    return Parts(type(error), args, _members(error), causes, contexts, suppresses, place)


def mapped(value: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    """Return arguments with those of a kind exchanged, those in sequences among them."""
    if isinstance(value, kind):
        return change(value)
    is_row = type(value) in (list, tuple)
    return type(value)(mapped(x, kind, change) for x in value) if is_row else value


def _members(error: BaseException) -> dict[str, Any]:
    """Return the attributes of an exception that are set."""
    of_args = ("args", "exceptions", "message") if isinstance(error, GROUP) else ("args",)
    descriptors = (MemberDescriptorType, GetSetDescriptorType)
    names = [
        name
        for cls in reversed(type(error).__mro__)
        for name, found in vars(cls).items()
        if isinstance(found, descriptors) and not name.startswith("__") and name not in of_args
    ]
    slots = {name: getattr(error, name, VALUE) for name in names}
    members = {name: value for name, value in slots.items() if value is not VALUE}
    if is_reference(type(members.get("obj"))):  # which Python tells, and only a trace knows
        del members["obj"]
    return {**members, **{k: x for k, x in vars(error).items() if k != PLACE}}


def _take(parts: Parts) -> tuple[Sequence[Any], Any]:
    is_chain = parts.context is parts.cause
    data = parts.kind, parts.suppresses, parts.place, is_chain
    return (parts.args, parts.members, parts.cause, None if is_chain else parts.context), data


def _put(data: Any, children: Sequence[Any]) -> Parts:
    kind, suppresses, place, is_chain = data
    args, members, cause, context = children
    return Parts(kind, args, members, cause, cause if is_chain else context, suppresses, place)


register_tree(Parts, _take, _put)


class ExceptionForm:
    """How a graph makes an exception of values. Printed it is a reference, like `Called`.

    Args:
        structure: of the parts, as they are while tracing.
        result: the same structure, in which everything is made as plain Python has it.
        leaves: of the structure; `VALUE` for those that the graph computes.
    """

    __slots__ = ("__weakref__", "leaves", "reference", "result", "structure")

    def __init__(
        self, structure: trees.Structure, result: trees.Structure, leaves: Sequence[Any]
    ) -> None:
        self.structure = structure
        self.result = result
        self.leaves = tuple(leaves)
        parts: Parts = trees.unflatten(structure, leaves)
        name = _name_of(parts)
        own = FORMS.add(self, parts.kind.__qualname__)
        self.reference = own if name is None else Reference("exception", name, None)

    def __repr__(self) -> str:
        return self.reference.text(elide=False)

    def staged(self, values: Sequence[Any]) -> BaseException:
        """Return the exception while tracing, with symbols for what the graph computes."""
        return self._filled(self.structure, values)

    def made(self, values: Sequence[Any]) -> BaseException:
        """Return the exception when the graph runs; it has arrays of its own."""
        own = [x.copy() if getattr(x, "shape", ()) else x for x in values]
        return self._filled(self.result, own)

    def _filled(self, structure: trees.Structure, values: Sequence[Any]) -> BaseException:
        given = iter(values)
        leaves = [next(given) if x is VALUE else x for x in self.leaves]
        parts: Parts = trees.unflatten(structure, leaves)
        return parts.made()


FORMS: Table[ExceptionForm] = Table("exception", "trace it here")


def _name_of(parts: Parts) -> str | None:
    """Return the name of an exception of a module's class and literals alone, or None.

    name = "module:qualified name" "(" [argument ("," argument)*] ")"
    argument = literal | "?"                                (what the graph computes)
    """
    name = portable_name(parts.kind)
    chained = parts.cause is not None or parts.context is not None or parts.suppresses
    known = all(x is VALUE or x is None or type(x) in _LITERALS for x in parts.args)
    if name is None or chained or parts.members or not known:
        return None
    return f"{name}({', '.join('?' if x is VALUE else literal_text(x) for x in parts.args)})"


_LITERALS = (bool, int, float, complex, str)


@lru_cache(maxsize=256)
def _named(name: str) -> ExceptionForm:
    """Return the form of a name; RuntimeError if that is of no exception."""
    path, mark, rest = name.partition("(")
    words = Words(mark + rest)
    words.expect("(")
    args = words.listed(")", lambda: VALUE if words.accept("?") else words.literal())
    kind = named(path)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise RuntimeError(f"{path} is no exception")
    leaves, structure = trees.flatten(Parts(kind, tuple(args), {}, None, None, False, None))
    return ExceptionForm(structure, structure, leaves)


def exception_form(form: ExceptionForm | Reference) -> ExceptionForm:
    """Return the form that stands in a graph, which may be one that was printed."""
    if isinstance(form, ExceptionForm):
        return form
    if form.is_portable:
        return _named(form.name)
    found = FORMS.get(form)
    if found is None:
        raise RuntimeError(f"the exception {form.name!r} that this graph raises is gone")
    return found
