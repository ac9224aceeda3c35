"""Each ufunc, each method of it and each function of Python's `math` is an op of its own."""

from __future__ import annotations

import doctest
import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.opdef import REGISTRY, find_op
from runtime.graph.printer import print_graph
from runtime.ops import applied as module
from runtime.ops.applied import applied
from runtime.ops.python import math_op
from runtime.spec import TensorSpec, spec_of

BINARY = [
    x
    for x in vars(np).values()
    if isinstance(x, np.ufunc)
    and (x.nin, x.nout, x.signature) == (2, 1, None)
    and "dd->d" in x.types
]
X = np.random.default_rng(2).uniform(0.5, 3.0, (3, 4))
OF_ONE = [x for x in vars(math) if callable(getattr(math, x)) and not x.startswith("_")]


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_a_method_of_a_ufunc_is_an_op_that_gives_what_numpy_gives(ufunc):
    reduce, accumulate = applied(ufunc, "reduce"), applied(ufunc, "accumulate")
    for op, wanted, attrs in (
        (reduce, ufunc.reduce(X, axis=0), {"axis": 0}),
        (accumulate, ufunc.accumulate(X, axis=1), {"axis": 1}),
    ):
        given = op.attributes(attrs)
        assert op.spec(spec_of(X), **given) == spec_of(wanted)
        np.testing.assert_array_equal(op.kernel(np, X, **given), wanted)
    at, wanted = applied(ufunc, "at"), X.copy()
    ufunc.at(wanted, [0, 2, 2], 1.5)
    np.testing.assert_array_equal(at.kernel(np, X, 1.5, np.array([0, 2, 2]), key="?"), wanted)
    assert {reduce.applies, accumulate.applies, at.applies} == {REGISTRY.get(ufunc.__name__)}


def test_an_op_that_is_asked_for_twice_is_one():
    assert applied(np.gcd, "reduce") is applied(np.gcd, "reduce") is find_op("gcd_reduce")


@pytest.mark.parametrize(
    "name", ["no_such_op", "math_", "math__x", "scipy_special_nothing", "pi_at"]
)
def test_a_name_that_stands_for_nothing_makes_no_op(name):
    assert find_op(name) is None


def test_a_ufunc_from_elsewhere_has_no_op():
    with pytest.raises(TypeError, match="is not a ufunc of numpy or"):
        applied(np.frompyfunc(lambda x: x, 1, 1))


GIVEN = [(0.5,), (2.0, 0.25), (math.inf,), (-1.0,), (4, 2), (1e308,), (math.nan,)]


def outcome(function: Callable[..., Any], given: tuple[Any, ...]) -> str:
    """Return what a call gives or raises; nothing when it takes no such arguments."""
    try:
        return repr(function(*given))
    except TypeError:
        return ""
    except (ValueError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("given", GIVEN, ids=str)
@pytest.mark.parametrize("name", OF_ONE)
def test_a_function_of_math_is_an_op_with_the_values_and_errors_of_python(name, given):
    op, wanted = math_op(name), outcome(getattr(math, name), given)
    assert not wanted or outcome(partial(op.kernel, np), given) == wanted
    kind, separator, _ = wanted.partition(":")
    assert not separator or kind in {x.name for x in op.raises([], {})}


def test_a_function_of_math_is_the_op_of_numpy_but_for_errors():
    assert math_op("sin").applies is REGISTRY["sin"]
    assert math_op("atan2").applies is REGISTRY["arctan2"]
    assert math_op("remainder").applies is None


def test_a_graph_with_such_ops_is_read_in_another_process():
    builder = Builder()
    x = builder.param(TensorSpec([3]), "x")
    op = applied(np.maximum, "accumulate")
    (y,) = builder.emit(op, [x], op.attributes({}))
    (total,) = builder.emit(REGISTRY["sum"], [y], REGISTRY["sum"].attributes({}))
    (found,) = builder.emit(math_op("sqrt"), [total], math_op("sqrt").attributes({}))
    graph = builder.seal([x], [found])
    program = (
        "import sys, numpy as np, runtime.ops\n"
        "from runtime.graph.interpret import interpret\n"
        "from runtime.graph.reader import read_graph\n"
        "print(*interpret(read_graph(sys.stdin.read()), [np.array([1.0, 3.0, 2.0])], np))"
    )
    text = print_graph(graph, elide=False)
    run = subprocess.run(
        [sys.executable, "-c", program], input=text, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == [str(x) for x in interpret(graph, [np.array([1.0, 3.0, 2.0])], np)]
