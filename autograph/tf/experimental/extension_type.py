"""`tf.experimental.ExtensionType`: classes of one's own whose instances hold tensors.

An instance is a structure: it goes into staged functions, branches, loops and derivatives, and
comes out, as tuples do. Its tensors are the leaves, other fields are what it is told apart by.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, get_args, get_origin

from autograph.operators.calls.converting import do_not_convert
from autograph.tf.dtype import DType, as_dtype
from autograph.tf.shapes import TensorShape
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime import trees
from runtime.tensor import TensorLike
from runtime.tree_classes import register_tree


class Field(NamedTuple):
    """A field of a type.

    Args:
        kind: what it is annotated with.
        default: `inspect.Parameter.empty` where it must be given.
    """

    kind: Any
    default: Any

    @property
    def holds_tensors(self) -> bool:
        """Whether there may be tensors in it."""
        parts = get_args(self.kind) or (self.kind,)
        return any(isinstance(x, type) and issubclass(x, TensorLike | ExtensionType) for x in parts)


class ExtensionType:
    """A class of one's own with annotated fields, which are set once.

    Fields that are annotated with `tf.Tensor` hold tensors, others what their annotation says. A
    method `__validate__`, if there is one, is called for each new instance.

    >>> from autograph import tf
    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    ...     def total(self):
    ...         return tf.reduce_sum(tf.where(self.mask, self.values, 0))
    >>> x = Masked([1, 2, 3], [True, False, True])
    >>> tf.function(lambda x: Masked(x.values * 2, x.mask))(x).total().numpy()
    np.int32(8)
    """

    __fields__: ClassVar[dict[str, Field]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        place = sys._getframe(1)  # annotations may be texts, which are read where they stand
        cls.__fields__ = {**cls.__fields__, **_fields_of(cls, place.f_globals, place.f_locals)}
        init = vars(cls).get("__init__")
        vars_of = _made_by_fields(cls) if init is None else _made_by(init)
        type.__setattr__(cls, "__init__", vars_of)
        inner = [name for name, field in cls.__fields__.items() if field.holds_tensors]
        others = [name for name in cls.__fields__ if name not in inner]
        register_tree(
            cls,
            lambda x: ([vars(x)[name] for name in inner], tuple(vars(x)[name] for name in others)),
            lambda data, children: _filled(cls, {**dict(zip(others, data, strict=True)),
                                                 **dict(zip(inner, children, strict=True))}),
            lambda data: [f".{name}" for name in inner],
        )  # fmt: skip

    def __setattr__(self, name: str, value: Any) -> None:
        if "__is_open__" not in self.__dict__:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
            )
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(
            f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
        )

    def __validate__(self) -> None:
        """Raise an error for fields that do not go together."""

    def __eq__(self, other: Any) -> Any:
        if type(self) is not type(other):
            return False
        pairs = zip(*(trees.flatten(x)[0] for x in (self, other)), strict=True)
        if trees.flatten(self)[1] != trees.flatten(other)[1]:
            return False
        found: Any = True
        for x, y in pairs:
            if x.shape != y.shape or x.dtype != y.dtype:
                return False
            found = (x == y).all() & found
        return as_result(found)

    def __ne__(self, other: Any) -> Any:
        found: Any = self == other
        return not found if isinstance(found, bool) else found ^ True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={vars(self)[name]!r}" for name in self.__fields__)
        return f"{type(self).__name__}({inner})"


def _fields_of(cls: type, *names: Any) -> dict[str, Field]:
    """Return the fields that a class adds; those of the classes that it is made of have theirs."""
    hints = inspect.get_annotations(cls, globals=names[0], locals=names[1], eval_str=True)
    own, empty = vars(cls), inspect.Parameter.empty
    found = {name: Field(kind, own.get(name, empty)) for name, kind in hints.items()}
    return {k: x for k, x in found.items() if get_origin(x.kind) is not ClassVar}


@do_not_convert
def _made_by_fields(cls: Any) -> Any:
    """Return the constructor of a class that has none of its own: it takes the fields."""
    parameters = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=field.default)
        for name, field in cls.__fields__.items()
    ]
    signature = inspect.Signature(parameters)

    @do_not_convert
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        _fill(self, bound.arguments)
        self.__validate__()

    init.__name__ = "__init__"
    vars(init)["__signature__"] = signature
    return init


def _made_by(init: Any) -> Any:
    """Return a constructor of the user's, after which no field is set."""

    @functools.wraps(init)
    def public(self: Any, *args: Any, **kwargs: Any) -> None:
        object.__setattr__(self, "__is_open__", True)
        init(self, *args, **kwargs)
        given = {name: value for name, value in vars(self).items() if name in self.__fields__}
        vars(self).clear()
        _fill(self, given)
        self.__validate__()

    return public


def _filled(cls: type, fields: Mapping[str, Any]) -> Any:
    """Return an instance whose fields are what they are."""
    made: Any = object.__new__(cls)
    vars(made).update(fields)
    return made


def _fill(self: Any, given: Mapping[str, Any]) -> None:
    missing = [name for name in self.__fields__ if name not in given]
    if missing:
        raise TypeError(f"{type(self).__name__} needs its field {missing[0]!r}")
    for name, field in self.__fields__.items():
        vars(self)[name] = _converted(f"{type(self).__name__}.{name}", field.kind, given[name])


def _converted(where: str, kind: Any, value: Any) -> Any:
    """Return what a field holds for what it is given; TypeError for what does not fit."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple:
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return tuple(_converted(where, k, x) for k, x in zip(kinds, value, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _converted(where, inner[1], x) for key, x in value.items()}
    if origin is not None:
        return value
    if isinstance(kind, type) and issubclass(kind, TensorLike):
        return convert_to_tensor(value)
    if kind is TensorShape:
        return TensorShape(value)
    if kind is DType:
        return as_dtype(value)
    if isinstance(kind, type) and not isinstance(value, kind) and kind is not Sequence:
        raise TypeError(f"{where}: expected a {kind.__name__}, and got {value!r}")
    return value
