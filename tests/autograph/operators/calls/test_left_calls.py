"""Python's library is given numbers of the graph, and what it makes of them is as in plain Python.

Most of it knows no staged values: what it raises for one, or the text that it makes of one, is
none of the program's, which runs as plain Python then.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import StagedValueError
from tests.autograph.operators.control_flow.test_arrays_of_dtypes import described
from tests.random_programs.comparing import compiled

IMPORTS = """
import array, ast, datetime, decimal, fractions, ipaddress, json, pprint, reprlib, shlex, string
import struct
class O:
    a1 = a3 = 10
"""
CALLS = """
ascii(x)
array.array("i", [int(x)]).tolist()
ast.literal_eval(repr(float(x)))
datetime.timedelta(seconds=float(x)).total_seconds()
decimal.Decimal(float(x)).as_tuple().digits
fractions.Fraction(int(x)).denominator
getattr(O, f"a{int(x)}")
ipaddress.ip_address(int(x)).is_private
json.dumps([float(x), {"a": int(x)}])
pprint.pformat([x, x])
reprlib.repr([x] * 9)
shlex.quote(str(x))
string.Template("$v").substitute(v=x)
struct.pack("d", x)
"""


@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_what_python_s_library_makes_of_a_number_is_as_in_plain_python(call: str) -> None:
    f = compiled(f"{IMPORTS}def f(x):\n    return {call}\n", call)
    staged = ag.function(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)
        for x in (np.int64(1), np.int64(3), np.float64(3)):
            assert described(_told(staged, x)) == described(_told(f, x))


def _told(function: Any, x: Any) -> Any:
    try:
        return function(x)
    except (AttributeError, TypeError) as error:
        return type(error).__name__, str(error)


def test_what_was_given_a_staged_value_is_named() -> None:
    f = compiled(f"{IMPORTS}def f(x):\n    return json.dumps(x)\n", "named")
    message = r"dumps\(\) was given a staged value and raised TypeError: .*py_function"
    with pytest.raises(StagedValueError, match=message):
        ag.function(f).get_concrete_function(np.int64(1))
