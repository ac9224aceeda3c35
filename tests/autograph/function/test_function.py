"""Staged functions: traces, signatures, results, methods, errors."""

from __future__ import annotations

import functools
import gc
import re
import statistics
import threading
import weakref

import numpy as np
import pytest

import autograph as ag


def test_one_trace_serves_equal_dtypes_and_shapes():
    @ag.function
    def double(x):
        return x + x

    double(np.ones(3))
    double(np.zeros(3))
    assert double.trace_count == 1
    double(np.ones(4))
    double(np.ones(3, np.float32))
    assert double.trace_count == 3


def test_python_scalars_and_strings_are_traced_by_value():
    traced = []

    @ag.do_not_convert
    def note(*arguments):
        traced.append(arguments)

    @ag.function
    def power(x, n, how="plain"):
        note(n, how)
        return x**n

    x = np.array([1.0, 2.0])
    for n in (2, 2, 3, 2.0, True):
        power(x, n)
    power(x, 2, how="other")
    assert traced == [(2, "plain"), (3, "plain"), (2.0, "plain"), (True, "plain"), (2, "other")]


def test_objects_are_traced_by_identity_and_not_kept_alive():
    class Scale:
        factor = 3.0

    @ag.function
    def apply(x, scale):
        return x * scale.factor

    scale, other = Scale(), Scale()
    apply(np.ones(2), scale)
    apply(np.ones(2), scale)
    apply(np.ones(2), other)
    assert apply.trace_count == 2
    reference = weakref.ref(other)
    del other
    gc.collect()
    assert reference() is None


def test_two_wraps_of_one_function_share_no_traces():
    def f(x):
        return x + 1

    first, second = ag.function(f), ag.function(f)
    first(np.ones(2))
    assert (first.trace_count, second.trace_count) == (1, 0)


def test_containers_are_traced_by_structure():
    @ag.function
    def total(batch):
        return batch["x"].sum() + sum(batch["rest"])

    batch = {"x": np.ones(3), "rest": [np.float64(1), np.float64(2)]}
    assert total(batch) == 6.0
    assert total({"x": np.zeros(3), "rest": [np.float64(1), np.float64(5)]}) == 6.0
    assert total.trace_count == 1
    total({"x": np.ones(3), "rest": [np.float64(1)]})
    assert total.trace_count == 2


def test_like_in_like_out():
    @ag.function
    def f(x):
        return x + 1, x.sum()

    array, scalar = f(np.array([1.0, 2.0]))
    assert type(array) is np.ndarray
    assert type(scalar) is np.float64
    tensor, total = f(ag.Tensor(np.array([1.0, 2.0])))
    assert type(tensor) is ag.Tensor
    assert type(total) is ag.Tensor
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_results_never_alias_a_constant():
    @ag.function
    def table(x):
        return np.zeros(3), x + np.zeros(2)

    first, _ = table(np.ones(2))
    first[:] = 9
    second, _ = table(np.ones(2))
    np.testing.assert_array_equal(second, [0, 0, 0])


def test_captured_arrays_are_used_as_they_were_when_traced():
    weight = np.array([1.0, 2.0])

    @ag.function
    def f(x):
        return x * weight

    np.testing.assert_array_equal(f(np.ones(2)), [1, 2])
    assert f.trace_count == 1


def test_an_argument_that_is_written_is_written():
    @ag.function
    def scale(x, y):
        x *= 2
        y[0] = x[1]
        return x

    x, y = np.array([1.0, 2.0]), np.zeros(2)
    for _ in range(2):
        assert scale(x, y) is x
    np.testing.assert_array_equal(x, [4, 8])
    np.testing.assert_array_equal(y, [8, 0])


def test_overlapping_arguments_inside_of_structures_are_not_written():
    @ag.function
    def f(pair):
        pair[0][0] = pair[1][1] + 1

    shared = np.arange(4.0)
    with pytest.raises(ag.MutationError, match="share memory"):
        f((shared[:3], shared[1:]))
    assert shared.tolist() == [0, 1, 2, 3]


