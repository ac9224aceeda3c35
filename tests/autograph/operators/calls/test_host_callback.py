"""Python functions that a graph calls when it runs (rows A-090, A-091, A-098)."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf


def test_a_python_function_runs_at_every_call_a091() -> None:
    seen: list[Any] = []

    @ag.function
    def f(x):
        ag.py_function(seen.append, [x])
        return x

    for _ in range(3):
        assert f(np.float64(1.0)) == 1.0
    assert len(seen) == 3
    assert all(isinstance(x, ag.Tensor) and x.numpy() == 1.0 for x in seen)
    assert f.trace_count == 1


def test_results_are_what_is_declared() -> None:
    def parts(x, n):
        return {"sum": x.sum(), "rows": [np.full(int(n), 2), x[0]]}

    declared = {
        "sum": "float64",
        "rows": [ag.TensorSpec([None], "int64"), ag.TensorSpec([], "float32")],
    }

    def program(x, n):
        found = ag.numpy_function(parts, [x, n], declared)
        return found["rows"][0] * 2, found["sum"] + found["rows"][1]

    x = np.float32([1.5, 2.0])
    staged = ag.function(program)
    for n in (np.int64(2), np.int64(3)):
        np.testing.assert_equal(staged(x, n), program(x, n))
    assert staged.trace_count == 1
    assert "ask_python" in staged.graph(x, np.int64(2))


def test_calls_keep_their_order_with_prints_in_branches_and_loops(capsys: Any) -> None:
    def say(k):
        print("python", int(k))

    @ag.function
    def f(n):
        for k in range(n):
            print("graph", k)
            if k > 0:
                ag.numpy_function(say, [k])
        print("done", n)

    f(np.int64(3))
    f(np.int64(1))
    lines = ["graph 0", "graph 1", "python 1", "graph 2", "python 2", "done 3", "graph 0", "done 1"]
    assert capsys.readouterr().out.splitlines() == lines


def test_what_a_called_function_changes_needs_no_new_trace() -> None:
    class Stats:
        count = 0

    stats, log = Stats(), []

    def note(x):
        stats.count += 1
        log[len(log) :] = [float(x)]

    @ag.function
    def f(x):
        ag.numpy_function(note, [x])
        return x

    for _ in range(4):
        f(np.float64(1.0))
    assert (stats.count, len(log), f.trace_count) == (4, 4, 1)


def test_a_call_whose_result_is_not_used_is_made() -> None:
    seen: list[float] = []

    def note(x):
        seen.append(float(x))
        return x

    @ag.function
    def f(x):
        ag.py_function(note, [x * 2], "float64")
        return x

    f(np.float64(2.0))
    assert seen == [4.0]


def test_other_results_than_declared_are_refused() -> None:
    def give(x):
        return np.zeros(int(x))

    def asked(spec):
        return ag.function(lambda x: ag.numpy_function(give, [x], spec))

    two = asked(ag.TensorSpec([2], "float64"))
    assert two(np.int64(2)).tolist() == [0.0, 0.0]
    with pytest.raises(ag.ShapeError, match=r"give returned an array of shape \(3,\), and f64"):
        two(np.int64(3))
    with pytest.raises(ag.DtypeError, match=r"give returned float64, and i32.* is declared"):
        asked(ag.TensorSpec([None], "int32"))(np.int64(1))
    with pytest.raises(TypeError, match=r"give returned \*, and \[\*, \*\] is declared"):
        asked(["float64", "float64"])(np.int64(1))
    with pytest.raises(TypeError, match="declared by a TensorSpec or a dtype, not by 5"):
        asked(5)(np.int64(1))
    with pytest.raises(TypeError, match="are a list or a tuple, not 3"):
        ag.py_function(give, 3)  # type: ignore[arg-type]


def test_an_error_of_the_function_is_the_error_of_the_call() -> None:
    def fail(x):
        raise KeyError("no such key")

    f = ag.function(lambda x: ag.py_function(fail, [x], "float64"))
    with pytest.raises(KeyError, match="no such key"):
        f(np.float64(1.0))


def test_variables_are_read_where_the_call_is_made() -> None:
    count, seen = ag.Variable(0), []

    @ag.function
    def f():
        count.assign_add(1)
        ag.numpy_function(lambda n: seen.append(int(n)), [count])
        count.assign_add(1)

    f()
    f()
    assert seen == [1, 3]


def test_trace_time_and_run_time_prints_a090(capsys: Any) -> None:
    @ag.function
    def f(x):
        ag.trace("Traced with", x)
        ag.py_function(lambda: print("Executed with", x), [])

    f(1)
    f(1)
    f(2)
    assert capsys.readouterr().out.splitlines() == [
        *("Traced with 1", "Executed with 1", "Executed with 1"),
        *("Traced with 2", "Executed with 2"),
    ]


def test_texts_are_given_and_returned() -> None:
    def upper(texts):
        return [str(x).upper() for x in texts]

    def program(texts):
        spec = ag.TensorSpec([None], "string")
        first = ag.numpy_function(lambda found: found[0], [texts], "string")
        return ag.numpy_function(upper, [texts], spec), first

    texts = np.array(["a", "bc"], np.dtypes.StringDType())
    for run in (program, ag.function(program)):
        found, first = run(texts)
        assert (found.tolist(), first) == (["A", "BC"], "a")
    encoded = tf.function(lambda x: tf.py_function(lambda t: t.numpy() + b"!", [x], tf.string))
    assert encoded(tf.constant("a")).numpy() == b"a!"
    with pytest.raises(ag.DtypeError, match=r"returned int64, and string.*np\.dtypes\.StringDType"):
        ag.numpy_function(lambda: np.int64(3), [], "string")


def test_a_gradient_is_kept_with_the_call() -> None:
    def slope(x, above):
        return 2 * x * above

    f = ag.function(lambda x: ag.numpy_function(np.square, [x], "float64", gradient=slope))
    (node,) = f.get_concrete_function(np.float64(3.0)).traced_graph.nodes
    assert node.attrs["function"].gradient(np.float64(3.0), np.float64(2.0)) == 12.0
    assert f(np.float64(3.0)) == 9.0
    with pytest.raises(TypeError, match=r"the gradient of .* is a function, not 5"):
        ag.py_function(np.square, [1.0], "float64", gradient=5)  # type: ignore[arg-type]


def test_what_graphs_call_is_gone_with_them() -> None:
    gone = []

    @ag.function(reduce_retracing=False)
    def f(x, n):
        def note(x):
            return x * n

        gone.append(weakref.ref(note))
        return ag.numpy_function(note, [x], "float64")

    for n in range(40):
        assert f(np.float64(2.0), n) == 2.0 * n
    gc.collect()
    assert sum(reference() is not None for reference in gone) <= len(f.concrete_functions)
