"""Where what is made of ops could differ from NumPy: classes, dtypes, layouts, errors, warnings."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import StagedValueError
from tests.numpy_surface.judging import EQUAL, judge, same

CALLS = (
    "np.fmax.outer(w, 2)",
    "np.gcd.outer(np.uint8(3) * b, 2)",
    "np.logaddexp.accumulate(w, 1, out=np.zeros((2, 3)))",
    "np.multiply.accumulate(s)",
    "(x == 'a', x != 'a')",
    "m.item((0, 1))",
    "b.conjugate()",
    "np.array(2 * float(s), np.int32)",
    "np.ascontiguousarray(s)",
    "np.isposinf(c)",
    "[np.interp(a, [0, 1, 2], [5, 6, 8], left=1, right=s) for a in (s, np.array(s), [1, s])]",
    "np.mod(i, i, (i,))",
    "(np.cumsum(s, 0)[::-1], np.nancumprod(s, axis=-1).shape)",
    "(np.full_like(i, 1j, dtype=float), np.full(3, np.complex64(2j), int) + s)",
    "np.linalg.svdvals(x)",
    "np.compress(m > 0, x)",
    "np.put(x, b, y) or x",
    "np.indices(w[0, :2])",
    "np.intersect1d(i, [1.0, 2.0])",
    "np.ediff1d(w, to_end=[1, 2])",
    "np.cov(x[:0], y[:0])",
    "np.delete(s, 1)",
    "np.vander(c, 5)",
    "x[0:s]",
    "np.copyto(x, y, where=i) or x",
    "x + np.log(np.zeros(5))",
    "np.c_[[s, 1], [2, 3]], np.r_[[s], 1:3]",
    "np.fft.fftn(s)",
    "np.fft.rfftn(s)",
    "np.ediff1d(b)",
    "np.ix_(m)",
    "np.putmask(w, w > 1, np.ones((2, 3)))",
    "np.outer(c[:1] * 1e200, c[:1] * 1e200)",
    "np.digitize(c, [0, 1])",
    "(s.argsort()[::-1], np.argpartition(s, 1)[:1])",
    "(b.astype(np.uint8).clip(-1), np.clip(i.astype(np.int8), -300, 2))",
    "np.array(['1', 'a' * len(x)]).astype(float)",
    "[np.linalg.matrix_power(m[:2].astype(np.float32)[:, :2], k) for k in range(-3, 13)]",
    "np.linalg.norm([m.T, m.T[::-1]], axis=(1, 2))",
    "[np.eye(3, dtype='>f8'), x.astype('>f4').tobytes(), np.array([s, 2], np.dtype('>i4'))]",
    "(np.float32([x, y]), np.int8([[s, 1], [n, 2]]), np.float64(), np.float32(x.astype('g')))",
    "np.ma.masked_less(x, 2).baseclass",
    "(x[range(2)], m[range(3), range(3)])",
    "[np.unravel_index(z, (2, 3)) for z in (i.astype(np.int8), np.int8(3) + np.int8(b[0]), s > 0)]",
)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_as_plain_numpys(call: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert judge(call) == EQUAL


WRONG = (
    lambda x: np.fft.ifftshift(x, (0, 1)),
    lambda x: np.fft.fft(x, axis=1),
    lambda x: np.cov(x, ddof=0.4),
    lambda x: np.fft.fftn(x, axes=(1,)),
    lambda x: np.pad(x, 1, "anyhow"),
    lambda x: np.tile(x, -1),
    lambda x: np.interp(x, x[1:], x),
    lambda x: np.interp(x, x[None], x[None]),
    lambda x: np.take(x, [0, 2], mode="anyhow"),
    lambda x: np.gradient(x, axis=1),
    lambda x: np.trapezoid(x, axis=1),
    lambda x: np.trapezoid(x, np.stack([x, x]), axis=2),
    lambda x: np.cumulative_sum(x, axis=1),
    lambda x: np.cumulative_prod(x, axis=-2, include_initial=True),
    lambda x: np.average(x, axis=1, weights=x),
)


def _tried(function: Any, x: Any) -> Any:
    try:
        return function(x)
    except (ValueError, IndexError):
        return "caught"


@pytest.mark.parametrize("function", WRONG)
def test_axes_sizes_and_modes_that_numpy_does_not_take_are_caught(function: Any) -> None:
    x = np.arange(3.0)
    assert ag.function(_tried)(function, x) == _tried(function, x) == "caught"


def test_a_text_in_an_outer_product_is_no_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="did not contain a loop"):
        ag.function(lambda x: np.maximum.outer("a", x))(np.arange(3.0))


def _written(x: Any) -> Any:
    y = x.conj()
    y[0] = 7
    return x


def test_what_is_real_is_its_own_conjugate() -> None:
    assert ag.function(_written)(np.arange(2.0)).tolist() == [7.0, 1.0]


@pytest.mark.parametrize("method", ["copy", "transpose"])
def test_a_copy_lies_in_rows(method: str) -> None:
    function = ag.function(lambda m: getattr(m.T, method)())
    plain = np.ones((2, 3))
    assert function(plain).strides == getattr(plain.T, method)().strides


@pytest.mark.parametrize("of", [lambda z: z * 1, lambda z: z - 0, lambda z: z & z, lambda z: z | 0])
def test_arithmetic_makes_a_number_of_an_array_without_axes(of: Any) -> None:
    assert type(ag.function(of)(np.array(3))) is np.int64


def _summed(x: Any) -> Any:
    total = 0.0
    for v in np.nditer(x):
        total = 2 * total + v
    return total


def _placed(x: Any, y: Any) -> Any:
    found = []
    it = np.nditer([x, y], flags=["multi_index"])
    while not it.finished:
        found.append((it.multi_index, it[0] * it[1]))
        it.iternext()
    return found


def _doubled(x: Any) -> Any:
    with np.nditer(x, op_flags=["readwrite"]) as it:
        for v in it:
            v[...] = 2 * v
    return x


@pytest.mark.parametrize("order", ["C", "F"])
def test_nditer_takes_the_elements_as_they_lie_in_memory(order: Any) -> None:
    x, row = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    args = [np.asarray(x, order=order), np.asarray(x[::-1], order=order)[:, ::2]]
    assert [ag.function(_summed)(a) for a in args] == [_summed(a) for a in args]
    assert repr(ag.function(_placed)(args[0], row)) == repr(_placed(args[0], row))
    assert same(ag.function(_doubled)(args[0].copy(order)), _doubled(args[0].copy(order)))


def test_fromiter_takes_what_a_generator_gives() -> None:
    staged = ag.function(lambda x: np.fromiter((v * 2.5 for v in x), int, count=2))
    assert staged(np.arange(3.0)).tolist() == [0, 2]


def _printed(x: Any) -> Any:
    with np.printoptions(precision=2):
        text = np.array2string(x / 3)
    return text, np.array_repr(x / 3)


def _printed_in_a_text(x: Any) -> Any:
    with np.printoptions(precision=2):
        return f"{x / 3}"


def test_print_options_that_are_set_in_a_function_hold_when_the_graph_runs() -> None:
    staged = ag.function(_printed)
    for x in (np.arange(3.0), np.arange(3.0) + 1):
        assert staged(x) == _printed(x)
    with pytest.raises(StagedValueError, match="print options of the call"):
        ag.function(_printed_in_a_text)(np.arange(3.0))


def _flat_is_written(x: Any) -> Any:
    it = x.flat
    first, index = next(it), it.index
    x.flat = [5, 6]
    x.T.flat[1] = 9
    return first, index, it.coords


def _records_are_made(x: Any) -> Any:
    rows = np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
    rows["b"] = x
    rows["a"][0] = 7
    return rows


def test_what_is_flat_is_written_in_order() -> None:
    plain, x = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)
    assert same(ag.function(_flat_is_written)(x), _flat_is_written(plain))
    assert same(x, plain)


def test_records_that_are_made_in_a_function_are_made_at_each_call() -> None:
    staged = ag.function(_records_are_made)
    for x in (np.arange(3.0), np.arange(3.0) + 1):
        assert staged(x).tolist() == _records_are_made(x).tolist()


def _told(function: Any, x: Any) -> Any:
    """Return what a function gives, or which class of errors it raises, and what it leaves."""
    try:
        found = function(x)
    except Exception as error:
        public = ("builtins", "numpy.linalg", "numpy.exceptions")
        found = next(kind for kind in type(error).__mro__ if kind.__module__ in public)
    return found, x


FEW = (np.array(2.5), np.float64(2.5), np.array([2.5]), np.zeros(0), np.array([[2.5]]))


@pytest.mark.parametrize(
    "function",
    [
        np.flip,
        lambda x: np.flip(x, ()),
        np.fliplr,
        np.rot90,
        np.matrix_transpose,
        np.unstack,
        lambda x: np.nan_to_num(x, copy=False),
        lambda x: np.nan_to_num([x], copy=False),
        lambda x: np.diff(x, 0),
        lambda x: np.cumsum(x, out=np.zeros(5)),
        lambda x: np.add.accumulate(x, out=np.zeros(5)),
        lambda x: np.linalg.outer(x, x),
        lambda x: np.linalg.matrix_power(x, 2),
        lambda x: np.copyto(x, x),
        lambda x: np.putmask(x, True, 5),
        lambda x: np.putmask(x, x > 0, np.array([[1.0], [2.0]])),
        lambda x: np.polyval(x, np.array([-0.0, True])),
        lambda x: x == None,  # noqa: E711
        lambda x: [0, 1] * x,
        lambda x: (float(x), 1)[1],
    ],
)
def test_few_elements_are_as_plain_numpys(function: Any) -> None:
    staged = ag.function(function)
    for x in FEW:
        expected, actual = _told(function, np.copy(x)[()] if np.isscalar(x) else x.copy()), None
        actual = _told(staged, np.copy(x)[()] if np.isscalar(x) else x.copy())
        assert same(expected, actual), (x, expected, actual)


def _seeded(x: Any) -> Any:
    if x[0] > 0:
        np.random.seed(4)
    return np.random.ranf(2) + x[0], np.random.sample()


def test_a_seed_that_is_known_is_set_when_the_graph_runs() -> None:
    staged = ag.function(_seeded)
    for x in (np.zeros(1), np.ones(1), np.zeros(1), np.ones(1)):
        np.random.seed(7)
        expected, state = _seeded(x), repr(np.random.get_state())
        np.random.seed(7)
        assert same(expected, staged(x))
        assert repr(np.random.get_state()) == state


def _written_copies(s: Any) -> Any:
    one, two, row = np.atleast_1d(s), np.atleast_2d(s), s.reshape(1)
    one[0], row[0] = 5, 7
    two += 1
    return one, two, row, s


def _written_object(x: Any) -> Any:
    found = np.emath.sqrt(x)
    found[...] = 1
    return found


def test_what_is_made_of_a_number_is_written_apart_from_it() -> None:
    staged = ag.function(_written_copies)
    assert same(_written_copies(np.float64(2)), staged(np.float64(2)))


def test_an_object_is_written_as_a_whole() -> None:
    staged = ag.function(_written_object)
    for x in (np.arange(3.0), np.arange(3.0) - 2):
        assert same(_written_object(x), staged(x))


def _written_view(x: Any) -> Any:
    seen = x.view()
    seen[0] = -3
    x[1] = 5
    return seen * 2, x, x.view(np.int64), seen.view(np.ndarray)[1:]


def test_a_view_of_all_is_the_array_by_another_name() -> None:
    staged = ag.function(_written_view)
    assert same(_written_view(np.arange(4.0)), staged(np.arange(4.0)))


def _lies(x: Any) -> Any:
    flags = x.flags
    in_rows = 1 if flags.c_contiguous else 0
    return in_rows, flags.f_contiguous, flags["WRITEABLE"], x.flags.owndata


def test_views_without_axes_lie_in_their_array() -> None:
    def views(a: Any) -> Any:
        return a[...], a.T, np.squeeze(a), a.view(), a.real, np.atleast_1d(a)

    a = np.array(1.5)
    found = ag.function(views)(a)
    a[()] = 2.0
    assert same(found, views(a))


def test_flags_tell_how_the_argument_lies() -> None:
    staged, x = ag.function(_lies), np.arange(6.0).reshape(2, 3)
    locked = x.copy()
    locked.flags.writeable = False
    for given in (x, x.T, x[:, ::2], x[::-1], locked, x.copy()):
        assert staged(given) == _lies(given)


def _shuffled(x: Any) -> Any:
    known, mixed, grown = list(range(len(x))), [(1, x[0]), (2, x[1]), (3, 5.0)], []
    for v in x:
        if v > 1:
            grown.append(v)
    for items in (known, mixed, grown):
        random.shuffle(items)
    return [x[k] for k in known], mixed, grown, random.random()


def _resized(x: Any) -> Any:
    y = x.copy()
    y.resize(len(x))
    return y


def test_lists_are_shuffled_by_pythons_own_draws() -> None:
    staged = ag.function(_shuffled)
    for x in (np.arange(4.0), np.arange(4.0) + 1):
        outcomes = []
        for function in (_shuffled, staged):
            random.seed(3)
            outcomes.append((function(x), random.random()))
        assert same(*outcomes)


def test_resizing_to_another_size_is_refused_and_not_an_error_of_numpys() -> None:
    assert ag.function(_resized)(np.arange(3.0)).tolist() == [0, 1, 2]
    with pytest.raises(StagedValueError, match="changes the shape of an array in place"):
        ag.function(lambda x: x.copy().resize(7))(np.arange(3.0))


def _dates_in_a_list(x: Any) -> Any:
    found = []
    for date in x:
        found.append(date + 1)
    return found


def test_objects_in_a_list_that_a_loop_changes_are_refused_by_name() -> None:
    dates = np.array(["2020-01-01", "NaT"], "M8[D]")
    with pytest.raises(ag.MutationError, match=r"'found'.* is or holds <staged datetime64>"):
        ag.function(_dates_in_a_list)(dates)


@pytest.mark.parametrize("value", [[], [0], (0, 1), [[False]]])
def test_one_truth_value_is_the_truth_of_a_list(value: Any) -> None:
    def assign(x: Any, k: Any) -> Any:
        x[k] = value
        x[-1] = value
        y = x.reshape(2, 2)
        y[k, 0] = value
        return y

    for k in map(np.int64, (0, 1)):
        x, other = np.array([True, False, True, False]), np.array([True, False, True, False])
        assert ag.function(assign)(x, k).tolist() == assign(other, k).tolist()
        assert x.tolist() == other.tolist()
