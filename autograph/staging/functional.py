"""Control flow as functions: `cond`, `switch`, `while_loop`, `fold`, `scan` and `map`.

They work on any structure of arrays, staged or not. Not staged, they are plain Python loops and
branches over the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.staging.cond import stage_branches, stage_cond
from autograph.staging.copies import Values
from autograph.staging.for_loop import Iteration, stage_for
from autograph.staging.region import NoState
from autograph.staging.while_loop import stage_while
from runtime import default_graph, trees
from runtime.dispatch import as_array
from runtime.errors import ShapeError
from runtime.numpy import stack
from runtime.ops import control
from runtime.tensor import TensorLike, is_staged


def _need_functions(where: str, *functions: Any) -> None:
    """Raise a TypeError when what is to be called is no function."""
    for one in functions:
        if not callable(one):
            raise TypeError(
                f"{where}: {one!r} is no function, and it would be called; write a lambda around "
                "a value: lambda *args: value"
            )


class Variable:
    """The state of a loop that has a single variable.

    Args:
        name: what messages call it.
        value: what it holds.
    """

    optional = (False,)

    def __init__(self, name: str, value: Any) -> None:
        self.names = (name,)
        self.value = value

    def read(self) -> Values:
        """Return the value, in a list."""
        return Values([self.value])

    def write(self, values: Sequence[Any]) -> None:
        """Hold another value."""
        (self.value,) = values

    def explain(self, name: str, reason: str) -> None:
        """The variable is never undefined."""

    def grow(self, before: Values | None) -> None:
        """There is no other variable."""


def cond(test: Any, then: Callable[..., Any], else_: Callable[..., Any], *operands: Any) -> Any:
    """Return `then(*operands)` when `test` is true, else `else_(*operands)`.

    Args:
        test: a truth value, `bool[]`.
        then: a function; it and `else_` return the same structure of arrays.
        else_: a function.
        operands: what both are given.

    Raises:
        BranchMismatchError: the functions return values that cannot be joined.

    >>> cond(True, lambda x: x + 1, lambda x: x - 1, 3)
    4
    """
    _need_functions("cond(test, then, else_)", then, else_)
    if is_staged(test):
        return stage_cond(test, lambda: then(*operands), lambda: else_(*operands))
    return then(*operands) if test else else_(*operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Return `branches[index](*operands)`; an index out of range means the first or the last.

    Args:
        index: which branch, `int[]`.
        branches: functions that return the same structure of arrays.
        operands: what the branch is given.

    >>> switch(5, [lambda x: x, lambda x: -x], 3)
    -3
    """
    if not branches or not hasattr(branches, "__getitem__"):
        raise TypeError(f"switch(index, branches): branches are functions, not {branches!r}")
    _need_functions("switch(index, branches)", *branches)
    if is_staged(index):
        arms = [lambda branch=branch: branch(*operands) for branch in branches]
        return stage_branches(control.switch, index, arms, NoState())
    return branches[min(max(int(index), 0), len(branches) - 1)](*operands)


def while_loop(test: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """Return `init` after `body` was applied to it for as long as `test` of it is true.

    Args:
        test: from the state to a truth value.
        body: from the state to the next state, of the same structure, dtypes and shapes.
        init: the first state, any structure of arrays.

    Raises:
        LoopStateError: the state changes in a way that one dtype and shape cannot hold.

    >>> while_loop(lambda n: n < 100, lambda n: n * 2, 3)
    192
    """
    _need_functions("while_loop(test, body, init)", test, body)
    if default_graph.current() is None or not _any_staged(test(init), init):
        state = init
        while test(state):
            state = body(state)
        return state
    variable = Variable("the loop's state", init)

    def one_round() -> None:
        variable.value = body(variable.value)

    stage_while(lambda: test(variable.value), one_round, variable)
    return variable.value


def fold(body: Callable[[Any, Any], Any], init: Any, xs: Any) -> Any:
    """Return `init` after `carry = body(carry, x)` for each element of `xs`.

    Args:
        body: from the carry and an element to the next carry.
        init: the first carry, any structure of arrays.
        xs: an array, or a structure of arrays, gone over along the first axis.

    >>> fold(lambda total, x: total + x, 0, np.array([1, 2, 3])).item()
    6
    """
    _need_functions("fold(body, init, xs)", body)
    return scan(lambda carry, x: (body(carry, x), ()), init, xs)[0]


def map_(function: Callable[[Any], Any], xs: Any) -> Any:
    """Return the results of `function` for each element of `xs`, stacked.

    Args:
        function: from an element to a structure of arrays.
        xs: an array, or a structure of arrays, gone over along the first axis.

    >>> map_(lambda x: x * x, np.array([1, 2, 3]))
    array([1, 4, 9])
    """
    _need_functions("map(function, xs)", function)
    return scan(lambda carry, x: ((), function(x)), (), xs)[1]


def scan(body: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any) -> tuple[Any, Any]:
    """Return the last carry and the stacked outputs of `carry, y = body(carry, x)`.

    Args:
        body: from the carry and an element to the next carry and an output.
        init: the first carry, any structure of arrays.
        xs: an array, or a structure of arrays, gone over along the first axis.

    Raises:
        LoopStateError: the carry changes in a way that one dtype and shape cannot hold.
        ShapeError: the arrays of `xs` have different lengths.

    >>> scan(lambda total, x: (total + x, total + x), 0, np.array([1, 2, 3]))[1]
    array([1, 3, 6])
    """
    _need_functions("scan(body, init, xs)", body)
    sequences, structure = trees.flatten(xs)
    count = length_of(sequences)

    def element(index: Any, elements: Sequence[Any]) -> Any:
        return trees.unflatten(structure, elements)

    if default_graph.current() is None or not _any_staged(init, xs):
        return _scan_eagerly(
            body, init, [element(k, [x[k] for x in sequences]) for k in range(count)]
        )
    variable = Variable("the carry", init)

    def one_round(x: Any) -> Any:
        variable.value, output = body(variable.value, x)
        return output

    outputs = stage_for(Iteration(count, tuple(sequences), element), one_round, variable)
    return variable.value, outputs


def _scan_eagerly(
    body: Callable[[Any, Any], tuple[Any, Any]], carry: Any, elements: Sequence[Any]
) -> tuple[Any, Any]:
    rows = []
    for x in elements:
        carry, output = body(carry, x)
        rows.append(output)
    if not rows:
        raise ShapeError("nothing was gone over, so the shape of the outputs is not known")
    columns = zip(*(trees.flatten(row)[0] for row in rows), strict=True)
    return carry, trees.unflatten(trees.flatten(rows[0])[1], [stack(list(c)) for c in columns])


def length_of(sequences: Sequence[Any]) -> Any:
    """Return the one length of arrays along their first axis, staged where it is not known."""
    if not sequences:
        raise ShapeError("there is nothing to go over: xs holds no array")
    arrays: list[Any] = [x if isinstance(x, TensorLike) else as_array(x) for x in sequences]
    if any(len(x.shape) == 0 for x in arrays):
        raise ShapeError("xs must have at least one dimension to be gone over")
    lengths = {x.shape[0] for x in arrays if isinstance(x.shape[0], int)}
    if len(lengths) > 1:
        raise ShapeError(f"the arrays of xs have different lengths: {sorted(lengths)}")
    return lengths.pop() if lengths else arrays[0].shape[0]


def _any_staged(*values: Any) -> bool:
    return any(is_staged(leaf) for value in values for leaf in trees.flatten(value)[0])
