"""What is used wrongly: plain Python's error, its text and arguments, and what was done by then.

Each program catches the error and reads it, lets it go, or catches it without a name.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function import traced
from autograph.operators.control_flow import tries
from tests.random_programs.comparing import compiled

USES = (
    "sorted([x, x])", "max(x, x + 1)", "any(x)", "math.sin(x)", "int(x)", "round(x)",
    "pow(x, 2, 3)", "range(x)", "[1, 2][x]", "'abc'[x]", "x()", "x.foo", "{}[x]", "x < None",
    "'a' + x", "x << 1", "x[0, 0, 0]", "x['a']", "ord(x)", "f'{x:q}'", "f'{x:d}'", "np.full(2, x)",
    "1 if x else 2", "'ab'.join(x)", "math.ldexp(x, x)", "next(x)", "x @ 'a'",
)  # fmt: skip
VALUES = (np.int64(2), np.float64(1.5), np.array([1.0, 2.0, 3.0]), np.ones((2, 2)))
FORMS = {
    "read": "try:\n        {0}\n    except Exception as e:\n        return e.args, len(seen)",
    "let go": "{0}",
    "caught": "try:\n        seen.append({0})\n    except Exception:\n        return 'no'",
}


def program(use: str, form: str) -> Any:
    body = FORMS[form].format(use)
    text = f"import math\ndef f(x, seen):\n    seen.append(1)\n    {body}\n    return len(seen)\n"
    return compiled(text, f"{use}, {form}")


def found(function: Callable[..., Any], value: Any) -> Any:
    """Return what a call gives or raises, and what it leaves."""
    seen: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outcome = function(value, seen)
        except Exception as error:
            outcome = type(error), str(error), error.args
    return repr((outcome, seen))


def differing(form: str, uses: tuple[str, ...] = USES) -> list[tuple[str, Any]]:
    wrong = []
    for use in uses:
        plain = program(use, form)
        staged = ag.function(plain)
        wrong += [(use, x) for x in VALUES if found(staged, x) != found(plain, x)]
    return wrong


@pytest.mark.parametrize("form", FORMS)
def test_what_is_said_of_a_wrong_use_is_what_python_says(form: str) -> None:
    assert differing(form) == []


@pytest.mark.parametrize("form", ["read", "let go"])
def test_that_these_see_a_text_of_staging(form: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(tries, "need_exact", lambda error, handler: None)
    monkeypatch.setattr(traced, "is_inexact", lambda error: False)
    assert len(differing(form, USES[:4])) > 4


def test_what_staging_says_is_a_note_of_pythons_error() -> None:
    with pytest.raises(TypeError) as raised:
        ag.function(lambda x: int(x))(np.ones(3))
    assert "this is f64[3]; write x.astype(int)" not in str(raised.value)
    assert "this is f64[3]; write x.astype(int)" in vars(raised.value)["__notes__"][0]


def test_where_there_is_no_second_way_staging_says_it_itself() -> None:
    function: Any = ag.function(lambda x: int(x), input_signature=[ag.TensorSpec([3])])
    with pytest.raises(TypeError, match=r"this is f64\[3\]; write x.astype\(int\)"):
        function(np.ones(3))


def fibonacci(n):
    numbers = [0, 1]
    while len(numbers) <= n:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[n]


def evaluated(n):
    return eval("1 + " + str(n))


@pytest.mark.parametrize(("function", "value"), [(fibonacci, 100), (evaluated, 2)])
def test_what_python_does_not_raise_is_done_by_it_and_told(
    function: FunctionType, value: int
) -> None:
    with pytest.warns(ag.FallbackWarning, match=r"OverflowError is raised|SyntaxError"):
        result = ag.function(function)(np.int64(value))
    assert (type(result), result) == (type(expected := function(np.int64(value))), expected)
