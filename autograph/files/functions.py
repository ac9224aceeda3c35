"""Which functions of a module are converted, and what their names mean.

In: a module's ast tree. Out: its functions with qualified names, and the names that it binds to
modules. Nothing of the module is imported or run.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from autograph.errors import ConversionError, Place, UnknownFunctionError
from autograph.files.layout import blocks
from autograph.source.parse import split_lines

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef"


@dataclass(frozen=True)
class Function:
    """A function of a file.

    Attributes:
        name: `f`, `Class.method`, or `outer.inner`.
        node: its definition.
        class_name: the innermost class around it, or None.
        is_inner: whether it stands in another function, and is converted with that one.
        is_left_alone: why it is not converted; empty if it is.
    """

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef
    class_name: str | None
    is_inner: bool
    is_left_alone: str


def functions_of(tree: ast.Module) -> list[Function]:
    """Return the functions of a module, in the order of the text."""
    return list(_inside(tree, "", None, False, ""))


def _inside(
    node: ast.AST, prefix: str, class_name: str | None, is_inner: bool, reason: str
) -> Iterator[Function]:
    for _, block in blocks(node):
        for child in block:
            if isinstance(child, ast.ClassDef):
                why = reason or _is_refused(child)
                yield from _inside(child, f"{prefix}{child.name}.", child.name, is_inner, why)
            elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                why = reason or _is_refused(child) or _kind(child)
                yield Function(prefix + child.name, child, class_name, is_inner, why)
                yield from _inside(child, f"{prefix}{child.name}.", class_name, True, why)
            else:
                yield from _inside(child, prefix, class_name, is_inner, reason)


def _is_refused(node: Definition) -> str:
    names = [part.func if isinstance(part, ast.Call) else part for part in node.decorator_list]
    ends = [getattr(name, "attr", getattr(name, "id", "")) for name in names]
    refused = [end for end in ends if end.endswith("do_not_convert")]
    return f"it is decorated with {refused[0]}" if refused else ""


def _kind(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if isinstance(node, ast.AsyncFunctionDef):
        return "it is an async function"
    return "it is a generator" if any(map(_yields, node.body)) else ""


def _yields(node: ast.AST) -> bool:
    """Whether a node has a yield that belongs to the function around it."""
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            stack += ast.iter_child_nodes(part)
    return False


def chosen(
    functions: list[Function], only: str | None, file: str, text: str = ""
) -> list[Function]:
    """Return the functions to convert: all, or those of one name.

    Raises:
        UnknownFunctionError: there is none of that name; the hint has names like it.
        ConversionError: the one of that name is a generator or the like.
    """
    if only is None:
        return [f for f in functions if not f.is_inner and not f.is_left_alone]
    name = only.replace(".<locals>", "")
    found = [function for function in functions if function.name == name]
    if not found:
        raise _unknown(name, functions, file)
    if found[0].is_left_alone:
        place = Place.of_definition(found[0].node, file, split_lines(text))
        raise ConversionError(f"{name} is not converted: {found[0].is_left_alone}.", place=place)
    return found


def _unknown(name: str, functions: list[Function], file: str) -> UnknownFunctionError:
    names = list(dict.fromkeys(function.name for function in functions))
    near = difflib.get_close_matches(name, names, 3, 0.5)
    near += [other for other in names if other.endswith("." + name) and other not in near]
    hint = f"one of {', '.join(near or names[:10])}." if names else ""
    return UnknownFunctionError(f"There is no function {name} in {file}.", hint=hint)


def modules_of(tree: ast.Module) -> Mapping[str, str]:
    """Return what the module level imports as modules, by name: `{"np": "numpy"}`.

    A name that is bound twice, or to something else as well, is not among them; but for `slice`,
    which converted code calls.

    Example:
        >>> modules_of(ast.parse("import numpy as np, os.path, a as b\\nb = 1"))
        {'np': 'numpy', 'os': 'os'}
    """
    modules: dict[str, str] = {}
    others: set[str] = set()
    for name, module in _bindings(tree):
        if modules.setdefault(name, module) != module:
            others.add(name)
    own = {"slice": ""} if "slice" in modules else {}
    found = {name: x for name, x in modules.items() if x and name not in others}
    return own | found


def _bindings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each name that the module level binds, with its module or with nothing."""
    stack: list[ast.AST] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (root, root)
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, "") for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, ""
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, ""
        else:
            stack += reversed(list(ast.iter_child_nodes(node)))
