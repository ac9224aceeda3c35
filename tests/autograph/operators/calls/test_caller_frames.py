"""What looks at its caller sees the user's module, or is refused."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

import autograph as ag
from autograph import conversion, operators
from autograph.errors import UnsupportedSyntaxError
from tests.autograph.operators.calls import caller_samples

SAMPLES = [
    sample
    for sample in vars(caller_samples).values()
    if isinstance(sample, FunctionType) and sample.__code__.co_argcount == 1
]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_what_looks_at_its_caller_sees_the_module_of_the_user(sample: Callable[..., Any]) -> None:
    expected = sample(1)
    assert conversion.convert(sample, operators)(1) == expected
    assert ag.function(sample)(1) == expected


def test_what_would_see_variables_of_converted_code_is_refused_with_the_line() -> None:
    converted = conversion.convert(caller_samples.asked_by_value, operators)
    with pytest.raises(UnsupportedSyntaxError, match=r"locals\(\) .*caller_samples.py:\d+"):
        converted(1, locals)
