"""Calls that are native give what Python gives; what native code cannot tell goes there."""

from __future__ import annotations

import copy
import gc
import importlib
import inspect
import sys
import threading
import traceback
import tracemalloc
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function.native_call import Quick
from runtime.kernels.calls import can_call
from tests.autograph.operators.control_flow.test_staged_control_flow import CASES as PROGRAMS
from tests.autograph.operators.control_flow.test_staged_control_flow import assert_same, copies
from tests.runtime.lower.same import all_same
from tools.bench.array_samples import add2, add10
from tools.bench.loop_samples import collatz, gcd, newton_sqrt

pytestmark = pytest.mark.skipif(not can_call(), reason="there is no llvmlite here")
SETTLED = 15
"""After how many calls a trace is no longer new."""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the first call after the trace pay for a record."""
    monkeypatch.setattr(importlib.import_module("autograph.function.guarded_call"), "OFTEN", 0)


def quick(function: Any, *args: Any, **options: Any) -> Any:
    """Return a staged function whose next calls with such arguments are native."""
    staged = ag.function(function, **options)
    for _ in range(SETTLED):
        staged(*args)
    assert staged._records
    return staged


def only_native(staged: Any) -> Any:
    """Make calls fail that are not native."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("the call went through Python")

    staged._entry = refuse
    return staged


def results(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def matmul(a, b):
    return a @ b + 1


def shares(x):
    y = x - np.min(x)
    return y / np.sum(y)


def both(a, b):
    return a + b, a - b


def poly(x):
    return 3 * x * x - x + 1


def ratio(a, b):
    return a / b


def swap(a, b):
    return b, a


def nothing(a):
    return None


def nested(a, b):
    return {"sum": a + b, "all": [a * b, (a, 3)]}


F = np.arange(4, dtype=np.float32).reshape(2, 2)
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (add2, (F, F + 1)),
    (add2, (F, np.float32(2))),
    (add2, (F, F[0])),
    (add2, (F[:, ::-1], F)),
    (add2, (F[:0], F[:0])),
    (add2, (np.float64(1.5), np.int64(2))),
    (add2, (np.array(1.5), np.array(2))),
    (add2, (np.ones(3, bool), np.ones(3, np.int8))),
    (add10, (F,) * 10),
    (add10, tuple(np.float64(k) for k in range(10))),
    (ratio, (F + 1, F + 2)),
    (ratio, (np.int64(7), np.int64(2))),
    (poly, (np.int32(7),)),
    (poly, (np.float32(0.1),)),
    (poly, (F,)),
    (both, (F, F + 1)),
    (both, (np.float64(3), np.float64(4))),
    (swap, (F, F + 1)),
    (nothing, (F,)),
    (matmul, (F, F)),
    (shares, (F.ravel(),)),
    (newton_sqrt, (np.float64(123456789.0),)),
    (collatz, (np.int64(837799),)),
    (gcd, (np.int64(48), np.int64(36))),
]


@pytest.mark.parametrize(
    ("function", "args"), CASES, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(CASES)]
)
def test_native_calls_give_what_plain_python_gives(function: Any, args: tuple[Any, ...]) -> None:
    found = only_native(quick(function, *args))(*args)
    assert all_same(results(found), results(function(*args)))


@pytest.mark.parametrize(
    ("function", "calls"), PROGRAMS[::4], ids=lambda x: getattr(x, "__name__", "")
)
def test_native_from_the_second_call_programs_mean_the_same(
    monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], calls: list[tuple[Any, ...]]
) -> None:
    monkeypatch.setattr(Quick, "pause", lambda quick, is_paused: None)
    staged = ag.function(function)
    for arguments in [*calls, *calls]:
        mine, theirs = copies(arguments), copies(arguments)
        assert_same(staged(*mine), function(*theirs))
        assert_same(mine, theirs)


def test_structures_are_made_anew_and_arguments_are_passed_on() -> None:
    staged = only_native(quick(nested, F, F))
    first, second = staged(F, F), staged(F, F)
    assert first["all"][1][0] is F
    assert first["all"] is not second["all"]
    assert first["sum"] is not second["sum"]
    assert np.array_equal(first["sum"], F + F)


