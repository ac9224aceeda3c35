"""`hint(mode="elementwise")` gives for arrays what the code gives for each of their numbers."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime.graph.interpret import interpret


def mandelbrot(c):
    z = c * 0
    n = 0
    while ag.hint(abs(z) < 2 and n < 30, mode="elementwise"):
        z = z * z + c
        n += 1
    return n


def divisor(a, b):
    while ag.hint(b != 0, mode="elementwise"):
        a, b = b, a % b
    return a


def collatz(n):
    steps = 0
    while ag.hint(n != 1, mode="elementwise", max_iterations=50, label="collatz"):
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
        if steps > 20:
            break
    else:
        steps = -steps
    return steps


def sinc(x):
    if ag.hint(x == 0, mode="elementwise"):
        return 1.0
    return np.sin(x) / x


def ladder(x, y):
    r = 0
    if ag.hint(x > 0 and y / x > 1, mode="elementwise"):
        r = y / x
    elif x == 0 or not y > 0:
        return -1.0
    else:
        r = x if 5 < y < 9 else 1 / x
    return r * 2


def triangle(n):
    t = 0
    for i in ag.hint(range(n), mode="elementwise"):
        if i == 3:
            continue
        t += i
        if t > 12:
            return t * 10
    return t


def steps_down(start, stop, step):
    last = -1
    count = 0
    for i in ag.hint(range(start, stop, step), mode="elementwise"):
        last = i
        count += 1
    return last * 100 + count


def until(x):
    t = 0
    for i in ag.hint(range(5), mode="elementwise"):
        t = t + x * i
        if t > 4:
            break
    else:
        t = -t
    return t


def nested(x, y):
    total = 0.0
    while ag.hint(x > 0, mode="elementwise"):
        k = 0
        while k < x and not (k == 2 and y < 0):
            if (half := (x + y) / 2) > 1:
                total += half
            k += 1
        x -= 1
    return total


def newton(x):
    if x < 0:
        return -1.0
    y = x + 1
    while abs(y * y - x) > 1e-9:
        y = (y + x / y) / 2
    return y


def calls(x):
    if ag.hint(x != 2, mode="elementwise"):
        x = newton(x) + 1
    return x


TABLE = np.array([3, 1, 4, 1, 5])


def looked_up(i):
    if ag.hint(0 <= i < 5, mode="elementwise"):
        return TABLE[i]
    return -1


def checked(x):
    if ag.hint(x > 0, mode="elementwise"):
        assert x < 9, "too large"
        if x > 7:
            raise ValueError("large")
    return x * 1


def chosen(x):
    sign = 1 if ag.hint(x >= 0, mode="elementwise") else -1
    return sign * 2


F = np.array([1.0, 0.0, -2.0, 4.0, -1.0, 0.0, 5.0, 3.0])
G = np.array([3.0, 1.0, 7.0, 2.0, 1.0, 0.0, -3.0, 7.0])
C = np.random.default_rng(1).normal(size=(3, 4, 2)) @ np.array([1, 1j])
CASES = [
    (mandelbrot, C),
    (mandelbrot, C[:1, :1]),
    (divisor, np.arange(12), np.arange(12)[::-1] * 3),
    (collatz, np.arange(1, 40)),
    (sinc, F),
    (ladder, F, G),
    (ladder, F[:, None], G),
    (triangle, np.arange(9)),
    (steps_down, np.array([0, 9, 5, 5]), np.array([7, 0, 5, 9]), np.array([2, -3, 1, 4])),
    (until, F),
    (nested, F, G),
    (calls, F),
    (looked_up, np.array([-3, 0, 4, 5, 100])),
    (checked, F),
    (chosen, F),
]


@pytest.mark.parametrize(("sample", *["arguments"]), [(s, a) for s, *a in CASES])
def test_it_is_the_same_as_for_each_number(sample, arguments):
    if sample is ladder and arguments[0].ndim == 2:
        arguments = [x.copy() for x in np.broadcast_arrays(*arguments)]
    before = [x.copy() for x in arguments]
    expected = np.vectorize(sample)(*arguments)
    staged = ag.function(sample)
    found = staged(*arguments)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(arguments, before)
    trace = staged.get_concrete_function(*arguments).trace
    outside = [slot.thing() for slot in trace.signature.arrays]
    (interpreted,) = interpret(trace.graph, [*arguments, *outside], np)
    np.testing.assert_array_equal(interpreted, expected)


@pytest.mark.parametrize(("sample", *["arguments"]), [(s, a) for s, *a in CASES])
def test_for_one_number_it_is_an_ordinary_statement(sample, arguments):
    numbers = [x.flat[0] for x in arguments]
    assert ag.function(sample)(*numbers) == sample(*numbers)


def test_sizes_may_be_unknown():
    staged = ag.function(divisor, input_signature=[ag.TensorSpec([None], int)] * 2)
    for n in (1, 5, 9):
        a, b = np.arange(n) * 4, np.arange(n)[::-1] * 6
        np.testing.assert_array_equal(staged(a, b), np.gcd(a, b))


def test_only_elements_that_take_part_raise():
    staged = ag.function(checked)
    with pytest.raises(AssertionError, match="too large"):
        staged(np.array([1.0, 9.5]))
    with pytest.raises(ValueError, match="large"):
        staged(np.array([1.0, 8.0]))
    np.testing.assert_array_equal(staged(np.array([-9.5, 3.0])), [-9.5, 3.0])


def test_a_bound_of_rounds_counts_the_longest():
    with pytest.raises(RuntimeError, match="the loop 'digits' did not end after 3 rounds"):
        ag.function(digits)(np.array([5, 12345]))
    np.testing.assert_array_equal(ag.function(digits)(np.array([5, 0, 123])), [1, 0, 3])


def digits(n):
    count = 0
    while ag.hint(n > 0, mode="elementwise", max_iterations=3, label="digits"):
        n = n // 10
        count += 1
    return count


def test_lists_are_not_changed_in_elementwise_statements():
    @ag.function
    def f(x):
        found = []
        if ag.hint(x > 0, mode="elementwise"):
            found.append(x)
        return found

    with pytest.raises(ag.MutationError, match=r"the list 'found' is changed in an elementwise"):
        f(np.array([1.0, -1.0]))


def test_arrays_are_not_written_in_elementwise_statements():
    @ag.function
    def f(x, out):
        if ag.hint(x > 0, mode="elementwise"):
            out[0] = 1
        return x

    with pytest.raises(ag.MutationError, match="an array is written in an elementwise statement"):
        f(F, np.zeros(3))


def test_a_variable_that_only_some_elements_assign_is_refused_where_it_is_read():
    @ag.function
    def f(x):
        if ag.hint(x > 0, mode="elementwise"):
            y = x
        return y

    with pytest.raises(
        UnboundLocalError, match="only one branch of an elementwise `if` assigns 'y'"
    ):
        f(F)


def test_what_differs_from_element_to_element_is_a_number():
    @ag.function
    def f(x):
        y = (x, 1)
        if ag.hint(x > 0, mode="elementwise"):
            y = (x, 1, 2)
        return y[0]

    with pytest.raises(
        ag.BranchMismatchError, match=r"y is .* for some elements and .* for others"
    ):
        f(F)


def test_what_has_other_elements_than_the_condition_is_refused():
    with pytest.raises(ag.ShapeError, match="in an elementwise statement with a condition of bool"):
        ag.function(ladder)(F[:, None], G)


def test_without_the_hint_a_condition_is_one_truth_value():
    @ag.function
    def f(x):
        if x > 0:
            x = -x
        return x

    with pytest.raises(ValueError, match="one truth value"):
        f(F)


def twice_written(x):
    items, keyed = [0, 1], {"n": 0}
    if ag.hint(x > 0, mode="elementwise"):
        items[0] += x
        items[0] += x
        keyed["n"] += 1
    else:
        items[0] -= x
        items[1] -= x
    return items[0], items[1], keyed["n"]


def two_statements(x):
    keyed = {"n": 0}
    if ag.hint(x > 0, mode="elementwise"):
        keyed["n"] += 1
    if ag.hint(x > 1, mode="elementwise"):
        keyed["n"] += 10
    return keyed["n"]


def left_by_a_jump(x):
    items = [0, 0]
    while ag.hint(x > 0, mode="elementwise"):
        x = x - 1
        if x == 1:
            items[1] += 5
            continue
        items[0] += 1
    return items[0], items[1]


@pytest.mark.parametrize("function", [twice_written, two_statements, left_by_a_jump])
def test_items_are_written_once_for_each_element(function):
    x = np.array([3, -1, 1, 2])
    expected = [function(number) for number in x]
    np.testing.assert_array_equal(np.transpose(ag.function(function)(x)), expected)


def test_what_differs_from_element_to_element_is_written_by_no_other_name():
    @ag.function
    def f(x):
        n = 0
        if ag.hint(x > 0, mode="elementwise"):
            n += 1
        m = n
        n += 10
        return n, m

    np.testing.assert_array_equal(f(np.array([3, -1])), [[11, 10], [1, 0]])


def test_code_without_the_hint_is_not_elementwise_after_a_statement_that_is():
    @ag.function
    def f(x):
        y = 0
        if ag.hint(x > 0, mode="elementwise"):
            y = 1
        if x > 1:
            y = 5
        return y

    with pytest.raises(ValueError, match="one truth value"):
        f(F)
