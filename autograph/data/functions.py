"""What users' functions do to the elements of datasets: each is staged once, for their spec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.function.polymorphic import Function
from runtime import trees
from runtime.data.element import Spec, as_array, fitted, show, spec_of_leaf
from runtime.dtypes import STRING, is_string
from runtime.errors import DtypeError, LeakedSymbolError
from runtime.graph.node import Graph
from runtime.spec import TensorSpec, make_spec
from runtime.tree_nodes import mutable_nodes


def arguments_of(element: Any) -> tuple[Any, ...]:
    """Return what a function is called with: the parts of a tuple, anything else as it is."""
    return element if type(element) is tuple else (element,)


class StagedOnElements:
    """A function that is given elements of one spec, and what it returns for them.

    Args:
        function: the user's function, which is traced at once.
        spec: of the elements; the parts of a tuple are arguments of their own.
        what: the method that was given the function, for messages.

    Raises:
        DtypeError: it returns what no element can be.
    """

    def __init__(self, function: Callable[..., Any], spec: Spec, what: str) -> None:
        if not callable(function):
            raise TypeError(f"{what} takes a function, not {function!r}")
        plain = function.python_function if isinstance(function, Function) else function
        signature = arguments_of(spec)
        self._function = Function(plain, input_signature=list(signature))
        try:
            concrete = self._function.get_concrete_function(*signature)
        except LeakedSymbolError as error:
            error.args = (
                f"the function of {what} uses a staged value of the function around it. A dataset "
                "gives its elements by itself, so put the value beside the elements "
                f"(Dataset.zip), or compute with it in the loop ({error})",
            )
            raise
        trace = concrete.trace
        outputs = trace.signature.outputs
        objects = mutable_nodes(signature)  # an element that is returned as it is
        leaves = [
            objects[output.position]
            if output.kind == "object"
            else _spec_of(output, trace.graph, concrete.types, what)
            for output in outputs
        ]
        self.spec: Spec = trees.unflatten(trace.signature.structure, leaves)
        kinds = ("static", "object")
        is_array = [x.kind not in kinds and not _is_weak(x, trace) for x in outputs]
        self._gives_elements = all(is_array)

    def __call__(self, element: Any) -> Any:
        """Return what the function returns for an element, as an element."""
        found = self._function(*map(_as_argument, arguments_of(element)))
        return found if self._gives_elements else fitted(found, self.spec, "the result")


def _is_weak(output: Any, trace: Any) -> bool:
    return output.kind == "result" and bool(trace.graph.results[output.position].spec.weak)


def _as_argument(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return np.asarray(value)
    return (
        np.array(value, STRING) if isinstance(value, str) else trees.map_tree(_as_argument, value)
    )


def _spec_of(output: Any, graph: Graph, types: Any, what: str) -> TensorSpec:
    """Return the spec of one leaf of a result."""
    if output.kind == "result":
        spec = graph.results[output.position].spec
        return make_spec(spec.dtype, spec.shape)
    if output.kind == "argument":
        return types[output.position].spec  # type: ignore[no-any-return]
    if output.kind == "static":
        return spec_of_leaf(as_array(output.value, f"what the function of {what} returns"))
    raise DtypeError(
        f"the function of {what} returns a list whose length is known only when it runs; return an "
        "array instead"
    )


def on_elements(function: Callable[..., Any], spec: Spec, what: str) -> StagedOnElements:
    """Stage a function for elements of a spec."""
    return StagedOnElements(function, spec, what)


def predicate(function: Callable[..., Any], spec: Spec, what: str) -> Callable[[Any], bool]:
    """Stage a function that tells something of an element.

    Raises:
        DtypeError: it does not return one truth value.
    """
    staged = StagedOnElements(function, spec, what)
    found = staged.spec
    is_truth = isinstance(found, TensorSpec) and found.shape == () and not is_string(found.dtype)
    if not is_truth:
        raise DtypeError(
            f"the function of {what} must return one truth value, and it returns {show(found)}"
        )
    return lambda element: bool(staged(element))


def unstaged(function: Callable[..., Any], spec: Spec | None, what: str) -> Callable[[Any], Any]:
    """Return a function that Python calls for each element, with results of a spec."""
    if spec is None:
        raise TypeError(
            f"{what}(staged=False) needs element_spec: what the function returns is known only "
            "when Python calls it"
        )
    return lambda element: fitted(function(*arguments_of(element)), spec, "the result")
