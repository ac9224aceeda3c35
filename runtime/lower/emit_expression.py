"""The operands of a driver's steps as Python text: expressions, operators, calls.

Comes in: the operands of a plan. Goes out: their text; the global names that it needs are bound,
and where each operation of a line comes from is noted.

Operators are written as operators and methods as methods, by the templates of op definitions
(`{0} + {1}`), unless the array module has a function for what they mean.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from runtime.graph.interpret import RegionFunction
from runtime.graph.location import Location
from runtime.graph.node import Node
from runtime.graph.regions import CALLS
from runtime.lower.driver import getter, known
from runtime.lower.plan import Apply, Literal, Named, Operand
from runtime.lower.slots import Names
from runtime.lower.write_targets import has_plain_key, library_name
from runtime.ops.spec_rules import LibraryKernel
from runtime.spec import WEAK_SPECS, make_spec

ATOM, NOT = 20, 4
PRECEDENCE: dict[type[ast.AST], int] = {
    ast.Compare: 5, ast.BitOr: 6, ast.BitXor: 7, ast.BitAnd: 8, ast.LShift: 9, ast.RShift: 9,
    ast.Add: 10, ast.Sub: 10, ast.Mult: 11, ast.Div: 11, ast.FloorDiv: 11, ast.Mod: 11,
    ast.MatMult: 11, ast.UnaryOp: 12, ast.Pow: 13,
}  # fmt: skip
"""How tightly operators bind, as in the language reference."""


def is_plain(node: Node, template: str) -> bool:
    """Tell whether a template means for these operands what the op's kernel does.

    Python's own `**` and `~` may give another type than the op for Python scalars. Python's complex
    numbers take a np.float64 for a float, and give a number of Python's. Methods are those of
    arrays, and take no sizes that are inputs, too.
    """
    if "{key}" in template:
        return has_plain_key(node, 1)
    specs = [value.spec for value in node.inputs]
    if "}." in template:
        return len(specs) == 1 and not specs[0].weak
    if specs[0] == WEAK_SPECS[complex] and make_spec(np.dtype(np.float64), ()) in specs:
        return False
    return ("**" not in template and "~" not in template) or not node.result.spec.weak


@lru_cache(maxsize=4096)
def precedences(template: str) -> tuple[int, tuple[int, ...]]:
    """Return how tightly a template binds, and how tightly each of its operands has to."""
    names = [f"_{k}" for k in range(len(re.findall(r"\{\d+\}", template)))]
    attrs = dict.fromkeys(re.findall(r"\{([a-z]\w*)\}", template), "...")
    match ast.parse(template.format(*names, **attrs), mode="eval").body:
        case ast.BinOp(op=ast.Pow()):
            return 13, (14, 12)
        case ast.BinOp(op=op):
            return PRECEDENCE[type(op)], (PRECEDENCE[type(op)], PRECEDENCE[type(op)] + 1)
        case ast.Compare():
            return 5, (6, 6)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
            return 12, (12,)
        case ast.Subscript():
            return ATOM, (ATOM,)
        case ast.Call(func=ast.Name()):
            return ATOM, (0,) * len(names)
        case ast.Call():
            return ATOM, (ATOM,) * len(names)
    return 0, (ATOM,) * len(names)


class Expressions:
    """Writes operands.

    Args:
        names: the global names of the driver, which grow.
        operators: the ops for whose operators and subscripts the array module has functions.

    Attributes:
        operations: the lines that operations came from, by their text, since they were taken.
    """

    def __init__(self, names: Names, operators: frozenset[str]) -> None:
        self.names = names
        self.has_function = operators.__contains__
        self.operations: dict[str, Location | None] = {}

    def operand(self, operand: Operand, outer: int = 0) -> str:
        """Return the text of an operand, in parentheses where `outer` binds more tightly."""
        if isinstance(operand, str):
            return operand
        if isinstance(operand, Literal):
            text = repr(operand.value)
            return f"({text})" if text[0] == "-" and outer > PRECEDENCE[ast.UnaryOp] else text
        if isinstance(operand, Named):
            return self.names.constant(operand.name)
        template = operand.node.op.python
        if template is None or operand.out is not None or not is_plain(operand.node, template):
            own, text = ATOM, self.call(operand)
        elif self.is_mended(operand.node, 1):
            own, text = ATOM, self.operated(template, operand)
        else:
            own, inner = precedences(template)
            text = self.filled(template, operand, inner)
        self.operations.setdefault(text, operand.node.location)
        return f"({text})" if own < outer else text

    def is_mended(self, node: Node, given: int) -> bool:
        """Tell whether a function of the array module stands for the operator of a node.

        A subscript of Python's integers is none, but that of a number; its parts are the inputs
        from `given` on.
        """
        if node.result.spec.weak or not self.has_function(node.op.name):
            return False
        is_plain = all(x.spec.weak for x in node.inputs[given:]) and node.inputs[0].spec.rank != 0
        return "key" not in node.attrs or not is_plain

    def written(self, apply: Apply) -> str:
        """Return the statement that writes the result of an op into its first operand."""
        template = apply.node.op.in_place
        assert template is not None
        if self.is_mended(apply.node, 2):
            return self.operated(template, apply)
        return self.filled(template, apply, (0, 0))

    def operated(self, template: str, apply: Apply) -> str:
        """Return the call of the array module's function for an operator or a subscript."""
        name = apply.node.op.name
        function = self.names.bind(name, lambda xp: xp.operators[name], key=("operator", name))
        if "key" not in apply.node.attrs:
            return f"{function}({', '.join(map(self.operand, apply.operands))})"
        key = f"{self.names.bind('s_', known(np.s_))}[{{key}}]"
        call = (
            f"{function}({{0}}, {key}, {{1}})" if "{1}" in template else f"{function}({{0}}, {key})"
        )
        return self.filled(call, apply, (0, 0) if "{1}" in template else (0,))

    def filled(self, template: str, apply: Apply, inner: Sequence[int]) -> str:
        """Return a template with its operands, and the key with its parts, filled in."""
        texts = [*map(self.operand, apply.operands, inner)]
        key = apply.node.attrs.get("key")
        if key is None:
            attrs = {name: self.names.literal(x) for name, x in apply.node.attrs.items()}
            return template.format(*texts, **attrs)
        parts = map(self.operand, apply.operands[len(texts) :])
        found = re.sub(r"\?", lambda match: next(parts), key)
        return template.format(*texts, key=found or "()")

    def call(self, apply: Apply) -> str:
        """Return a call: of the array module's own function, or of the op's kernel."""
        op = apply.node.op
        arguments = list(map(self.operand, apply.operands))
        if op.form in CALLS:
            return f"{self.names.function(apply.node.attrs['function'])}({', '.join(arguments)})"
        weak = any(value.spec.weak for value in apply.node.results)
        name = None if weak or apply.node.attrs else library_name(op)
        if name is not None:
            function = self.names.bind(name, getter(name))
            arguments += [f"out={apply.out}"] if apply.out else []
            return f"{function}({', '.join(arguments)})"
        if op.prepared is not None:
            make, attrs = op.prepared, apply.node.attrs
            function = self.names.bind(op.name, lambda xp: make(xp, **attrs), key=apply.node)
            return f"{function}({', '.join(arguments)})"
        arguments += [f"{name}={self.names.literal(x)}" for name, x in apply.node.attrs.items()]
        if apply.node.regions:
            arguments.append(f"regions={self.regions(apply)}")
        if isinstance(op.kernel, LibraryKernel):
            function = self.names.bind(op.name, op.kernel.of, key=op)
            return f"{function}({', '.join(arguments)})"
        kernel = self.names.bind(op.name, known(op.kernel), key=op)
        return f"{kernel}({', '.join([self.names.xp(), *arguments])})"

    def regions(self, apply: Apply) -> str:
        """Return the name of the regions of an op that only its kernel understands."""
        graphs = apply.node.regions
        return self.names.bind(
            "regions", lambda xp: [RegionFunction(x, xp) for x in graphs], key=apply.node
        )
