"""Functions whose derivative the user says: `custom_vjp`, `custom_jvp`, `custom_gradient`.

Outside of graphs they are the functions themselves. In a graph they are nodes with two regions:
what is computed, and the rule; the first is written in their place once all is differentiated.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import runtime.numpy as rnp
from autograph.function.polymorphic import Function
from autograph.transforms.gradients import as_function
from autograph.transforms.own_gradient import OwnGradient
from autograph.transforms.region import Closed, close, current_builder, written_again
from runtime import default_graph, trees
from runtime.active_tapes import RECORDERS
from runtime.dispatch import apply, as_value
from runtime.errors import DerivativeError
from runtime.graph.node import Graph, Value
from runtime.ops import control
from runtime.ops.movement import stop_gradient as stop
from runtime.passes.rewriter import copied_region
from runtime.spec import Dim, Shape, TensorSpec
from runtime.tensor import Symbol
from runtime.union import is_numeric


def stop_gradient(value: Any) -> Any:
    """Return a structure of arrays as it is, as if it followed nothing.

    >>> import autograph as ag
    >>> ag.grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return trees.map_tree(lambda x: apply(stop, (x,)) if is_numeric(x) else x, value)


def custom_vjp(
    func: Callable[..., Any],
    forward: Callable[..., Any],
    backward: Callable[..., Any],
) -> Callable[..., Any]:
    """Return a function with a derivative of its own, for going back.

    Args:
        func: a Python function of arrays, or structures of them, by position.
        forward: takes the same, and returns the value and what `backward` needs.
        backward: takes that, and the cotangent of the value, of its structure; returns a tuple of
            the cotangents of the arguments, None for those that are zero. It is linear in the
            cotangent, unless nobody goes forward: tangents are what goes back through it.

    Raises:
        DerivativeError: what a rule returns does not fit.

    >>> import numpy as np
    >>> import autograph as ag
    >>> clip = ag.custom_vjp(lambda x: x, lambda x: (x, ()), lambda _, g: (np.clip(g, -1, 1),))
    >>> ag.grad(lambda x: np.sum(clip(x) * 5))(np.ones(2))
    array([1., 1.])
    """

    def rule(args: tuple[Any, ...], cotangent: Any) -> Any:
        _, residuals = as_function(forward)(*args)
        return as_function(backward)(residuals, cotangent)

    return _Custom(func, rule, "vjp").function()


