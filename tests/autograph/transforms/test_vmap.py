"""A batch of a function gives what a loop over the elements gives."""

from itertools import starmap

import numpy as np
import pytest

import autograph as ag
from tests.autograph.transforms import vmap_samples as samples

ROWS = np.linspace(-2, 3, 12).reshape(4, 3)
NUMBERS = np.array([-1.0, 0.5, 2.0, 30.0])


def loop(function, args, axes):
    size = next(x.shape[0] for x, axis in zip(args, axes, strict=True) if axis == 0)
    found = [
        function(*(x[k] if axis == 0 else x for x, axis in zip(args, axes, strict=True)))
        for k in range(size)
    ]
    if isinstance(found[0], tuple):
        return tuple(
            np.stack([np.asarray(x) for x in column]) for column in zip(*found, strict=True)
        )
    return np.stack(found)


def check(function, *args, axes=None):
    axes = axes or (0,) * len(args)
    wanted, found = loop(function, args, axes), ag.vmap(function, axes)(*args)
    if not isinstance(wanted, tuple):
        wanted, found = (wanted,), (found,)
    for one, other in zip(found, wanted, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, 1e-12)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (samples.row, (ROWS,)),
        (samples.scaled, (ROWS,)),
        (samples.step, (NUMBERS,)),
        (samples.newton, (NUMBERS,)),
        (samples.shrink, (ROWS,)),
        (samples.shrink, (ROWS * 0.01,)),
        (samples.shrink_twice, (ROWS,)),
        (samples.pick, (ROWS, np.array([0, 2, 1, -1]))),
        (samples.corner, (ROWS, ROWS[::-1])),
        (samples.write_item, (ROWS, np.array([0, 2, 1, -1]))),
        (samples.keep_positive, (ROWS,)),
        (samples.squares_below, (np.array([0, 3, 5]),)),
        (samples.first_above, (ROWS, NUMBERS)),
        (samples.careful, (NUMBERS,)),
        (samples.checked, (NUMBERS[:3],)),
    ],
)
def test_batch_is_a_loop_over_the_elements(function, args):
    check(function, *args)


def test_an_argument_may_be_the_same_for_all_elements():
    check(samples.layers, ROWS, np.eye(3) * 0.3, axes=(0, None))


def test_batches_nest():
    table = ag.vmap(lambda a: ag.vmap(lambda b: a * 10 + b)(NUMBERS))(NUMBERS)
    np.testing.assert_array_equal(table, NUMBERS[:, None] * 10 + NUMBERS)


def test_a_loop_in_a_batch_of_a_batch_ends_for_each_element():
    found, rounds = ag.vmap(ag.vmap(samples.newton))(ROWS)
    one = [[samples.newton(a) for a in row] for row in ROWS]
    np.testing.assert_allclose(found, [[x for x, _ in row] for row in one])
    np.testing.assert_array_equal(rounds, [[n for _, n in row] for row in one])


def test_a_staged_function_and_a_batch_in_a_staged_function_give_the_same():
    wanted = ag.vmap(samples.newton)(NUMBERS)
    staged = ag.vmap(ag.function(samples.newton))(NUMBERS)
    inside = ag.function(lambda x: ag.vmap(samples.newton)(x))(NUMBERS)
    for found in (staged, inside):
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)


def test_axes_say_where_elements_are():
    found = ag.vmap(lambda v, d: {"sum": v + d["w"]}, (1, {"w": None}), {"sum": -1})(
        ROWS, {"w": np.arange(4.0)}
    )
    np.testing.assert_array_equal(found["sum"], ROWS + np.arange(4.0)[:, None])


def test_a_batch_may_be_of_a_size_that_is_not_known():
    staged = ag.function(
        ag.vmap(samples.shrink).python_function, input_signature=[ag.TensorSpec([None, 3])]
    )
    for rows in (ROWS, ROWS[:1], ROWS[:0]):
        found, rounds = staged(rows)
        np.testing.assert_array_equal(
            found, np.array([samples.shrink(v)[0] for v in rows]).reshape(-1, 3)
        )
        assert rounds.dtype == np.int64


