"""Rules on what happens while tracing, once, and not each time that the graph runs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from autograph.lint.names import FUNCTIONS, body_of, path_of, root_of
from autograph.lint.rule import Found
from autograph.lint.staged import Staged

_MUTATORS = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem"}
    | {"popleft", "remove", "reverse", "setdefault", "sort", "update"}
)
_MAKERS = frozenset({"list", "dict", "set", "collections.deque", "collections.defaultdict"})
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def sets_that_pop_in_staged_blocks(function: Staged) -> Found:
    """A local set of which a loop or branch takes any item."""
    sets = _containers(function.nodes, function, _SETS, frozenset({"set"}))
    for block in function.staged_blocks():
        inside = _containers(ast.walk(block), function)
        for statement in (*body_of(block), *getattr(block, "orelse", [])):
            for node, root, how in _pops(statement, sets):
                if root in function.locals - inside:
                    yield node, f"{how} in a staged {_KINDS[type(block)]}"


def _pops(statement: ast.AST, sets: set[str]) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield what takes any item of a set."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and path_of(node.func).endswith(".pop"):
            root = root_of(node.func)
            if root in sets:
                yield node, root, f"`{ast.unparse(node.func)}` takes any item of `{root}`"


_SETS = (ast.Set, ast.SetComp)
_KINDS: dict[type[ast.AST], str] = {ast.While: "loop", ast.For: "loop", ast.If: "branch"}


def outer_containers(function: Staged) -> Found:
    """A container of the module, or of the function around, that is changed."""
    outer = _containers(ast.walk(function.module.tree), function) - function.names
    for statement in function.node.body:
        for node, root, how in _changes(statement):
            if root in outer:
                yield node, f"{how}, which was made outside"


def prints(function: Staged) -> Found:
    """A print or a log of nothing that is staged, in a function with TensorFlow's names."""
    if "autograph.tf" not in function.module.imports.values():
        return
    inside = {id(part) for block in function.staged_blocks() for part in ast.walk(block)}
    for call in _calls(function):
        name = function.module.full_name(call.func)
        values = [*call.args, *(word.value for word in call.keywords)]
        is_staged = id(call) in inside or any(map(function.may_be_staged, values))
        if is_staged:
            continue
        if name == "print":
            yield call, "this prints while tracing"
        elif name.partition(".")[0] == "logging":
            yield call, f"`{path_of(call.func)}` logs while tracing"


def debuggers(function: Staged) -> Found:
    """A call of Python's debugger."""
    for call in _calls(function):
        name = path_of(call.func)
        full = function.module.full_name(call.func)
        if name == "breakpoint" or full in ("pdb.set_trace", "ipdb.set_trace"):
            yield call, f"`{name}` stops while tracing"


def asserts(function: Staged) -> Found:
    """An assert whose test does something."""
    for node in function.nodes:
        if isinstance(node, ast.Assert):
            found = [part for part in ast.walk(node.test) if _does_something(part)]
            yield from ((part, "the test of this assert changes something") for part in found[:1])


def created_variables(function: Staged) -> Found:
    """An `ag.Variable` that is made in a loop, or that each call makes."""
    for statement in function.node.body:
        yield from _created(function, statement, "by each call")


_ONCE = (ast.If, ast.IfExp, ast.BoolOp, ast.Try)
"""What lets the first call alone create something."""


def _created(function: Staged, node: ast.AST, when: str | None) -> Found:
    """Yield what creates variables in a node; `when` is None where only some calls come by."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return
    if isinstance(node, ast.While | ast.For):
        when = "in each round of a loop"
    elif isinstance(node, _ONCE) and when == "by each call":
        when = None
    if isinstance(node, ast.Call) and when is not None and function.makes_variable(node):
        yield node, f"`{path_of(node.func)}` is created {when}"
    for child in ast.iter_child_nodes(node):
        yield from _created(function, child, when)


def _does_something(node: ast.AST) -> bool:
    if isinstance(node, ast.NamedExpr):
        return True
    if not isinstance(node, ast.Call):
        return False
    return path_of(node.func) == "next" or getattr(node.func, "attr", "") in _MUTATORS


def names_of(*wanted: str) -> Callable[[Staged], Found]:
    """Return a rule that finds calls of functions: full names, or modules ending with a dot."""

    def finds(function: Staged) -> Found:
        for call in _calls(function):
            name = function.module.full_name(call.func)
            is_own = path_of(call.func).partition(".")[0] in function.names
            fits = any(name == one or (one[-1] == "." and name.startswith(one)) for one in wanted)
            if fits and not is_own and "." in name:
                yield call, f"`{path_of(call.func)}` is called once, while tracing"

    return finds


def _calls(function: Staged) -> Iterator[ast.Call]:
    return (node for node in function.nodes if isinstance(node, ast.Call))


def _containers(
    nodes: object,
    function: Staged,
    displays: tuple[type[ast.AST], ...] = _DISPLAYS,
    makers: frozenset[str] = _MAKERS,
) -> set[str]:
    found: set[str] = set()
    for node in nodes:  # type: ignore[attr-defined]
        value = getattr(node, "value", None)
        if not isinstance(node, ast.Assign | ast.AnnAssign) or value is None:
            continue
        made = function.module.full_name(value.func) if isinstance(value, ast.Call) else ""
        if isinstance(value, displays) or made in makers:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update(x.id for x in targets if isinstance(x, ast.Name))
    return found


def _changes(statement: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield what changes a container: the node, the variable that holds it, and the words."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _MUTATORS and root_of(node.func):
                yield (
                    node,
                    root_of(node.func),
                    f"`{ast.unparse(node.func)}` changes `{root_of(node.func)}`",
                )
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield node, root_of(node), f"an item of `{ast.unparse(node.value)}` is changed"
