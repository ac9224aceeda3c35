"""The arguments of a call: bound to parameters, taken apart into leaves, and put together again."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.function.tracetype import TraceType, is_supported, trace_type
from runtime import trees
from runtime.backends import is_foreign
from runtime.dtypes import conversion, is_lossless, is_string
from runtime.errors import DtypeError, ShapeError, SignatureError
from runtime.operands import as_dense
from runtime.spec import UNKNOWN, Dim, TensorSpec, accepts, make_spec, spec_of
from runtime.tensor import Tensor

_OUTERMOST = re.compile(r"^(?:\[0\]\[(\d+)\]|\[1\]\['(\w+)'\])")
"""The beginning of the path of a leaf: which argument it is of, by position or by keyword."""


class Parameters:
    """The parameters of a Python function.

    Args:
        function: the function.
        specs: what its tensor arguments must be, for a function with an input signature.
        donated: the names of parameters whose arrays callers give away.
    """

    def __init__(
        self, function: Callable[..., Any], specs: Any = None, donated: Sequence[str] = ()
    ) -> None:
        self.python = _signature(function)
        self.name = getattr(function, "__qualname__", repr(function))
        self.specs = None if specs is None else self._check_specs(specs)
        self.donated = (donated,) if isinstance(donated, str) else tuple(donated)
        unknown = [name for name in self.donated if name not in self.names]
        if unknown:
            raise SignatureError(
                f"donate names {unknown[0]!r}, and the parameters of {self.name} are {self.python}"
            )

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        return list(self.python.parameters)

    @property
    def without_receiver(self) -> inspect.Signature:
        """The parameters of the function as a method of an instance."""
        parameters = list(self.python.parameters.values())
        first = parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL
        return self.python.replace(parameters=parameters[first:])

    def bind(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return positional and keyword arguments in one normal form, defaults filled in.

        Raises:
            TypeError: the arguments do not fit the parameters.
        """
        try:
            bound = self.python.bind(*args, **kwargs)
        except TypeError as error:
            ours = TypeError(f"{self.name}(): {error}; its parameters are {self.python}")
            vars(ours)["is_undone"] = True  # nothing is done yet: Python may say it
            raise ours from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def named(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return arguments by the names of their parameters, but for `*args`."""
        return {**dict(zip(self.python.parameters, args, strict=False)), **kwargs}

    def bind_specs(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return arguments as `bind` does; those of the signature when none are given."""
        return self.bind(args if args or kwargs else self.specs or (), kwargs)

    def bind_values(
        self, method: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return arguments as `bind` does, for a method that runs the function.

        Raises:
            TypeError: the arguments do not fit the parameters, or a `TensorSpec` is among them.
        """
        args, kwargs = self.bind(args, kwargs)
        leaves, structure = trees.flatten((args, kwargs))
        for name, leaf in zip(self.leaf_names(structure), leaves, strict=True):
            if isinstance(leaf, TensorSpec):
                raise TypeError(
                    f"{self.name}.{method}() runs the function, so it needs values, and {name} is "
                    f"the TensorSpec {leaf}; give it an array"
                )
        return args, kwargs

    def types(self, leaves: Sequence[Any], structure: trees.Structure) -> tuple[TraceType, ...]:
        """Return the trace types of the leaves of bound arguments.

        Raises:
            DtypeError: one of them is an array of a dtype that is not supported.
        """
        try:
            return tuple(map(trace_type, leaves))
        except DtypeError as error:
            names = self.leaf_names(structure)
            name = next(n for n, x in zip(names, leaves, strict=True) if not is_supported(x))
            raise DtypeError(f"{self.name}(): argument {name}: {error}") from None

    def leaf_names(self, structure: trees.Structure) -> list[str]:
        """Return a name for every leaf of bound arguments, such as `x` or `batch['label']`.

        Args:
            structure: of a tuple of those by position and a dict of those by keyword.
        """
        entry = structure.entries[1]
        names = self._argument_names(0 if entry is None else entry[2])
        named = lambda found: names[int(found[1])] if found[1] else str(found[2])  # noqa: E731
        return [_OUTERMOST.sub(named, path) for path in trees.paths(structure)]

    def _argument_names(self, count: int) -> list[str]:
        names: list[str] = []
        for parameter in self.python.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                names += [f"{parameter.name}[{k}]" for k in range(count - len(names))]
            elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                names.append(parameter.name)
        return names[:count]

    def _check_specs(self, specs: Any) -> tuple[Any, ...]:
        if not isinstance(specs, list | tuple):
            raise TypeError(
                f"input_signature of {self.name} must be a list or tuple with one TensorSpec (or a "
                f"structure of them) for each argument, not {specs!r}"
            )
        for parameter in self.python.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                raise TypeError(f"a function with **{parameter.name} can have no input_signature")
        for leaf in trees.flatten(tuple(specs))[0]:
            if not isinstance(leaf, TensorSpec):
                raise TypeError(f"input_signature of {self.name} holds {leaf!r}, not a TensorSpec")
        return tuple(specs)

    def convert(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Convert the arguments to what the input signature says.

        Raises:
            TypeError: an argument has another dtype or structure.
            ShapeError: an argument has another shape.
        """
        assert self.specs is not None
        if len(args) < len(self.specs):
            raise TypeError(f"{self.name}() takes {len(self.specs)} arguments, got {len(args)}")
        names = self._argument_names(len(self.specs))
        converted = tuple(map(_convert, names, args, self.specs))
        self._check_sizes(converted)
        return (*converted, *args[len(self.specs) :])

    def _check_sizes(self, args: tuple[Any, ...]) -> None:
        """Raise ShapeError when two sizes differ that have one name in the input signature."""
        sizes: dict[Dim, tuple[int, str]] = {}
        specs, leaves = trees.flatten(self.specs)[0], trees.flatten(args)[0]
        for name, spec, leaf in zip(
            self.leaf_names(trees.flatten((args, {}))[1]), specs, leaves, strict=True
        ):
            for axis, size in enumerate(spec.shape or ()):
                if isinstance(size, Dim) and size != UNKNOWN:
                    here = leaf.shape[axis], f"{name}.shape[{axis}]"
                    first = sizes.setdefault(size, here)
                    if first[0] != here[0]:
                        raise ShapeError(
                            f"{first[1]} and {here[1]} are both {size} in the input signature, "
                            f"but they are {first[0]} and {here[0]}"
                        )


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """Return the parameters of a function itself, whatever it wraps."""
    kinds = inspect.Parameter
    unknown = inspect.Signature(
        [kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)]
    )
    if isinstance(function, np.ufunc):  # their keywords exclude each other
        return unknown
    try:
        return inspect.signature(function, follow_wrapped=False)
    except ValueError:  # it is written in C and says nothing of its parameters
        return unknown


def _convert(name: str, value: Any, spec: Any) -> Any:
    """Convert one argument to the structure of specs that the signature gives for it."""
    if isinstance(spec, TensorSpec):
        return convert_leaf(name, value, spec)
    specs, structure = trees.flatten(spec)
    if trees.flatten(value)[1] != structure:
        raise TypeError(f"{name}: {trees.difference(spec, value)}, against the input signature")
    values = trees.flatten(value)[0]
    paths = trees.paths(structure)
    leaves = [
        convert_leaf(f"{name}{p}", v, s) for p, v, s in zip(paths, values, specs, strict=True)
    ]
    return trees.unflatten(structure, leaves)


def convert_leaf(
    name: str, value: Any, spec: TensorSpec, origin: str = "the input signature"
) -> Any:
    """Convert one tensor to what is declared, where nothing is lost.

    Raises:
        DtypeError: it has another dtype.
        ShapeError: it has another shape.
    """
    if isinstance(value, Tensor):
        return Tensor(convert_leaf(name, value.array, spec, origin))
    weak = not hasattr(value, "dtype")
    array = as_dense(value) if weak else value
    if not _allowed(array.dtype, spec, weak):
        raise DtypeError(
            f"{name} must be {spec} by {origin}, and {array.dtype} is not converted to "
            f"it without loss; convert it yourself: {name}{conversion(spec.dtype)}"
        )
    if array.dtype != spec.dtype:
        is_host = not is_foreign(array)
        array = np.asarray(array, spec.dtype) if is_host else array.astype(spec.dtype)
    if not accepts(make_spec(spec.dtype, spec.shape), spec_of(array)):
        raise SignatureError(f"{name} must be {spec} by {origin}, not {spec_of(array)}")
    return array


def _allowed(dtype: Any, spec: TensorSpec, weak: bool) -> bool:
    if weak and not is_string(spec.dtype):
        return bool(np.can_cast(dtype, spec.dtype, "same_kind"))
    return is_lossless(dtype, spec.dtype)
