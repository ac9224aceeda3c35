"""Which functions are converted is the user's to say: by function, by block and by module."""

from __future__ import annotations

import types

import numpy as np
import pytest

import autograph as ag
from autograph.operators.calls.conversion_rules import Rules


def sign(x):
    return 1.0 if x > 0 else -1.0


def twice(x):
    return sign(x) * 2


@ag.do_not_convert
def plain(x):
    return sign(x)


def test_in_a_block_calls_are_made_as_they_are_and_so_are_theirs():
    @ag.function
    def f(x):
        with ag.do_not_convert():
            return twice(x)

    with pytest.raises(ag.StagedBoolError, match="in code that was not converted"):
        f(np.float64(3))
    assert f.python_function(3.0) == 2.0


def test_after_the_block_calls_are_converted_again():
    @ag.function
    def f(x, flag):
        with ag.do_not_convert():
            y = np.abs(x) + 1
            if flag > 0:
                y = y * 2
        return twice(x) + y

    for x in (3.0, -3.0):
        assert f(np.float64(x), np.float64(1)) == f.python_function(x, 1)


def test_it_marks_functions_with_and_without_parentheses():
    @ag.do_not_convert()
    def marked(x):
        return sign(x)

    for function in (plain, marked):
        assert function(3.0) == 1.0
        with pytest.raises(ag.StagedBoolError):
            ag.function(lambda x, function=function: function(x))(np.float64(3))


def test_without_autograph_nothing_that_is_called_is_converted():
    with pytest.raises(ag.StagedBoolError):
        ag.function(twice, autograph=False)(np.float64(3))


def test_convert_stages_what_a_library_calls():
    @ag.convert
    def halved(x):
        while x > 1:
            x = x / 2
        return x

    def outer(x):
        with ag.do_not_convert():
            return halved(x) + 1

    assert halved(6.0) == 0.75
    assert ag.function(outer, autograph=False)(np.float64(6)) == 1.75
    assert halved.__name__ == "halved"


def test_convert_without_what_it_calls():
    @ag.convert(recursive=False)
    def shallow(x):
        if x > 5:
            return -sign(-x if x < 0 else x)
        return x

    @ag.convert(recursive=False)
    def alone(x):
        return x if x > 5 else -x

    assert ag.function(alone)(np.float64(3)) == -3
    with pytest.raises(ag.StagedBoolError):
        ag.function(shallow)(np.float64(6))


def test_convert_needs_a_function():
    with pytest.raises(TypeError, match=r"autograph\.convert takes a function, not 3"):
        ag.convert(3)


def module_function(name):
    """Return `sign`, as if it were of another module."""
    made = types.FunctionType(sign.__code__, globals(), "sign")
    made.__module__ = name
    return made


@pytest.fixture
def rules():
    before = dict(ag.rules._own)
    yield ag.rules
    ag.rules._own.clear()
    ag.rules._own.update(before)


def test_rules_say_which_modules_are_converted(rules):
    inner, other = module_function("company.io.files"), module_function("company.io.filters.fast")

    def call(function):
        return ag.function(lambda x: function(x))(np.float64(3))

    assert call(inner) == 1.0
    rules.leave("company.io")
    rules.convert("company.io.filters")
    assert call(other) == 1.0
    with pytest.raises(ag.StagedBoolError):
        call(inner)
    assert repr(rules) == "leave company.io\nconvert company.io.filters"
    rules.forget("company.io")
    assert call(inner) == 1.0


def test_a_rule_of_the_user_comes_before_ours(rules):
    function = module_function("scipy.special.mine")
    with pytest.raises(ag.StagedBoolError):
        ag.function(lambda x: function(x))(np.float64(3))
    rules.convert("scipy.special")
    assert ag.function(lambda x: function(x))(np.float64(3)) == 1.0


def test_explain_tells_of_rules(rules):
    rules.leave("company")
    function = module_function("company.io")
    found = ag.explain(lambda x: function(x) if False else x, np.float64(3))
    assert found.statements
    found = ag.explain(lambda x: plain(np.abs(3)), np.float64(3))
    calls = {statement.text: statement.reason for statement in found.statements}
    assert calls["plain(np.abs(3))"] == "plain is marked with do_not_convert"


@pytest.mark.parametrize("prefix", ["", "a b", 3, "a..b"])
def test_a_rule_is_for_a_module(prefix):
    with pytest.raises(ValueError, match="a rule is for a module, such as"):
        Rules().leave(prefix)


def test_a_rule_that_is_not_there_cannot_be_forgotten():
    with pytest.raises(KeyError):
        Rules().forget("nowhere")