def test_an_empty_batch_has_the_dtypes_of_the_results():
    found, rounds, big = ag.vmap(samples.row)(ROWS[:0])
    assert (found.shape, rounds.shape, big.dtype) == ((0, 3), (0,), np.dtype(bool))


def test_what_an_element_raises_the_batch_raises():
    with pytest.raises(AssertionError, match=r"30\.0 is large"):
        ag.vmap(samples.checked)(NUMBERS)


def test_elements_that_do_not_take_an_arm_raise_and_warn_nothing():
    def inverse(a, v, i):
        return v[i] / a if a != 0 else a

    with np.errstate(all="raise"):
        found = ag.vmap(inverse, (0, None, 0))(
            np.array([0.0, 2.0]), np.array([1.0, 4.0]), np.array([9, 1])
        )
    np.testing.assert_array_equal(found, [0.0, 2.0])


def test_prints_come_element_by_element(capsys):
    def tell(a):
        print("a", a)
        print("b", a)
        return a

    ag.vmap(tell)(np.array([1, 2]))
    assert capsys.readouterr().out == "a 1\nb 1\na 2\nb 2\n"


def test_numbers_of_python_stay_weak_beside_arrays():
    def mixed(a, v):
        n = 2 if a > 0 else 3.5
        return v * n

    v = np.float32([1, 2])
    assert ag.vmap(mixed, (0, None))(NUMBERS, v).dtype == np.float32
    check(mixed, NUMBERS, v, axes=(0, None))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ag.vmap(samples.pick)(ROWS, np.ones(3, int)), "v has 4, i has 3"),
        (lambda: ag.vmap(samples.pick, None)(ROWS, 1), "no argument is gone over"),
        (lambda: ag.vmap(samples.step)(3.0), "a is gone over along axis 0, and is a float"),
        (lambda: ag.vmap(samples.row, 2)(ROWS), "v is gone over along axis 2, and is an array"),
        (lambda: ag.vmap(samples.row, (0, 1))(ROWS), "in_axes has 2 entries"),
        (lambda: ag.vmap(samples.scaled, 0, 5)(ROWS), "out_axes asks for axis 5"),
        (lambda: ag.vmap(samples.row, ({"a": 0},))(ROWS), "give an axis, None, or such"),
        (lambda: ag.vmap(lambda v: "a")(ROWS), "the function returns str 'a'"),
    ],
)
def test_what_cannot_be_batched_says_why(call, text):
    with pytest.raises((ag.ShapeError, ag.DtypeError), match=text):
        call()


def test_a_function_that_writes_outside_of_itself_is_refused():
    seen, total = [], ag.Variable(0.0)

    def append(a):
        seen.append(a)
        return a

    def add(a):
        total.assign_add(a)
        return a

    def write(v):
        v[0] = 1
        return v

    for function, given in ((append, NUMBERS), (add, NUMBERS), (write, ROWS)):
        with pytest.raises(ag.MutationError, match="the function writes"):
            ag.vmap(function)(given)
    assert seen == []


class _Counter:
    def __init__(self):
        self.count, self.last = 0, 0.0

    def square(self, x):
        self.count += 1
        self.last = x
        return x * x


def test_a_refusal_names_what_is_written_and_the_line():
    counter = _Counter()
    written = r"'self\.count' and 'self\.last'.*\n.*in square\n +self\.count \+= 1"
    with pytest.raises(ag.MutationError, match=written):
        ag.vmap(counter.square)(NUMBERS)
    with pytest.raises(ag.MutationError, match=r"the jacobian of .*square: the function writes"):
        ag.jacobian(counter.square)(np.ones(2))
    assert vars(counter) == {"count": 0, "last": 0.0}


def test_vmap_takes_a_function():
    with pytest.raises(TypeError, match="vmap takes a function"):
        ag.vmap(3)


def test_arguments_that_are_left_out_have_their_defaults():
    def line(x, slope=2.0, *, shift=1.0):
        return x * slope + shift

    np.testing.assert_array_equal(ag.vmap(line)(NUMBERS), NUMBERS * 2 + 1)
    np.testing.assert_array_equal(ag.vmap(line, (0,))(NUMBERS, shift=NUMBERS), NUMBERS * 3)


