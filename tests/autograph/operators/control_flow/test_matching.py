"""`match` with staged values inside: structure is decided while tracing, comparisons are staged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators.control_flow import matching
from autograph.operators.control_flow.matching import match, matches

f64 = np.float64


class Limits:
    low = 2.0


@dataclass
class Circle:
    radius: Any


@dataclass
class Box:
    width: Any
    height: Any


def area(shape):
    match shape:
        case Circle(radius) if radius < 0:
            return -1.0
        case Circle(r):
            return 3 * r * r
        case Box(0, side) | Box(side, height=0):
            return side + 0.5
        case Box(w, h) as box:
            return w * h + box.width
        case [0, *rest]:
            return rest[0]
        case {"radius": Limits.low, **others}:
            return others["x"]
        case {"radius": r}:
            return r
    return 100.0


@pytest.mark.parametrize(
    "shape",
    [
        Circle(f64(2)),
        Circle(f64(-2)),
        Box(f64(0), f64(3)),
        Box(f64(3), f64(0)),
        Box(f64(3), f64(4)),
        [f64(0), f64(4)],
        (f64(0), f64(4)),
        [f64(1), f64(4)],
        {"radius": f64(2), "x": f64(7)},
        {"radius": f64(3), "x": f64(7)},
        {},
    ],
    ids=str,
)
def test_values_inside_of_a_structure_may_be_staged(shape: Any) -> None:
    assert ag.function(area)(shape) == area(shape)


def kind(x):
    match x:
        case bool():
            return 0.0
        case int():
            return 1.0
        case float(y) if y > 3:
            return y
        case float():
            return 3.0
        case np.floating(dtype=d):
            return 4.0 if d == np.float32 else 5.0
        case np.ndarray(shape=(3,)):
            return 6.0
        case np.ndarray(shape=(n, _)):
            return 7.0 + n
        case [_, _]:
            return 9.0
    return 10.0


@pytest.mark.parametrize(
    "x",
    [f64(2), f64(4), np.float32(2), np.int64(2), np.bool_(True), np.ones(3), np.ones(2)],
    ids=repr,
)
def test_a_staged_value_is_of_the_class_that_it_has_when_the_graph_runs(x: Any) -> None:
    assert ag.function(kind)(x) == kind(x)


def parts(x):
    match x:
        case [_, _, _] | {}:
            return 1.0
        case [a, b] if a > b:
            return a
        case [a, *rest]:
            return rest[0] - a
    return 3.0


ARRAYS = [np.ones(3), np.array([2.0, 1.0]), np.array([1.0, 2.0]), np.ones(5)]


@pytest.mark.parametrize("x", ARRAYS, ids=str)
def test_a_staged_array_is_a_sequence_where_numpys_is(x: Any) -> None:
    assert ag.function(parts)(x) == parts(x)


@pytest.mark.parametrize("x", ARRAYS, ids=str)
def test_a_staged_array_as_a_sequence(x: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_is_sequence", lambda kind: kind is np.ndarray)
    assert ag.function(parts)(x) == parts(list(x))


def weak(x):
    n = 0
    while x > 0:
        x, n = x - 1, n + 1
    match n > 1, n:
        case True, int(k):
            return k
        case False, _:
            return -1
    return -2


@pytest.mark.parametrize("x", [0, 1, 2, 3])
def test_a_staged_number_of_pythons_is_of_pythons_class(x: int) -> None:
    assert ag.function(weak)(f64(x)) == weak(f64(x))


def rebinding(x, y):
    match x, y:
        case 0, z:
            y = z + 1
        case z, 0 if z > 5:
            y = z
        case z, 0:
            y = -z
    return y


@pytest.mark.parametrize(("x", "y"), [(0, 3), (7, 0), (2, 0), (2, 2)])
def test_a_name_that_a_staged_case_captures_is_carried(x: int, y: int) -> None:
    assert ag.function(rebinding)(f64(x), f64(y)) == rebinding(f64(x), f64(y))


def in_a_loop(xs):
    total = 0.0
    for x in xs:
        match x:
            case 0:
                continue
            case 9:
                break
            case y if y < 0:
                return y
        total += x
    return total


@pytest.mark.parametrize("xs", [[1, 0, 2], [1, 9, 2], [1, 0, -2], [5, 5, 5]])
def test_arms_may_jump(xs: list[int]) -> None:
    assert ag.function(in_a_loop)(np.array(xs, float)) == in_a_loop(np.array(xs, float))


def test_a_class_pattern_with_too_many_parts_is_an_error_as_in_python() -> None:
    def f(x):
        match x:
            case float(a, b):
                return a, b

    with pytest.raises(TypeError, match=r"float\(\) accepts 1 positional sub-pattern \(2 given\)"):
        ag.function(f)(f64(1))


def test_an_array_compared_with_a_value_says_what_to_write() -> None:
    def f(x):
        match x:
            case 0:
                return x
        return -x

    with pytest.raises(ValueError, match=r"use \.any\(\) or \.all\(\)"):
        ag.function(f)(np.ones(3))


def test_outside_of_a_trace_pythons_match_decides() -> None:
    assert match([1, 2, 3], "[1, *rest]") == (True, ([2, 3],))
    assert match([2, 2], "[1, *rest]") == (False, ())
    assert matches(Circle(1), "Circle(radius=1 | 2)", lambda: Circle) is True
    assert matches(2.0, "Limits.high | Limits.low", lambda: 3, lambda: Limits.low) is True


def test_names_are_asked_for_when_the_pattern_comes_to_them() -> None:
    def never() -> Any:
        raise AssertionError

    assert matches([1, 2], "[2, Limits.low]", never) is False


def rest_of_a_mapping_or_a_sequence(k, a, b):
    s = {"b": a, "h": b} if k == 2 else (a, b)
    match s:
        case {"b": c, **rest}:
            return c * rest["h"], rest
        case (p, q):
            return p + q


def rest_of_a_sequence_or_a_mapping(k, a, b):
    s = [a, b, b] if k == 2 else {"z": a, "y": b}
    match s:
        case [p, *others]:
            return p, others, others[0]
        case {"z": z, **rest}:
            return z, rest


@pytest.mark.parametrize(
    "program", [rest_of_a_mapping_or_a_sequence, rest_of_a_sequence_or_a_mapping]
)
def test_what_another_option_captures_keeps_its_structure(program):
    staged = ag.function(program)
    for k in (0, 2, 3):
        given = np.int64(k), np.float64(2.0), np.float64(5.0)
        assert repr(staged(*given)) == repr(program(*given))


@pytest.mark.parametrize(("first", "second"), [(None, 5), (1, 1.5), ("x", 7), ([1], [1, 2])])
def test_patterns_are_asked_of_what_a_branch_chose_inside_of_containers(first, second):
    def in_list(x):
        o = first
        if x > 1:
            o = second
        match [o, x]:
            case [None, _] | [float(), _]:
                found = 1
            case [int() as q, _] if q > 2:
                found = ("int", q)
            case [[1, *rest], _]:
                found = ("list", rest)
            case [str(), *rest]:
                found = ("str", len(rest))
            case _:
                found = "other"
        return found

    def in_dict(x):
        o = first
        if x > 1:
            o = second
        match {"k": o}:
            case {"k": int() | None}:
                return 1
            case {"k": q}:
                return q
        return 0

    for function in (in_list, in_dict):
        staged = ag.function(function)
        for x in (np.int64(0), np.int64(4)):
            assert repr(staged(x)) == repr(function(x))