def test_methods_are_traced_for_each_instance():
    class Dense:
        def __init__(self, scale):
            self.scale = scale

        @ag.function
        def compute(self, x):
            if x.sum() > 0:
                return x * self.scale
            return -x

    two, three = Dense(2.0), Dense(3.0)
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(two.compute(x), 2 * x)
    np.testing.assert_array_equal(three.compute(x), 3 * x)
    np.testing.assert_array_equal(two.compute(x), 2 * x)
    assert two.compute.trace_count == 1
    assert Dense.compute.trace_count == 0


def test_a_nested_staged_function_is_inlined():
    @ag.function
    def inner(x):
        return x * 2

    @ag.function
    def outer(x):
        return inner(x) + inner(x + 1)

    np.testing.assert_array_equal(outer(np.ones(2)), [6, 6])
    assert (outer.trace_count, inner.trace_count) == (1, 0)


def test_undecorated_callees_are_converted():
    def helper(x):
        if x.sum() > 0:
            return x
        return -x

    @ag.function
    def f(x):
        return helper(x) + 1

    np.testing.assert_array_equal(f(np.array([-1.0])), [2])


def test_an_input_signature_gives_one_trace_and_converts():
    @ag.function(input_signature=[ag.TensorSpec(None, np.float32)])
    def f(x):
        return x + 1

    assert f(1.0) == 2.0
    np.testing.assert_array_equal(f([1.0, 2.0]), [2, 3])
    np.testing.assert_array_equal(f(np.ones((2, 2), np.float16)), np.full((2, 2), 2))
    assert f.trace_count == 1


def test_an_input_signature_checks_rank_and_dtype():
    @ag.function(input_signature=[ag.TensorSpec([None], np.int32)])
    def f(x):
        return x + 1

    np.testing.assert_array_equal(f(np.array([1, 2], np.int32)), [2, 3])
    with pytest.raises(ValueError, match=r"x must be i32\[\?\] by the input signature, not i32"):
        f(np.ones((2, 2), np.int32))
    with pytest.raises(TypeError, match="float64 is not converted to it without loss"):
        f(np.ones(2))


@pytest.mark.parametrize("signature", [5, [5], ag.TensorSpec([1])])
def test_a_signature_that_is_none_is_refused(signature):
    with pytest.raises(TypeError, match=r"input_signature of .*TensorSpec"):
        ag.function(lambda x: x, input_signature=signature)


def test_a_concrete_function_for_unknown_sizes_serves_all_of_them():
    @ag.function
    def f(x):
        total = x[0] * 0
        for row in x:
            total = total + row
        return total

    f.get_concrete_function(ag.TensorSpec([None, 2]))
    for n in (1, 3, 5):
        np.testing.assert_array_equal(f(np.ones((n, 2))), [n, n])
    assert f.trace_count == 1


def test_autograph_false_only_traces():
    @ag.function(autograph=False)
    def f(x):
        if x.sum() > 0:
            return x
        return -x

    with pytest.raises(ag.StagedBoolError, match="not converted"):
        f(np.ones(2))


def test_wrong_arguments_name_the_function():
    @ag.function
    def f(x, y):
        return x + y

    with pytest.raises(TypeError, match=r"f\(\).*missing a required argument: 'y'"):
        f(np.ones(2))
    f(np.ones(2), np.ones(2))
    with pytest.raises(TypeError, match=r"f\(\) missing 1 required positional argument: 'y'"):
        f(np.ones(2))


def test_keywords_and_defaults_reach_the_same_trace():
    @ag.function
    def f(x, y=2.0, *, z=3.0):
        return x * y + z

    one = np.ones(2)
    for result in (f(one), f(one, 2.0), f(x=one, z=3.0), f(one, y=2.0)):
        np.testing.assert_array_equal(result, [5, 5])
    assert f.trace_count == 1


def test_variadic_arguments_are_staged():
    @ag.function
    def f(*xs, **named):
        return sum(xs) + named["y"]

    np.testing.assert_array_equal(f(np.ones(2), np.ones(2), y=np.ones(2)), [3, 3])


def test_an_exception_while_tracing_leaves_nothing_behind():
    fail = [True]

    @ag.function
    def f(x):
        while x.sum() < 3:
            x = x + 1
            if fail[0]:
                raise KeyboardInterrupt("not now")
        return x

    with pytest.raises(KeyboardInterrupt, match="not now"):
        f(np.ones(2))
    assert f.trace_count == 0
    fail[0] = False
    np.testing.assert_array_equal(f(np.ones(2)), [2, 2])


