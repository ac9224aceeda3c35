"""Trees of ast and gast turn into one another as gast itself does it."""

from __future__ import annotations

import ast
from pathlib import Path

import gast
import pytest

from autograph.source.compare import difference
from autograph.source.translate import ast_to_gast, gast_to_ast
from autograph.source.walk import nodes_in

FILES = sorted((Path(__file__).parents[2] / "golden" / "rewrite").glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_trees_and_their_positions_are_those_of_gast(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    mine, theirs = ast_to_gast(tree), gast.ast_to_gast(tree)
    assert gast.dump(mine, include_attributes=True) == gast.dump(theirs, include_attributes=True)
    back = gast_to_ast(mine)
    assert ast.dump(back, include_attributes=True) == ast.dump(
        gast.gast_to_ast(theirs), include_attributes=True
    )
    assert difference(back, tree) == ""


def test_all_nodes_are_found() -> None:
    tree = gast.parse("def f(x, *y):\n    with a as b, c: return {1: [x, *y], **z}")
    assert {id(node) for node in nodes_in(tree)} == {id(node) for node in gast.walk(tree)}
