"""What a staged function returns has the class that plain Python gives it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def check_same(f: Callable[..., Any], *args: Any) -> None:
    """Compare what a function returns, its class included, with what plain Python returns."""
    expected, found = f(*args), ag.function(f)(*args)
    assert (type(found), repr(found)) == (type(expected), repr(expected))


def is_in_tuple(x: Any) -> Any:
    return x in (1, 2)


def is_not_in_tuple(x: Any) -> Any:
    return x not in (1, 2)


def is_in_list_with_itself(x: Any) -> Any:
    return x in [5, x]


def is_in_array(x: Any) -> Any:
    return x in np.array([1, 2])


def is_between(x: Any) -> Any:
    return 0 < x < 3


@pytest.mark.parametrize("x", [np.int64(1), np.int64(2), np.int64(7), np.float32(2)])
@pytest.mark.parametrize(
    "f",
    [is_in_tuple, is_not_in_tuple, is_in_list_with_itself, is_in_array, is_between],
    ids=lambda f: f.__name__,
)
def test_membership_and_chains_of_comparisons_give_the_class_of_python(
    f: Callable[..., Any], x: Any
) -> None:
    check_same(f, x)


def or_true(a: Any, c: Any) -> Any:
    return a or True


def and_zero(a: Any, c: Any) -> Any:
    return a and 0


def and_other(a: Any, c: Any) -> Any:
    return a and c


def chosen(a: Any, c: Any) -> Any:
    y = 0
    if c:
        y = a
    return y


def divides(a: Any, c: Any) -> Any:
    y = 0
    if c:
        y = a
    return 10 // y


def divides_by_half(a: Any, c: Any) -> Any:
    y = 0.5 if c else a
    return (1 / (y - 0.5), y * 3, np.sqrt(y), -y, y == 0)


def name_of_its_class(a: Any, c: Any) -> Any:
    y = 0
    if c:
        y = a
    return type(y).__name__


def is_int(a: Any, c: Any) -> Any:
    y = 0
    if c:
        y = a
    return "int" if isinstance(y, int) else "other"


def returned_early(a: Any, c: Any) -> Any:
    if c:
        return 1
    return a


def parts(a: Any, c: Any) -> Any:
    if c:
        return 0.0, a
    return np.float64(2) * a, a


def truth(a: Any, c: Any) -> Any:
    return True if c else a > 0


def chosen_twice(a: Any, c: Any) -> Any:
    y = a if c else 1
    z = y if a > 0 else 0.5
    return z, z + y


def widths(a: Any, c: Any) -> Any:
    y = np.float32(0.1) if c else a
    return y, y < 0.1, f"{y}"


def largest_rise(a: Any, c: Any) -> Any:
    low, best = a, 0
    for v in [a + 1, a, a * 2]:
        if v < low:
            low = v
        elif v - low > best:
            best = v - low
    return best


def unused(a: Any, c: Any) -> Any:
    y = 0
    if c:
        y = a
    return np.arange(3.0) * y


CHOSEN = [
    or_true,
    and_zero,
    and_other,
    chosen,
    divides,
    divides_by_half,
    name_of_its_class,
    is_int,
    returned_early,
    parts,
    truth,
    chosen_twice,
    widths,
    largest_rise,
    unused,
]


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """Return what a function returns or raises, and of what it warns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = f(*args)
        except ArithmeticError as error:
            found = error
    return type(found), repr(found), [str(x.message) for x in caught]


@pytest.mark.parametrize("c", [np.bool_(True), np.bool_(False)])
@pytest.mark.parametrize(
    "a", [np.int64(0), np.int64(-3), np.float64(0.5), np.float32(2), np.int8(100), True, 7, 0.0]
)
@pytest.mark.parametrize("f", CHOSEN, ids=lambda f: f.__name__)
def test_what_a_branch_chose_goes_on_as_the_class_that_it_has(
    f: Callable[..., Any], a: Any, c: Any
) -> None:
    staged = ag.function(f)
    assert outcome(staged, a, c) == outcome(f, a, c)


def test_a_class_that_nobody_asks_for_is_not_in_the_graph() -> None:
    graph = ag.function(unused).get_concrete_function(np.int64(2), np.bool_(True)).graph
    (branch,) = (line for line in str(graph).splitlines() if "cond(" in line)
    assert len(branch.split("=")[0].split(",")) == 1


