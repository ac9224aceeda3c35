"""Native calls take the record that fits the arguments, and else do what Python does."""

from __future__ import annotations

import gc
import inspect
import pickle
import sys
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from runtime.kernels.calls import ANY, PAUSED, Given, Kind, Parameter, can_call, native_call, record

pytestmark = pytest.mark.skipif(not can_call(), reason="there is no llvmlite here")
F32 = np.dtype(np.float32)


class Callee:
    """Says what it was called with; calls are native from here on."""

    __slots__ = ("__weakref__", "records")

    def __init__(self, *records: Any) -> None:
        self.records: list[Any] = list(records)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call in Python."""
        return ("python", *args, *kwargs.items())


if can_call():
    Callee.__call__ = native_call(Callee, "records", Callee.__call__)  # type: ignore[method-assign]


def told(*args: Any) -> Any:
    """Stand for a program."""
    return ("native", *args)


def callee(*parameters: Parameter, target: Callable[..., Any] = told, **options: Any) -> Callee:
    """Return an object with one record, which is given the arguments as they are."""
    given = [Given(k) for k in range(len(parameters))]
    return Callee(record(parameters, target, given, **options))


def takes(parameter: Parameter, *args: Any) -> bool:
    """Tell whether a record of one parameter fits."""
    found = callee(parameter)(*args)
    assert found in (("native", *args), ("python", *args))
    return bool(found[0] == "native")


def test_without_records_python_is_called() -> None:
    assert Callee()(1, 2, key=3) == ("python", 1, 2, ("key", 3))
    assert Callee()() == ("python",)
    assert Callee()(*range(100)) == ("python", *range(100))


def test_a_record_that_fits_is_taken_and_any_keyword_goes_to_python() -> None:
    call = callee(Parameter(Kind.TYPE, int), Parameter(Kind.TYPE, str))
    assert call(1, "a") == ("native", 1, "a")
    assert call("a", 1) == ("python", "a", 1)
    assert call(1) == ("python", 1)
    assert call(1, "a", 2) == ("python", 1, "a", 2)
    assert call(1, b="a") == ("python", 1, ("b", "a"))


def test_a_type_is_the_very_type() -> None:
    assert takes(Parameter(Kind.TYPE, int), 5)
    assert not takes(Parameter(Kind.TYPE, int), True)
    assert takes(Parameter(Kind.TYPE, np.float64), np.float64(1.5))
    assert not takes(Parameter(Kind.TYPE, np.float64), 1.5)


def test_an_object_is_the_very_object() -> None:
    assert takes(Parameter(Kind.IS, value=None), None)
    assert not takes(Parameter(Kind.IS, value=True), 1)


@pytest.mark.parametrize("value", [0, -7, 10**30, "", "text", b"bytes"])
def test_a_literal_has_its_type_and_value(value: Any) -> None:
    parameter = Parameter(Kind.EQUAL, type(value), value)
    assert takes(parameter, pickle.loads(pickle.dumps(value)))
    assert not takes(parameter, value + value + type(value)(1))
    assert not takes(parameter, None)
    assert not takes(parameter, float("nan"))


def fits_array(x: Any, *extents: int) -> bool:
    """Tell whether an array is taken for one of float32."""
    call = callee(Parameter(Kind.ARRAY, np.ndarray, F32, extents), target=lambda x: "native")
    found = call(x)
    return isinstance(found, str) and found == "native"


def test_an_array_has_its_class_dtype_rank_and_extents() -> None:
    x = np.ones((2, 3), np.float32)
    assert fits_array(x, 2, 3)
    assert fits_array(x, 2, ANY)
    assert fits_array(x.T, 3, 2)
    assert fits_array(np.ones((), np.float32))
    assert fits_array(np.ones((0, 3), np.float32), 0, 3)
    assert not fits_array(x, 2, 2)
    assert not fits_array(x, 2)
    assert not fits_array(x, 2, 3, 1)
    assert not fits_array(x.astype(np.float64), 2, 3)
    assert not fits_array(x.astype(">f4"), 2, 3)
    assert not fits_array(x.view(np.recarray), 2, 3)
    assert not fits_array(x[0, 0])
    assert not fits_array([[1.0, 2.0, 3.0]], 1, 3)


def test_a_reference_gives_the_object_as_long_as_it_lives() -> None:
    class Thing:
        pass

    thing = Thing()
    parameter = Parameter(Kind.REFERENCE, value=weakref.ref(thing))
    assert takes(parameter, thing)
    assert not takes(parameter, Thing())
    del thing
    gc.collect()
    assert not takes(parameter, None)


def test_a_default_takes_the_place_of_an_argument_and_is_compared_like_one() -> None:
    three = Parameter(Kind.EQUAL, int, 3, default=(3,))
    call = callee(Parameter(Kind.TYPE, str), three)
    assert call("a") == ("native", "a", 3)
    assert call("a", 3) == ("native", "a", 3)
    assert call("a", 4) == ("python", "a", 4)
    assert call() == ("python",)
    other = callee(Parameter(Kind.EQUAL, int, 4, default=(3,)))
    assert other() == ("python",)


def test_a_target_is_given_parameters_in_any_order_and_known_objects() -> None:
    parameters = [Parameter(Kind.TYPE, int), Parameter(Kind.TYPE, str)]
    known = object()
    given = [Given(1), Given(value=known), Given(0), Given(1)]
    assert Callee(record(parameters, told, given))(7, "b") == ("native", "b", known, 7, "b")
    assert Callee(record([], told, []))() == ("native",)


def test_what_is_held_weakly_is_given_while_it_lives() -> None:
    thing = np.ones(2)
    call = Callee(record([], told, [Given(value=weakref.ref(thing), is_weak=True)]))
    count = sys.getrefcount(thing)
    for _ in range(3):
        assert call()[1] is thing
    assert sys.getrefcount(thing) == count
    del thing
    assert call() == ("native", None)


def test_the_first_record_that_fits_is_taken() -> None:
    number, any_int = Parameter(Kind.EQUAL, int, 1), Parameter(Kind.TYPE, int)
    first, second = (
        record([number], lambda x: "one", [Given(0)]),
        record([any_int], told, [Given(0)]),
    )
    call = Callee(first, second)
    assert (call(1), call(2), call("a")) == ("one", ("native", 2), ("python", "a"))


def test_a_record_whose_check_fails_is_passed_over() -> None:
    valid = [True]
    call = callee(Parameter(Kind.TYPE, int), check=lambda: valid[0])
    assert call(1) == ("native", 1)
    valid[0] = False
    assert call(1) == ("python", 1)
    call.records.append(record([Parameter(Kind.TYPE, int)], lambda x: "next", [Given(0)]))
    assert call(1) == "next"


def test_a_check_may_change_the_records() -> None:
    def check() -> bool:
        call.records.clear()
        gc.collect()
        return False

    call = callee(Parameter(Kind.TYPE, int), check=check)
    assert call(1) == ("python", 1)
    assert call.records == []


def fail(*args: Any) -> Any:
    """Fail."""
    raise KeyError("told")


def test_errors_of_targets_and_checks_are_raised() -> None:
    with pytest.raises(KeyError, match="told"):
        callee(Parameter(Kind.TYPE, int), target=fail)(1)
    with pytest.raises(KeyError, match="told"):
        callee(Parameter(Kind.TYPE, int), check=fail)(1)
    with pytest.raises(KeyError, match="told"):
        callee(Parameter(Kind.TYPE, int), target=fail, gives_up=True)(1)


def test_none_is_a_result_unless_the_target_gives_up() -> None:
    assert callee(Parameter(Kind.TYPE, int), target=lambda x: None)(1) is None
    call = callee(Parameter(Kind.TYPE, int), target=lambda x: None, gives_up=True)
    assert call(1) == ("python", 1)


def test_a_target_that_gives_up_often_is_left_alone() -> None:
    asked = []

    def target(x: int) -> int | None:
        asked.append(x)
        return None if x < 0 else x

    call = callee(Parameter(Kind.TYPE, int), target=target, gives_up=True)
    for _ in range(100):
        assert call(-1) == ("python", -1)
    assert len(asked) == 17
    assert call(1) == ("python", 1)


def test_a_target_that_gives_up_now_and_then_is_tried_for_ever() -> None:
    call = callee(Parameter(Kind.TYPE, int), target=lambda x: x or None, gives_up=True)
    for _ in range(40):
        assert call(0) == ("python", 0)
        assert [call(1) for _ in range(64)] == [1] * 64


def test_while_paused_all_calls_are_pythons() -> None:
    call = callee(Parameter(Kind.TYPE, int))
    PAUSED.value = 1
    try:
        assert call(1) == ("python", 1)
    finally:
        PAUSED.value = 0
    assert call(1) == ("native", 1)


def test_functions_of_too_many_parameters_have_no_record() -> None:
    one = Parameter(Kind.TYPE, int)
    assert record([one] * 33, told, []) is None
    assert record([one], told, [Given(0)] * 33) is None
    assert callee(*[one] * 32)(*range(32)) == ("native", *range(32))


def test_the_method_looks_like_a_method() -> None:
    call = callee(Parameter(Kind.TYPE, int))
    assert call.__call__(1) == ("native", 1)
    assert Callee.__call__(call, 1) == ("native", 1)
    assert str(inspect.signature(Callee.__call__)) == "(self, /, *args, **kwargs)"
    assert list(map(call, [1, 2])) == [("native", 1), ("native", 2)]
    with pytest.raises(TypeError, match="Callee"):
        Callee.__call__(1, 1)  # type: ignore[arg-type]


def test_no_reference_is_kept_or_lost() -> None:
    target, check = (lambda *args: args), lambda: True
    x, held = np.ones((2, 2), np.float32), [1]
    parameters = [Parameter(Kind.ARRAY, np.ndarray, F32, (2, 2)), Parameter(Kind.TYPE, list)]
    call = Callee(record(parameters, target, [Given(1), Given(0)], check))
    counted = [call, call.records[0], target, check, x, held, F32, None, True]
    before = [sys.getrefcount(each) for each in counted]
    for _ in range(1000):
        call(x, held)
        call(held, x)
        call(x, key=held)
    changes = [sys.getrefcount(each) - n for each, n in zip(counted, before, strict=True)]
    assert max(map(abs, changes)) < 10


def test_memory_is_flat() -> None:
    call = callee(Parameter(Kind.TYPE, int), target=lambda x: None if x % 2 else x, gives_up=True)

    def work() -> None:
        for k in range(2000):
            call(k + 1000)
            call("a", key=k)

    work()
    tracemalloc.start()
    try:
        work()
        before = tracemalloc.get_traced_memory()[0]
        work()
        assert tracemalloc.get_traced_memory()[0] - before < 2000
    finally:
        tracemalloc.stop()


def test_records_let_go_of_what_they_hold() -> None:
    class Thing:
        def __call__(self) -> int:
            return 1

    thing = Thing()
    gone = weakref.ref(thing)
    call = Callee(record([], thing, []))
    assert call() == 1
    del thing
    assert call() == 1
    call.records.clear()
    gc.collect()
    assert gone() is None
