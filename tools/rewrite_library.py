"""Rewrite and compile every function of Python's standard library: none may fail.

    python tools/rewrite_library.py [part]    all of it, or files with `part` in their path

Nothing is imported or run. Prints what failed, and how long a function took on average.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import gast

from autograph.converters.pipeline import rewrite
from autograph.errors import InvalidSourceError
from autograph.source.deep import call_deep
from autograph.source.names import Namer
from autograph.source.parse import decode, parse, to_ast, to_gast

Found = tuple[gast.AST, str | None]


def main(arguments: list[str]) -> int:
    """Rewrite all files, print failures, return how many there were."""
    library = Path(sysconfig.get_paths()["stdlib"])
    part = arguments[0] if arguments else ""
    files = [path for path in sorted(library.rglob("*.py")) if part in str(path)]
    files = [path for path in files if "site-packages" not in path.parts]
    warnings.simplefilter("ignore")
    start, count, failures = time.perf_counter(), 0, 0
    for path in files:
        for node, class_name in functions_of(path):
            count += 1
            problem = problem_of(node, class_name)
            if problem is not None:
                failures += 1
                print(f"{path}:{node.lineno}: {node.name}: {problem}")
    spent = (time.perf_counter() - start) / max(count, 1)
    print(f"{len(files)} files, {count} functions, {failures} failures, {spent * 1e3:.2f} ms each")
    return failures


def functions_of(path: Path) -> Iterator[Found]:
    """Yield the functions of a file that stand in no other function, with their class."""
    try:
        text, _ = decode(path.read_bytes(), str(path))
        tree = to_gast(parse(text, str(path)))
    except InvalidSourceError:
        return
    yield from _functions_in(tree, None)


def _functions_in(tree: gast.AST, class_name: str | None) -> Iterator[Found]:
    for node in gast.iter_child_nodes(tree):
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef)):
            yield node, class_name
        else:
            name = node.name if isinstance(node, gast.ClassDef) else class_name
            yield from _functions_in(node, name)


def problem_of(node: gast.AST, class_name: str | None) -> str | None:
    """Return what is wrong with a function's rewritten form, if anything."""
    try:
        call_deep(lambda: _compile(node, class_name))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def _compile(node: gast.AST, class_name: str | None) -> None:
    operators = Namer(node).fresh("ag")
    tree = rewrite(node, operators=operators, modules={}, class_name=class_name)
    body = to_ast(tree)
    assert isinstance(body, ast.stmt)
    module = ast.parse("def outer():\n    class Outer: pass")
    (outer,) = module.body
    assert isinstance(outer, ast.FunctionDef)
    (holder,) = outer.body
    assert isinstance(holder, ast.ClassDef)
    holder.body = [body]
    compile(ast.fix_missing_locations(module), "<rewritten>", "exec")


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
