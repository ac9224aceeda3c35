"""Arrays that are one array under two names stay one, or the program is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import autograph as ag


def test_a_view_in_a_loop_writes_its_base():
    def f(x, n):
        tail = x[1:]
        for _ in range(n):
            tail += 1
            x[0] = tail[0]
        return tail.sum()

    mine, theirs = np.arange(4.0), np.arange(4.0)
    assert ag.function(f)(mine, np.int64(3)) == f(theirs, 3)
    np.testing.assert_array_equal(mine, theirs)


def test_two_names_of_an_array_stay_one_in_branches():
    def f(x, c):
        y = x * 1
        z = y
        if c > 0:
            y += 1
            z[0] = 10
        else:
            z -= 1
        return y, z

    for c in (1, -1):
        y, z = ag.function(f)(np.arange(3.0), np.int64(c))
        expected, _ = f(np.arange(3.0), c)
        np.testing.assert_array_equal(y, expected)
        np.testing.assert_array_equal(z, expected)


def test_a_method_that_writes_an_array_elsewhere_is_seen_by_the_loop():
    class Log:
        def __init__(self, n):
            self.rows = np.zeros(n)

        def add(self, i, x):
            self.rows[i] = x

    def f(x, n):
        log = Log(4)
        for i in range(n):
            log.add(i, x * i)
        return log.rows

    np.testing.assert_array_equal(ag.function(f)(np.float64(2), np.int64(3)), [0, 2, 4, 0])


def test_writing_what_may_be_the_argument_writes_the_one_that_it_is():
    def f(x, c):
        if c > 0:
            x = x * 2
        x[0] = 5
        return x

    assert_same(f, np.ones(3), np.int64(1))


def test_a_copy_of_what_may_be_the_argument_can_be_written():
    def f(x, c):
        if c > 0:
            x = x * 2
        x = x.copy()
        x[0] = 5
        return x

    argument = np.ones(3)
    np.testing.assert_array_equal(ag.function(f)(argument, np.int64(1)), [5, 2, 2])
    np.testing.assert_array_equal(argument, [1, 1, 1])


def test_a_reshaped_result_can_be_written():
    def f(x):
        grid = (x * 2).reshape(2, 2)
        grid[0, 1] = 9
        return grid

    np.testing.assert_array_equal(ag.function(f)(np.ones(4)), [[2, 9], [2, 2]])


def test_reading_an_array_after_its_reshape_was_written_is_refused():
    def f(x):
        y = x.T + 1
        r = y.reshape(-1)
        r[0] = 100
        return y

    with pytest.raises(ag.MutationError, match="depends on its memory layout"):
        ag.function(f)(np.ones((2, 3)))


def assert_same(f, *arguments):
    """Compare what a function returns, and what it leaves in its arguments."""
    mine, theirs = ([x.copy() for x in arguments] for _ in range(2))
    found, expected = ag.function(f)(*mine), f(*theirs)
    for x, y in zip((*found, *mine), (*expected, *theirs), strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_copy_that_is_returned_is_no_argument():
    def f(x):
        return x.copy(), np.array(x), x.astype(x.dtype)

    argument = np.ones(3)
    for found in ag.function(f)(argument):
        assert not np.shares_memory(found, argument)


def test_a_copy_keeps_what_it_held_when_the_argument_is_written():
    def f(x, by):
        before = x.copy()
        x[-1] += by
        return before, x

    assert_same(f, np.ones((2, 2)), np.float64(5))


def test_an_array_that_one_arm_names_twice_is_still_one_array():
    def f(x, c):
        if c > 0:
            y = x * 2
            z = y
        else:
            y = x * 3
            z = y
        y[0] = 5
        return y, z

    assert_same(f, np.ones(3), np.int64(1))


def test_what_may_have_been_written_under_another_name_is_read_as_the_one_that_it_is():
    def f(x, c):
        y = x * 1
        z = x * 2
        if c > 0:
            z = y
        y[0] = 5
        return (z.sum(),)

    assert_same(f, np.ones(3), np.int64(1))


def test_a_view_of_an_argument_that_a_loop_may_replace_sees_a_write_of_the_argument():
    def f(x, c):
        row = x[1:]
        while c > 0:
            c -= 1
            row = row * 2
        x[1] = 7
        return row

    assert_same(f, np.ones(3), np.int64(0))


def test_a_loop_over_an_array_sees_what_it_writes_into_it():
    def f(x):
        total = 0.0
        for e in x:
            total += e
            x[1] = 10
        return (total,)

    assert_same(f, np.ones(3))


def test_a_loop_may_write_an_array_and_then_replace_it():
    def f(x, n):
        y = x * 1
        for i in range(n):
            y[0] += i
            y = y * 2
        return (y,)

    assert_same(f, np.ones(3), np.int64(3))


def test_an_array_that_only_the_first_round_writes_can_be_read():
    def f(x, n):
        first = x * 1
        y = first
        for i in range(n):
            y[0] += 1
            y = y * 2
        return first

    assert_same(f, np.ones(3), np.int64(3))


def test_two_variables_that_a_loop_exchanges_stay_two_arrays():
    def f(x, n):
        y, z = x * 1, x * 2
        for _ in range(n):
            y, z = z, y
        y[0] = 5
        return y, z

    np.testing.assert_equal(ag.function(f)(np.ones(3), np.int64(3)), f(np.ones(3), 3))


def test_what_may_be_an_argument_is_written_when_it_is_joined_again():
    def f(x, c):
        if c > 0:
            x = x * 2
        if c > 1:
            x = x * 3
        x[0] = 5
        return x

    assert_same(f, np.ones(3), np.int64(0))


@pytest.mark.parametrize("c", [np.int64(0), np.int64(1)])
def test_writing_an_array_of_one_dtype_or_another_writes_the_one_that_it_is(c):
    def f(x, c):
        y = z = x * 1
        if c > 0:
            y = x * 0.5
        y[0] = 0.5
        y += 1
        return x, y, z

    assert_same(f, np.arange(3), c)


def test_an_array_that_is_overwritten_with_another_in_an_arm_keeps_its_own_memory():
    def f(x, z, c):
        if c > 0:
            if c > 1:
                z += x
            z[...] = x
        return x, z

    assert_same(f, np.ones(3), np.zeros(3), np.int64(1))


def test_a_loop_reads_what_earlier_rounds_wrote_into_an_array_made_while_tracing():
    def f(n):
        z = np.zeros(3)
        tail = z[1:]
        for i in range(n):
            z[0] += 1
            if z[0] > 2:
                z[1] = tail.sum() + 5
        return z, tail

    assert_same(f, np.int64(4))


def test_an_inner_loop_that_writes_is_seen_by_the_next_round_of_the_outer_loop():
    def f(n):
        z = np.zeros(2)
        total = 0
        for _ in range(n):
            total += z[0]
            for j in range(n):
                z[0] += j
        return total, z

    assert_same(f, np.int64(3))


def test_a_loop_over_rows_may_write_them_and_read_the_array():
    def f(m):
        for row in m:
            row += 1
            m[0] += m[-1]
        return (m,)

    assert_same(f, np.arange(6.0).reshape(3, 2))


def test_a_loop_may_write_an_array_in_place_or_replace_it():
    def f(x, n):
        w = x * 1
        total = 0.0
        for i in range(n):
            w[i] += 1
            if w[0] > 2:
                w = w * 2
            total += w.sum()
        return w, total

    assert_same(f, np.arange(3.0), np.int64(3))


def test_a_view_made_while_tracing_follows_its_base_when_that_becomes_staged():
    def f(s, c):
        z = np.arange(3.0)
        t = z[::2]
        z += s
        while c > 0:
            c -= 1
            t = t * 2
        return t, z

    assert_same(f, np.float64(3), np.float64(2))


def test_an_argument_without_dimensions_is_written_in_place():
    def count(n):
        n -= 1
        return n

    given = np.array(3)
    assert ag.function(count)(given) is given
    assert given == 2


def first(x):
    y = x[0, ...]
    y[...] = 9
    return x + 1


def single(x):
    y = x[:1].squeeze()
    y += 1
    return y


def reshaped(x):
    y = x[:1].reshape(())
    y[()] = 7
    x[1] = y
    return x * 1


def in_a_branch(x):
    y = x[0, ...]
    if x[1] > 0:
        y[...] = 8
    return x


def in_a_loop(x):
    y = x[0, ...]
    for i in range(3):
        y += x[i]
    return x, y


def read_later(x):
    y = x[0, ...]
    x[0] = 100
    return y, y + 1


def of_a_number(x):
    y = np.copy(x[0])
    y += 1
    return y, np.array(x[0]), x[0].copy(), np.asarray(x[1])


@pytest.mark.parametrize(
    "function", [first, single, reshaped, in_a_branch, in_a_loop, read_later, of_a_number]
)
def test_a_view_without_axes_is_an_array(function):
    expected, found = np.arange(1.0, 5.0), np.arange(1.0, 5.0)
    wanted, result = function(expected), ag.function(function)(found)
    assert repr(result) == repr(wanted)
    assert found.tolist() == expected.tolist()


def test_a_product_with_one_that_leaves_a_branch_is_an_array_of_its_own():
    def f(x, m, n):
        y, z = m[:, 1], x
        if n > 0:
            y, z = z, y * 1
            m[[-1, 0]] = m[[0, -1]]
        return y, z

    assert_same(f, np.ones(3), np.arange(9.0).reshape(3, 3), np.int64(1))


def test_two_equal_arrays_that_leave_a_branch_are_two():
    def f(x, c):
        if c > 0:
            return x + 1, x + 1
        return x + 2, x + 3

    first, second = ag.function(f)(np.ones(3), np.int64(1))
    assert not np.shares_memory(first, second)


def test_what_a_loop_returns_early_does_not_hide_a_write_of_what_it_exchanges():
    def f(x, z):
        y = x
        rounds = 0
        while rounds < 3 and x[0] > -1:
            rounds += 1
            y, z = z, y
            if (x == 0).all():
                return y, z
            x.fill(0)
        return y, z

    assert_same(f, np.array([1, 5, -4]), np.array([7, 8, 9]))


def test_a_loop_hands_on_arrays_views_and_arguments():
    @ag.function
    def f(x, m, n):
        y, row = x, m[0]
        for k in range(n):
            if row[0] > y[0]:
                y = row
            row = m[k % 2]
            y[1] += 1
            m[1, 1] -= row[2]
            x = y * 2 if k > 1 else x
            x[0] += k
        y[2] = 7
        return y * 1, row * 1, x * 1

    for n in range(4):
        mine, theirs = ((np.arange(3.0), np.arange(6.0).reshape(2, 3)) for _ in range(2))
        found, expected = f(*mine, np.int64(n)), f.python_function(*theirs, n)
        np.testing.assert_equal((found, mine), (expected, theirs))


@pytest.mark.parametrize("c", [1, -1])
def test_a_call_of_itself_is_given_the_array_that_was_chosen(c):
    def walk(x, n):
        if n > 0:
            x[0] += n
            walk(x, n - 1)

    def f(x, y, c, n):
        z = x if c > 0 else y
        walk(z, n)
        y[1] = 5
        return z.sum(), x * 1

    assert_same(f, np.ones(3), np.ones(3), np.int64(c), np.int64(3))


def test_a_view_that_a_test_took_again_is_not_taken_for_one_that_is_there():
    def f(m):
        row = m[0]
        m += 1
        while (m < row.sum()).all():
            row = m[1]
            m += 1
        return (m,)

    assert_same(f, np.arange(4.0).reshape(2, 2))


@pytest.mark.parametrize("c", [1, -1])
def test_a_list_that_a_branch_puts_somewhere_is_that_list(c):
    def f(c):
        held, kept, o = [1], {}, SimpleNamespace(a=None)
        if c > 0:
            held.append(2)
            kept["x"] = o.a = held
        held.append(3)
        return kept.get("x") is held, o.a is held, o.a is kept, held is o.a, kept

    assert ag.function(f)(np.int64(c)) == f(c)
