"""Python lists that staged branches and loops change mean what they mean in plain Python."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph as ag
from autograph.function.concrete import ConcreteFunction
from runtime import trees
from runtime.errors import StagedValueError
from runtime.graph.interpret import interpret
from tests.autograph.operators.lists import list_samples


def interpreted(concrete: ConcreteFunction, arguments):
    """Run the traced graph by the interpreter, in the place of the compiled program."""

    class Interpreted:
        def run(self, *raw):
            return interpret(concrete.trace.graph, raw, np)

    other = ConcreteFunction(concrete.name, concrete.types, concrete.trace, "numpy")
    other.__dict__["executable"] = Interpreted()
    leaves = trees.flatten((arguments, {}))[0]
    arrays = [x for x in leaves if isinstance(x, np.ndarray | np.generic)]
    return other.run(arrays, (arguments, {}))


def outcome(function, arguments):
    arguments = copy.deepcopy(arguments)
    try:
        result = function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0], arguments
    return "returned", result, arguments


def same(a, b):
    """Tell whether two values are equal, with equal types, structures and bits."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
    return a == b or (a != a and b != b)


@pytest.mark.parametrize(("function", "calls"), list_samples.CASES)
def test_staged_means_what_python_means(function, calls):
    staged = ag.function(function)
    for arguments in calls:
        wanted = outcome(function, arguments)
        found = outcome(staged, arguments)
        assert same(found, wanted), (arguments, found, wanted)
        if wanted[0] == "returned":
            given = copy.deepcopy(arguments)
            concrete = staged.get_concrete_function(*given)
            assert same(interpreted(concrete, given), wanted[1])
            assert same(given, wanted[2])


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    list_samples.REFUSED,
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_cannot_be_staged_is_refused(function, arguments, message):
    with pytest.raises(ag.MutationError) as caught:
        ag.function(function)(*arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize("program", [list_samples.those_below, list_samples.after_a_known_one])
def test_arrays_of_other_sizes_are_refused_when_the_graph_runs(program):
    staged = ag.function(program)
    x = np.array([1.0, 1.0])
    assert same(staged(x), program(x))
    with pytest.raises(StagedValueError, match="another shape than those that it holds"):
        staged(np.array([1.0, 2.0]))


def test_the_items_are_not_shown_while_tracing():
    with pytest.raises(ag.StagedValueError, match="the items of the list 'found' are known only"):
        ag.function(list_samples.formatted)(np.int64(2))


def test_appending_takes_constant_time():
    """The program that runs writes into the array, and copies it only when it is full."""
    plan = ag.function(list_samples.multiples).plan(np.float64(2), np.int64(4))
    loop = plan[plan.index("for i in") : plan.index("def run")]
    assert "copy" not in loop
    assert "write update(" in loop
