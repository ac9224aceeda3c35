"""`tf.function`: the staged functions of `autograph`, strict, with tensors as results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from functools import partial
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from autograph.function.arguments import Text
from autograph.function.concrete import ConcreteFunction
from autograph.function.decorator import function as stage
from autograph.function.polymorphic import Function as Staged
from autograph.tf.errors import translating
from autograph.tf.graph_def import GraphDef, define
from autograph.tf.shapes import TensorSpec
from autograph.tf.tensors import as_result, convert_to_tensor, operate
from runtime import default_graph, trees
from runtime.tensor import Tensor


class Operation(NamedTuple):
    """A node of a graph: its name, the type of the operation, and the names of what it is given."""

    name: str
    type: str
    inputs: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


class GraphText(Text):
    """The text of an optimised graph, with the definition of the graph that was traced.

    Args:
        concrete: the trace whose graph it is.
    """

    __slots__ = ("_concrete",)
    _concrete: ConcreteFunction

    def __new__(cls, concrete: ConcreteFunction) -> GraphText:
        """Return the text of the optimised graph."""
        made = super().__new__(cls, concrete.graph)
        made._concrete = concrete
        return made

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._concrete.name.rpartition(".")[2]

    def as_graph_def(self, **others: Any) -> GraphDef:
        """Return the nodes of the graph as it was traced, parameters first."""
        return define(self._concrete.traced_graph, self._concrete.returned_values)

    def flat(self) -> GraphDef:
        """Return the same with functions, branches and loops as scopes, to be drawn."""
        traced, returned = self._concrete.traced_graph, self._concrete.returned_values
        return define(traced, returned, drawn=self.name)

    def get_operations(self) -> list[Operation]:
        """Return the nodes of the graph as it was traced, parameters first."""
        return [Operation(x.name, x.op, tuple(x.input)) for x in self.as_graph_def().node]


class Concrete:
    """One trace of a staged function, that gives tensors.

    Args:
        concrete: the trace of `autograph`.
    """

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with translating(of_user=True):
            given, named = trees.map_tree(_as_array, (args, kwargs))
            return as_result(self._concrete(*given, **named))

    @property
    def graph(self) -> GraphText:
        """The graph: a text, with the nodes of its definition."""
        return GraphText(self._concrete)

    @property
    def inference_fn(self) -> Concrete:
        """The same, which is called with its tensors alone."""
        return self

    @property
    def function_type(self) -> inspect.Signature:
        """The parameters with their specs, and what is returned."""
        assert self._concrete.arguments is not None
        specs = trees.map_tree(TensorSpec.of, self._concrete.arguments.by_name())
        parameters = [
            x.replace(annotation=specs[x.name], default=x.empty)
            for x in self._concrete.arguments.signature.python.parameters.values()
            if x.name in specs
        ]
        return inspect.Signature(parameters, return_annotation=self.structured_outputs)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The specs of the arguments, positional and by keyword."""
        assert self._concrete.arguments is not None
        return tuple(starmap(_spec, self._concrete.arguments.by_name().items())), {}

    @property
    def structured_outputs(self) -> Any:
        """The specs of what is returned."""
        return trees.map_tree(TensorSpec.of, self._concrete.returned)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Return what it takes and gives: on one line, or on several that tell all."""
        text = str(self._concrete.pretty_printed_signature)
        return text if verbose else text.split("\n", maxsplit=1)[0]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._concrete, name)

    def __repr__(self) -> str:
        return repr(self._concrete)

    def __str__(self) -> str:
        return str(self._concrete)


def _spec(name: str, value: Any) -> Any:
    """Return an argument with specs that have their names: `x`, or `x_0` in a structure."""
    leaves, structure = trees.flatten(value)
    is_one = structure == trees.LEAF
    named = [TensorSpec.of(x, name if is_one else f"{name}_{k}") for k, x in enumerate(leaves)]
    return trees.unflatten(structure, named)


_TENSORS = frozenset({Tensor})


def _as_array(leaf: Any) -> Any:
    return leaf.array if isinstance(leaf, Tensor) else leaf


class Function:
    """A staged function that gives tensors; all else is as `autograph.Function` has it.

    Args:
        staged: the function of `autograph`.
        has_signature: whether its arguments become tensors of given specs.
    """

    def __init__(self, staged: Staged, has_signature: bool = False) -> None:
        functools.update_wrapper(self, staged.python_function)
        self._staged = staged
        self._converts = has_signature

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with translating(of_user=True):
            if default_graph.current() is not None or (
                not kwargs and _TENSORS.issuperset(map(type, args))
            ):
                return as_result(self._staged(*args, **kwargs))
            given, named = trees.map_tree(self._argument, (args, kwargs))
            return as_result(self._staged(*given, **named))

    def _argument(self, leaf: Any) -> Any:
        """Return an argument as a tensor, where TensorFlow's functions take one."""
        is_number = self._converts and isinstance(leaf, bool | int | float)
        is_array = isinstance(leaf, np.ndarray | np.generic)
        return convert_to_tensor(leaf) if is_number or is_array else leaf

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the function bound to an instance."""
        return (
            self
            if instance is None
            else Function(self._staged.__get__(instance, owner), self._converts)
        )

    def __set_name__(self, owner: type, name: str) -> None:
        self._staged.__set_name__(owner, name)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """Return the trace that serves the given arguments; a `TensorSpec` stands for a tensor."""
        with translating(of_user=True):
            return Concrete(self._staged.get_concrete_function(*args, **kwargs))

    def experimental_get_tracing_count(self) -> int:
        """Return how many times the function was traced."""
        return self._staged.trace_count

    def __getattr__(self, name: str) -> Any:
        return getattr(self._staged, name)

    def __repr__(self) -> str:
        return repr(self._staged)


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
    **others: Any,
) -> Any:
    """Stage a function, with TensorFlow's rules: variables of loops keep their dtype and shape.

    Args:
        func: the function; without it, a decorator is returned.
        input_signature: a `TensorSpec`, or a structure of them, for each argument.
        autograph: whether control flow is rewritten.
        jit_compile, reduce_retracing, experimental_autograph_options, experimental_relax_shapes:
            TensorFlow's; graphs are always compiled.

    >>> from autograph import tf
    >>> @tf.function
    ... def double(x):
    ...     return x + x
    >>> double(tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)
    """
    reduces = True if reduce_retracing or experimental_relax_shapes else None
    options = {
        "input_signature": input_signature,
        "autograph": autograph,
        "reduce_retracing": reduces,
        **others,
    }
    if func is None:
        return partial(function, **options)
    plain = func._staged.python_function if isinstance(func, Function) else func
    rules: Any = operate
    return Function(stage(plain, strict=rules, **options), input_signature is not None)