def test_each_call_has_a_result_of_its_own() -> None:
    staged = only_native(quick(add2, F, F))
    first = staged(F, F)
    first[:] = -1
    assert np.array_equal(staged(F, F), F + F)


def test_what_a_kernel_leaves_to_python_is_done_there() -> None:
    staged = quick(add2, F, F)
    x = np.asfortranarray(F)
    assert staged(x, x).flags.f_contiguous
    assert np.array_equal(staged(x, x), F + F)


def test_other_arguments_are_traced() -> None:
    staged = quick(add2, F, F)
    assert staged(F.astype(np.float64), F).dtype == np.float64
    assert staged(np.ones(3), 1.0).tolist() == [2, 2, 2]
    assert staged(F, b=F).tolist() == (F + F).tolist()
    assert staged.trace_count == 3


def test_what_does_not_fit_the_signature_is_refused_as_ever() -> None:
    staged = quick(add2, F, F)
    for args in [(), (F,), (F, F, F)]:
        with pytest.raises(TypeError, match="argument"):
            staged(*args)
    with pytest.raises(TypeError, match="'c'"):
        staged(F, c=F)


def test_defaults_are_filled_in() -> None:
    def scale(x, n=2, flag=None):
        return x * n if flag is None else x

    staged = only_native(quick(scale, F))
    assert np.array_equal(staged(F), F * 2)
    assert np.array_equal(staged(F, 2), F * 2)
    assert np.array_equal(staged(F, 2, None), F * 2)
    with pytest.raises(AssertionError, match="through Python"):
        staged(F, 3)


def test_several_traces_are_native_side_by_side() -> None:
    staged = ag.function(add2)
    kinds = [F, F.astype(np.float64), F.astype(np.int16), F[0], np.float64(1)]
    for x in kinds:
        staged(x, x)
    for _ in range(SETTLED):
        for x in kinds:
            staged(x, x)
    only_native(staged)
    for x in kinds:
        assert all_same((staged(x, x),), (x + x,))
    assert len(staged._records) == len(kinds)


def test_python_numbers_that_change_are_native_in_a_general_trace() -> None:
    staged = ag.function(add2)
    for k in range(SETTLED + 5):
        staged(F, k + 0.5)
    only_native(staged)
    assert np.array_equal(staged(F, 77.25), F + np.float32(77.25))


def test_a_python_number_that_stays_is_native() -> None:
    staged = only_native(quick(add2, F, 0.5))
    assert np.array_equal(staged(F, 0.5), F + np.float32(0.5))
    with pytest.raises(AssertionError, match="through Python"):
        staged(F, 1.5)
    assert not quick_or_not(add2, F, -0.0)


def quick_or_not(function: Any, *args: Any) -> bool:
    """Tell whether calls with such arguments become native."""
    staged = ag.function(function)
    for _ in range(SETTLED):
        staged(*args)
    return bool(staged._records)


def test_sizes_that_are_open_are_native() -> None:
    spec = ag.TensorSpec([None, 2], np.float32)
    staged = ag.function(matmul, input_signature=[spec, spec])
    for _ in range(SETTLED):
        staged(F, F)
    only_native(staged)
    assert np.array_equal(staged(np.ones((5, 2), np.float32), F), np.ones((5, 2)) @ F + 1)


def test_sizes_of_one_name_stay_with_python() -> None:
    spec = ag.TensorSpec(["n"], np.float32)
    staged = ag.function(add2, input_signature=[spec, spec])
    for _ in range(SETTLED):
        staged(F[0], F[0])
    assert not staged._records


