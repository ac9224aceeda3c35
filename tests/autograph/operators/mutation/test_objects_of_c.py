"""What objects hold that only code of C can look at is as in plain Python after branches and loops.

Such a write can be neither undone nor joined, so that these functions run as plain Python.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.control_flow.test_arrays_of_dtypes import described
from tests.random_programs.comparing import compiled

OBJECTS = {
    "array": ('array.array("i", [1, 2])', "o[0] = 9", "o.tolist()"),
    "added to": ('array.array("i", [1, 2])', "o += o", "o.tolist()"),
    "appended to": ('array.array("i", [1, 2])', "o.append(9)", "o.tolist()"),
    "memoryview": ('memoryview(bytearray(b"abc"))', 'o[1:2] = b"Q"', "bytes(o)"),
    "context": ('contextvars.ContextVar("v", default=0)', "o.set(3)", "o.get()"),
    "thread": ("threading.local()", "o.a = 1", "vars(o)"),
    "queue": ("queue.SimpleQueue()", "o.put(1)", "o.qsize()"),
    "file": ("io.StringIO()", 'print("a", file=o)', "o.getvalue()"),
    "dtype": ("np.arange(4)", "o.dtype = np.int32", "o.dtype"),
    "index": ("Index()", "o = [1, 2, 3][o], o.asked", "o if type(o) is tuple else o.asked"),
}
FORMS = {
    "given": "def f(x, o):\n    if x > 0:\n        {write}\n    return {shown}\n",
    "made": "def f(x):\n    o = {make}\n    if x > 0:\n        {write}\n    return {shown}\n",
    "loop": "def f(x):\n    o = {make}\n    k = 0\n    while k < x:\n        {write}\n"
    "        k += 1\n        break\n    return {shown}\n",
}
TEXT = """import array, contextvars, io, queue, threading
class Index:
    asked = 0
    def __index__(self):
        self.asked += 1
        return 1
def make():
    return {make}
"""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", OBJECTS)
def test_what_only_code_of_c_can_look_at_is_as_in_plain_python(kind: str, form: str) -> None:
    make, write, shown = OBJECTS[kind]
    parts = {"make": make, "write": write, "shown": shown}
    f = compiled(TEXT.format(**parts) + FORMS[form].format(**parts), f"{kind} {form}")
    staged = ag.function(f)

    def arguments(x: Any) -> tuple[Any, ...]:
        return (np.int64(x), f.__globals__["make"]()) if form == "given" else (np.int64(x),)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        for x in (0, 1, 0, 2):
            assert described(staged(*arguments(x))) == described(f(*arguments(x)))
