"""The converters in their order: a function goes in, the same function made of operators comes out.

In: a FunctionDef or Lambda of gast, which is not changed; the name that stands for the operators in
the new code; which names of the module stand for which modules. Out: a new node of the same kind.
It knows nothing of values or of files. Two steps: `lower_jumps` makes jumps structure or flags;
then each statement and expression that has a converter in the tables below is replaced.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast

from autograph.analysis.facts import Facts
from autograph.converters.asserts import convert_assert
from autograph.converters.base import Function, ToExpression, ToStatements, Unit
from autograph.converters.calls import convert_call, keep_text
from autograph.converters.comprehensions import (
    ItemsFunction,
    SpelledOut,
    convert_items,
    convert_spelled_out,
    spell_out,
)
from autograph.converters.conditionals import convert_if
from autograph.converters.copies import copied
from autograph.converters.functions import (
    convert_body,
    convert_class,
    convert_comprehension,
    convert_function,
    convert_lambda,
    keep_statement,
)
from autograph.converters.generators import (
    Emit,
    Steps,
    check_kept,
    convert_emit,
    emit_steps,
)
from autograph.converters.hints import Hinted, convert_hinted
from autograph.converters.lists import (
    convert_assign,
    convert_augmented,
    convert_binary,
    convert_comparison,
    convert_delete,
    convert_dict,
    convert_expression,
    convert_item,
    convert_list,
    convert_parts_of_comprehension,
    convert_return,
    convert_set,
    convert_starred,
    convert_tuple,
)
from autograph.converters.logic import (
    convert_bool_op,
    convert_compare,
    convert_if_exp,
    convert_unary_op,
)
from autograph.converters.loops import convert_annotated, convert_for, convert_while
from autograph.converters.patterns import PatternTest, convert_pattern_test
from autograph.converters.resumed import resume_steps
from autograph.converters.subscripts import convert_subscript
from autograph.converters.tail_calls import loop_tail_calls
from autograph.converters.texts import convert_percent, convert_text
from autograph.converters.tries import convert_try
from autograph.converters.withs import convert_with
from autograph.source.names import Namer, identifiers

STATEMENTS: dict[type[gast.AST], ToStatements] = {
    gast.AnnAssign: convert_annotated,
    gast.Assert: convert_assert,
    gast.AsyncFunctionDef: keep_statement,
    gast.ClassDef: convert_class,
    gast.For: convert_for,
    gast.FunctionDef: convert_function,
    gast.If: convert_if,
    gast.Try: convert_try,
    gast.TryStar: convert_try,
    gast.TypeAlias: keep_statement,
    gast.While: convert_while,
    gast.With: convert_with,
}

EXPRESSIONS: dict[type[gast.AST], ToExpression] = {
    gast.BinOp: convert_percent,
    gast.BoolOp: convert_bool_op,
    gast.Call: convert_call,
    gast.Compare: convert_compare,
    gast.DictComp: convert_comprehension,
    gast.GeneratorExp: convert_comprehension,
    Hinted: convert_hinted,
    gast.IfExp: convert_if_exp,
    gast.JoinedStr: convert_text,
    gast.Lambda: convert_lambda,
    gast.ListComp: convert_comprehension,
    PatternTest: convert_pattern_test,
    gast.SetComp: convert_comprehension,
    gast.Subscript: convert_subscript,
    gast.TemplateStr: keep_text,
    gast.UnaryOp: convert_unary_op,
}

TRACED_STATEMENTS: dict[type[gast.AST], ToStatements] = {
    **STATEMENTS,
    gast.Assign: convert_assign,
    gast.AugAssign: convert_augmented,
    gast.Delete: convert_delete,
    gast.Expr: convert_expression,
    ItemsFunction: convert_items,
    gast.Return: convert_return,
}

TRACED_EXPRESSIONS: dict[type[gast.AST], ToExpression] = {
    **EXPRESSIONS,
    gast.BinOp: convert_binary,
    gast.Compare: convert_comparison,
    gast.Dict: convert_dict,
    gast.DictComp: convert_parts_of_comprehension,
    Emit: convert_emit,
    gast.GeneratorExp: convert_parts_of_comprehension,
    gast.List: convert_list,
    gast.ListComp: convert_parts_of_comprehension,
    gast.Set: convert_set,
    gast.SetComp: convert_parts_of_comprehension,
    SpelledOut: convert_spelled_out,
    gast.Starred: convert_starred,
    gast.Subscript: convert_item,
    gast.Tuple: convert_tuple,
}
"""The tables for code that is traced, in which containers may have staged items."""

KEPT_STATEMENTS: dict[type[gast.AST], ToStatements] = {
    **{kind: rule for kind, rule in TRACED_STATEMENTS.items() if kind not in STATEMENTS},
    **dict.fromkeys((gast.AsyncFunctionDef, gast.ClassDef, gast.FunctionDef), keep_statement),
}
KEPT_EXPRESSIONS = {**TRACED_EXPRESSIONS, gast.Lambda: keep_text}
"""The tables for a generator that stays one; functions in it are converted when they are called."""


def rewrite(
    node: gast.AST,
    *,
    operators: str,
    modules: Mapping[str, str],
    class_name: str | None = None,
    traced: bool = False,
    steps: Steps | None = None,
) -> gast.AST:
    """Return a function in which control flow, logic, calls and indexing are operator calls.

    Args:
        node: the FunctionDef, AsyncFunctionDef or Lambda; it is not changed.
        operators: the name by which the new code knows the operators, `ag`.
        modules: names of the module that are bound to modules: `{"np": "numpy"}`.
        class_name: the class whose body the function stands in; its private names depend on it.
        traced: whether it is for the tracer. Text for people leaves what only containers with
            staged items need: items, arithmetic, comprehensions and calls of NumPy.
        steps: for a generator whose steps are emitted, to what; None if it is none.

    Raises:
        UnsupportedSyntaxError: the steps of the generator cannot be emitted.

    Example:
        >>> import gast
        >>> function = gast.parse("def f(x):\\n    return x if x > 0 else -x").body[0]
        >>> print(gast.unparse(rewrite(function, operators="ag", modules={})).strip())
        def f(x):
            return ag.if_exp(x > 0, lambda: x, lambda: -x)
    """
    tree = copied(node)
    if traced:
        namer = Namer(extra=frozenset({*identifiers(tree), operators}))
        if steps is Steps.KEPT:
            check_kept(tree)
        elif steps is Steps.RESUMED:
            resume_steps(tree, namer)
        elif steps is not None:
            emit_steps(tree, namer, steps)
        if steps is not Steps.KEPT:
            loop_tail_calls(tree, operators, namer)
            spell_out(tree, namer)
    taken = frozenset({*identifiers(tree), operators})
    tables = (TRACED_EXPRESSIONS, TRACED_STATEMENTS) if traced else (EXPRESSIONS, STATEMENTS)
    tables = (KEPT_EXPRESSIONS, KEPT_STATEMENTS) if steps is Steps.KEPT else tables
    unit = Unit(operators, modules, Facts(), taken, *tables, traced)
    convert_body(Function(unit, tree, None, class_name))
    return tree