@pytest.mark.parametrize("function", [samples.newton_value, samples.shrunk_sum, samples.energy])
def test_batches_and_derivatives_go_together(function):
    given = NUMBERS if function is samples.newton_value else ROWS
    wanted = np.stack([*map(ag.grad(function), given)])
    np.testing.assert_allclose(ag.vmap(ag.grad(function))(given), wanted)
    np.testing.assert_allclose(ag.grad(lambda x: np.sum(ag.vmap(function)(x)))(given), wanted)
    _, along = ag.vmap(lambda x: ag.jvp(function, (x,), (x,)))(given)
    np.testing.assert_allclose(along, np.sum((wanted * given).reshape(4, -1), axis=1))


def test_integers_that_do_not_fit_are_refused():
    with pytest.raises(OverflowError, match="does not fit into 64 bits"):
        ag.vmap(samples.large)(NUMBERS)


def test_a_value_of_another_shape_for_each_element_is_refused():
    with pytest.raises(ag.ShapeError, match="cannot be stacked"):
        ag.vmap(lambda v: v[v > 1])(ROWS)


def test_a_shape_that_differs_inside_is_no_matter():
    found = ag.vmap(lambda v: np.sum(v[v > 1]))(ROWS)
    np.testing.assert_array_equal(found, [np.sum(v[v > 1]) for v in ROWS])


def test_random_numbers_are_those_of_a_loop():
    def noisy(x):
        return x + ag.random.uniform(size=2) * ag.random.normal()

    ag.random.seed(3)
    wanted = np.stack([noisy(x) for x in NUMBERS])
    ag.random.seed(3)
    np.testing.assert_array_equal(ag.vmap(noisy)(NUMBERS), wanted)


def test_a_variable_is_read_when_the_batch_runs():
    scale = ag.Variable(2.0)
    scaled = ag.vmap(lambda x: x * scale)
    np.testing.assert_array_equal(scaled(NUMBERS), NUMBERS * 2)
    scale.assign(3.0)
    np.testing.assert_array_equal(scaled(NUMBERS), NUMBERS * 3)


def test_a_loop_over_arrays_is_masked_and_one_over_numbers_runs_by_element():
    masked = str(ag.vmap(samples.shrink).graph(ROWS))
    assert "quiet=True" in masked
    assert "vmap of" not in masked
    assert "label='vmap of while_loop'" in str(ag.vmap(samples.newton).graph(NUMBERS))


def test_a_loop_does_not_run_for_elements_that_do_not_take_its_arm():
    check(samples.counted_down, np.array([2.0, -1.0, 3.0, 0.5 - 0.5]), ROWS)


def test_a_masked_loop_indexes_writes_and_checks_for_the_elements_that_go_on():
    rows = np.abs(ROWS)
    check(samples.take_greatest, rows, np.array([0.5, 9.0, 1.0, 100.0]))
    assert "vmap of" not in str(ag.vmap(samples.take_greatest, (0, None)).graph(rows, 1.0))
    with pytest.raises(AssertionError, match=r"0\.0 is left"):
        ag.vmap(samples.take_greatest)(rows * [[1], [1], [0], [1]], np.array([1.0, 1, -1, 1]))


def test_loops_with_stacked_results_are_batched():
    check(lambda v: ag.map(lambda a: a * 2, v), ROWS)
    check(lambda v: ag.scan(lambda c, a: (c + a, c * a), 0.0, v), ROWS)
    check(
        lambda v, w: ag.scan(lambda c, a: (c + a * v, c * w), v, w),
        ROWS,
        NUMBERS[:3],
        axes=(0, None),
    )


def test_switches_run_the_branch_of_each_element():
    branches = [lambda x: x, lambda x: x * 2, lambda x: -x]
    found = ag.vmap(lambda k, x: ag.switch(k, branches, x))(np.array([0, 1, 2, 9]), NUMBERS)
    np.testing.assert_array_equal(found, NUMBERS * [1, 2, -1, -1])


