"""From a rewritten tree to a live function that takes the place of the original.

In: a gast tree with positions, the original function, the operators. Out: a function with the
original's globals, cells, defaults and name, compiled under the original's file name and lines.

The tree is compiled inside a function (and a class, whose name mangles private names) that is
never run: it makes the free variables of the original, and the operators, free variables of the
new code object, too. Cells are then matched by name.
"""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from types import CellType, CodeType, FunctionType

import gast

from autograph.source.code_names import (
    Place,
    Renaming,
    codes,
    compile_named,
    function_places,
)
from autograph.source.locate import FUTURE_FLAGS, nested_codes
from autograph.source.parse import compile_tree, to_ast
from autograph.source.recording import recorded

# No identifiers, so that no name of the user's is mistaken for them.
_OUTER = "autograph outer"
INNER = "autograph inner"
# Leading underscores of a class do not count in the mangling of names, but keep it from view.
_HIDDEN = "_" * 16

_converted: dict[int, tuple[weakref.ref[CodeType], Callable[[], object]]] = {}


def compile_function(
    node: gast.AST,
    original: FunctionType,
    operators: str,
    class_name: str | None = None,
    written: frozenset[Place] | None = None,
    records: bool = True,
) -> CodeType:
    """Return the code object of a rewritten function.

    Args:
        node: FunctionDef, AsyncFunctionDef or Lambda; decorators, defaults and annotations
            are not evaluated again and do not matter.
        original: the function whose place it takes, or another one with the same code.
        operators: the name that operators have in the tree.
        class_name: the class whose name mangles private names.
        written: where the user's own functions stand in the tree; all others get the names of
            those around them. None if there are no others.
        records: whether its writes record themselves.
    """
    old = original.__code__
    body = definition_of(node, old.co_firstlineno)
    if records:
        body = recorded(body, operators, class_name)
    places = function_places(node) if written is None else written
    return compile_definition(
        body, old, (*old.co_freevars, operators), original.__qualname__, class_name, places
    )


def compile_definition(
    body: ast.stmt,
    old: CodeType,
    free: Sequence[str],
    qualname: str,
    class_name: str | None,
    written: frozenset[Place],
) -> CodeType:
    """Return the code object of a definition.

    Args:
        body: a FunctionDef named `INNER`, or a statement that is a lambda.
        old: the code whose file, name and flags it gets.
        free: the names that are variables of functions around it.
        qualname: its qualified name, where code objects do not keep one.
        class_name: the class whose name mangles private names.
        written: where the user's own functions stand.
    """
    layers = [_OUTER, *([_HIDDEN + class_name] if class_name else [])]
    module = _module(body, layers, free)
    compiled = partial(_compiled, module, old, len(layers) + 1)
    code, twin = compile_named(body, written, compiled)
    prefix = ".".join((_OUTER, "<locals>", *layers[1:], _name_of(body)))
    new = getattr(old, "co_qualname", qualname)
    return Renaming(body.end_lineno or 0).root(code, twin, prefix, old.co_name, new)


def _compiled(module: ast.Module, old: CodeType, depth: int) -> CodeType:
    """Return the first function that is so many functions and classes deep in a module."""
    code = compile_tree(module, old.co_filename, old.co_flags & FUTURE_FLAGS)
    for _ in range(depth):
        code = next(codes(code))
    return code


def instantiate(
    code: CodeType, original: FunctionType, operators: object = None, name: str = ""
) -> FunctionType:
    """Return a function of the code with everything else taken from the original.

    Args:
        code: what `compile_function` returned for the original's code.
        original: the function whose globals, cells, defaults and attributes it gets.
        operators: the namespace of operators.
        name: the name that operators have in the code, if they have one.
    """
    cells = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
    cells[name] = CellType(operators)
    closure = tuple(cells[free] for free in code.co_freevars)
    function = FunctionType(
        code, original.__globals__, original.__name__, original.__defaults__, closure
    )
    function.__kwdefaults__ = original.__kwdefaults__
    function.__qualname__ = original.__qualname__
    function.__module__ = original.__module__
    function.__doc__ = original.__doc__
    function.__dict__.update(original.__dict__)
    _copy_annotations(original, function)
    return function


