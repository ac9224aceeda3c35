"""`and`, `or`, `not`, chains and `in`: Python's own, or in the graph on staged values."""

from __future__ import annotations

import itertools
from collections import deque
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators.control_flow.logic import and_, compare, in_, not_, not_in, or_

VALUES: list[Any] = [0, 1, "", "a", [], [0], None, 2.5, np.float64(0)]


def noted(log: list[Any], value: Any) -> Any:
    def operand() -> Any:
        log.append(value)
        return value

    return operand


class Answer:
    """Compares to whatever it holds, as arrays of other libraries do."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __lt__(self, other: Any) -> Any:
        return self.answer

    def __contains__(self, item: Any) -> Any:
        return self.answer


@pytest.mark.parametrize(("a", "b", "c"), [*itertools.product(VALUES[:6], repeat=3)])
def test_plain_operands_give_pythons_own_result(a, b, c):
    assert and_(a, lambda: b, lambda: c) is (a and b and c)
    assert or_(a, lambda: b, lambda: c) is (a or b or c)


@pytest.mark.parametrize("value", VALUES)
def test_not_of_a_plain_value_is_a_bool(value):
    assert not_(value) is (not value)


def test_operands_are_evaluated_once_and_only_when_they_are_needed():
    log: list[Any] = []
    and_(1, noted(log, 0), noted(log, 5))
    or_(0, noted(log, 3), noted(log, 6))
    compare(1, "<", noted(log, 2), ">", noted(log, 7), "==", noted(log, 8))
    assert log == [0, 3, 2, 7]


def test_one_operand_is_itself():
    assert and_("a") == "a"
    assert or_([]) == []


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">=", "==", "!="])
def test_a_comparison_of_plain_values_is_pythons_own(symbol):
    for a, b in itertools.product([1, 2.0, np.float64(1)], repeat=2):
        assert compare(a, symbol, lambda b=b: b) == eval(f"a {symbol} b")


def test_identity_and_membership_may_stand_in_a_chain():
    x: list[Any] = [1]
    assert compare(x, "is", lambda: x, "is not", lambda: None) is True
    assert compare(1, "in", lambda: x, "not in", lambda: [x]) is False
    assert compare(1, "<", lambda: 2, "in", lambda: [2, 3]) is True


def test_a_comparison_may_give_anything():
    assert compare(Answer("yes"), "<", lambda: 3) == "yes"
    assert compare(Answer([]), "<", lambda: 3, "<", lambda: 1 / 0) == []


def test_membership_of_plain_values_is_pythons_own():
    nan = float("nan")
    assert in_(nan, [nan]) is True
    assert in_("b", "abc") is True
    assert in_(1, Answer("anything true")) is True
    assert not_in(2, {1: 3}) is True
    with pytest.raises(TypeError, match=r"not iterable|not a container"):
        in_(1, 2)


def logic(x, y, z):
    return x and y and z, x or y or z, not x


def chained(x, y, z):
    return 0 < x <= y < z, x == y == z, x != y < z


def short_circuit(x, n):
    return 1 if n < len(x) and x[n] > 0 else 0


def array_truth(xs, x):
    return x in xs, x not in xs


def in_list(x):
    return x in [1, 2, 3], x in [*()], x not in (4, 5), x in [x]


def plain_in_staged(xs):
    return 2.0 in xs, 9 in xs


def mixed(x, flag):
    return flag and x > 0, flag or x > 0, (x > 0 and flag), (x > 0 or flag)


NUMBERS = [np.float64(k) for k in (-1, 0, 1, 2)]


@pytest.mark.parametrize("function", [logic, chained])
def test_staged_operands_give_what_python_gives(function):
    staged = ag.function(function)
    for numbers in itertools.product(NUMBERS, repeat=3):
        assert [*map(float, staged(*numbers))] == [*map(float, function(*numbers))]
    assert staged.trace_count == 1


def test_a_staged_operand_guards_the_next_one():
    staged = ag.function(short_circuit)
    for n in (0, 1, 2, 5):
        assert staged(np.array([1.0, -1.0]), np.int64(n)) == short_circuit([1, -1], n)


def test_membership_in_a_staged_array():
    staged = ag.function(array_truth)
    for x in (1.0, 7.0):
        assert staged(np.array([1.0, 2]), np.float64(x)) == array_truth(np.array([1.0, 2]), x)


def test_a_staged_item_in_a_python_list():
    staged = ag.function(in_list)
    for x in (1, 3, 4, 9):
        assert staged(np.int64(x)) == in_list(x)


def test_a_plain_item_in_a_staged_array():
    assert ag.function(plain_in_staged)(np.array([1.0, 2])) == (True, False)


def test_a_plain_operand_among_staged_ones_decides_while_tracing():
    staged = ag.function(mixed)
    for flag in (True, False):
        for x in (1.0, -1.0):
            assert staged(np.float64(x), flag) == mixed(np.float64(x), flag)


def test_the_truth_of_many_values_is_refused_as_numpy_does():
    with pytest.raises(ValueError, match=r"f64\[2\] (has|is) many"):
        ag.function(lambda x: not x)(np.ones(2))


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (lambda x: x and 1, r"`and` asks for one .* f64\[2\]; element by element .*\(a\) & \(b\)"),
        (lambda x: x or x, r"`or` asks for one .* f64\[2\]; element by element .*\(a\) \| \(b\)"),
    ],
)
def test_and_and_or_of_arrays_say_what_to_write(function, hint):
    with pytest.raises(ValueError, match=r"ambiguous. Use a.any\(\) or a.all\(\): " + hint):
        ag.function(function)(np.ones(2))


def chained(x):
    y = z = 0.0
    while x > 0 and ((y := x) > 3 or ((z := x) > 2 and (x := x - 1) > 0)):
        x = x - 1
    return x, y, z


def both_values(x):
    z = (y := x + 1) if x > 0 else (y := x - 1)
    return y + z


def in_comprehension(x):
    last = 0.0
    total = sum([1.0 if x > 0 and (last := v) > 1 else 2.0 for v in [1.0, 2.0]])
    return total, last


@pytest.mark.parametrize("x", [5.0, 3.0, 2.0, -1.0])
@pytest.mark.parametrize("function", [chained, both_values, in_comprehension])
def test_a_staged_operand_may_bind_a_name(function: Any, x: float) -> None:
    assert ag.function(function)(np.float64(x)) == function(np.float64(x))


def until_a_deque_is_empty(n):
    q, k = deque([2, n]), 0
    while q and q.popleft() % 3 != 1:
        k += 1
    return k, list(q)


def until_a_tuple_is_empty(n):
    t, k = (2, n, n), 0
    while t and t[0] % 3 != 1:
        t, k = t[1:], k + 1
    return k


@pytest.mark.parametrize("function", [until_a_deque_is_empty, until_a_tuple_is_empty])
def test_the_truth_of_a_known_operand_ends_a_loop(function):
    staged = ag.function(function)
    for n in (1, 2, 3):
        assert staged(np.int64(n)) == function(np.int64(n))


KNOWN_NUMBERS = [
    [1, 2, 3],
    [2**53 + 1, 0.5],
    [True, 2],
    [1.0, 2],
    [np.int8(3), 4, None],
    [np.uint64(2**63), 3, -1],
    ["a", 3, b"x"],
    [float("nan"), 1],
    [0.1, np.float32(0.1), 300],
    (1, 2.5, np.float16(3)),
    [np.bool_(True), 7],
    [1e400, -0.0],
    [5],
    [],
    list(range(2000)),
]
NUMBERS_OF_ALL_KINDS = [
    np.int64(3), np.float64(2**53), np.int64(2**53 + 1), np.int64(2**53), np.float64(0.5),
    np.uint64(2**63), np.uint64(3), np.int8(44), np.float32(0.1), np.float16(3), np.bool_(True),
    np.float64("nan"), np.float64("inf"), np.float64(0), np.uint8(255), np.int8(-1),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # of NumPy's own, too
@pytest.mark.parametrize("known", KNOWN_NUMBERS, ids=lambda known: repr(known)[:30])
def test_numbers_among_known_ones_are_found_at_once(known):
    def f(x):
        return x in known, 1 if x not in known else 0

    staged = ag.function(f)
    for x in NUMBERS_OF_ALL_KINDS:
        assert repr(staged(x)) == repr(f(x)), x
    nodes = staged.get_concrete_function(np.int64(3)).traced_graph.nodes
    assert len(nodes) < 40


def test_texts_among_many_known_ones():
    words = [str(k) for k in range(150)]

    def f(x):
        word = "7" if x > 0 else "x"
        return word in words

    for x in (1.0, -1.0):
        assert ag.function(f)(np.float64(x)) is f(np.float64(x))
