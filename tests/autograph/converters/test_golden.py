"""The rewritten text of each idiom, letter by letter: it is written to be read.

`pytest --update-golden` writes the files anew; read what has changed before you commit it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import gast
import pytest

from autograph.converters.pipeline import rewrite
from autograph.source.parse import parse, to_gast
from autograph.source.printer import to_text

FOLDER = Path(__file__).parents[2] / "golden" / "rewrite"
IDIOMS = sorted(path for path in FOLDER.glob("*.py") if not path.name.endswith(".out.py"))


@pytest.mark.parametrize("path", IDIOMS, ids=lambda path: path.stem)
def test_the_rewritten_text_is_the_one_on_file(path: Path, update_golden: bool) -> None:
    text = rewritten_text(path)
    ast.parse(text)
    golden = path.with_suffix(".out.py")
    if update_golden:
        golden.write_text(text)
    assert text == golden.read_text()


def test_each_golden_file_belongs_to_an_idiom() -> None:
    results = {path.name.replace(".out.py", ".py") for path in FOLDER.glob("*.out.py")}
    assert results == {path.name for path in IDIOMS}


def rewritten_text(path: Path) -> str:
    module = to_gast(parse(path.read_text(), path.name))
    modules = {
        alias.asname or alias.name: alias.name
        for node in module.body
        if isinstance(node, gast.Import)
        for alias in node.names
    }
    return to_text([statement(node, modules) for node in module.body])


def statement(node: gast.AST, modules: dict[str, str], class_name: str | None = None) -> gast.AST:
    if isinstance(node, gast.ClassDef):
        node.body = [statement(method, modules, node.name) for method in node.body]
    elif isinstance(node, gast.FunctionDef):
        return rewrite(node, operators="ag", modules=modules, class_name=class_name)
    elif isinstance(node, gast.Assign):
        node.value = rewrite(node.value, operators="ag", modules=modules)
    return node
