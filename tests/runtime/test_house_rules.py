"""House rule 2: passes and lowering know no op by its name; they ask for traits."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.graph.opdef import REGISTRY, OpDef

ROOT = Path(__file__).parents[2]
FILES = [x for room in ("passes", "lower") for x in sorted((ROOT / "runtime" / room).glob("*.py"))]

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
    "passes/batched_products.py": "one rule: what a product in a loop becomes",
    "lower/reduction_predicates.py": "the algebra of what all elements say",
    "lower/in_place_kernels.py": "one rule: an array that is copied first is written",
    "lower/control_nodes.py": "a table: which numbers of a loop are counters",
    "lower/part_nodes.py": "a table: what kernels have an instruction for",
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
}
"""Files that are rewrite rules, or that print nodes in the kernel language, by what they are."""


def names_in(path: Path) -> Iterator[str]:
    """Yield the ops that a file imports, and those that it looks up or compares by name."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("runtime."):
            module = importlib.import_module(node.module)
            found = (getattr(module, alias.name, None) for alias in node.names)
            yield from (op.name for op in found if isinstance(op, OpDef))
        elif _asks_for_a_name(node):
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


@pytest.mark.parametrize("place", RULES)
def test_what_may_name_ops_does(place: str) -> None:
    assert {*names_in(ROOT / "runtime" / place)} - {*WRITTEN}


def test_the_ops_of_the_language_are_there() -> None:
    assert WRITTEN.keys() <= REGISTRY.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_parts_of_a_loop_are_asked_for_by_name(path: Path) -> None:
    text = path.read_text()
    assert 'attrs["carry"]' not in text
    assert 'attrs["sequences"]' not in text
