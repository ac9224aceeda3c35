"""Arrays that are returned are the caller's, or views of them, where plain Python's are."""

from __future__ import annotations

import itertools
import linecache
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function import returned_arrays
from runtime import trees

CHOICES = {
    "if": "if c > 0:\n y = A\nelse:\n y = B",
    "one arm": "y = A\nif c > 0:\n y = B",
    "written": "if c > 0:\n y = A\nelse:\n y = B\n m += c\n b[1:] *= 2.0",
    "while": "y = A\nk = 0\nwhile k < c:\n y = B\n k += 1",
    "for": "y = A\nfor k in range(c):\n y = B",
    "break": "y = A\nfor k in range(n):\n if k + c > 3:\n  y = B\n  break",
    "swap": "y = A\nw = B\nfor k in range(c):\n y, w = w, y",
    "try": "try:\n if c < 1:\n  raise ValueError\n y = A\nexcept ValueError:\n y = B",
    "try in a loop": (
        "y = A\nfor k in range(n):\n try:\n  if k > c:\n   raise ValueError\n  y = B\n"
        " except ValueError:\n  break"
    ),
    "expression": "y = A if c > 0 else B",
    "none": "y = None\nif c > 0:\n y = A\nif y is None:\n y = B",
    "best": (
        "y = None\ntop = -1.0\nfor r in (A, B):\n v = float(np.sum(r)) * c\n if v > top:\n"
        "  top = v\n  y = r\nif y is None:\n y = A"
    ),
    "call": "def pick(c):\n if c > 0:\n  return A\n return B\ny = pick(c)",
    "return": (
        "def pick(c):\n for k in range(n):\n  if k + c > 3:\n   return A\n return B\ny = pick(c)"
    ),
}
SOURCES = {
    "arguments": ("a", "b"),
    "rows": ("m[0]", "m[1]"),
    "reversed": ("a", "b[::-1]"),
    "items": ("l[0]", "l[1]"),
    "staged row": ("m[c]", "m[0]"),
    "attribute": ("o.p", "a"),
}
USES = (
    "return y",
    "return y, a",
    "return [y, b], {'y': y}",
    "y[0] = 9.0\nreturn y",
    "y += 1.0\nreturn y, b",
    "return y is a, y is b",
    "return np.shares_memory(y, a), y",
    "return y[1:]",
    "y[1] = 7.0\nreturn y[:2], m[0]",
)

LEFT = USES[0], USES[1], USES[2], USES[6], USES[7]
"""What only returns the array."""


def program(choice: str, source: str, use: str) -> Any:
    """Return a function that chooses between two arrays, and does something with the one."""
    first, second = SOURCES[source]
    body = CHOICES[choice].replace(" A", f" {first}").replace("(A, B)", f"({first}, {second})")
    lines = [*body.replace(" B", f" {second}").split("\n"), *use.split("\n")]
    text = "\n ".join(["def f(a, b, m, l, o, c, n):", *lines]) + "\n"
    file = f"<{choice}, {source}, {use}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space = {"np": np}
    exec(compile(text, file, "exec"), space)
    return space["f"]


LOOPS = "while", "for", "break", "swap", "return"
"""What gives copies, unless it is asked or written which array it is."""
PROGRAMS = [
    (choice, source, use)
    for choice, source, use in itertools.product(CHOICES, SOURCES, USES)
    if choice not in LOOPS or use not in LEFT
]


@dataclass(eq=False)
class Owner:
    p: Any


def world() -> tuple[Any, ...]:
    rows = [np.array([7.0, 8.0, 9.0]), np.array([0.5, 0.25, 0.125])]
    a, b = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    return a, b, np.arange(12.0).reshape(4, 3), rows, Owner(np.array([2.5, 3.5, 4.5]))


def told(function: Any, given: tuple[Any, ...], c: Any) -> Any:
    """Return what a call gives, what the arguments hold, and which arrays share memory."""
    try:
        found = function(*given, c, np.int64(3))
    except IndexError as error:
        return repr(error)
    a, b, m, rows, owner = given
    returned = trees.flatten(found)[0]
    arrays = [x for x in (a, b, m, *rows, owner.p, *returned) if isinstance(x, np.ndarray)]
    pairs = [(x is y, np.shares_memory(x, y)) for x, y in itertools.combinations(arrays, 2)]
    return repr(found), [x.tolist() for x in arrays], pairs


def differs(names: tuple[str, str, str]) -> Any:
    """Return how a staged program differs from the plain one, if it does."""
    function = program(*names)
    staged = ag.function(function)
    for c in map(np.int64, (0, 2, 1, 3, -1)):
        expected = told(function, world(), c)
        try:
            found = told(staged, world(), c)
        except ag.MutationError as error:
            return "may change it in place" not in str(error) and str(error)
        if found != expected:
            return f"c={c}: {found} for {expected}"
    return None


@pytest.mark.parametrize("names", random.Random(3).sample(PROGRAMS, 90), ids=", ".join)
def test_results_are_the_arrays_that_plain_python_returns(names: tuple[str, str, str]) -> None:
    assert not differs(names)


@pytest.mark.parametrize("planted", ["_is_lost", "_written", "_selected"])
def test_arrays_that_are_lost_are_found(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = lambda self, array: None  # noqa: E731
    monkeypatch.setattr(returned_arrays.ReturnedArrays, planted, nothing)
    assert any(map(differs, random.Random(3).sample(PROGRAMS, 90)))


def row(m: Any, c: Any) -> Any:
    r = m[0]
    r[0] = 9.0 * c
    return r


def staged_row(m: Any, c: Any) -> Any:
    r = m[c]
    r += 1
    return r, r, m


def row_of_a_result(m: Any, c: Any) -> Any:
    z = m * 2
    r = z[0]
    r[0] = c
    return r, z


def array_in_two_places(m: Any, c: Any) -> Any:
    z = m * c
    return [z, z], {"z": z}


def row_beside_another_array(m: Any, c: Any) -> Any:
    y = m[0]
    if c > 0:
        y = m[1] * 2
    else:
        m += c
    return y, m


def array_or_what_a_branch_makes(m: Any, c: Any) -> Any:
    z = m[0]
    if c > 0:
        z = np.zeros(4)
    return z


@pytest.mark.parametrize(
    "function",
    [
        row,
        staged_row,
        row_of_a_result,
        array_in_two_places,
        row_beside_another_array,
        array_or_what_a_branch_makes,
    ],
)
def test_what_is_returned_shares_memory_as_in_plain_python(function: Any) -> None:
    staged = ag.function(function)
    for c in map(np.int64, (0, 1, -2)):
        rows = []
        for f in (function, staged):
            m = np.arange(12.0).reshape(3, 4)
            found = [x for x in trees.flatten(f(m, c))[0] if isinstance(x, np.ndarray)]
            pairs = itertools.combinations([m, *found], 2)
            rows.append(
                (
                    [x.tolist() for x in (m, *found)],
                    [(x is y, np.shares_memory(x, y)) for x, y in pairs],
                )
            )
        assert rows[0] == rows[1]


def test_tensors_are_values() -> None:
    m = ag.Tensor(np.arange(12.0).reshape(3, 4))
    found = ag.function(lambda m, c: m[0] if c > 0 else m[1])(m, np.int64(1))
    assert isinstance(found, ag.Tensor)
    assert found.numpy().tolist() == [0, 1, 2, 3]
