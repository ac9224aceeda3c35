"""Converted functions do on plain values exactly what they did before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.autograph.converters import (
    corner_samples,
    match_samples,
    name_samples,
    walrus_samples,
)
from tests.autograph.converters.sampling import SAMPLES
from tests.autograph.converting import assert_same, converted

assert match_samples.calls is walrus_samples.calls is corner_samples.calls is name_samples.calls


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_a_converted_function_does_what_it_did(sample: Callable[..., Any]) -> None:
    assert_same(sample, *sample.calls)


@pytest.mark.parametrize("n", [0, 1, 5, 60])
def test_private_names_and_super_in_a_method_of_a_module(n: int) -> None:
    method = name_samples.Heir.private_names_and_super
    plain, other = name_samples.Heir(3), name_samples.Heir(3)
    assert converted(method)(other, n) == method(plain, n)
    assert vars(other) == vars(plain)


def test_a_lambda_is_converted() -> None:
    assert_same(lambda x, y: x and y or x < y < 3, (1, 2), (0, 0), (2, 1))
