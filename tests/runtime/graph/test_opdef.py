from __future__ import annotations

import doctest

import pytest

from runtime.graph import opdef
from runtime.graph.opdef import REGISTRY, REQUIRED, OpDef, op, parse_signature
from runtime.ops.families import ARRAYS


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(opdef, "REGISTRY", {})


def define(signature: str, doc: str = "Do nothing.", **traits) -> OpDef:
    return op(
        signature,
        doc=doc,
        spec=lambda x: x,
        kernel=lambda xp, x: x,
        samples=None,
        family=ARRAYS,
        **traits,
    )


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(opdef).failed == 0


@pytest.mark.parametrize(
    ("text", "inputs", "variadic", "attrs"),
    [
        ("f(x, y)", ("x", "y"), False, {}),
        ("f()", (), False, {}),
        ("f(x, /, axis=None)", ("x",), False, {"axis": None}),
        ("f(x, /, axis, k=(1, 2))", ("x",), False, {"axis": REQUIRED, "k": (1, 2)}),
        ("f(*xs)", ("xs",), True, {}),
        ("f(x, *xs, axis=0, n)", ("x", "xs"), True, {"axis": 0, "n": REQUIRED}),
        ("f(x, *, n)", ("x",), False, {"n": REQUIRED}),
    ],
)
def test_a_signature_is_read_as_python_does(text, inputs, variadic, attrs):
    signature = parse_signature(text)
    assert signature.name == "f"
    assert signature.inputs == inputs
    assert signature.variadic is variadic
    assert dict(signature.attrs) == attrs


def test_attributes_come_in_the_order_of_the_signature_with_defaults(registry):
    definition = define("f(x, /, a, b=2, c=3)")
    assert list(definition.attributes({"c": 4, "a": 1}).items()) == [("a", 1), ("b", 2), ("c", 4)]


def test_an_attribute_that_is_missing_is_refused(registry):
    with pytest.raises(TypeError, match=r"f\(\) needs the argument 'a'"):
        define("f(x, /, a)").attributes({})


def test_an_attribute_that_is_unknown_is_refused(registry):
    with pytest.raises(TypeError, match=r"f\(\) has no argument 'b'"):
        define("f(x, /, a=1)").attributes({"b": 1})


def test_an_op_is_found_by_its_name(registry):
    definition = define("f(x)")
    assert {"f": definition} == opdef.REGISTRY
    assert repr(definition) == "<op f>"


def test_an_op_is_defined_once(registry):
    define("f(x)")
    with pytest.raises(TypeError, match="the op 'f' is defined twice"):
        define("f(x)")


def test_an_op_needs_a_sentence(registry):
    with pytest.raises(TypeError, match="the op 'f' needs a sentence that says what it does"):
        define("f(x)", doc="does")


def test_an_op_has_the_traits_of_its_family_and_its_own(registry):
    definition = define("f(x)", warns=False)
    assert not definition.warns
    assert definition.raises is ARRAYS.raises


def test_a_trait_that_is_unknown_is_refused(registry):
    with pytest.raises(TypeError, match="unexpected keyword argument 'quick'"):
        define("f(x)", quick=True)


def test_required_shows_as_such():
    assert repr(REQUIRED) == "REQUIRED"


def test_every_op_stands_under_its_own_name():
    assert all(name == definition.name for name, definition in REGISTRY.items())