def test_integers_of_python_are_compared_as_they_are():
    check(samples.beside_bytes, NUMBERS, np.array([44, 250], np.uint8), axes=(0, None))
    check(samples.beside_large, NUMBERS, np.array([2**60, 2**60 + 1], np.uint64), axes=(0, None))
    check(samples.filled_bytes, -np.abs(NUMBERS))
    with pytest.raises(OverflowError):
        ag.vmap(samples.filled_bytes)(NUMBERS)


def test_a_handler_around_a_batch_catches_what_an_element_raises():
    @ag.function
    def picked(rows, places):
        try:
            return ag.vmap(lambda v, k: v[k])(rows, places)
        except IndexError:
            return np.full(4, -1.0)

    np.testing.assert_array_equal(
        picked(ROWS, np.array([0, 1, 2, 0])), ROWS[range(4), [0, 1, 2, 0]]
    )
    np.testing.assert_array_equal(picked(ROWS, np.array([0, 1, 7, 0])), [-1] * 4)


def test_an_explanation_is_of_one_element_and_says_what_is_a_loop_over_them():
    newton = str(ag.explain(ag.vmap(samples.newton), NUMBERS))
    assert "its condition is bool[]" in newton
    assert "no problems found" in newton
    found = ag.explain(ag.vmap(samples.told), ROWS).problems
    assert [x.message for x in found] == [
        "the whole function runs for one element of the batch after the other"
    ]
    searched = str(ag.explain(ag.vmap(samples.searched), ROWS))
    assert "searchsorted runs for one element of the batch after the other" in searched


def test_numbers_of_several_classes_are_stacked_in_the_dtype_that_holds_them():
    check(samples.one_or_other, np.float32([1, -2, 3]), np.array([5, 6, 7]))


def test_what_is_a_number_for_some_elements_only_is_refused():
    with pytest.raises(ag.DtypeError, match="returned None in place of a number"):
        ag.vmap(lambda a: None if a > 0 else 1.0)(NUMBERS)


class Point:
    def __init__(self, x, rest=None):
        self.x = x
        self.rest = rest


def moved(a, n):
    point = Point(a)
    for _ in range(n):
        point = Point(point.x * 1.5 + 0.1)
    return point.x


def linked(a, n):
    head = None
    for k in range(n):
        head = Point(a * k, head)
    s = 0.0
    while head is not None:
        s = s * 0.5 + np.sin(head.x)
        head = head.rest
    return s


def chosen(a, n):
    point = Point(a) if a > 0.3 else Point(-a * n)
    other = point
    other.x = other.x + 1.0
    return point.x * a


@pytest.mark.parametrize("function", [moved, linked, chosen])
def test_each_element_makes_objects_of_its_own(function):
    points, counts = np.array([0.1, 0.6, 1.2, -0.4]), np.array([3, 0, 9, 5])
    pairs = list(zip(points, counts, strict=True))
    np.testing.assert_allclose(
        ag.vmap(function)(points, counts), [function(a, n) for a, n in pairs]
    )
    slopes = [*starmap(ag.grad(function), pairs)]
    np.testing.assert_allclose(ag.vmap(ag.grad(function))(points, counts), slopes)
    found = ag.grad(lambda x: np.sum(ag.vmap(function)(x, counts)))(points)
    np.testing.assert_allclose(found, slopes)


def test_objects_that_leave_a_batch_and_those_outside_are_refused_by_name():
    points = np.array([0.5, -1.0])
    with pytest.raises(ag.DtypeError, match="returns an object of class Point, which it made"):
        ag.vmap(lambda a: Point(a) if a > 0 else Point(-a))(points)

    @ag.function
    def shared(a, points):
        point = Point(a) if a > 0 else Point(a * 2)

        def counted(b):
            point.x = point.x + 1.0
            return b * point.x

        return ag.vmap(counted)(points), point.x

    with pytest.raises(ag.MutationError, match="there are some outside of it, too"):
        shared(np.float64(0.5), points)


def test_lists_that_operators_make_are_the_functions_own():
    def sums(x, n):
        found = [0.0] * 3 + [1.0]
        for i in range(n):
            found[i % 3] += x[i] * found[i]
        return sum(found)

    x = np.arange(12.0).reshape(2, 6) / 5
    check(sums, x, np.int64(4), axes=(0, None))