def is_converted(function: object) -> bool:
    """Whether a function has a code object that was marked as converted."""
    return id(getattr(function, "__code__", None)) in _converted  # where none is that died


def mark_converted(code: CodeType, owner: object = None) -> None:
    """Remember a code object, and those inside it, as converted.

    Args:
        code: what was compiled from a rewritten function.
        owner: what `owner_of` returns for it, as long as something else keeps it alive.
    """
    reference = weakref.ref(owner) if owner is not None else lambda: None
    for made in (code, *nested_codes(code)):
        _record(made, reference)


def _record(code: CodeType, owner: Callable[[], object]) -> None:
    key = id(code)
    _converted[key] = weakref.ref(code, lambda _: _converted.pop(key, None)), owner


def owner_of(code: CodeType) -> object:
    """Return what a converted code object was marked with, or None."""
    found = _converted.get(id(code))
    return None if found is None else found[1]()


def _copy_annotations(original: FunctionType, function: FunctionType) -> None:
    """Annotations may be lazy (3.14), and reading lazy ones runs the user's code."""
    for field in ("__annotate__", "__type_params__"):
        if hasattr(original, field):
            setattr(function, field, getattr(original, field))
    if not hasattr(original, "__annotate__"):
        function.__annotations__ = original.__annotations__


def definition_of(node: gast.AST, first_line: int) -> ast.stmt:
    """Return a statement with nothing in it but the function's own code."""
    tree = to_ast(_bare(node))
    if isinstance(tree, ast.Lambda):
        return ast.copy_location(ast.Expr(value=tree), tree)
    assert isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef))
    tree.name = INNER
    if first_line != tree.lineno:  # a decorator sets the first line; it is never called
        mark = ast.Name(id="decorator", ctx=ast.Load())
        mark.lineno = mark.end_lineno = first_line
        mark.col_offset = mark.end_col_offset = 0
        tree.decorator_list = [mark]
    return tree


def _name_of(definition: ast.stmt) -> str:
    return "<lambda>" if isinstance(definition, ast.Expr) else INNER


def _bare(node: gast.AST) -> gast.AST:
    """Copy a function's head without decorators, defaults and annotations."""
    fields = {field: getattr(node, field) for field in node._fields}
    fields["args"] = _bare_arguments(node.args)
    if not isinstance(node, gast.Lambda):
        fields.update(decorator_list=[], returns=None, type_params=[])
    return gast.copy_location(type(node)(**fields), node)


def _bare_arguments(arguments: gast.AST) -> gast.AST:
    return gast.arguments(
        args=[_bare_parameter(name) for name in arguments.args],
        posonlyargs=[_bare_parameter(name) for name in arguments.posonlyargs],
        vararg=arguments.vararg and _bare_parameter(arguments.vararg),
        kwonlyargs=[_bare_parameter(name) for name in arguments.kwonlyargs],
        kw_defaults=[None] * len(arguments.kwonlyargs),
        kwarg=arguments.kwarg and _bare_parameter(arguments.kwarg),
        defaults=[],
    )


def _bare_parameter(name: gast.AST) -> gast.AST:
    return gast.copy_location(gast.Name(name.id, gast.Param(), None, None), name)


def _module(body: ast.stmt, layers: Sequence[str], free: Sequence[str]) -> ast.Module:
    """Put a definition into a function with the free names, and into a class if there is one."""
    outer, *class_names = layers
    template = f"def outer(): pass\n{'class C: pass' if class_names else ''}"
    function, *classes = ast.parse(template).body
    for class_ in classes:
        assert isinstance(class_, ast.ClassDef)
        class_.name, class_.body, body = class_names[0], [body], class_
    assert isinstance(function, ast.FunctionDef)
    function.name, function.body = outer, [body]
    function.args.args = [
        ast.copy_location(ast.arg(arg=name, annotation=None), function) for name in free
    ]
    return ast.Module(body=[function], type_ignores=[])