def custom_jvp(func: Callable[..., Any], rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with a derivative of its own, for going forward; going back follows.

    Args:
        func: a Python function of arrays, or structures of them, by position.
        rule: takes a tuple of the arguments and one of their tangents, and returns the value and
            its tangent, which is linear in the tangents.

    >>> import numpy as np
    >>> import autograph as ag
    >>> root = ag.custom_jvp(np.sqrt, lambda x, t: (np.sqrt(x[0]), t[0] / (2 * np.sqrt(x[0]))))
    >>> ag.grad(root)(4.0)
    0.25
    """

    def tangents(args: tuple[Any, ...], given: Any) -> Any:
        return as_function(rule)(args, given)[1]

    return _Custom(func, tangents, "jvp").function()


def custom_gradient(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with the derivative that it returns beside its value.

    Args:
        func: a Python function of arrays by position, which returns its value, and a function from
            the cotangent of the value to that of the argument, or a tuple of those of several. If
            `func` reads trainable variables, that function takes a list of them as `variables`, and
            returns a pair: that, and a list of cotangents for them.

    Raises:
        DerivativeError: what a rule returns does not fit.
        TypeError: variables are read, and the rule does not take them.

    >>> import autograph as ag
    >>> @custom_gradient
    ... def halved(x):
    ...     return x, lambda g: g / 2
    >>> ag.grad(halved)(3.0)
    0.5
    """
    own = OwnGradient(as_function(func), flat=False)

    @functools.wraps(func, updated=())
    def called(*args: Any, **kwargs: Any) -> Any:
        return own(args, kwargs)

    return called


def checkpoint(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose derivative keeps little of what it computes.

    What goes back through it computes it again. Of its loops of n rounds the state is kept at about
    2√n of them, instead of at all; that costs one more computation of the rounds.

    Args:
        func: a Python function of arrays, or structures of them, by position.

    >>> import autograph as ag
    >>> ag.grad(ag.checkpoint(lambda x: x * x))(3.0)
    6.0
    """
    inner = as_function(func)

    @functools.wraps(func, updated=())
    def called(*args: Any, **kwargs: Any) -> Any:
        if default_graph.current() is None:
            return func(*args, **kwargs)
        leaves, structure = trees.flatten(args)
        given = [x for x in leaves if is_numeric(x)]

        def run(symbols: Sequence[Any]) -> Any:
            rest = iter(symbols)
            made = (next(rest) if is_numeric(x) else x for x in leaves)
            return inner(*trees.unflatten(structure, made), **kwargs)

        builder, made = current_builder(), list[Value]()

        def write(graph: Graph, operands: Sequence[Value], _: int) -> Sequence[Value]:
            made.extend(builder.emit(control.checkpoint, operands, {}, [copied_region(graph)]))
            return made

        returned = written_again(run, given, write)
        return returned.filled([Symbol(builder, x) for x in made[: len(returned.values)]])

    return called


class _Custom:
    """A function, and the rule of its derivative.

    Args:
        func: the function.
        rule: takes the arguments in a tuple, then cotangents or tangents.
        mode: `"vjp"` or `"jvp"`.
    """

    def __init__(
        self, func: Callable[..., Any], rule: Callable[[tuple[Any, ...], Any], Any], mode: str
    ) -> None:
        self._func = func
        self._rule = rule
        self._mode = mode
        self._inner: Function = as_function(func)
        self._alone = Function(lambda *args: self._staged(args), autograph=False)

    def function(self) -> Callable[..., Any]:
        """Return the function that is called."""

        @functools.wraps(self._func, updated=())
        def called(*args: Any) -> Any:
            if default_graph.current() is not None:
                return self._staged(args)
            return self._alone(*args) if RECORDERS.active else self._func(*args)

        return called

    def _staged(self, args: tuple[Any, ...]) -> Any:
        leaves, structure = trees.flatten(args)
        is_given = [is_numeric(x) for x in leaves]
        given = [x for x, one in zip(leaves, is_given, strict=True) if one]
        builder = current_builder()
        operands = [as_value(builder, x) for x in given]

        def filled(symbols: Sequence[Any]) -> Any:
            rest = iter(symbols)
            made = (next(rest) if one else x for x, one in zip(leaves, is_given, strict=True))
            return trees.unflatten(structure, made)

        first = close(lambda symbols: self._inner(*filled(symbols)), given)
        results = [Symbol(builder, x) for x in operands], first.returned
        second = self._close_rule(filled, given, *results)
        if first.writes or second.writes:
            raise DerivativeError(
                f"{self._inner._signature.name} has a derivative of its own, and assigns a "
                "variable or an array from outside; let it return what is to be assigned"
            )
        captured = list(dict.fromkeys([*first.captured, *second.captured]))
        regions = [
            _with_captured(first, len(given), captured),
            _with_captured(second, len(given), captured),
        ]
        attrs = {"mode": self._mode, "count": len(given), "free": 0}
        attrs["label"] = self._inner._signature.name
        made = builder.emit(control.custom, [*operands, *captured], attrs, regions)
        return first.returned.filled([Symbol(builder, x) for x in made])

    def _close_rule(
        self,
        filled: Callable[[Sequence[Any]], Any],
        given: Sequence[Any],
        operands: Sequence[Any],
        returned: Any,
    ) -> Closed:
        """Trace the rule into a graph of the operands, then cotangents or tangents."""
        values = returned.values
        likes = [x.spec for x in (values if self._mode == "vjp" else operands)]
        taken = [spec for spec in likes if spec.dtype.kind in "fc"]
        inexact = [spec.dtype.kind in "fc" for spec in likes]

        def run(symbols: Sequence[Any]) -> Any:
            own = symbols[: len(given)]
            rest = iter(symbols[len(given) :])
            parts = [next(rest) if one else None for one in inexact]
            args = filled(own)
            if self._mode == "vjp":
                found = self._rule(args, returned.filled(parts))
                return self._fitting(found, args, own)
            made = trees.flatten(self._rule(args, filled(parts)))[0]
            return self._tangents(made, [x.spec for x in values])

        return close(run, [*given, *taken])

    def _tangents(self, found: Sequence[Any], likes: Sequence[TensorSpec]) -> list[Any]:
        """Return a tangent for each result of floats; DerivativeError when they do not fit."""
        name = self._inner._signature.name
        if len(found) != len(likes):
            raise DerivativeError(
                f"the rule of {name} is to return the tangents of its {len(likes)} results, and "
                f"returned {len(found)}"
            )
        pairs = zip(found, likes, strict=True)
        return [_fitting_part(name, x, like) for x, like in pairs if like.dtype.kind in "fc"]

    def _fitting(self, found: Any, args: Any, own: Sequence[Any]) -> list[Any]:
        """Return a cotangent for each argument of floats; DerivativeError when they do not fit."""
        name = self._inner._signature.name
        if not isinstance(found, tuple | list) or len(found) != len(args):
            raise DerivativeError(
                f"the rule of {name} is to return a tuple of {len(args)} cotangents, one for each "
                f"argument, and returned {found!r}"
            )
        made: list[Any] = []
        for arg, g in zip(args, found, strict=True):
            leaves = [x for x in trees.flatten(arg)[0] if is_numeric(x)]
            parts = [None] * len(leaves) if g is None else list(trees.flatten(g)[0])
            if len(parts) != len(leaves):
                raise DerivativeError(
                    f"the rule of {name} returned {g!r} for an argument of {len(leaves)} arrays"
                )
            for x, part in zip(leaves, parts, strict=True):
                like = as_value(current_builder(), x).spec
                if like.dtype.kind in "fc":
                    made.append(
                        rnp.zeros_like(x) if part is None else _fitting_part(name, part, like)
                    )
        return made


def _fitting_part(name: str, part: Any, like: TensorSpec) -> Any:
    """Return a cotangent or tangent that a rule gave; DerivativeError when it does not fit."""
    if not is_numeric(part):
        raise DerivativeError(
            f"the rule of {name} returned {part!r} for what is {like}; it is to be an array of "
            "that shape, zeros where the derivative is zero"
        )
    spec = as_value(current_builder(), part).spec
    if not _broadcasts(spec.shape, like.shape):
        raise DerivativeError(
            f"the rule of {name} returned {spec} for what is {like}; it is to have that shape: add "
            "up what was broadcast, np.sum(g, axis)"
        )
    return part


def _broadcasts(shape: Shape | None, wanted: Shape | None) -> bool:
    """Tell whether an array of a shape may be broadcast to another, for all that is known."""
    if shape is None or wanted is None:
        return True
    pairs = zip(reversed(shape), reversed(wanted), strict=False)
    is_open = (m in (1, n) or isinstance(m, Dim) or isinstance(n, Dim) for m, n in pairs)
    return len(shape) <= len(wanted) and all(is_open)


def _with_captured(closed: Closed, count: int, captured: Sequence[Value]) -> Graph:
    """Return a graph with parameters for all that is captured, after the first operands."""
    graph = closed.graph
    own = graph.params[: len(graph.params) - len(closed.captured)]
    known = dict(zip(closed.captured, graph.params[len(own) :], strict=True))
    more = [known.get(x) or Value(x.spec, x.name) for x in captured]
    return Graph((*own[:count], *more, *own[count:]), graph.nodes, graph.results)
