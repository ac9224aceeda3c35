"""What one statement or expression does with names, without the blocks inside it.

In: a gast node. Out: `Uses`, the names it reads, binds, deletes and hands to closures. The body of
a nested function is not looked into here: `nested` lists it, and scopes.py asks what it captures.
Blocks of a compound statement are left to the caller, who knows how often and when they run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import gast

Names = dict[str, None]  # a set that keeps the order of first appearance


@dataclass(slots=True)
class Uses:
    """The names that a node uses, each in the order of first appearance."""

    names: Names = field(default_factory=dict)
    reads: Names = field(default_factory=dict)
    writes: Names = field(default_factory=dict)
    deletes: Names = field(default_factory=dict)
    declares: Names = field(default_factory=dict)  # `x: int` without a value
    attributes: Names = field(default_factory=dict)  # dotted names that are assigned: "self.x"
    walrus: Names = field(default_factory=dict)
    maybe: Names = field(default_factory=dict)  # written on some paths through the node only
    inner: Names = field(default_factory=dict)  # targets of comprehensions
    lazy: Names = field(default_factory=dict)  # read later, by a generator expression
    nested: list[gast.AST] = field(default_factory=list)  # functions, lambdas; of classes, too
    globals: Names = field(default_factory=dict)
    nonlocals: Names = field(default_factory=dict)
    suspends: bool = False  # yield, await
    frame_calls: Names = field(default_factory=dict)  # locals() and what else tells the frame


def uses_of(node: gast.AST) -> Uses:
    """Return what a statement, an expression or a pattern does with names.

    Example:
        >>> import gast
        >>> uses = uses_of(gast.parse("y = [x for x in xs if x > (z := a)]").body[0])
        >>> list(uses.reads), list(uses.writes)
        (['xs', 'a'], ['y', 'z'])
    """
    collector = _Collector()
    collector.visit(node)
    return collector.uses


def dotted(node: gast.AST) -> str | None:
    """Return `a.b.c` for such a chain of attributes of a plain name, otherwise None."""
    if isinstance(node, gast.Name):
        return str(node.id)
    base = dotted(node.value) if isinstance(node, gast.Attribute) else None
    return base and f"{base}.{node.attr}"


# Views of the calling frame's variables, by the number of arguments that makes them so.
_FRAME_CALLS = {"locals": 0, "vars": 0, "dir": 0, "eval": 1, "exec": 1}

# Who names these, but to call them, calls them by another name: `map(eval, texts)`.
_FRAME_NAMES = frozenset({"locals", "eval", "exec"})


class _Collector:
    """One walk; each class of nodes that binds, reads or hides names has a method."""

    def __init__(self) -> None:
        self.uses = Uses()
        self.is_sure = True  # what is visited now runs whenever the node runs

    def visit(self, node: gast.AST) -> None:
        method = _METHODS.get(type(node).__name__)
        if method is None:
            self.children(node)
        else:
            method(self, node)

    def children(self, node: gast.AST, skip: tuple[str, ...] = ()) -> None:
        for name in node._fields:
            if name not in skip:
                self.field(getattr(node, name))

    def field(self, value: object) -> None:
        if isinstance(value, list):
            for item in value:
                if isinstance(item, gast.AST):
                    self.visit(item)
        elif isinstance(value, gast.AST):
            self.visit(value)

    def read(self, name: str) -> None:
        """A name that the same expression has just bound is not needed before it."""
        self.uses.names[name] = None
        if name not in self.uses.walrus or name in self.uses.maybe:
            self.uses.reads[name] = None

    def write(self, name: str) -> None:
        self.uses.names[name] = self.uses.writes[name] = None

    def name(self, node: gast.AST) -> None:
        if isinstance(node.ctx, gast.Load):
            self.read(node.id)
            if node.id in _FRAME_NAMES:
                self.uses.frame_calls[node.id] = None
        elif isinstance(node.ctx, gast.Del):
            self.uses.deletes[node.id] = None
            self.read(node.id)
            self.write(node.id)
        else:
            self.write(node.id)

    def attribute(self, node: gast.AST) -> None:
        self.visit(node.value)
        if not isinstance(node.ctx, gast.Load):
            chain = dotted(node)
            if chain is not None:
                self.uses.names[chain] = self.uses.attributes[chain] = None

    def aug_assign(self, node: gast.AST) -> None:
        if isinstance(node.target, gast.Name):
            self.read(node.target.id)
        self.children(node)

    def ann_assign(self, node: gast.AST) -> None:
        """Annotations of a function's variables are never evaluated."""
        if node.value is None and isinstance(node.target, gast.Name):
            if node.simple:
                self.uses.names[node.target.id] = self.uses.declares[node.target.id] = None
            return
        self.visit(node.target)
        self.field(node.value)

    def named_expr(self, node: gast.AST) -> None:
        self.visit(node.value)
        name = node.target.id
        if not self.is_sure and name not in self.uses.walrus:
            self.uses.maybe[name] = None
        self.uses.walrus[name] = None
        self.write(name)

    def bool_op(self, node: gast.AST) -> None:
        self.first_surely(node.values[0], node.values[1:])

    def if_exp(self, node: gast.AST) -> None:
        self.first_surely(node.test, [node.body, node.orelse])

    def compare(self, node: gast.AST) -> None:
        self.visit(node.left)
        self.first_surely(node.comparators[0], node.comparators[1:])

    def first_surely(self, first: gast.AST, rest: list[gast.AST]) -> None:
        self.visit(first)
        before, self.is_sure = self.is_sure, False
        self.field(rest)
        self.is_sure = before

    def function(self, node: gast.AST) -> None:
        self.field(node.decorator_list)
        self.signature(node.args)
        self.field(node.returns)
        self.uses.nested.append(node)
        self.write(node.name)

    def lambda_(self, node: gast.AST) -> None:
        self.signature(node.args)
        self.uses.nested.append(node)

    def signature(self, arguments: gast.AST) -> None:
        """Defaults and annotations are evaluated where the function is made."""
        self.field(arguments.defaults)
        self.field(arguments.kw_defaults)
        for parameter in parameters(arguments):
            self.field(parameter.annotation)

    def class_(self, node: gast.AST) -> None:
        """A class body runs at once, with names of its own that count as reads to be safe."""
        self.children(node, skip=("body",))
        body = _Collector()
        for statement in node.body:
            body.statement_with_blocks(statement)
        for name in (*body.uses.reads, *body.uses.nonlocals, *body.uses.globals):
            self.read(name)
        self.uses.lazy.update(body.uses.lazy | body.uses.nonlocals | body.uses.globals)
        self.uses.inner.update(body.uses.inner)
        self.uses.nested.extend(body.uses.nested)
        self.write(node.name)

    def statement_with_blocks(self, node: gast.AST) -> None:
        self.visit(node)
        for block in blocks(node):
            for statement in block:
                self.statement_with_blocks(statement)

    def comprehension(self, node: gast.AST) -> None:
        """Names of the targets are its own; a walrus binds outside; a generator reads later.

        What the first loop goes over is read outside: `v = [v for v in v]` needs `v` before it.
        """
        self.visit(node.generators[0].iter)
        inside = _Collector()
        inside.is_sure = False
        inside.children(node)
        own = {name for part in node.generators for name in uses_of(part.target).writes}
        self.uses.inner.update(dict.fromkeys(own) | inside.uses.inner)
        self.merge(inside.uses, own - inside.uses.walrus.keys())
        if isinstance(node, gast.GeneratorExp):
            outside = inside.uses.reads.keys() | inside.uses.walrus.keys()
            self.uses.lazy.update(dict.fromkeys(outside - own))

    def spelled_out(self, node: gast.AST) -> None:
        """Both forms of a comprehension use what the plain one does, and go over what is given."""
        self.visit(node.first)
        inside = uses_of(node.plain.body)
        self.merge(inside, {node.plain.args.args[0].id})
        self.uses.inner.update(inside.inner)

    def items(self, node: gast.AST) -> None:
        """The function of a comprehension's loop is called at once, where that stands."""
        self.write(node.name)

    def merge(self, other: Uses, hidden: set[str]) -> None:
        for kind in _MERGED:
            mine: Names = getattr(self.uses, kind)
            mine.update((name, None) for name in getattr(other, kind) if name not in hidden)
        self.uses.nested.extend(other.nested)
        self.uses.suspends |= other.suspends

    def block_owner(self, node: gast.AST) -> None:
        self.children(node, skip=_BLOCKS)

    def handler(self, node: gast.AST) -> None:
        """From inside a generated function, an unbound local of the user's is a NameError."""
        self.field(node.type)
        for part in gast.walk(node.type) if node.type is not None else ():
            if isinstance(part, gast.Name) and part.id == "UnboundLocalError":
                self.uses.frame_calls[part.id] = None
        self.field(node.name)

    def case(self, node: gast.AST) -> None:
        self.visit(node.pattern)
        self.field(node.guard)

    def pattern(self, node: gast.AST) -> None:
        name = node.rest if isinstance(node, gast.MatchMapping) else node.name
        if name is not None:
            self.write(name)
        self.children(node)

    def import_(self, node: gast.AST) -> None:
        for alias in node.names:
            self.write(alias.asname or alias.name.partition(".")[0])

    def global_(self, node: gast.AST) -> None:
        self.uses.globals.update(dict.fromkeys(node.names))

    def nonlocal_(self, node: gast.AST) -> None:
        self.uses.nonlocals.update(dict.fromkeys(node.names))

    def suspend(self, node: gast.AST) -> None:
        self.uses.suspends = True
        self.children(node)

    def call(self, node: gast.AST) -> None:
        name = (dotted(node.func) or "").removeprefix("builtins.")
        if len(node.args) <= _FRAME_CALLS.get(name, -1) and not node.keywords:
            self.uses.frame_calls[name] = None
        if name in _FRAME_NAMES:
            self.read(name)
        self.children(node, skip=("func",) if name in _FRAME_NAMES else ())