def test_many_threads_trace_once():
    f = ag.function(lambda x: x + 1)
    start = threading.Barrier(8)

    def work():
        start.wait()
        f(np.ones(3))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert f.trace_count == 1


def test_generators_and_coroutines_are_refused():
    def numbers(x):
        yield x

    async def later(x):
        return x

    line = numbers.__code__.co_firstlineno
    for function in (numbers, functools.partial(numbers, 1)):
        with pytest.raises(ag.ConversionError) as caught:
            ag.function(function)
        assert str(caught.value) == (
            f"{numbers.__qualname__} is a generator, which has no graph: its caller runs between "
            f'its steps.\n  File "{__file__}", line {line}\n    def numbers(x):\n    ^^^^^^^^^^^\n'
            "Try: Stage the functions that it calls."
        )
    with pytest.raises(ag.ConversionError, match=r"later is an async function"):
        ag.function(later)


def test_a_function_without_source_is_refused():
    space = {}
    exec("def f(x):\n    return x", space)
    with pytest.raises(ag.ConversionError, match="source"):
        ag.function(space["f"])(np.ones(2))


def test_a_symbol_that_leaks_says_where_it_was_made():
    kept = []

    @ag.do_not_convert
    def keep(value):
        kept.append(value)

    @ag.function
    def f(x):
        keep(x + 1)
        return x

    f(np.ones(2))
    with pytest.raises(ag.LeakedSymbolError, match=r"made here:\n  File .*test_function.py"):
        kept[0] + 1


def test_the_truth_of_a_staged_value_in_a_library_is_explained():
    @ag.function
    def f(xs):
        return statistics.median([xs[0], xs[1]])

    with pytest.raises(ag.StagedBoolError, match="not converted"):
        f(np.array([1.0, 2.0]))


def test_shapes_that_do_not_fit_name_both_operands_and_the_line():
    @ag.function
    def f(x, y):
        return x + y

    with pytest.raises(ValueError, match=r"^operands could not be broadcast") as caught:
        f(np.ones(3), np.ones(4))
    (note,) = vars(caught.value)["__notes__"]
    assert re.search(r"add\(f64\[3\], f64\[4\]\)(.|\n)*test_function.py", note)
    assert "return x + y" in note


def test_a_variable_that_the_path_left_undefined_is_reported_when_the_graph_runs():
    @ag.function
    def f(x):
        if x.sum() > 0:
            y = x + 1
        return y

    np.testing.assert_array_equal(f(np.ones(2)), [2, 2])
    with pytest.raises(UnboundLocalError, match="local variable 'y'"):
        f(-np.ones(2))
    assert f.trace_count == 1


def test_a_variable_of_one_branch_that_nobody_reads_costs_nothing():
    @ag.function
    def f(x):
        if x.sum() > 0:
            unused = x + 1
        return x

    np.testing.assert_array_equal(f(np.ones(2)), [1, 1])
    assert "cond" not in f.graph(np.ones(2))


def test_attributes_may_be_one_of_several_things():
    class Box:
        y = None

    def in_a_branch(x, box):
        if x.sum() > 0:
            box.y = x
        else:
            box.y = "negative"
        return box.y

    def in_a_loop(x, box):
        while x.sum() > 0:
            box.y = x
            x = x - 1
        return box.y

    for f in (in_a_branch, in_a_loop):
        for x in (np.ones(2), -np.ones(2)):
            one, other = Box(), Box()
            assert repr(ag.function(f)(x, one)) == repr(f(x, other))
            assert repr(one.y) == repr(other.y)


def test_ragged_lists_are_explained():
    @ag.function
    def f(x):
        return x + np.array([[1.0, 2.0], [3.0]])

    with pytest.raises(ValueError, match="inhomogeneous shape"):
        f(np.ones(2))


def test_graph_and_plan_are_texts():
    @ag.function
    def f(x):
        return np.tanh(x) * 2

    assert "tanh(%x)" in f.graph(np.ones(3))
    assert "tanh" in f.plan(np.ones(3))
    assert "f64[3]" in repr(f.get_concrete_function(np.ones(3)))