def test_warnings_of_numpy_are_given_at_each_call() -> None:
    staged = quick(ratio, F + 1, F + 1)
    for _ in range(40):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            staged(F + 1, F * 0)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide"):
        staged(F + 1, F * 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(staged(F + 1, F + 1), np.ones((2, 2)))


def test_errors_show_the_line_of_the_user_and_no_others() -> None:
    def pick(x, i):
        y = np.linalg.inv(x)
        return y[i]

    staged = quick(pick, np.eye(2), np.int64(1))
    with pytest.raises(IndexError, match="index 7 is out of bounds") as caught:
        staged(np.eye(2), np.int64(7))
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert lines[1:] == ["return y[i]"]
    with pytest.raises(np.linalg.LinAlgError) as singular:
        staged(np.zeros((2, 2)), np.int64(1))
    lines = [frame.line for frame in traceback.extract_tb(singular.value.__traceback__)]
    assert lines[1] == "y = np.linalg.inv(x)"


def test_an_integer_division_by_zero_in_a_native_loop_is_raised() -> None:
    def rest(a, b):
        total = 0
        while total < 5:
            total = total + 1 + int(a) % int(b)
        return total

    staged = quick(rest, np.int64(7), np.int64(3))
    with pytest.raises(ZeroDivisionError):
        staged(np.int64(7), np.int64(0))
    assert staged(np.int64(7), np.int64(3)) == rest(7, 3)


def test_arguments_are_written_in_place() -> None:
    def double(x, y):
        x *= 2
        return x + y

    staged = only_native(quick(double, np.ones(2), np.ones(2)))
    x = np.array([1.0, 2.0])
    assert staged(x, np.ones(2)).tolist() == [3, 5]
    assert x.tolist() == [2, 4]
    assert staged(x, x).tolist() == [8, 16]


def test_what_is_outside_is_guarded() -> None:
    rate = [2.0]

    def scaled(x):
        return x * rate[0]

    staged = only_native(quick(scaled, F))
    assert np.array_equal(staged(F), F * 2)
    rate[0] = 5.0
    with pytest.raises(AssertionError, match="through Python"):
        staged(F)
    staged._entry = staged._chain
    assert np.array_equal(staged(F), F * 5)


def test_an_array_from_outside_is_given_as_it_is_and_held_by_nobody() -> None:
    table = np.array([2, 0, 2])

    def picked(x):
        return np.sum(x[table] ** 2 * x[0])

    def add_to(x, n):
        for k in range(n):
            x[table[k]] += k

    x = np.array([2.0, 3.0, 5.0])
    staged = only_native(quick(picked, x))
    assert staged(x) == 108
    table[1] = 1
    assert staged(x) == 118
    writing = quick(add_to, x.copy(), np.int64(3))
    assert writing.get_concrete_function(x, np.int64(3)).in_place is not None
    only_native(writing)(x, np.int64(3))
    assert x.tolist() == [2, 4, 7]
    gone = weakref.ref(table)
    table = np.array([0, 0, 0])
    gc.collect()
    assert gone() is None
    with pytest.raises(AssertionError, match="through Python"):
        staged(x)


def test_variables_are_read_and_assigned() -> None:
    total = ag.Variable(np.float64(0))

    def add(x):
        total.assign_add(x)
        return total + x

    staged = only_native(quick(add, np.float64(1)))
    before = float(total)
    assert staged(np.float64(10)) == before + 20
    assert float(total) == before + 10


def test_methods_are_native_for_each_instance() -> None:
    class Scale:
        def __init__(self, rate: float) -> None:
            self.rate = rate

        @ag.function
        def apply(self, x):
            return x * self.rate

    two, three = Scale(2), Scale(3)
    for _ in range(SETTLED):
        two.apply(F), three.apply(F)
    assert two.apply._records
    assert np.array_equal(two.apply(F), F * 2)
    assert np.array_equal(three.apply(F), F * 3)
    two.rate = 7
    assert np.array_equal(two.apply(F), F * 7)
    gone = weakref.ref(two)
    del two
    gc.collect()
    assert gone() is None


def test_objects_are_known_while_they_live() -> None:
    class Net:
        pass

    net, other = Net(), Net()
    net.rate, other.rate = 2.0, 3.0  # type: ignore[attr-defined]

    def apply(net, x):
        return net.rate * x

    staged = only_native(quick(apply, net, F))
    assert np.array_equal(staged(net, F), F * 2)
    with pytest.raises(AssertionError, match="through Python"):
        staged(other, F)


def test_while_another_function_is_traced_a_call_is_part_of_it() -> None:
    inner = quick(add2, F, F)
    outer = ag.function(lambda x: inner(x, x) * inner(F, F))
    assert np.array_equal(outer(F), (F + F) * (F + F))
    assert "add" in outer.graph(F)


def test_prints_while_another_function_is_traced_are_part_of_it(capsys: Any) -> None:
    def say(x):
        ag.print("x is", x)
        return x

    inner = quick(say, np.float64(1))
    outer = ag.function(lambda x: x + inner(np.float64(1)))
    outer(np.float64(0))
    capsys.readouterr()
    outer(np.float64(0))
    assert capsys.readouterr().out == "x is 1.0\n"


def test_running_eagerly_comes_first() -> None:
    ran = []

    @ag.do_not_convert
    def note(x):
        ran.append(x)

    def noted(x):
        note(x)
        return x + 1

    staged = quick(noted, F)
    count = len(ran)
    ag.run_functions_eagerly(True)
    try:
        staged(F)
    finally:
        ag.run_functions_eagerly(False)
    assert len(ran) == count + 1
    staged.run_eagerly = True
    staged(F)
    assert len(ran) == count + 2
    staged.run_eagerly = False
    only_native(staged)(F)
    assert len(ran) == count + 2


def test_other_classes_of_arrays_and_tensors_go_through_python() -> None:
    staged = quick(add2, F, F)
    tensor = staged(ag.Tensor(F), ag.Tensor(F))
    assert isinstance(tensor, ag.Tensor)
    assert np.array_equal(tensor, F + F)
    view = F.view(type("Own", (np.ndarray,), {}))
    assert np.array_equal(np.asarray(staged(view, F)), F + F)
    assert np.array_equal(staged([[1, 2], [3, 4]], F), np.array([[1, 2], [3, 4]]) + F)


def test_the_numpy_backend_has_no_native_calls() -> None:
    staged = ag.function(add2, backend="numpy")
    for _ in range(SETTLED):
        staged(F, F)
    assert not staged._records


def test_a_function_looks_as_before() -> None:
    staged = quick(add2, F, F)
    assert list(inspect.signature(staged).parameters) == ["a", "b"]
    assert (staged.__name__, staged.__wrapped__) == ("add2", add2)
    assert callable(staged)
    assert copy.copy(add2) is add2
    assert np.array_equal(staged.__call__(F, F), F + F)
    assert np.array_equal(next(map(staged, [F], [F])), F + F)
    assert repr(staged) == "<staged function add2(a: 'Any', b: 'Any') -> 'Any'>"


@pytest.mark.parametrize("function", [add2, matmul, nested], ids=lambda x: x.__name__)
def test_no_reference_is_kept_or_lost(function: Any) -> None:
    staged = only_native(quick(function, F, F))
    x, y = F + 0, F + 1
    counted = [x, y, staged, staged._records[0], F.dtype]
    before = [sys.getrefcount(each) for each in counted]
    for _ in range(500):
        staged(x, y)
    changes = [sys.getrefcount(each) - n for each, n in zip(counted, before, strict=True)]
    assert max(map(abs, changes)) < 10
    kept = weakref.ref(staged(x, y)) if function is not nested else None
    assert kept is None or kept() is None


@pytest.mark.parametrize(("function", "args"), [(add2, (F, F)), (collatz, (np.int64(27),))])
def test_memory_is_flat(function: Any, args: tuple[Any, ...]) -> None:
    staged = only_native(quick(function, *args))

    def work() -> None:
        for _ in range(2000):
            staged(*args)

    work()
    tracemalloc.start()
    try:
        work()
        before = tracemalloc.get_traced_memory()[0]
        work()
        assert tracemalloc.get_traced_memory()[0] - before < 2000
    finally:
        tracemalloc.stop()


def test_functions_that_are_forgotten_go_with_their_records() -> None:
    staged = quick(lambda a, b: a * b - a, F, F)
    gone = weakref.ref(staged)
    del staged
    gc.collect()
    assert gone() is None


def test_threads_call_while_others_trace() -> None:
    staged, failures = ag.function(add2), list[Any]()

    def work(seed: int) -> None:
        draw = np.random.default_rng(seed)
        for k in range(300):
            x = draw.normal(size=(1 + (k % 5), 2)).astype(np.float32)
            y = x if k % 3 else x.astype(np.float64)
            if not np.array_equal(staged(x, y), x + y):
                failures.append((seed, k))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
