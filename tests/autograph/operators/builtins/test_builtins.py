"""The table of builtins: every row is what it says, on plain and on staged values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators
from autograph.operators.builtins.builtin_table import OVERLOADS, RULES
from runtime import trees
from runtime.dtypes import SHORT_NAMES
from runtime.graph.interpret import interpret
from tests.autograph.operators.builtins.builtin_samples import ARGUMENTS, F25, I5, XS, total_of
from tests.autograph.operators.builtins.builtin_samples import SAMPLES as BUILTINS
from tests.autograph.operators.iteration.iterator_samples import ITERATORS

SAMPLES = {
    name: [*BUILTINS.get(name, ()), *ITERATORS.get(name, ())] for name in BUILTINS | ITERATORS
}
ROWS = {rule.name: rule for rule in RULES}
SINGLE_NUMBERS = [
    rule.name
    for rule in RULES
    if rule.name.startswith("math.") and rule.function is not None and rule.name not in SAMPLES
]
ITERTOOLS = "accumulate chain takewhile islice pairwise product repeat count zip_longest"
LEAVING = {"exit", "quit", "sys.exit"}  # see test_exits
SPOKEN = {"format", "print", "repr", "str"}


def same(found: Any, expected: Any, exactly: bool = True) -> bool:
    found, structure = trees.flatten(found)
    expected, expected_structure = trees.flatten(expected)
    assert repr(structure) == repr(expected_structure)
    return all(_same_leaf(*pair, exactly) for pair in zip(found, expected, strict=True))


def _same_leaf(found: Any, expected: Any, exactly: bool) -> bool:
    if exactly and type(found) is not type(expected):
        return False
    if isinstance(expected, np.ndarray | np.generic | float):
        return bool(np.array_equal(found, expected, equal_nan=True))
    return bool(found == expected)


@pytest.mark.parametrize(
    ("name", "call", "arguments"),
    [
        pytest.param(name, *sample, id=f"{name}-{k}")
        for name, samples in SAMPLES.items()
        for k, sample in enumerate(samples)
    ],
)
def test_a_builtin_gives_the_same_plain_converted_and_staged(name, call, arguments):
    # What is chosen among numbers of several kinds has the kind that holds them all.
    exactly = name not in ("max", "min")
    expected = call(*arguments)
    assert same(conversion.convert(call, operators)(*arguments), expected)
    staged = ag.function(call)
    for _ in range(2):
        assert same(staged(*arguments), expected, exactly)
    concrete = staged.get_concrete_function(*arguments)
    assert same(
        interpret(concrete.executable.plan.graph, arguments, np),
        interpret(concrete.traced_graph, arguments, np),
    )


@pytest.mark.parametrize("name", SINGLE_NUMBERS)
def test_functions_of_math_give_the_very_numbers_that_math_gives(name):
    function = ROWS[name].function
    if name == "math.sumprod":
        arguments: Any = (XS, XS + 1)
    else:
        kinds = {float: np.float64, int: np.int64}
        arguments = [kinds[type(x)](x) for x in ARGUMENTS.get(name[5:], (0.5,))]
    found, expected = ag.function(lambda *xs: function(*xs))(*arguments), function(*arguments)
    assert same(found, expected)


def test_every_builtin_of_the_table_and_every_function_of_math_has_a_row_and_samples():
    maths = {f"math.{name}" for name, x in vars(math).items() if callable(x) and name[0] != "_"}
    assert maths <= set(ROWS)
    asked = """abs all any bool divmod enumerate filter float int len list map max min next pow
        print range reversed round sorted sum tuple zip isinstance hasattr getattr type id repr
        str format complex set dict iter hash callable slice"""
    assert set(asked.split()) <= set(ROWS)
    refused = {name for name, rule in ROWS.items() if rule.kind == "refused"}
    assert refused == {"frozenset", "hash", "id"}
    assert {f"itertools.{name}" for name in ITERTOOLS.split()} <= set(ROWS)
    unsampled = {name for name in ROWS if not name.startswith("math.")} - set(SAMPLES)
    assert unsampled == refused | SPOKEN | LEAVING


def test_overloads_are_made_of_the_rows_and_of_types():
    rows = {rule.function for rule in RULES if rule.overload is not None} - {None}
    others = set(SCALAR_TYPES) | {ag.hint, setattr, delattr}
    assert set(OVERLOADS) == rows | others


SCALAR_TYPES = [np.dtype(name).type for name in SHORT_NAMES]


@pytest.mark.parametrize("kind", SCALAR_TYPES)
def test_types_of_numpy_scalars_convert_staged_numbers_and_arrays(kind):
    def f(x, xs):
        return kind(x), kind(x * 2) + 1, kind(xs)

    for found, expected in zip(ag.function(f)(I5, XS), f(I5, XS), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_a_number_is_looked_for_among_staged_ones():
    def f(x):
        return 5 in (1, x), 4 in [x], 4 not in (x, 4)

    assert ag.function(f)(I5) == f(I5) == (True, False, False)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (lambda x: max(x), (XS[:0],)),
        (lambda x: min(x, key=abs), (XS[:0],)),
        (lambda x: divmod(int(x), 0), (I5,)),
        (lambda x: divmod(float(x), 0), (I5,)),
        (lambda x: int(x), (np.float64("nan"),)),
        (lambda x: int(x), (np.float64("inf"),)),
        (lambda x: int(x, 10), (I5,)),
        (lambda x: round(x), (np.float64("inf"),)),
        (lambda x: len(x), (F25,)),
        (lambda x: list(x), (F25,)),
        (lambda x: list(int(x)), (F25,)),
        (lambda x: getattr(x, "nothing"), (XS,)),  # noqa: B009
        (lambda x: hash(x), (XS,)),
        (lambda x: list(zip(x, x[:2], strict=True)), (XS,)),
        (lambda n: total_of(range(0, 5, n - 5)), (I5,)),
        (lambda x: math.sqrt(x), (-F25,)),
        (lambda x: math.log(x), (np.float64(0),)),
        (lambda x: math.exp(x), (np.float64(1000),)),
        (lambda x: math.factorial(x), (F25,)),
        (lambda x: math.gamma(x), (np.float64(0),)),
        (lambda x: math.isclose(x, 1, rel_tol=-1), (F25,)),
        (lambda x: bool(x), (XS,)),
        (lambda x: next(iter(x)), (XS[:0],)),
    ],
)
def test_staged_values_raise_the_errors_of_python_with_their_texts(call, arguments):
    with pytest.raises(Exception) as expected:  # noqa: PT011  (whatever Python raises)
        call(*arguments)
    with pytest.raises(expected.type) as found:
        ag.function(call)(*arguments)
    assert str(found.value) == str(expected.value)


OPEN = [ag.TensorSpec([None])]


def needs_length(function: Any) -> Any:
    return ag.function(function, input_signature=OPEN)


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        (lambda x: sorted([x, x]), (XS,), r"ambiguous.*sorted\(\) compares the rows.*np.sort\(x\)"),
        (
            lambda x: max(x),
            (np.ones((2, 2)),),
            r"ambiguous.*max\(\) compares the rows.*np.max\(x\)",
        ),
        (lambda x: max(x, x + 1), (XS,), r"ambiguous.*For arrays write np.maximum\(a, b\)"),
        (lambda x: any(x), (np.ones((2, 2)),), r"ambiguous.*the truth of each row.*np.any\(x\)"),
        (lambda x: math.sin(x), (XS,), r"math.sin\(\) takes one number; for arrays use np.sin\(\)"),
        (lambda x: math.erf(x), (XS,), r"math.erf\(\) takes one number; index the array"),
        (lambda x: math.modf(x), (XS,), r"math.modf\(\) takes one number; for arrays use np.modf"),
        (lambda x: math.prod(x), (np.ones((2, 2)),), r"write np.prod\(x, axis=0\)"),
        (lambda x: int(x), (XS,), r"can be converted.*this is f64\[3\]; write x.astype\(int\)"),
        (lambda x: round(x), (XS,), r"numpy.ndarray doesn't define __round__.*np.round\(x, digits"),
        (lambda x: pow(x, 2, 3), (I5,), r"pow\(\): 'numpy.int64', 'int', 'int'; write pow\(int"),
        (lambda x: set(x, x), (XS,), "set expected at most 1 argument, got 2"),
        (lambda x: frozenset(x), (XS,), r"frozenset\(\) of a staged array.*write set\(x\), or np"),
        (lambda x: hash(x), (I5,), r"hash\(\) of a staged value.*use a number that is known"),
        (lambda x: id(x), (I5,), r"id\(\) of a staged value.*write `x is y`"),
        (lambda x: getattr(x, "strides"), (XS,), r"attribute 'strides' of a staged value"),  # noqa: B009
        (lambda x: total_of(x), (F25,), r"needs an array with at least one dimension, not f64"),
        (lambda x: total_of(range(x)), (F25,), r"'numpy.float64' object cannot be interpreted"),
        (lambda n: hash(range(n)), (I5,), r"range\(\) with staged bounds has a hash only when"),
        (lambda n: range(9)[::n], (I5,), r"has a slice with a staged step only when.*np.arange"),
        (
            lambda n: np.array(range(n - n)),
            (I5,),
            r"has no elements, and NumPy makes an array of fl",
        ),
    ],
)
def test_what_has_no_staged_meaning_is_refused(call, arguments, message):
    with pytest.raises((TypeError, ValueError, AttributeError), match=message):
        ag.function(call)(*arguments)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_elements_of_ranges_with_staged_bounds_are_those_of_python(n: int) -> None:
    def asked(n: Any, k: Any) -> Any:
        r = range(2, n, 2)
        first = r[0] if len(r) > 0 else -1
        last = r[-1] if len(r) > 0 else -1
        return first, last, range(n)[k] if k < n else 0, k in range(n), 2.5 in range(n), len(r)

    for k in (0, 4):
        given = np.int64(n), np.int64(k)
        assert repr(ag.function(asked)(*given)) == repr(asked(*given))
    with pytest.raises(IndexError, match="range object index out of range"):
        ag.function(lambda n: range(n)[9])(np.int64(n))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: list(zip(x, "ab")), r"neither an array, a range nor a list of numbers"),  # noqa: B905
    ],
)
def test_what_needs_a_length_says_so_when_it_is_not_known(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        needs_length(call)(XS)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: len(x),
        lambda x: (*x, 1.0),
        lambda x: sum(x),
        lambda x: max(x),
        lambda x: max(x, default=3.0),
        lambda x: min(x, key=abs),
        lambda x: any(x > 2),
        lambda x: all(x > -9),
        lambda x: list(x),
        lambda x: [*x, 1.0],
        lambda x: list(range(len(x))),
    ],
)
def test_arrays_of_unknown_length_give_what_python_gives(call):
    staged = needs_length(call)
    for x in (XS, XS[:1]):
        assert staged(x) == call(x)
    assert staged.trace_count == 1


def test_the_maximum_of_no_items_raises_when_the_graph_runs():
    staged = needs_length(lambda x: max(x))
    with pytest.raises(ValueError, match="max"):
        staged(XS[:0])
    assert staged(XS) == 3
    assert needs_length(lambda x: max(x, default=7.0))(XS[:0]) == 7


def test_zip_strict_compares_lengths_when_the_graph_runs():
    def f(x, y):
        total = 0.0
        for a, b in zip(x, y, strict=True):
            total += a * b
        return total

    staged = ag.function(f, input_signature=OPEN * 2)
    assert staged(XS, XS) == f(XS, XS)
    for x, y in ((XS, XS[1:]), (XS[1:], XS)):
        with pytest.raises(ValueError, match="zip") as expected:
            f(x, y)
        with pytest.raises(ValueError, match="zip") as found:
            staged(x, y)
        assert str(found.value) == str(expected.value)


def test_what_gives_its_items_once_has_none_for_a_second_loop():
    def twice(x):
        pairs = zip(x, x)  # noqa: B905
        total = 0.0
        for a, b in pairs:
            total = total + a * b
        for a, b in pairs:
            total = total + a * b
        return total

    assert ag.function(twice)(XS) == twice(XS)


def test_a_loop_goes_on_where_next_ended():
    def f(x):
        pairs = enumerate(x)
        next(pairs)
        total = 0.0
        for k, v in pairs:
            total = total * 10 + k * v
        return total

    assert ag.function(f)(XS) == f(XS)


@pytest.mark.parametrize("other", [range(1, 9, 3), [2, 3], (0.5, 1.5, 2.5), np.array([2, 3, 4])])
def test_zip_keeps_the_kinds_of_what_is_known(other):
    def f(xs, n):
        total = xs[0]
        for x, y in zip(xs, other):  # noqa: B905  (as people write it)
            total = total + x * y
        for i, y in zip(range(n), other):  # noqa: B905  (as people write it)
            total = total + i * y
        return total

    xs = np.array([1, 2.5, 4], np.float32)
    found, expected = ag.function(f)(xs, np.int64(2)), f(xs, 2)
    assert found == expected
    assert found.dtype == expected.dtype


MADE = {
    "arange": (lambda x, n: np.arange(n), (XS, I5)),
    "array": (lambda x, n: np.array([x, x + n]), (XS, I5)),
    "asarray": (lambda x, n: np.asarray([n, 1]), (XS, I5)),
    "copy": (lambda x, n: np.copy(x), (XS, I5)),
    "empty_like": (lambda x, n: np.empty_like(x) * 0, (XS, I5)),
    "eye": (lambda x, n: np.eye(2), (XS, I5)),
    "full": (lambda x, n: np.full(3, n), (XS, I5)),
    "full_like": (lambda x, n: np.full_like(x, n), (XS, I5)),
    "linspace": (lambda x, n: np.linspace(0.0, n, 4), (XS, I5)),
    "meshgrid": (lambda x, n: np.meshgrid(x, x)[1], (XS, I5)),
    "ones": (lambda x, n: np.ones(n), (XS, I5)),
    "ones_like": (lambda x, n: np.ones_like(x), (XS, I5)),
    "zeros": (lambda x, n: np.zeros((n, 2), np.int32), (XS, I5)),
    "zeros_like": (lambda x, n: np.zeros_like(x, dtype=np.int8), (XS, I5)),
}


@pytest.mark.parametrize("name", MADE)
def test_array_constructors_take_staged_values(name):
    call, arguments = MADE[name]
    found, expected = ag.function(call)(*arguments), call(*arguments)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_functions_of_math_compute_in_double_precision():
    def f(x):
        return math.sin(x) + math.sqrt(abs(x))

    for x in (np.float32(4.25), np.int64(7), np.float64(1e300), np.float16(0.1)):
        assert ag.function(f)(x) == f(x)


def test_next_takes_one_item_of_what_has_an_unknown_length():
    first = needs_length(lambda x: next(enumerate(x), None))
    assert first(XS) == (0, XS[0])
    assert first(XS[:0]) is None


@pytest.mark.parametrize("a", [np.int64(2), np.float64(2.5), 3, 2.5])
def test_numbers_of_several_classes_are_put_in_order(a: Any) -> None:
    def ordered(x: Any, a: Any) -> Any:
        y = 0
        if x > 2:
            y = a
        rows = [(y, x), (int(x), 1.5)]
        return sorted([y, 2, x, 2.0], reverse=True), sorted(rows), max(rows), min([y, 1.5])

    staged = ag.function(ordered)
    for x in (np.float64(2.0), np.float64(3.0)):
        assert same(staged(x, a), ordered(x, a))
