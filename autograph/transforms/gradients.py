"""Derivatives of Python functions: `grad`, `value_and_grad`, `vjp`, `jvp`.

A derivative is a staged function: when it is traced, the function that it is of is traced into a
closed graph, and what `runtime.autodiff` makes of that is written in its place. So derivatives
nest, work inside of staged functions, and are optimised together with what is around them.

The cotangents that a caller gets are arrays of their own, which may be written: that of `x` in
`x * y` would be `y` itself, that of a mean has one row that stands for all, and those of `x` and
`y` in `x + y` are one. Whoever writes `g *= rate` means no other array than `g`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from autograph.function.polymorphic import Function
from autograph.transforms.losses import loss_of, seeds_of_loss
from autograph.transforms.region import current_builder, with_single_kinds, written_again
from runtime import default_graph, trees
from runtime.autodiff.forward import push
from runtime.autodiff.hoisted_effects import with_effects_apart
from runtime.autodiff.reverse import Reverse
from runtime.autodiff.values import zeros
from runtime.dispatch import as_value
from runtime.errors import DerivativeError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Value
from runtime.lower.alias import may_share
from runtime.ops.creation import constant
from runtime.ops.movement import broadcast_to, copy
from runtime.passes.hoist import hoist_invariants
from runtime.spec import spec_of
from runtime.state.variable import Variable
from runtime.tensor import Symbol, TensorLike
from runtime.union import choices_in, is_numeric

Argnums = int | Sequence[int]


def grad(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Return the function that gives the gradient of a function.

    Args:
        func: a Python function, staged or not, whose result is one float, `f32[]` or `f64[]`.
        argnums: which positional arguments are differentiated by: structures of arrays of floats
            or complex numbers, or of variables, whose values are meant wherever they are read. For
            several the result is a tuple.
        has_aux: whether `func` returns a pair, of which the second is no part of the derivative;
            the result is then a pair, too: gradient, and that.
        holomorphic: whether it is the derivative of a holomorphic function, with a complex result.

    Returns:
        A staged function of the same parameters. Its result has the structure, shapes and dtypes of
        the arguments that are differentiated by.

    Raises:
        DerivativeError: an argument or the result is not of floats, or an op has no derivative.

    >>> import autograph as ag
    >>> ag.grad(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    derived = value_and_grad(func, argnums, has_aux=has_aux, holomorphic=holomorphic)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = derived(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return staged_like(func, gradient)


def value_and_grad(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Return the function that gives the value of a function, and its gradient; see `grad`.

    >>> import autograph as ag
    >>> value, gradient = ag.value_and_grad(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    >>> print(value, gradient)
    5.0 [2. 4.]
    """
    inner = as_function(func)

    def derived(*args: Any, **kwargs: Any) -> Any:
        chosen = _Chosen(inner, args, kwargs, argnums)
        pull = _Pull(chosen, lambda *own: inner(*own, **kwargs))
        seeds = dict(seeds_of_loss(inner, loss_of(inner, pull.value, has_aux), holomorphic))
        return pull.value, chosen.shaped(pull.back([seeds.get(x) for x in pull.values]))

    return staged_like(func, derived)


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return the value of a function, and the function that goes back through it.

    Args:
        func: a Python function, staged or not.
        primals: its arguments, structures of arrays of floats or complex numbers.
        has_aux: whether `func` returns a pair, of which the second is no part of the derivative;
            it is then returned as a third.

    Returns:
        The value, and a function that takes the cotangent of it, of the same structure, and returns
        a tuple of the cotangents of the arguments. Inside a staged function it uses what was
        computed; outside it computes the value again.

    >>> import autograph as ag
    >>> value, back = ag.vjp(np.sin, np.array([0.0, 1.0]))
    >>> back(np.array([1.0, 0.0]))
    (array([1., 0.]),)
    """
    inner = as_function(func)
    if default_graph.current() is None:
        found = inner(*primals)

        def again(of: Function) -> Callable[..., Any]:
            return lambda cotangent, *args: vjp(of, *args, has_aux=has_aux)[1](cotangent)

        def later(cotangent: Any) -> Any:
            return kept(inner, f"vjp {has_aux}", again)(cotangent, *primals)

        return (found[0], later, found[1]) if has_aux else (found, later)
    chosen = _Chosen(inner, primals, {}, range(len(primals)))
    pull = _Pull(chosen, lambda *own: with_single_kinds(inner(*own)))
    value = pull.value[0] if has_aux else pull.value

    def back(cotangent: Any) -> Any:
        """Return the cotangents of the arguments."""
        return chosen.shaped(pull.back(pull.seeds(value, cotangent, inner)))

    return (value, back, pull.value[1]) if has_aux else (value, back)


def jvp(
    func: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """Return the value of a function, and its derivative in a direction.

    Args:
        func: a Python function, staged or not.
        primals: its arguments, structures of arrays of floats or complex numbers.
        tangents: the direction: for each argument one of the same structure, shapes and dtypes.

    Raises:
        DerivativeError: the tangents do not fit the arguments, or an op has no derivative.

    >>> import autograph as ag
    >>> ag.jvp(np.sin, (np.float64(0.0),), (np.float64(2.0),))
    (np.float64(0.0), np.float64(2.0))
    """
    inner = as_function(func)
    if default_graph.current() is None:
        staged = kept(inner, "jvp", lambda of: lambda x, t: jvp(of, x, t))
        return staged(tuple(primals), tuple(tangents))  # type: ignore[no-any-return]
    chosen = _Chosen(inner, tuple(primals), {}, range(len(primals)))
    if chosen.variables:
        raise DerivativeError("a tangent of a variable was given; pass its value: v.value()")
    builder = current_builder()
    directions = fitting(tuple(primals), tuple(tangents), "tangent", inner._signature.name)
    results: list[Value] = []
    rows: list[Value] = []

    def write(graph: Graph, operands: Sequence[Value], count: int) -> list[Value]:
        rest = [None] * (len(operands) - len(directions))
        made, found = push(builder, graph, operands, [*directions, *rest], asked=count)
        results.extend(made[:count])
        rows.extend(
            zeros(builder, x) if t is None else t for t, x in zip(found, made, strict=False)
        )
        return made

    returned = written_again(lambda symbols: inner(*chosen.filled(symbols)), chosen.leaves, write)
    value = returned.filled([Symbol(builder, x) for x in results])
    chosen_by = {as_value(builder, trees.flatten(x)[0][0]) for x in choices_in(value)}
    rows = with_own_memory(builder, rows, results)
    rows = [x if x in chosen_by else t for t, x in zip(rows, results, strict=False)]
    return value, returned.filled([Symbol(builder, x) for x in rows])


def kept(
    inner: Function, what: str, derivation: Callable[[Function], Callable[..., Any]]
) -> Function:
    """Return a staged function that belongs to another one, the same for the same.

    It lives as long as the other does, or as the instance of which that is a method; so what is
    derived is the method that keeps no instance alive.
    """
    known: dict[str, Function] = vars(inner).setdefault("_derived", {})
    if what not in known:
        free = getattr(inner, "__func__", inner)
        derived = derivation(free)
        derived.__qualname__ = inner._signature.name
        vars(derived)["__signature__"] = inspect.signature(derived)
        vars(derived)["__wrapped__"] = free  # guards look at what that reads
        known[what] = Function(derived, autograph=False)
        known[what]._receiver = inner._receiver
    return known[what]


def fitting(like: Any, given: Any, what: str, name: str) -> list[Value]:
    """Return the values of tangents or cotangents; DerivativeError when they do not fit.

    Args:
        like: what they belong to.
        given: of the same structure.
        what: they are called in messages.
        name: of the function.
    """
    difference = trees.difference(like, given, f"the {what}")
    if difference is not None:
        raise DerivativeError(
            f"a {what} of {name} has the structure of what it belongs to, and {difference}"
        )
    builder, found = current_builder(), []
    pairs = zip(trees.flatten(like)[0], trees.flatten(given)[0], strict=True)
    for path, (x, t) in zip(trees.paths(trees.flatten(given)[1], what), pairs, strict=True):
        wanted, value = as_value(builder, x).spec, as_value(builder, t)
        if wanted.rank != value.spec.rank or value.spec.dtype.kind not in "fc":
            raise DerivativeError(
                f"{path} of {name} is {value.spec}, and {wanted} is what it belongs to; "
                "give it that shape and dtype"
            )
        found.append(value)
    return found


class _Chosen:
    """The arguments of a call that are differentiated by."""

    def __init__(
        self, inner: Function, args: tuple[Any, ...], kwargs: dict[str, Any], argnums: Argnums
    ) -> None:
        self._args = args
        self._numbers = [argnums] if isinstance(argnums, int) else list(argnums)
        self._is_one = isinstance(argnums, int)
        name = inner._signature.name
        for number in self._numbers:
            if not -len(args) <= number < len(args):
                raise DerivativeError(
                    f"the derivative of {name} by its argument {number} was asked for, and it was "
                    f"given {len(args)} by position; argnums says which, from 0"
                )
        chosen = tuple(args[k] for k in self._numbers)
        leaves, self._structure = trees.flatten(chosen)
        self._leaves = leaves
        self._check(inner, leaves)
        self.leaves = [x for x in leaves if not isinstance(x, Variable)]
        held = [x.read() for x in leaves if isinstance(x, Variable)]
        self.variables = [as_value(current_builder(), x) for x in held]

    def _check(self, inner: Function, leaves: Sequence[Any]) -> None:
        names = [_parameter(inner, k % len(self._args)) for k in self._numbers]
        parts = zip(names, self._numbers, strict=True)
        paths = [p for n, k in parts for p in trees.paths(trees.flatten(self._args[k])[1], n)]
        for path, leaf in zip(paths, leaves, strict=True):
            if not is_numeric(leaf) and not isinstance(leaf, Variable):
                raise DerivativeError(
                    f"{path} is {leaf!r}, and derivatives are by floats and arrays of them; "
                    "say by argnums which arguments are meant"
                )
            known = isinstance(leaf, TensorLike | Variable)
            spec = leaf.spec if known else spec_of(leaf)
            if spec.dtype.kind not in "fc":
                raise DerivativeError(
                    f"{path} is {spec}, and derivatives are by floats; write "
                    f"{path.partition('[')[0]}.astype(float), 1.0 instead of 1, or say by argnums "
                    "which arguments are meant"
                )

    def filled(self, symbols: Sequence[Any]) -> tuple[Any, ...]:
        """Return the arguments with symbols in the place of those leaves."""
        args = list(self._args)
        rest = iter(symbols)
        leaves = [x if isinstance(x, Variable) else next(rest) for x in self._leaves]
        made = trees.unflatten(self._structure, leaves)
        for number, value in zip(self._numbers, made, strict=True):
            args[number] = value
        return tuple(args)

    def shaped(self, found: Sequence[Any]) -> Any:
        """Return what belongs to those leaves, then to the variables, in their structure."""
        given, held = iter(found), iter(found[len(self.leaves) :])
        leaves = [next(held if isinstance(x, Variable) else given) for x in self._leaves]
        made = trees.unflatten(self._structure, leaves)
        return made[0] if self._is_one else made


class _Pull:
    """A function that was written into the graph that is being built, and goes back."""

    def __init__(self, chosen: _Chosen, function: Callable[..., Any]) -> None:
        self._chosen = chosen
        run = lambda symbols: function(*chosen.filled(symbols))  # noqa: E731
        returned = written_again(run, chosen.leaves, self._write)
        builder = current_builder()
        self.values = self._reverse.results[: len(returned.values)]
        self.value = returned.filled([Symbol(builder, x) for x in self.values])

    def _write(self, graph: Graph, operands: Sequence[Value], count: int) -> Sequence[Value]:
        builder, variables = current_builder(), self._chosen.variables
        graph = hoist_invariants(with_effects_apart(graph))
        first = len(self._chosen.leaves)
        places = {x: k for k, x in enumerate(operands) if k >= first}
        self._places = [*range(first), *(places.get(builder.resolve(x)) for x in variables)]
        self._sources = [*operands[:first], *variables]
        self._rest = [None] * (len(graph.results) - count)
        wanted = [k in self._places for k in range(len(operands))]
        self._reverse = Reverse(builder, graph, operands, wanted)
        return self._reverse.results

    def seeds(self, value: Any, cotangent: Any, inner: Function) -> list[Value | None]:
        """Return the cotangents of the results, of what is given for a part of what is returned."""
        given = iter(fitting(value, cotangent, "cotangent", inner._signature.name))
        parts = {id(x) for x in trees.flatten(value)[0]}
        leaves = [x for x in trees.flatten(self.value)[0] if isinstance(x, Symbol)]
        return [next(given) if id(x) in parts else None for x in leaves]

    def back(self, cotangents: Sequence[Value | float | None]) -> list[Symbol]:
        """Return the cotangents of the chosen arguments, of those of the results."""
        builder = current_builder()
        made = self._reverse.back([*cotangents, *self._rest])
        found = [None if k is None else made[k] for k in self._places]
        pairs = zip(found, self._sources, strict=True)
        whole = [zeros(builder, x) if g is None else g for g, x in pairs]
        return [Symbol(builder, x) for x in with_own_memory(builder, whole, self.values)]


def _parameter(inner: Function, number: int) -> str:
    """Return what a positional argument is called in messages."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in inner._signature.python.parameters.values() if p.kind in kinds]
    return names[number] if number < len(names) else f"argument {number}"


