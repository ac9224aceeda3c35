"""House rules: who asks what a node is asks for traits, and files have names of their own."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from runtime.graph.opdef import REGISTRY, OpDef

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "runtime"


def files_of(*rooms: str) -> list[Path]:
    """Return the files of some rooms."""
    return [x for room in rooms for x in sorted((RUNTIME / room).glob("*.py"))]


FILES = files_of("passes", "lower", "autodiff", "batching")

WRITTEN = {
    "constant": "numbers and arrays of the program are part of the language of graphs",
    "dim": "sizes of arrays are part of the language of graphs",
    "keep": "what a variable is lent is part of the language of graphs",
    "fail": "the points of a staged try are part of the language of graphs",
    "check": "errors of the program are part of the language of graphs",
    "switch": "regions that say how errors are reported are part of the language of graphs",
    "done": "what had an effect is part of the language of graphs",
    "fused": "lowering makes these nodes",
}
"""Ops that stand for no function of arrays."""

RULES = {"autodiff/summed_products.py": "one rule: what products that rounds add up become"}
"""Files that ask for ops, and why."""

WRITING = {"Node", "node_of", "emit", "apply", "call"}
"""What writes a node of an op, or a rule of algebra."""
LOWERING = {"lowers"}
"""What enters the function that lowers an op."""


def ops_of(value: object) -> set[str]:
    """Return the names of the ops that a value is, or that a collection has."""
    if isinstance(value, OpDef):
        return {value.name}
    if value is REGISTRY or not isinstance(value, dict | tuple | list | set | frozenset):
        return set()
    return {x.name for x in value if isinstance(x, OpDef)}


def imported(tree: ast.AST) -> dict[str, set[str]]:
    """Return the ops that stand for each text of a file: a name, or an attribute of a module."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("runtime"):
            module = importlib.import_module(node.module)
            for alias in node.names:
                name, value = alias.asname or alias.name, getattr(module, alias.name, None)
                found[name] = ops_of(value)
                if isinstance(value, ModuleType):
                    found |= {f"{name}.{k}": ops_of(x) for k, x in vars(value).items()}
    return {text: names for text, names in found.items() if names}


def asked_in(path: Path) -> Iterator[str]:
    """Yield the ops that a file names otherwise than to write nodes, and to enter what lowers them.

    So it could ask which op a node is: by comparisons, by tables, in a function that it calls.
    """
    tree = ast.parse(path.read_text())
    known = imported(tree)
    allowed = {id(x) for node in ast.walk(tree) for x in _written_or_lowered(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in allowed:
            yield from known.get(ast.unparse(node), ())
        elif _asks_for_a_name(node):
            yield ast.unparse(node)


def _written_or_lowered(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the names of ops in a call that writes a node, or enters what lowers them."""
    if isinstance(node, ast.Attribute) and node.attr == "attributes":
        yield node.value
    if isinstance(node, ast.Call):
        function = ast.unparse(node.func).split(".")[-1]
        first = node.args[:1] if function in WRITING else ()
        yield from node.args if function in LOWERING else first
        yield from (x.value for x in node.keywords if (function, x.arg) == ("replace", "op"))


def _asks_for_a_name(node: ast.AST) -> bool:
    """Tell whether a name of an op is compared, or looked up."""
    if isinstance(node, ast.Compare):
        return "op.name" in ast.unparse(node)
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) == "REGISTRY"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_nobody_asks_which_op_a_node_is(path: Path) -> None:
    place = f"{path.parent.name}/{path.name}"
    asked = {name for name in asked_in(path) if name not in WRITTEN}
    assert bool(asked) == (place in RULES), f"{place} asks for {', '.join(sorted(asked))}"


@pytest.mark.parametrize(
    "text",
    [
        "from runtime.ops.elementwise import add\nnode.op is add",
        "from runtime.ops.elementwise import add as plus\nnode.op in (plus, minus)",
        "from runtime.ops import elementwise\nnode.op == elementwise.add",
        "from runtime.ops import elementwise as e\nrules = {e.add: 1}",
        "from runtime.ops.elementwise import add\nnode.op in {add}",
        "from runtime.ops.elementwise import add\nis_node_of(node, add)",
        "from runtime.ops.elementwise import add\nSUMS = (add,)",
        "node.op.name == 'add'",
        "node.op is REGISTRY['add']",
    ],
)
def test_a_question_for_an_op_is_seen_in_whatever_way_it_is_asked(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "asking.py"
    path.write_text(text)
    assert [*asked_in(path)]


@pytest.mark.parametrize("text", ["builder.emit(add, (x, y), {})", "rules.lowers(add)(write)"])
def test_a_graph_may_be_written_of_any_ops_and_each_may_have_a_rule(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "writing.py"
    path.write_text(f"from runtime.ops.elementwise import add\n{text}")
    assert [*asked_in(path)] == []


def test_the_ops_of_the_language_are_there() -> None:
    assert WRITTEN.keys() <= REGISTRY.keys()


def finding(pattern: str, but: str) -> list[str]:
    """Return the files of `runtime` that have some text, but for one."""
    files = [x for x in RUNTIME.rglob("*.py") if x != RUNTIME / but]
    return [str(x.relative_to(RUNTIME)) for x in files if re.search(pattern, x.read_text())]


def test_the_parts_of_a_loop_are_asked_for_by_name() -> None:
    pattern = r"""attrs(?:\[|\.get\()["'](?:carry|sequences)["']"""
    assert finding(pattern, but="graph/regions.py") == []


def test_no_file_counts_the_operands_of_a_loop() -> None:
    own = "ops/control.py"  # says what the ops of loops are
    assert finding(r"layout\.(?:head|carry|sequences)\b", but=own) == []


ASKING = {
    "backends/native.py": "graphs run here on the arrays of NumPy",
    "kernels/calls.py": "calls of Python's functions are made native here",
    "kernels/jit.py": "what is linked is called by this process",
    "kernels/list_items.py": "lists of this process are read",
    "kernels/target.py": "its definition",
}
"""Files that ask what this machine is; all others are told what kernels are for."""


def test_what_builds_kernels_is_told_what_they_are_for() -> None:
    asking = [x for x in RUNTIME.rglob("*.py") if "host_target" in x.read_text()]
    assert {str(x.relative_to(RUNTIME)) for x in asking} == ASKING.keys()


def test_no_two_files_have_one_name() -> None:
    names = Counter(x.name for x in RUNTIME.rglob("*.py") if x.name != "__init__.py")
    assert [name for name, count in names.items() if count > 1] == []
