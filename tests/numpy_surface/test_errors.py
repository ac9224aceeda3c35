"""What NumPy raises for arguments that it does not take is raised, in its words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.numpy_surface.judging import compiled
from tests.numpy_surface.surface import values

CALLS = (
    "np.kron(x, 'a')",
    "np.lcm.reduce(x)",
    "np.bitwise_and(x, y)",
    "np.bitwise_or.reduce(x, where=b)",
    "np.gcd(c, c)",
    "np.arcsin(x, dtype=np.int32)",
    "np.acos.at(np.array(s), (4,))",
    "np.expm1.at(3, x)",
    "np.isclose(x, m)",
    "np.add.reduce([x, m])",
    "np.logaddexp2.accumulate([x[:0], s], None)",
    "np.eye(x)",
    "np.indices(m)",
    "np.bincount(x)",
    "np.linalg.vecdot(s, s)",
    "np.digitize(x, 'f8')",
    "np.average(i, axis=(0, -1))",
    "np.argmin(x[:0])",
    "np.clip(x, a_max=1)",
    "np.clip(x, 0, 1, min=2)",
    "np.can_cast(x, m)",
    "np.fmod.reduceat(x, i - 3)",
    "m.astype(x)",
    "x.swapaxes(s, 1)",
    "x.transpose(axes=(0,))",
    "x.item(2.5)",
    "m.item(1, 2, 3)",
    "x.put(np.float32, y, mode='clip')",
    "x.fill(y)",
    "np.block((x, x))",
    "np.linalg.matrix_power(m[1:], 1)",
    "x.flatten('Q')",
    "x.flatten(axis=1)",
    "x.mT",
)


def _raised(function: Any) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        function(**values(0), out=np.zeros(5))
    return caught.value


@pytest.mark.parametrize("call", CALLS)
def test_an_error_is_numpys_in_class_and_words(call: str) -> None:
    plain = compiled(call, call)
    expected, found = _raised(plain), _raised(ag.function(plain))
    assert isinstance(found, type(expected))
    assert str(expected) in str(found)
    assert "Methods." not in str(found)


def _caught(x: Any, i: Any) -> Any:
    try:
        return np.fmod.reduceat(x, i)
    except IndexError as error:
        return str(error)


def test_a_handler_sees_numpys_words_and_later_calls_are_made_anew() -> None:
    staged = ag.function(_caught)
    x = np.arange(1.0, 6.0)
    for i in ([0, 9], [0, 2], [7, 1]):
        expected, found = _caught(x, np.array(i)), staged(x, np.array(i))
        np.testing.assert_array_equal(found, expected)
