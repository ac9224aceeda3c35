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


FILES = files_of("passes", "lower")
WRITERS = files_of("autodiff", "batching")
"""Files that write graphs of any ops, and must not ask which op a node is."""

WRITTEN = {
    "constant": "numbers and arrays of the program are part of the language of graphs",
    "keep": "what a variable is lent is part of the language of graphs",
    "fail": "the points of a staged try are part of the language of graphs",
    "check": "errors of the program are part of the language of graphs",
    "switch": "regions that say how errors are reported are part of the language of graphs",
    "fused": "lowering makes these nodes",
}
"""Ops that stand for no function of arrays."""

RULES = {
    "passes/rules.py": "the rules of algebra",
    "passes/if_conversion.py": "one rule: what an assignment by a mask becomes",
    "passes/full_unroll.py": "one rule: what a loop becomes; it makes rows and stacks them",
    "passes/inline.py": "one rule: what stands for itself in derivatives becomes what it computes",
    "passes/rows_in_place.py": "one rule: what a loop stacks becomes an array that it writes",
    "passes/loop_exit_values.py": "one rule: what rounds set alike is computed after the loop",
    "passes/array_copies.py": "one rule: where a copy is what it is a copy of",
    "passes/writes.py": "one rule: what is written in place and assigned again is written once",
    "passes/write_forwarding.py": "one rule: what is read after it was written is what was written",
    "passes/batched_products.py": "one rule: what a product in a loop becomes",
    "lower/reduction_predicates.py": "the algebra of what all elements say",
    "lower/in_place_kernels.py": "one rule: an array that is copied first is written",
    "lower/loop_views.py": "one rule: a view with gaps is made in the loop that reads it",
    "lower/control_nodes.py": "a table: which numbers of a loop are counters",
    "lower/part_nodes.py": "a table: what kernels have an instruction for",
    "lower/part_products.py": "a table: what kernels have an instruction for",
    "lower/lent_arrays.py": "a table: what writes an array that it is given",
    "lower/loop_kernels.py": "a table: what kernels have an instruction for",
    "lower/element_writers.py": "a table: what kernels have an instruction for",
    "lower/scatters.py": "a table: what kernels have an instruction for",
    "lower/index_maps.py": "a table: ways in which kernels read arguments",
    "lower/array_loop_rules.py": "a table: ways in which kernels read arguments",
    "lower/array_loops.py": "a table: ways in which kernels read arguments",
    "lower/elementwise_kernels.py": "a table: ways in which kernels read arguments",
    "lower/fuse.py": "a table: ways in which kernels read arguments",
    "lower/mutation.py": "a table: what kernels have an instruction for",
    "lower/write_targets.py": "one rule: rows are put behind those of an array",
    "lower/plan.py": "the truth of a test is written by the statement that tests",
    "autodiff/summed_products.py": "one rule: what products that rounds add up become",
    "autodiff/call_rules.py": "one rule: of a checkpoint little is kept",
    "autodiff/kept_values.py": "one rule: of a product that is added up, the sum is kept",
    "autodiff/told_reads.py": "one rule: of arms the single elements that they read are kept",
    "autodiff/reverse.py": "one rule: a copy that is not kept is what it is a copy of",
    "autodiff/sizes.py": "one rule: a size is that of what it is stacked from",
}
"""Files that are rewrite rules, or that print nodes in the kernel language, by what they are."""


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


def names_in(path: Path) -> Iterator[str]:
    """Yield the ops that a file imports, and those that it looks up or compares by name."""
    tree = ast.parse(path.read_text())
    known = imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            yield from known.get(ast.unparse(node), ())
        elif _asks_for_a_name(node):
            yield ast.unparse(node)


def asked_in(path: Path) -> Iterator[str]:
    """Yield the ops of which a file asks whether a node is one, by comparisons and by tables."""
    tree = ast.parse(path.read_text())
    known = imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare | ast.Set | ast.MatchValue):
            parts: list[ast.AST] = [node]
        elif isinstance(node, ast.Dict):
            parts = [x for x in node.keys if x is not None]
        else:
            parts = []
        for part in (x for given in parts for x in ast.walk(given)):
            yield from known.get(ast.unparse(part), ())
        if _asks_for_a_name(node):
            yield ast.unparse(node)


def _asks_for_a_name(node: ast.AST) -> bool:
    """Tell whether a name of an op is compared, or looked up."""
    if isinstance(node, ast.Compare):
        return "op.name" in ast.unparse(node)
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) == "REGISTRY"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_pass_or_a_step_of_lowering_names_no_op(path: Path) -> None:
    place = f"{path.parent.name}/{path.name}"
    named = {name for name in names_in(path) if name not in WRITTEN}
    assert not named or place in RULES, f"{place} names {', '.join(sorted(named))}: ask for traits"


@pytest.mark.parametrize("path", WRITERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_derivatives_and_batches_ask_for_no_op(path: Path) -> None:
    place = f"{path.parent.name}/{path.name}"
    asked = {name for name in asked_in(path) if name not in WRITTEN}
    assert not asked or place in RULES, f"{place} asks for {', '.join(sorted(asked))}: use traits"


@pytest.mark.parametrize("place", RULES)
def test_what_may_name_ops_does(place: str) -> None:
    asked = asked_in if RUNTIME / place in WRITERS else names_in
    assert {*asked(RUNTIME / place)} - {*WRITTEN}


@pytest.mark.parametrize(
    "text",
    [
        "from runtime.ops.elementwise import add\nnode.op is add",
        "from runtime.ops.elementwise import add as plus\nnode.op in (plus, minus)",
        "from runtime.ops import elementwise\nnode.op == elementwise.add",
        "from runtime.ops import elementwise as e\nrules = {e.add: 1}",
        "from runtime.ops.elementwise import add\nnode.op in {add}",
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
    assert [*names_in(path)]


def test_a_graph_may_be_written_of_any_ops(tmp_path: Path) -> None:
    path = tmp_path / "writing.py"
    path.write_text("from runtime.ops.elementwise import add\nbuilder.emit(add, (x, y), {})")
    assert [*asked_in(path)] == []


def test_the_ops_of_the_language_are_there() -> None:
    assert WRITTEN.keys() <= REGISTRY.keys()


EVERYWHERE = sorted(x for x in RUNTIME.rglob("*.py") if x != RUNTIME / "graph/regions.py")


@pytest.mark.parametrize("path", EVERYWHERE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_parts_of_a_loop_are_asked_for_by_name(path: Path) -> None:
    assert re.findall(r"""attrs(?:\[|\.get\()["'](?:carry|sequences)["']""", path.read_text()) == []


@pytest.mark.parametrize("path", EVERYWHERE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_file_counts_the_operands_of_a_loop(path: Path) -> None:
    if path != RUNTIME / "ops/control.py":  # says what the ops of loops are
        assert re.findall(r"layout\.(?:head|carry|sequences)\b", path.read_text()) == []


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
