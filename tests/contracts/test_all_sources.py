"""All imports point down; each `raise` is of a class that users can know, and says something."""

from __future__ import annotations

import ast
import builtins
import importlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from tools.layers import read_modules, violations

ROOT = Path(__file__).parents[2]
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
KINDS = ast.ClassDef | ast.ExceptHandler | ast.Raise


class Names(NamedTuple):
    """Names of classes: public exceptions with those derived of them, and those that we catch."""

    known: set[str]
    caught: set[str]


class Sources(NamedTuple):
    """What is wrong with the imports and the `raise` statements of all files, and their names."""

    imports: list[str]
    raises: dict[str, list[str]]
    names: Names


@cache
def sources() -> Sources:
    """Read all files; their trees are gone afterwards, so that nobody searches them for garbage."""
    modules = [*read_modules(ROOT)]
    found = {x.path: [n for n in ast.walk(x.tree) if isinstance(n, KINDS)] for x in modules}
    names = _names([node for nodes in found.values() for node in nodes])
    wrong = {str(path): [*complaints(nodes, names)] for path, nodes in found.items()}
    raises = {path: texts for path, texts in wrong.items() if texts}
    return Sources([str(x) for x in violations(modules)], raises, names)


def _exceptions_of(module: ModuleType) -> set[str]:
    found = {k for k, v in vars(module).items() if isinstance(v, type)}
    return {name for name in found if issubclass(vars(module)[name], BaseException)}


def _names(nodes: Sequence[ast.AST]) -> Names:
    """Return the names of classes that are known, given all class statements and handlers."""
    bases = defaultdict[str, set[str]](set)
    for x in nodes:
        if isinstance(x, ast.ClassDef):
            bases[x.name] |= {ast.unparse(base).rpartition(".")[2] for base in x.bases}
    known = set().union(*map(_exceptions_of, [builtins, *map(importlib.import_module, PUBLIC)]))
    caught = set()
    for x in nodes:
        if isinstance(x, ast.ExceptHandler) and x.type is not None:
            kinds = x.type.elts if isinstance(x.type, ast.Tuple) else [x.type]
            caught |= {ast.unparse(kind).rpartition(".")[2] for kind in kinds}
    known |= _derived(known - {"Exception", "BaseException"}, bases)
    return Names(known, caught | _derived(caught - _exceptions_of(builtins), bases))


def _derived(names: set[str], bases: Mapping[str, set[str]]) -> set[str]:
    """Return the names of the classes of some names, and of those derived from them."""
    found, before = set(names), 0
    while len(found) > before:
        before = len(found)
        found |= {name for name, own in bases.items() if own & found}
    return found


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


def complaints(nodes: Iterable[ast.AST], names: Names) -> Iterator[str]:
    """Yield what is wrong with the `raise` statements among some nodes."""
    for node in nodes:
        if isinstance(node, ast.Raise) and node.exc is not None:
            call = isinstance(node.exc, ast.Call)
            kind = ast.unparse(node.exc.func if call else node.exc).rpartition(".")[2]
            if not (kind.isidentifier() and kind.lstrip("_")[:1].isupper()):
                continue  # an exception that was caught, or that a function makes
            reason = _complaint(kind, node.exc.args if call else [], names)
            if reason:
                yield f"line {node.lineno}: {ast.unparse(node)}: {reason}"


def _complaint(kind: str, arguments: list[ast.expr], names: Names) -> str:
    if kind not in names.known:
        is_ours = kind in names.caught | FOR_US
        return "" if is_ours else "no public class, and nothing of ours catches it"
    if kind in PYTHON_GIVES_A_VALUE or kind in names.caught - _exceptions_of(builtins):
        return ""
    if not arguments:
        return "" if kind == "NotImplementedError" else "it says nothing"
    return "" if max(map(_length, arguments)) >= FEWEST else "it says too little"


def test_every_import_points_down() -> None:
    assert sources().imports == []


def test_every_raise_is_of_a_known_class_and_says_something() -> None:
    assert sources().raises == {}


@pytest.mark.parametrize(
    "statement",
    ["raise ValueError", "raise ValueError()", "raise TypeError('wrong')", "raise OwnError('x')"],
)
def test_a_raise_that_says_nothing_is_found(statement):
    assert len(list(complaints(ast.walk(ast.parse(statement)), sources().names))) == 1


@pytest.mark.parametrize(
    "statement",
    ["raise", "raise error", "raise KeyError(key)", "raise TypeError(f'{x} is not {y} here')"],
)
def test_a_raise_that_says_enough_is_left_alone(statement):
    assert list(complaints(ast.walk(ast.parse(statement)), sources().names)) == []
