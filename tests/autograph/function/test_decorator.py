"""A staged function in the company of threads, interrupts, copies, tools and other functions."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import pydoc
import threading
import typing
import weakref

import numpy as np
import pytest

import autograph as ag
from runtime import default_graph

X = np.array([1.0, 2.0])


@ag.function
def documented(x: np.ndarray, n: int = 2, *, flag: bool = False) -> np.ndarray:
    """Multiply an array."""
    return x * n if not flag else -x


@ag.function
def power(x, n):
    return x if n == 1 else x * power(x, n - 1)


class Thing:
    pass


def test_what_describes_the_function_is_kept():
    plain = documented.python_function
    for field in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        assert getattr(documented, field) == getattr(plain, field)
    assert documented.__wrapped__ is plain


def test_inspect_shows_the_parameters():
    assert str(inspect.signature(documented)) == str(inspect.signature(documented.python_function))
    assert inspect.getsource(documented).startswith("@ag.function\ndef documented(")
    assert typing.get_type_hints(documented)["n"] is int


def test_help_shows_signature_and_docstring():
    text = pydoc.plain(pydoc.render_doc(documented))
    assert "documented(x: " in text
    assert "Multiply an array." in text


def test_attributes_can_be_set():
    documented.version = 3
    assert documented.version == 3
    del documented.version


def test_a_staged_function_shows_its_parameters():
    assert repr(power) == "<staged function power(x, n)>"


def plain_beside(x):
    while x > 1:
        x = x / 2
    return x


staged_beside = ag.function(
    plain_beside, input_signature=[ag.TensorSpec([], np.float32)], reduce_retracing=False
)


def test_a_staged_function_is_pickled_by_name():
    assert pickle.loads(pickle.dumps(documented)) is documented


def test_a_staged_function_beside_its_python_function_is_pickled_with_its_options():
    found = pickle.loads(pickle.dumps(staged_beside))
    assert found.python_function is plain_beside
    assert found._options == staged_beside._options
    assert found(np.float32(9.0)) == staged_beside(np.float32(9.0)) == 0.5625


def test_a_local_staged_function_is_pickled_where_its_python_function_is():
    cloudpickle = pytest.importorskip("cloudpickle")
    limit = 3.0

    @ag.function
    def halve(x):
        while x > limit:
            x = x / 2
        return x

    assert pickle.loads(cloudpickle.dumps(halve))(np.float64(9.0)) == 2.25


class Renamed:
    scale = 2.0

    def _plain(self, x):
        return x * self.scale

    staged = ag.function(_plain)


def test_a_method_is_pickled_by_the_name_that_its_class_gives_it():
    method = pickle.loads(pickle.dumps(Renamed().staged))
    assert isinstance(method, ag.Function)
    assert method(np.float64(3.0)) == 6.0
    assert copy.deepcopy(Renamed().staged)(np.float64(3.0)) == 6.0


def test_a_staged_function_without_a_name_to_find_is_not_pickled():
    with pytest.raises((pickle.PicklingError, AttributeError), match="local"):
        pickle.dumps(ag.function(lambda x: x))


def test_copies_of_a_staged_function_are_itself():
    assert copy.copy(documented) is documented
    assert copy.deepcopy([documented])[0] is documented


def test_a_partial_of_a_staged_function_works():
    triple = functools.partial(documented, n=3)
    for _ in range(2):
        np.testing.assert_array_equal(triple(X), 3 * X)


def test_a_partial_can_be_staged():
    staged = ag.function(functools.partial(documented.python_function, n=3))
    for _ in range(2):
        np.testing.assert_array_equal(staged(X), 3 * X)
        np.testing.assert_array_equal(staged(X, flag=True), -X)


@pytest.mark.parametrize(("function", "result"), [(np.exp, np.exp(X)), (len, 2), (sum, 3.0)])
def test_functions_that_are_not_written_in_python_can_be_staged(function, result):
    staged = ag.function(function)
    for _ in range(2):
        np.testing.assert_array_equal(staged(X), result)


def test_a_callable_object_can_be_staged():
    class Model:
        def __call__(self, x):
            if x.sum() > 0:
                return x * 2
            return -x

    staged = ag.function(Model())
    np.testing.assert_array_equal(staged(X), 2 * X)
    np.testing.assert_array_equal(staged(-X), X)


def test_a_bound_method_can_be_staged():
    class Model:
        def apply(self, x):
            return x * 2 if x.sum() > 0 else -x

    np.testing.assert_array_equal(ag.function(Model().apply)(-X), X)


def test_staging_twice_is_staging_once():
    staged = ag.function(documented)
    assert staged.python_function is documented.python_function
    assert staged is not documented


def test_a_decorated_function_is_called_through_its_decorator():
    def with_seven(f):
        @functools.wraps(f)
        def wrapper(x):
            return f(x, 7)

        return wrapper

    @ag.function
    @with_seven
    def scaled(x, n):
        return x * n if x.sum() > 0 else x

    for _ in range(2):
        np.testing.assert_array_equal(scaled(X), 7 * X)


@pytest.mark.parametrize("wrong", [5, "text", [len]])
def test_what_is_no_function_is_refused(wrong):
    with pytest.raises(TypeError, match=r"autograph\.function takes a function, not"):
        ag.function(wrong)


def test_recursion_with_a_python_condition_is_unrolled():
    for _ in range(2):
        np.testing.assert_array_equal(power(X, 4), X**4)
    assert power.trace_count >= 1


def test_a_staged_function_called_with_arrays_inside_a_trace_gives_arrays():
    seen = []

    @ag.function
    def inner(x):
        seen.append(type(x))
        return x * 2

    @ag.function
    def outer(x):
        return x + inner(X)

    np.testing.assert_array_equal(outer(np.zeros(2)), 2 * X)
    assert seen == [np.ndarray]
    inner(X)
    np.testing.assert_array_equal(outer(np.zeros((1, 2))), [2 * X])


def test_a_staged_function_that_is_an_argument_is_inlined():
    @ag.function
    def apply(function, x):
        return function(x)

    for _ in range(2):
        np.testing.assert_array_equal(apply(documented, X), 2 * X)
    assert apply.trace_count == 1


def test_an_interrupt_while_tracing_leaves_everything_sound():
    interrupts = [True]

    @ag.function
    def f(x):
        for i in range(3):
            if x.sum() > 0:
                if interrupts[0]:
                    raise KeyboardInterrupt
                x = x + i
        return x

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            f(X)
    assert f.trace_count == 0
    assert default_graph.current() is None
    interrupts[0] = False
    np.testing.assert_array_equal(f(X), X + 3)
    assert f.trace_count == 1


def test_an_error_in_an_inner_trace_ends_the_outer_one():
    @ag.function
    def inner(x):
        raise KeyError("inner")

    @ag.function
    def outer(x):
        try:
            return inner(x)
        except KeyError:
            return x + 1

    np.testing.assert_array_equal(outer(X), X + 1)
    assert default_graph.current() is None


def test_threads_trace_different_kinds_of_arguments_at_once():
    @ag.function
    def f(x, n):
        total = x * 0
        for _ in range(n):
            total = total - x if total.sum() > 3 else total + x
        return total

    failures = []
    start = threading.Barrier(8)

    def work(size):
        try:
            start.wait()
            for _ in range(5):
                expected = f.python_function(np.ones(size), 7)
                np.testing.assert_array_equal(f(np.ones(size), np.int64(7)), expected)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(1 + k % 4,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert f.trace_count == 4


def test_a_thread_that_is_started_while_tracing_traces_on_its_own():
    results = []

    @ag.function
    def inner(x):
        return x * 2

    @ag.function
    def outer(x):
        thread = threading.Thread(target=lambda: results.append(inner(X)))
        thread.start()
        thread.join(timeout=10)
        return x + 1

    np.testing.assert_array_equal(outer(X), X + 1)
    np.testing.assert_array_equal(results[0], 2 * X)


def test_short_lived_arguments_leave_few_traces():
    @ag.function
    def f(x, thing):
        return x + 1

    for _ in range(200):
        f(X, Thing())
    assert 16 <= f.trace_count < 100  # then most calls are plain Python's
    assert len(f.concrete_functions) < 70


def test_after_traces_were_dropped_calls_take_the_short_path_again():
    @ag.function
    def f(x, thing):
        return x + 1

    keep = Thing()
    for _ in range(100):
        f(X, Thing())
    f(X, keep)
    count = f.trace_count
    for _ in range(3):
        np.testing.assert_array_equal(f(X, keep), X + 1)
    assert f.trace_count == count


def test_functions_that_are_arguments_are_not_kept_alive():
    class Model:
        def __init__(self, scale):
            self.scale = scale
            self.apply = lambda x: x * self.scale

    @ag.function
    def call(x, function):
        return function(x)

    model = Model(3.0)
    np.testing.assert_array_equal(call(X, model.apply), 3 * X)
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None


def test_a_staged_function_is_not_kept_alive_by_its_traces():
    def make():
        @ag.function
        def f(x):
            return x + 1 if x.sum() > 0 else x

        f(X)
        return weakref.ref(f)

    reference = make()
    gc.collect()
    assert reference() is None


def test_defaults_may_be_arrays():
    @ag.function
    def f(x, offset=X):
        return x + offset

    for _ in range(2):
        np.testing.assert_array_equal(f(X), 2 * X)
        np.testing.assert_array_equal(f(X, X + 1), 2 * X + 1)
    assert f.trace_count == 1
