"""What stays as it is."""

from __future__ import annotations

import gast
import pytest

from autograph.analysis.may_vary import Names
from autograph.analysis.support import (
    is_constant,
    is_exempt_call,
    is_static_iterable,
    is_static_test,
)


def expression(text: str) -> gast.AST:
    return gast.parse(text, mode="eval").body


def is_local(name: str) -> bool:
    return name == "mine"


NAMES = Names(is_local, lambda node: True, lambda node: gast.unparse(node).strip() == "assigned")


@pytest.mark.parametrize(
    ("text", "static"),
    [
        ("x is None", True),
        ("x is not y", True),
        ("not x is y", True),
        ("isinstance(x, int) and x is y", True),
        ("x is not True", False),
        ("True", True),
        ("__debug__", True),
        ("typing.TYPE_CHECKING", True),
        ("x is None or y", False),
        ("x == None", False),
        ("x", False),
        ("mine(x, int)", False),
        ("assigned is None", False),
        ("isinstance(assigned, int)", False),
    ],
)
def test_static_tests(text: str, static: bool) -> None:
    assert is_static_test(expression(text), NAMES) is static


@pytest.mark.parametrize(
    ("text", "static"),
    [("(a, b)", True), ("{a: b}", True), ("range(3)", True), ("range(n)", False), ("xs", False)],
)
def test_static_iterables(text: str, static: bool) -> None:
    assert is_static_iterable(expression(text), is_local) is static


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ("x[0]", True),
        ("x[-1]", True),
        ("x[1:, ..., None]", True),
        ("x[i]", False),
        ("x[:n]", False),
    ],
)
def test_constant_indices(text: str, constant: bool) -> None:
    assert is_constant(expression(text).slice) is constant


@pytest.mark.parametrize(
    ("text", "exempt"),
    [
        ("np.tanh(x)", True),
        ("np.linalg.norm(x)", True),
        ("np.array(x)", False),
        ("np.float32(x)", False),
        ("np.random.rand(x)", False),
        ("np(x)", False),
        ("other.tanh(x)", False),
        ("mine.tanh(x)", False),
        ("x.np.tanh(x)", False),
        ("ValueError(x)", True),
        ("hasattr(x, y)", False),
        ("len(x)", False),
        ("exec(x, {}, {})", True),
        ("compile(x, y, z)", True),
        ("re.compile(x)", False),
        ("breakpoint()", True),
        ("pdb.set_trace()", True),
        ("traceback.print_stack(x)", True),
        ("mine.warn(x)", False),
    ],
)
def test_calls_that_need_no_help(text: str, exempt: bool) -> None:
    modules = {"np": "numpy", "other": "scipy", "mine": "numpy", "traceback": "traceback"}
    assert is_exempt_call(expression(text), modules, is_local) is exempt