def parts_of_python_numbers(x: Any) -> Any:
    y, z = 1 if x > 0 else 2.5, complex(x, 1)
    found = y.real, y.imag, y.conjugate(), z.real, z.imag, z.conjugate(), (not x).real, int(x).imag
    return list(map(type, found)), found


def is_scalar(x: Any) -> Any:
    return (
        np.isscalar(x),
        np.isscalar(np.array(x)),
        np.isscalar(int(x)),
        np.isscalar(np.ones(2) * x),
    )


@pytest.mark.parametrize("x", [np.float64(2.0), np.float64(-1.0)])
@pytest.mark.parametrize("f", [parts_of_python_numbers, is_scalar], ids=lambda f: f.__name__)
def test_parts_of_numbers_are_of_their_class(f: Callable[..., Any], x: Any) -> None:
    check_same(f, x)


def raised(x: Any, n: Any) -> Any:
    s = 0
    try:
        if x > 0:
            s = n
        if x < 2:
            raise KeyError(s)
    except KeyError as error:
        return s + 1, error.args
    return s


@pytest.mark.parametrize("x", [np.int64(-1), np.int64(1), np.int64(2)])
def test_handlers_see_the_class_of_what_a_branch_chose(x: Any) -> None:
    check_same(raised, x, np.int64(5))
    check_same(raised, x, 2.5)


def complex_of_python_first(x: Any, n: Any) -> Any:
    z = complex(x, 1)
    out = [1j * x, x * 1j, z - x, z / x, z**x]
    for k in range(n):
        z += x
        out.append(z * k)
        out.append(x * z)
    return out, [1j + q for q in out[:2]]


@pytest.mark.parametrize("x", [np.float64(2.0), np.float32(2.0), np.int64(2), 2.0])
def test_complex_numbers_of_python_take_a_float64_as_a_float(x: Any) -> None:
    check_same(complex_of_python_first, x, np.int64(2))


def complex_given_to_numpy(x: Any) -> Any:
    z = np.array(x)
    return np.multiply(1j, x), np.add(1j, x), np.divide(1j, x), 1j * z, np.subtract(x, 1j)


@pytest.mark.parametrize("x", [np.float64(2.0), np.float32(2.0), np.int64(2), 2.0])
def test_numpys_functions_give_numpys_complex_numbers(x: Any) -> None:
    check_same(complex_given_to_numpy, x)


def rounded(x: Any, p: Any) -> Any:
    y = x if x > 0 else 0
    try:
        power = pow(y, 2, 5)
    except TypeError:  # of NumPy's numbers, and of floats
        power = "refused"
    return round(y, 1), round(p if x > 1 else 1, -1), divmod(y, 2), power


@pytest.mark.parametrize("x", [np.int64(3), np.int64(-1), np.float64(2.25), np.float64(-0.5)])
def test_builtins_that_ask_for_a_class_are_called_with_each(x: Any) -> None:
    check_same(rounded, x, 25)
    check_same(rounded, x, 2.5)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (1j == x, x == 1j, 1j != x, complex(x) == x, complex(x) == np.float64(2)),  # noqa: SIM300
        lambda x: [(z == x, z != x, x == z, z == x == z) for z in (1j, 2 + 0j)],
        lambda x: ([x] == [1.0], (x, 1) == (1.0, 1), {"a": x} != {"a": 1.0}),
        lambda x: (x == "ab", x != "ab", np.array(x) == "ab", x.dtype),
        lambda x: (max(x, np.float32(1)).dtype, x + max(np.float32(1), np.int64(3))),
    ],
)
def test_comparisons_and_dtypes_are_those_of_the_operands(f: Callable[..., Any]) -> None:
    for x in (np.float64(2), np.int64(2)):
        check_same(f, x)


@pytest.mark.parametrize(
    "f",
    [lambda x: 1 / (x - x), lambda x: 1j / (x - x), lambda x: 1 // float(x - x), lambda x: x % 0],
)
def test_a_division_by_zero_has_the_text_of_its_numbers(f: Callable[..., Any]) -> None:
    def text(x: Any) -> Any:
        try:
            return f(float(x))
        except ZeroDivisionError as error:
            return str(error)

    check_same(text, np.float64(2))