def as_function(func: Callable[..., Any]) -> Function:
    """Return a function as a staged one, which it may be."""
    if isinstance(func, Function):
        return func
    if not callable(func):
        raise TypeError(f"the derivative of a function was asked for, not of {func!r}")
    return Function(func)


def staged_like(func: Callable[..., Any], derived: Callable[..., Any]) -> Function:
    """Return what computes a derivative as a staged function, with the parameters of the other."""
    functools.update_wrapper(
        derived, func, updated=()
    )  # a staged function keeps its own state there
    vars(derived)["__signature__"] = as_function(func)._signature.python
    vars(derived)["is_derivative"] = True
    made = Function(derived, autograph=False)
    made._plain = made._call_slowly
    return made


def with_own_memory(
    builder: Builder, found: Sequence[Value], beside: Sequence[Value]
) -> list[Value]:
    """Return cotangents, copied where they may share memory with one another or with what is given.

    Args:
        builder: where they were written.
        found: the cotangents.
        beside: what the caller gets, too.
    """
    nodes = builder.nodes
    makers = {x: node for node in nodes for x in node.results if node.op is not constant}
    classes = may_share(Graph((), tuple(nodes), ()))
    given = [x for node in nodes for x in (*node.inputs, *node.results) if x not in makers]
    taken = {classes.find(x) for x in (*given, *beside)}
    made = []
    for value in found:
        node, root = makers.get(value), classes.find(value)
        is_own = node is not None and node.op is not broadcast_to and root not in taken
        taken.add(root)
        if not is_own and value.spec.shape != ():
            (value,) = builder.emit(copy, (value,), {"order": "K"})
        made.append(value)
    return made