def parameters(arguments: gast.AST) -> list[gast.AST]:
    """Return the parameters of a function in the order in which they are written."""
    variadic = [arguments.vararg] if arguments.vararg is not None else []
    keywords = [arguments.kwarg] if arguments.kwarg is not None else []
    positional = [*arguments.posonlyargs, *arguments.args]
    return [*positional, *variadic, *arguments.kwonlyargs, *keywords]


_MERGED = ("names", "reads", "writes", "walrus", "maybe", "lazy", "attributes", "frame_calls")
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


def blocks(node: gast.AST) -> Iterable[list[gast.AST]]:
    """Yield the blocks of a compound statement of the same scope: arms, handlers, cases.

    Handlers and cases are in a block of their own kind: their headers are visited, too.
    """
    if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
        return
    for name in _BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


_METHODS: dict[str, Callable[[_Collector, gast.AST], None]] = {
    "Name": _Collector.name,
    "Attribute": _Collector.attribute,
    "AugAssign": _Collector.aug_assign,
    "AnnAssign": _Collector.ann_assign,
    "NamedExpr": _Collector.named_expr,
    "BoolOp": _Collector.bool_op,
    "IfExp": _Collector.if_exp,
    "Compare": _Collector.compare,
    "FunctionDef": _Collector.function,
    "AsyncFunctionDef": _Collector.function,
    "Lambda": _Collector.lambda_,
    "ClassDef": _Collector.class_,
    "ListComp": _Collector.comprehension,
    "SetComp": _Collector.comprehension,
    "DictComp": _Collector.comprehension,
    "GeneratorExp": _Collector.comprehension,
    "SpelledOut": _Collector.spelled_out,
    "ItemsFunction": _Collector.items,
    "ExceptHandler": _Collector.handler,
    "match_case": _Collector.case,
    "MatchAs": _Collector.pattern,
    "MatchStar": _Collector.pattern,
    "MatchMapping": _Collector.pattern,
    "Import": _Collector.import_,
    "ImportFrom": _Collector.import_,
    "Global": _Collector.global_,
    "Nonlocal": _Collector.nonlocal_,
    "Yield": _Collector.suspend,
    "YieldFrom": _Collector.suspend,
    "Await": _Collector.suspend,
    "AsyncFor": _Collector.block_owner,
    "AsyncWith": _Collector.block_owner,
    "Call": _Collector.call,
    **dict.fromkeys(
        ("If", "While", "For", "With", "Try", "TryStar", "Match"), _Collector.block_owner
    ),
}
