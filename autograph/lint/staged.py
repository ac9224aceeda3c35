"""The staged functions of a module, and what in them is probably an array.

In: a module's tree. Out: a `Staged` for each function that is decorated with `function` of this
library, and for each that those call. An array is what a parameter of a decorated function may be,
and what is computed from one; `x.shape`, `len(x)` and the like are not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograph.lazy import lazy
from autograph.lint.names import (
    FUNCTIONS,
    Definition,
    assigned_names,
    imports_of,
    own_nodes,
    parameters_of,
    path_of,
)

_KNOWN_ATTRIBUTES = frozenset({"shape", "ndim", "size", "dtype", "itemsize", "nbytes"})
_KNOWN_CALLS = frozenset({"len", "isinstance", "issubclass", "type", "callable", "hasattr"})
_PLAIN_TYPES = frozenset({"str", "bytes", "int", "bool", "list", "dict", "set", "tuple"})
_DECORATORS = frozenset({"autograph.function", "autograph.tf.function"})


@dataclass
class Module:
    """A module that is checked.

    Attributes:
        tree: of it.
        imports: the full names of what is imported.
        classes: the classes in whose bodies functions stand.
        staged_line: where a function begins that is taken for a staged one, too.
    """

    tree: ast.Module
    staged_line: int | None = None
    imports: dict[str, str] = field(init=False)
    classes: dict[ast.AST, ast.ClassDef] = field(init=False)

    def __post_init__(self) -> None:
        self.imports = imports_of(self.tree)
        self.classes = {
            child: node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ClassDef)
            for child in node.body
        }

    @lazy
    def functions(self) -> dict[str, Definition]:
        """The functions of the module level, by their names."""
        nodes = self.tree.body
        return {x.name: x for x in nodes if isinstance(x, ast.FunctionDef | ast.AsyncFunctionDef)}

    @lazy
    def decorated(self) -> list[Definition]:
        """The functions that a decorator stages, and the one that was asked for."""
        return [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and (any(map(self._is_stager, node.decorator_list)) or self._is_wanted(node))
        ]

    @lazy
    def rebound(self) -> dict[str, int]:
        """The lines where variables of the module are assigned again, after their first value."""
        found: dict[str, int] = {}
        seen: set[str] = set()
        for statement in self.tree.body:
            if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                continue
            for name in sorted(assigned_names(statement)):
                if name in seen or isinstance(statement, ast.AugAssign):
                    found.setdefault(name, statement.lineno)
                seen.add(name)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Global):
                found.update((name, node.lineno) for name in node.names)
        return found

    def full_name(self, node: ast.AST) -> str:
        """Return the full name of what is written: `numpy.random.rand` for `np.random.rand`."""
        root, dot, rest = path_of(node).partition(".")
        return f"{self.imports.get(root, root)}{dot}{rest}"

    def _is_stager(self, decorator: ast.expr) -> bool:
        node = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self.full_name(node) in _DECORATORS

    def _is_wanted(self, node: Definition) -> bool:
        return node.lineno == self.staged_line


@dataclass
class Staged:
    """A function that is traced.

    Attributes:
        module: in which it stands.
        node: its definition.
        given: the parameters that may be arrays.
        is_decorated: whether it is staged itself, rather than called by one that is.
    """

    module: Module
    node: Definition
    given: frozenset[str]
    is_decorated: bool

    @property
    def names(self) -> frozenset[str]:
        """The parameters and the other local variables."""
        return self.parameters | self.locals

    @lazy
    def parameters(self) -> frozenset[str]:
        """The names of the parameters."""
        return frozenset(parameter.arg for parameter in parameters_of(self.node))

    @lazy
    def nodes(self) -> list[ast.AST]:
        """The nodes of its body, without the bodies of functions inside it."""
        return list(own_nodes(self.node))

    @lazy
    def outer(self) -> frozenset[str]:
        """The names that it declares global or nonlocal."""
        declared = (x.names for x in self.nodes if isinstance(x, ast.Global | ast.Nonlocal))
        return frozenset(name for names in declared for name in names)

    @lazy
    def locals(self) -> frozenset[str]:
        """The names that its body binds."""
        return frozenset(set().union(*map(assigned_names, self.node.body)) - self.outer)

    @lazy
    def arrays(self) -> frozenset[str]:
        """The variables that may hold arrays, or what holds arrays."""
        found = set(self.given)
        while True:
            more = set(self._assigned_from(found)) - found
            if not more:
                return frozenset(found)
            found |= more

    def makes_variable(self, node: ast.AST) -> bool:
        """Tell whether a node is a call that creates an `ag.Variable`."""
        name = self.module.full_name(node.func) if isinstance(node, ast.Call) else ""
        return name in ("autograph.Variable", "autograph.tf.Variable")

    def may_be_staged(self, node: ast.AST, arrays: frozenset[str] | set[str] | None = None) -> bool:
        """Whether the value of an expression may depend on the elements of an array."""
        known = self.arrays if arrays is None else arrays
        if isinstance(node, ast.Name):
            return node.id in known
        if isinstance(node, ast.Attribute) and node.attr in _KNOWN_ATTRIBUTES:
            return False
        if isinstance(node, ast.Call) and path_of(node.func) in _KNOWN_CALLS:
            return False
        if isinstance(node, ast.Compare) and all(
            isinstance(op, ast.Is | ast.IsNot) for op in node.ops
        ):
            return False
        if isinstance(node, FUNCTIONS):
            return False
        return any(self.may_be_staged(part, known) for part in ast.iter_child_nodes(node))

    def staged_blocks(self) -> Iterator[ast.AST]:
        """Yield the loops and branches that may be staged."""
        for node in self.nodes:
            deciding = node.iter if isinstance(node, ast.For) else None
            if isinstance(node, ast.While | ast.If):
                deciding = node.test
            if deciding is not None and self.may_be_staged(deciding):
                yield node

    def _assigned_from(self, arrays: set[str]) -> Iterator[str]:
        for node in self.nodes:
            value = getattr(node, "value", None)
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            elif isinstance(node, ast.For | ast.comprehension):
                targets, value = [node.target], node.iter
            else:
                continue
            if value is not None and self.may_be_staged(value, arrays):
                yield from (name for target in targets for name in assigned_names(target))


def staged_functions(module: Module) -> list[Staged]:
    """Return the decorated functions and those they call, each with what it may be given."""
    found: dict[ast.AST, Staged] = {}
    waiting = [(node, frozenset(_array_parameters(node)), True) for node in module.decorated]
    while waiting:
        node, given, is_decorated = waiting.pop(0)
        before = found.get(node)
        if before is not None:
            given |= before.given
            is_decorated = is_decorated or before.is_decorated
            if (given, is_decorated) == (before.given, before.is_decorated):
                continue
        found[node] = Staged(module, node, given, is_decorated)
        waiting += [(*call, False) for call in _calls(found[node])]
    return sorted(found.values(), key=lambda function: function.node.lineno)


def _array_parameters(node: Definition) -> Iterator[str]:
    """Arguments whose default or annotation says that they are plain values are none."""
    positional = [*node.args.posonlyargs, *node.args.args]
    defaults = dict(zip(reversed(positional), reversed(node.args.defaults), strict=False))
    defaults |= {
        name: value
        for name, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if value is not None
    }
    for parameter in parameters_of(node):
        annotation = path_of(parameter.annotation) if parameter.annotation else ""
        if parameter.arg in ("self", "cls") or annotation in _PLAIN_TYPES:
            continue
        if not isinstance(defaults.get(parameter), ast.Constant):
            yield parameter.arg


def _calls(caller: Staged) -> Iterator[tuple[Definition, frozenset[str]]]:
    """Yield the functions of the module that a function calls, with what may be an array."""
    for node in caller.nodes:
        if not isinstance(node, ast.Call):
            continue
        callee = caller.module.functions.get(path_of(node.func))
        if callee is None or callee.name in caller.names:
            continue
        names = [x.arg for x in [*callee.args.posonlyargs, *callee.args.args]]
        given = {n for n, x in zip(names, node.args, strict=False) if caller.may_be_staged(x)}
        given |= {
            word.arg for word in node.keywords if word.arg and caller.may_be_staged(word.value)
        }
        yield callee, frozenset(given)
