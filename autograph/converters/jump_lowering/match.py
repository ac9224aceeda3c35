"""Lowering of jumps out of `match`: into a chain of `if`, where a value or a guard may be staged.

    match shape:                      found, captured = MATCH(shape, "Circle(r)")
        case Circle(r) if r > 0:      if found:
            A                             r, = captured
        case 0 | 1:                       found = r > 0
            B                  ->     if found:
        case other:                       A
            C                         elif shape == 0 or shape == 1:
                                          B
                                      else:
                                          other = shape
                                          C

What asks only about structure (mappings, strings, None, items of a tuple that is the subject) is
decided by Python while tracing, and stays as it is written.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import gast

from autograph.analysis.jumps import NO_JUMPS, Kinds
from autograph.analysis.may_vary import Names
from autograph.analysis.support import IsLocal, is_static_test
from autograph.analysis.uses import uses_of
from autograph.converters.jump_lowering.routes import Pending, Routes, joined
from autograph.converters.jump_lowering.walk import Block, JumpLowering, Lowered
from autograph.converters.patterns import PatternTest
from autograph.source.quote import make, quote

# Classes of which no staged value ever is.
_STRUCTURES = frozenset({"bytes", "dict", "frozenset", "list", "set", "str", "tuple"})


def lower_match(
    walk: JumpLowering, node: gast.AST, rest: Block, routes: Routes, tail: Kinds
) -> Lowered:
    """Lower the jumps out of a `match`, and the rest of its block."""
    if converts_match(walk, node):
        return [], Pending(), [*_chain(walk, node), *rest]
    inner = NO_JUMPS if rest else tail
    found = []
    for case in node.cases:
        case.body, pending = walk.block(case.body, routes, inner)
        case.body = case.body or [make(gast.Pass, at=case.pattern)]
        found.append(pending)
    return walk.followed([node], joined(found), rest, routes, tail)


def converts_match(walk: JumpLowering, node: gast.AST) -> bool:
    """Whether a `match` becomes a chain of `if`, which may be staged."""
    is_display = isinstance(node.subject, gast.Tuple | gast.List)
    is_known = is_display or not walk.names.may_vary(node.subject)
    return not is_known or not all(
        _is_structural(case, is_display, walk.names) for case in node.cases
    )


def _is_structural(case: gast.AST, is_display: bool, names: Names) -> bool:
    """Whether neither the pattern nor the guard of a case can meet a staged truth."""
    is_plain = case.guard is None or is_static_test(case.guard, names)
    if is_display and isinstance(case.pattern, gast.MatchSequence):
        items = case.pattern.patterns
        return is_plain and all(_asks_structure(item, names.is_local) for item in items)
    return is_plain and _asks_structure(case.pattern, names.is_local)


def _asks_structure(node: gast.AST, is_local: IsLocal) -> bool:
    """Whether a pattern is decided by Python; NumPy may say that arrays are sequences."""
    if isinstance(node, gast.MatchSequence):
        return False
    if isinstance(node, gast.MatchValue):
        return isinstance(node.value, gast.Constant) and isinstance(node.value.value, str | bytes)
    if isinstance(node, gast.MatchSingleton):
        return node.value is None
    if isinstance(node, gast.MatchClass) and not _is_structure(node.cls, is_local):
        return False
    return all(_asks_structure(inner, is_local) for inner in _inner(node))


def _is_structure(node: gast.AST, is_local: IsLocal) -> bool:
    is_known = isinstance(node, gast.Name) and node.id in _STRUCTURES
    return is_known and not is_local(node.id) and hasattr(builtins, node.id)


def _inner(node: gast.AST) -> Iterator[gast.AST]:
    """Yield the patterns directly in a pattern."""
    return (part for part in gast.iter_child_nodes(node) if isinstance(part, gast.pattern))


def _chain(walk: JumpLowering, node: gast.AST) -> Block:
    """Return the statements that a `match` becomes."""
    start, subject = _subject(walk, node)
    statements: Block = []
    for case in reversed(node.cases):
        statements = _case(walk, case, subject, statements)
    return [*start, *statements]


def _subject(walk: JumpLowering, node: gast.AST) -> tuple[Block, str]:
    """Return how the subject is evaluated, once, and the variable that holds it."""
    value = node.subject
    if isinstance(value, gast.Name) and not any(_rebinds(case, value.id) for case in node.cases):
        return [], value.id
    name = walk.fresh("subject")
    return quote("SUBJECT = VALUE", at=node, SUBJECT=name, VALUE=value), name


def _rebinds(case: gast.AST, name: str) -> bool:
    """Whether a case that fails may have changed the variable that is the subject."""
    if name in uses_of(case.pattern).writes:
        return True
    calls = (gast.Call, gast.NamedExpr)
    return case.guard is not None and any(isinstance(x, calls) for x in gast.walk(case.guard))


def _case(walk: JumpLowering, case: gast.AST, subject: str, others: Block) -> Block:
    """Return the statements of a case, given those of the cases after it."""
    pattern = case.pattern
    if isinstance(pattern, gast.MatchAs) and pattern.pattern is None:
        start = [] if pattern.name is None else _assigned(pattern.name, subject, pattern)
        if case.guard is None:
            return [*start, *case.body]
        return [*start, _if(case, case.guard, case.body, others)]
    if not _captures(pattern):
        tests = [_test(pattern, subject), *([case.guard] if case.guard is not None else [])]
        test = tests[0] if len(tests) == 1 else _joined(gast.And(), tests, pattern)
        return [_if(case, test, case.body, others)]
    return _capturing_case(walk, case, subject, others)


def _capturing_case(walk: JumpLowering, case: gast.AST, subject: str, others: Block) -> Block:
    pattern = case.pattern
    found, captured = walk.fresh("found"), walk.fresh("captured")
    test = PatternTest(_name(subject, pattern), pattern, True)
    start = quote("FOUND, CAPTURED = TEST", at=pattern, FOUND=found, CAPTURED=captured, TEST=test)
    names = [make(gast.Name, at=pattern, id=name, ctx=gast.Store()) for name in _captures(pattern)]
    targets = [make(gast.Tuple, at=pattern, elts=names, ctx=gast.Store())]
    bind = [make(gast.Assign, at=pattern, targets=targets, value=_name(captured, pattern))]
    if case.guard is None:
        return [*start, _if(case, _name(found, pattern), bind + case.body, others)]
    bind += quote("FOUND = GUARD", at=case.guard, FOUND=found, GUARD=case.guard)
    guarded = _if(case, _name(found, pattern), bind, [])
    return [*start, guarded, _if(case, _name(found, case.guard), case.body, others)]


def _captures(pattern: gast.AST) -> list[str]:
    """Return the names that a pattern binds, in the order in which `ag.match` returns them."""
    found = [name for inner in _inner(pattern) for name in _captures(inner)]
    own = getattr(pattern, "rest" if isinstance(pattern, gast.MatchMapping) else "name", None)
    return list(dict.fromkeys(found + ([own] if own is not None else [])))


def _test(pattern: gast.AST, subject: str) -> gast.AST:
    """Return the test of a pattern that captures nothing: plain Python for plain values."""
    if isinstance(pattern, gast.MatchValue):
        return _compared(subject, gast.Eq(), pattern.value, pattern)
    if isinstance(pattern, gast.MatchSingleton) and pattern.value is None:
        nothing = make(gast.Constant, at=pattern, value=None)
        return _compared(subject, gast.Is(), nothing, pattern)
    if isinstance(pattern, gast.MatchOr) and all(map(_is_value, pattern.patterns)):
        tests = [_test(inner, subject) for inner in pattern.patterns]
        return _joined(gast.Or(), tests, pattern)
    return PatternTest(_name(subject, pattern), pattern, False)


def _is_value(pattern: gast.AST) -> bool:
    is_none = isinstance(pattern, gast.MatchSingleton) and pattern.value is None
    return is_none or isinstance(pattern, gast.MatchValue)


def _compared(subject: str, op: gast.AST, value: gast.AST, at: gast.AST) -> gast.AST:
    left = _name(subject, at)
    return make(gast.Compare, at=at, left=left, ops=[op], comparators=[value])


def _joined(op: gast.AST, tests: Block, at: gast.AST) -> gast.AST:
    return make(gast.BoolOp, at=at, op=op, values=tests)


def _name(name: str, at: gast.AST) -> gast.AST:
    return make(gast.Name, at=at, id=name)


def _assigned(name: str, subject: str, at: gast.AST) -> Block:
    return quote("NAME = SUBJECT", at=at, NAME=name, SUBJECT=subject)


def _if(case: gast.AST, test: gast.AST, body: Block, orelse: Block) -> gast.AST:
    return make(gast.If, at=case.pattern, test=test, body=body, orelse=orelse)
