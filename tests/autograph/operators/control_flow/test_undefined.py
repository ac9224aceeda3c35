"""Variables without a value raise the error that plain Python raises."""

from __future__ import annotations

import sys

import pytest

from autograph import operators
from autograph.conversion import convert
from tests.autograph.operators.control_flow import undefined_samples as samples

LOCAL = (
    "cannot access local variable '{}' where it is not associated with a value"
    if sys.version_info >= (3, 11)
    else "local variable '{}' referenced before assignment"
)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (samples.after_branch, "y"),
        (samples.in_branch, "y"),
        (samples.in_loop, "total"),
        (samples.after_loop, "i"),
        (samples.in_test, "y"),
        (samples.in_operand, "y"),
        (samples.in_choice, "y"),
        (samples.in_chain, "y"),
        (samples.deleted, "y"),
        (samples.deleted_twice, "y"),
        (samples.in_nested_branches, "y"),
        (samples.after_handler, "error"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_local_variable_without_a_value_is_an_unbound_local(function, name):
    with pytest.raises(UnboundLocalError) as plain:
        function(1)
    with pytest.raises(UnboundLocalError) as found:
        convert(function, operators)(1)
    assert str(found.value) == str(plain.value) == LOCAL.format(name)


@pytest.mark.parametrize(
    "make",
    [lambda: samples.missing_global, samples.free_without_value, lambda: samples.called_too_early],
)
def test_other_names_without_a_value_fail_as_in_python(make):
    function = make()
    with pytest.raises(NameError) as plain:
        function(1)
    with pytest.raises(NameError) as found:
        convert(function, operators)(1)
    assert type(found.value) is type(plain.value)
    assert str(found.value) == str(plain.value)


def test_the_error_can_be_caught_as_in_python():
    assert convert(samples.caught, operators)(1) == samples.caught(1) == "UnboundLocalError"
