"""Routines: work on words and pointers, written in Python's syntax, as LLVM text.

Comes in: source, and what its names stand for. Goes out: lines, of functions or within one. Kernels
say what is computed; routines are what is around that: entries, copies, threads, tables.

    routine   = "def" name "(" [name ":" type ("," name ":" type)*] ")" ["->" type] ":" block
    statement = name ["," name]* "=" value ["," value]* | name op "=" value | place [op] "=" value
              | "if" value ":" block ["else" ":" block] | "while" value ":" block
              | "for" name "in" ("range" "(" values ")" | sequence) ":" block
              | "return" [values] | "break" | "continue" | "goto" "(" label ")" | call
    place     = pointer "." type ["." "aligned"] "[" value "]"
    value     = name | number | place | value op value | value "if" test "else" value | call
    call      = function "(" values ")" | type "(" value ")"

Integers have no sign: `//`, `%`, `>>`, `<`, `min` and `max` are those of natural numbers; `below`
and `signed` are for others. `and` and `or` compute both of their operands. `p.i64[k]` is element
`k` of the integers that a pointer goes to, `p + n` a pointer `n` bytes further. A variable that is
set once is a register, any other has a place on the stack, which LLVM makes registers of. Numbers,
sequences and functions of Python are what they are when the text is written: `if` chooses, `for`
repeats its block, and a function is called with the texts of its arguments.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from runtime.kernels.routine_values import Function, Names, Value, Values, name_of, typed

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(dedent(source))


@cache
def _set_often(tree: ast.AST) -> frozenset[str]:
    """Return the variables that are set more than once."""
    found = Counter[str]()
    for x in ast.walk(tree):
        if isinstance(x, ast.arg):
            found[x.arg] += 1
        elif isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store):
            found[x.id] += 1
        elif isinstance(x, ast.AugAssign) and isinstance(x.target, ast.Name):
            found[x.target.id] += 1
    return frozenset(name for name, times in found.items() if times > 1)


def write(w: Writer, source: str, **names: Any) -> tuple[str, ...]:
    """Write statements; return the texts of what the `return` at their end gives.

    Args:
        w: writes lines.
        source: the statements.
        names: what names stand for.
    """
    tree, block = _parsed(source), _Block(w, names, _set_often(_parsed(source)))
    *body, last = tree.body
    if not isinstance(last, ast.Return):
        block.statements(tree.body)
        return ()
    block.statements(body)
    values = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    return tuple(block.values.value(x).text for x in values if x is not None)


def routines(
    w: Writer, source: str, head: str = "define internal", tail: str = "#0", **names: Any
) -> dict[str, Function]:
    """Write functions; return them by their names in the source.

    Args:
        w: writes lines; its other lines are left as they are.
        source: the functions; those whose names begin with `_` are seen in their module only.
        head: what stands before the type of their results.
        tail: what stands behind their parameters.
        names: what names stand for; that of a function, what it is called.
    """
    functions = [x for x in _parsed(source).body if isinstance(x, ast.FunctionDef)]
    for x in functions:
        result = name_of(x.returns, names) or "void"
        names[x.name] = Function(result, f"@{names.get(x.name, x.name)}")
    for x in functions:
        own: Function = names[x.name]
        params = {p.arg: Value(name_of(p.annotation, names), f"%{p.arg}") for p in x.args.args}
        given = ", ".join(map(str, params.values()))
        shown = "define internal" if x.name.startswith("_") else head
        w.lines.append(f"{shown} {own.result} {own.text}({given}) {tail} {{")
        w.begin("start")
        top, spaces, w.spaces = len(w.lines), w.spaces, []
        block = _Block(w, {**names, **params}, _set_often(x))
        for name in sorted(block.often & {*params}):
            block.set(ast.Name(name), params[name])
        if block.statements(x.body):
            w.line("ret void")
        w.lines.append("}")
        w.lines[top:top], w.spaces = w.spaces, spaces
    return {x.name: names[x.name] for x in functions}


class _Block:
    """Writes statements.

    Args:
        w: writes lines.
        names: what names stand for.
        often: the variables that are set more than once.
    """

    def __init__(self, w: Writer, names: Names, often: frozenset[str]) -> None:
        self.w, self.often = w, often
        self.values = Values(w, names)
        self.loops: list[tuple[str, str]] = []

    def statements(self, body: Sequence[ast.stmt]) -> bool:
        """Write statements; tell whether what follows them is reached."""
        return all(_STATEMENTS[type(x)](self, x) for x in body)

    def assign(self, x: ast.Assign) -> bool:
        """x = y; x, y = y, z."""
        (target,), found = x.targets, self.values.known(x.value)
        if isinstance(target, ast.Tuple):
            for each, value in zip(target.elts, found, strict=True):
                self.set(each, value)
        else:
            self.set(target, found)
        return True

    def update(self, x: ast.AugAssign) -> bool:
        """x += y."""
        found = self.values.value(x.target)
        self.set(x.target, self.values.combined(x.op, found, self.values.known(x.value)))
        return True

    def set(self, target: ast.expr, value: Any) -> None:
        """Write that a variable or a place in memory has a value."""
        if isinstance(target, ast.Subscript):
            kind, address = self.values.place(target)
            self.w.line(f"store {typed(value, kind)}, {address}")
            return
        assert isinstance(target, ast.Name)
        if target.id not in self.often:
            self.values.names[target.id] = value
            return
        if target.id not in self.values.places:
            self.reserve(target.id, typed(value).type or "i64")
        kind, place = self.values.places[target.id]
        self.w.line(f"store {typed(value, kind)}, ptr {place}")

    def reserve(self, name: str, kind: str) -> str:
        """Return a place for a variable."""
        self.values.places[name] = Value(kind, self.w.space(kind))
        return self.values.places[name].text

    def choose(self, x: ast.If) -> bool:
        """Write a choice between two blocks, or the one that is known to be taken."""
        w, found = self.w, self.values.known(x.test)
        if not isinstance(found, Value):
            return self.statements(x.body if found else x.orelse)
        inside, other, after = map(w.block_label, ("then", "else", "after"))
        w.line(f"br i1 {found.text}, label %{inside}, label %{other if x.orelse else after}")
        goes_on = not x.orelse
        for label, body in ((inside, x.body), (other, x.orelse)):
            if body:
                w.begin(label)
                if self.statements(body):
                    w.line(f"br label %{after}")
                    goes_on = True
        if goes_on:
            w.begin(after)
        return goes_on

    def repeat(self, x: ast.While) -> bool:
        """Write rounds as long as a test is true."""
        self.rounds(lambda: self.values.known(x.test), x.body, lambda: None)
        is_endless = isinstance(x.test, ast.Name) and x.test.id == "true"
        if is_endless and not any(isinstance(y, ast.Break) for y in ast.walk(x)):
            self.w.line("unreachable")
            return False
        return True

    def each(self, x: ast.For) -> bool:
        """Write rounds that count; for a sequence of Python's the block, again and again."""
        assert isinstance(x.target, ast.Name)
        if not (isinstance(x.iter, ast.Call) and name_of(x.iter.func, {}) == "range"):
            for item in self.values.known(x.iter):
                self.values.names[x.target.id] = item
                self.statements(x.body)
            return True
        first, end, step = [*map(self.values.known, x.iter.args), 1][:3]
        place = self.reserve(x.target.id, "i64")
        self.w.line(f"store {typed(first, 'i64')}, ptr {place}")

        def now() -> Value:
            return Value("i64", self.w.new(f"load i64, ptr {place}"))

        def follow() -> None:
            after = self.values.combined(ast.Add(), now(), step)
            self.w.line(f"store {after}, ptr {place}")

        self.rounds(lambda: self.values.compared("ult", now(), end), x.body, follow)
        return True

    def rounds(
        self, test: Callable[[], Any], body: Sequence[ast.stmt], follow: Callable[[], None]
    ) -> None:
        """Write a loop: a test, what is done in a round, what is done between two."""
        w, labels = self.w, [self.w.block_label(x) for x in ("loop", "body", "next", "done")]
        head, inside, following, after = labels
        w.line(f"br label %{head}")
        w.begin(head)
        found = typed(test(), "i1")
        w.line(f"br {found}, label %{inside}, label %{after}")
        w.begin(inside)
        self.loops.append((following, after))
        if self.statements(body):
            w.line(f"br label %{following}")
        self.loops.pop()
        w.begin(following)
        follow()
        w.line(f"br label %{head}")
        w.begin(after)

    def leave(self, x: ast.stmt) -> bool:
        """Write `break` or `continue`."""
        self.w.line(f"br label %{self.loops[-1][isinstance(x, ast.Break)]}")
        return False

    def answer(self, x: ast.Return) -> bool:
        """Write `return`."""
        self.w.line(f"ret {self.values.value(x.value) if x.value else 'void'}")
        return False

    def call(self, x: ast.Expr) -> bool:
        """Write a call; `goto` is one that does not come back."""
        assert isinstance(x.value, ast.Call)
        if name_of(x.value.func, {}) != "goto":
            self.values.known(x.value)
            return True
        self.w.line(f"br label %{name_of(x.value.args[0], self.values.names)}")
        return False


_STATEMENTS: Mapping[type, Callable[[_Block, Any], bool]] = {
    ast.Assign: _Block.assign, ast.AugAssign: _Block.update, ast.If: _Block.choose,
    ast.While: _Block.repeat, ast.For: _Block.each, ast.Return: _Block.answer,
    ast.Break: _Block.leave, ast.Continue: _Block.leave, ast.Expr: _Block.call,
}  # fmt: skip
