"""What Python calls on objects of the user's classes is converted like any other call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators
from tests.autograph.operators.objects import special_samples as samples


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """Return what a call gives, with all classes in it, or what it raises."""
    try:
        return shown(function(*args))
    except Exception as error:  # whatever plain Python raises
        return type(error), str(error)


def shown(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [type(value), *map(shown, value)]
    return type(value), repr(value)


@pytest.mark.parametrize("sample", samples.ALL, ids=lambda f: f.__name__)
def test_plain_converted_and_staged_give_the_same(sample: Callable[..., Any]) -> None:
    converted, staged = conversion.convert(sample, operators), ag.function(sample)
    for x in (np.float64(3.0), np.float64(-2.0), np.float64(1.0), np.int64(7)):
        plain = outcome(sample, x)
        assert outcome(converted, x) == outcome(staged, x) == plain, x


def refusal(function: Callable[..., Any], *args: Any) -> str:
    with pytest.raises(ag.StagedValueError) as caught:
        ag.function(function)(*args)
    return str(caught.value)


def test_an_array_beside_an_object_is_refused_as_numpy_asks_with_each_element() -> None:
    text = refusal(lambda x: x + samples.Number(1.0), np.ones(2))
    assert "an operator of an array and of an object of class Number" in text
    assert "`__array_ufunc__ = None`" in text


class OfArrays:
    """Says that it knows NumPy's arrays."""

    __array_ufunc__ = None

    def __radd__(self, other: Any) -> Any:
        return other * 2 if other.sum() > 0 else other


def test_a_class_that_knows_arrays_gets_them() -> None:
    f = ag.function(lambda x: x + OfArrays())
    np.testing.assert_array_equal(f(np.ones(2)), [2.0, 2.0])
    np.testing.assert_array_equal(f(-np.ones(2)), [-1.0, -1.0])


class Hashed:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __hash__(self) -> int:
        return int(self.x)


def test_a_staged_hash_is_refused() -> None:
    text = refusal(lambda x: hash(Hashed(x)), np.float64(1))
    assert text.startswith("hash() of an object of class Hashed, which is known only when the")


def test_objects_that_have_no_order_are_refused_when_the_graph_runs() -> None:
    def f(x: Any) -> Any:
        return [one.x for one in sorted(map(samples.Below, (x, 3.0, 1.0)))]

    staged = ag.function(f)
    assert staged(np.float64(2)) == f(np.float64(2))
    with pytest.raises(ag.StagedValueError, match="objects whose `<` is no order, as of NaN"):
        staged(np.float64("nan"))


def test_comparisons_that_write_are_not_sorted_by() -> None:
    text = refusal(lambda x: sorted([samples.Number(x), samples.Number(1.0)]), np.float64(1))
    assert "whose comparisons write something: give it a key=" in text
    many = refusal(lambda x: sorted(samples.Below(x + k) for k in range(40)), np.float64(1))
    assert "which are many: give it a key=" in many


def test_what_methods_give_is_checked_as_python_does() -> None:
    class Wrong:
        def __init__(self, x: Any) -> None:
            self.x = x

        def __float__(self) -> Any:
            return "text" if self.x is None else int(self.x)

        def __bool__(self) -> Any:
            return self.x

        def __len__(self) -> Any:
            return int(-self.x)

        def __str__(self) -> Any:
            return self.x

        def __iter__(self) -> Any:
            return [self.x]

    for use in (float, bool, len, str, list, lambda w: 1 if w else 2, lambda w: w[0]):

        def f(x: Any, use: Any = use) -> Any:
            return use(Wrong(x))

        plain = outcome(f, np.float64(2))
        assert issubclass(plain[0], TypeError | ValueError)
        assert outcome(ag.function(f), np.float64(2)) == plain


def test_flags_of_staged_values_are_refused() -> None:
    text = refusal(lambda x: samples.Option(x), np.int64(1))
    assert text.startswith("Option(...) of a staged value: flags join their members")


@pytest.mark.parametrize("use", samples.REFUSED_BY_PYTHON)
def test_what_a_class_does_not_have_is_the_error_of_python(use: Callable[..., Any]) -> None:
    def f(x: Any) -> Any:
        return use(samples.Nothing(), x)

    plain = outcome(f, np.float64(2))
    assert plain[0] is TypeError
    assert outcome(ag.function(f), np.float64(2)) == plain


def test_an_object_from_outside_is_written_by_its_setter() -> None:
    model = samples.Model(1.0)

    def f(x: Any) -> Any:
        if x > 1:
            model.size = x
        return x

    other = samples.Model(1.0)
    ag.function(f)(np.float64(2))
    model, other = other, model
    f(np.float64(2))
    assert model.x == other.x == 2.0
