"""Every `raise` of ours is of a class that users can know, with a text that says something."""

from __future__ import annotations

import ast
import builtins
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
FILES = [x for package in ("autograph", "runtime") for x in sorted((ROOT / package).rglob("*.py"))]
FEWEST = 20
"""How many characters a message has at least; a value that it shows counts as ten."""
PUBLIC = [
    "runtime.errors",
    "autograph.errors",
    "autograph.tf.errors",
    "autograph.comparing.report",
    "argparse",
]
PYTHON_GIVES_A_VALUE = {"KeyError", "AttributeError", "StopIteration"}
"""Classes whose argument, in Python too, may be nothing but a key or a name."""
AS_PYTHON_SAYS_IT = {"index out of range", "Expected int as r"}
FOR_US = {"UndefinedError", "InvalidKernelError"}
"""Classes of mistakes in kernels, which only our own tests see."""
SHOWN = 10


@cache
def _trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in FILES}


def _exceptions_of(module: ModuleType) -> set[str]:
    found = {k for k, v in vars(module).items() if isinstance(v, type)}
    return {name for name in found if issubclass(vars(module)[name], BaseException)}


@cache
def _known() -> set[str]:
    """Return the names of public exception classes, and of those derived from them in any file."""
    known = set().union(*map(_exceptions_of, [builtins, *map(importlib.import_module, PUBLIC)]))
    return known | _derived(known - {"Exception", "BaseException"})


def _derived(names: set[str]) -> set[str]:
    """Return the names of the classes of some names, and of those derived from them."""
    classes = [
        node for t in _trees().values() for node in ast.walk(t) if isinstance(node, ast.ClassDef)
    ]
    found, before = set(names), 0
    while len(found) > before:
        before = len(found)
        for one in classes:
            bases = {ast.unparse(base).rpartition(".")[2] for base in one.bases}
            found |= {one.name} if bases & found else set()
    return found


@cache
def _caught() -> set[str]:
    """Return the names of classes that an `except` of ours names: those of control flow."""
    names = set()
    for tree in _trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and node.type is not None:
                kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                names |= {ast.unparse(kind).rpartition(".")[2] for kind in kinds}
    return names | _derived(names - _exceptions_of(builtins))


def _length(message: ast.expr) -> int:
    """Return how long a message is at least; one that is made elsewhere is long enough."""
    if isinstance(message, ast.Constant):
        text = str(message.value)
        return FEWEST if text in AS_PYTHON_SAYS_IT else len(text)
    if isinstance(message, ast.JoinedStr):
        return sum(_length(part) for part in message.values)
    if isinstance(message, ast.FormattedValue):
        return SHOWN
    if isinstance(message, ast.BinOp):
        return _length(message.left) + _length(message.right)
    return FEWEST


def complaints(tree: ast.AST) -> Iterator[str]:
    """Yield what is wrong with the `raise` statements of a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            call = isinstance(node.exc, ast.Call)
            kind = ast.unparse(node.exc.func if call else node.exc).rpartition(".")[2]
            if not (kind.isidentifier() and kind.lstrip("_")[:1].isupper()):
                continue  # an exception that was caught, or that a function makes
            reason = _complaint(kind, node.exc.args if call else [])
            if reason:
                yield f"line {node.lineno}: {ast.unparse(node)}: {reason}"


def _complaint(kind: str, arguments: list[ast.expr]) -> str:
    if kind not in _known():
        return (
            "" if kind in _caught() | FOR_US else "no public class, and nothing of ours catches it"
        )
    if kind in PYTHON_GIVES_A_VALUE or kind in _caught() - _exceptions_of(builtins):
        return ""
    if not arguments:
        return "" if kind == "NotImplementedError" else "it says nothing"
    return "" if max(map(_length, arguments)) >= FEWEST else "it says too little"


def test_every_raise_is_of_a_known_class_and_says_something():
    found = {str(path.relative_to(ROOT)): [*complaints(tree)] for path, tree in _trees().items()}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    "statement",
    ["raise ValueError", "raise ValueError()", "raise TypeError('wrong')", "raise OwnError('x')"],
)
def test_a_raise_that_says_nothing_is_found(statement):
    assert len(list(complaints(ast.parse(statement)))) == 1


@pytest.mark.parametrize(
    "statement",
    ["raise", "raise error", "raise KeyError(key)", "raise TypeError(f'{x} is not {y} here')"],
)
def test_a_raise_that_says_enough_is_left_alone(statement):
    assert list(complaints(ast.parse(statement))) == []
