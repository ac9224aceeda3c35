"""Templates are filled with names, expressions and statements, and positions are kept."""

from __future__ import annotations

import gast
import pytest

from autograph.source.quote import (
    constant,
    make,
    name,
    parameter,
    position,
    quote,
    quote_expression,
)


def statement(text: str) -> gast.AST:
    return gast.parse(text).body[0]


def expression(text: str) -> gast.AST:
    return gast.parse(text, mode="eval").body


def text_of(nodes: list[gast.AST]) -> str:
    return "\n".join(gast.unparse(node).strip("\n") for node in nodes)


HERE = statement("\n\n  \nif a: b")


def test_a_str_renames_a_function_and_its_uses() -> None:
    filled = quote("def F():\n    return F\nF()", at=HERE, F="then")
    assert text_of(filled) == "def then():\n    return then\nthen()"


def test_a_str_renames_attributes_and_keywords() -> None:
    filled = quote("OPS.KIND(KIND=1)", at=HERE, OPS="ag", KIND="if_")
    assert text_of(filled) == "ag.if_(if_=1)"


def test_a_node_takes_the_place_of_a_name() -> None:
    filled = quote_expression("OPS.not_(X)", at=HERE, OPS="ag", X=expression("a + b"))
    assert gast.unparse(filled).strip() == "ag.not_(a + b)"


def test_a_list_is_spread_into_a_call() -> None:
    values = expression("g(a, *b)").args
    assert text_of(quote("f(ARGS, 1)", at=HERE, ARGS=values)) == "f(a, *b, 1)"


def test_an_empty_list_leaves_nothing() -> None:
    assert text_of(quote("f(ARGS)", at=HERE, ARGS=[])) == "f()"


def test_keywords_are_spread_behind_two_stars() -> None:
    keywords = expression("g(x=1, **y)").keywords
    assert text_of(quote("f(**KEYWORDS)", at=HERE, KEYWORDS=keywords)) == "f(x=1, **y)"


def test_an_expression_may_stand_behind_two_stars() -> None:
    assert text_of(quote("f(**X)", at=HERE, X=expression("y"))) == "f(**y)"


def test_statements_are_spread_into_a_body() -> None:
    body = gast.parse("a = 1\nb = 2").body
    filled = quote("def F():\n    BODY\n    return a", at=HERE, F="then", BODY=body)
    assert text_of(filled) == "def then():\n    a = 1\n    b = 2\n    return a"


def test_an_expression_as_a_statement_becomes_one() -> None:
    assert isinstance(quote("X", at=HERE, X=expression("f()"))[0], gast.Expr)


def test_nonlocal_takes_a_list_of_names() -> None:
    assert text_of(quote("nonlocal NAMES", at=HERE, NAMES=["x", "y"])) == "nonlocal x, y"


def test_nonlocal_without_names_goes_away() -> None:
    assert quote("nonlocal NAMES", at=HERE, NAMES=[]) == []


def test_parameters_are_spread_into_a_definition() -> None:
    parameters = [parameter("i", at=HERE)]
    filled = quote("def F(ARGS): pass", at=HERE, F="body", ARGS=parameters)
    assert text_of(filled) == "def body(i):\n    pass"


def test_the_text_of_a_constant_is_no_placeholder() -> None:
    filled = quote("f('X', STATE)", at=HERE, STATE=constant("y, z", at=HERE))
    assert text_of(filled) == "f('X', 'y, z')"


def test_new_nodes_get_the_position_and_old_ones_keep_theirs() -> None:
    user = statement("\n\n\n\n\nx = 1")
    (filled,) = quote("def F():\n    BODY", at=HERE, F="then", BODY=[user])
    assert (filled.lineno, filled.col_offset, user.lineno) == (4, 0, 6)


def test_a_compound_statement_is_placed_by_its_header() -> None:
    loop = statement("while x < 3:\n    pass\n    pass")
    assert position(loop) == (1, 0, 1, 11)


def test_a_with_statement_is_placed_by_its_header() -> None:
    assert position(statement("with a, b:\n    pass")) == (1, 0, 1, 9)


def test_a_template_is_not_changed_by_filling_it() -> None:
    for value in ("a", "b"):
        assert text_of(quote("X = 1", at=HERE, X=value)) == f"{value} = 1"


def test_a_filled_template_compiles() -> None:
    filled = quote("def F():\n    return X", at=HERE, F="f", X=expression("1 + 1"))
    module = gast.Module(filled, [])
    scope: dict[str, object] = {}
    exec(compile(gast.gast_to_ast(module), "<test>", "exec"), scope)
    assert scope["f"]() == 2  # type: ignore[operator]  # the value of an exec'd name


def test_a_missing_value_is_refused() -> None:
    with pytest.raises(TypeError, match="disagree about BODY"):
        quote("def F(): BODY", at=HERE, F="f")


def test_a_value_without_placeholder_is_refused() -> None:
    with pytest.raises(TypeError, match="disagree about G"):
        quote("F()", at=HERE, F="f", G="g")


def test_a_node_that_would_occur_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="X stands for a node and occurs twice"):
        quote("f(X, X)", at=HERE, X=expression("a"))


def test_a_node_passed_for_two_placeholders_is_refused() -> None:
    node = expression("a")
    with pytest.raises(ValueError, match="passed for two placeholders"):
        quote("f(X, Y)", at=HERE, X=node, Y=node)


def test_make_fills_in_every_field() -> None:
    node = make(gast.FunctionDef, at=HERE, name="f", args=make(gast.arguments, at=HERE))
    node.body = [make(gast.Return, at=HERE, value=name("x", at=HERE))]
    assert text_of([node]) == "def f():\n    return x"
    assert all(hasattr(node, field) for field in node._fields)


def test_make_refuses_an_unknown_field() -> None:
    with pytest.raises(TypeError, match="Pass has no field value"):
        make(gast.Pass, at=HERE, value=1)


def test_make_refuses_a_missing_field_that_has_no_default() -> None:
    with pytest.raises(TypeError, match="If needs the field test"):
        make(gast.If, at=HERE)
