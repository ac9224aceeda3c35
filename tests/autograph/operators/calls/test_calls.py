"""What is called from staged code, and how."""

from __future__ import annotations

import functools
import inspect
import operator
from types import SimpleNamespace

import numpy as np
import pytest

import autograph as ag
from autograph import conversion
from autograph.operators.builtins.builtin_table import OVERLOADS
from autograph.operators.calls.call import call, may_convert, target
from autograph.source.build import is_converted
from runtime import default_graph
from tests.autograph.operators.calls import call_samples as samples

POSITIVE, NEGATIVE = np.float64(3), np.float64(-5)


def assert_staged(function, *arguments):
    """Check that a function with a staged argument gives what it gives in Python, in one trace."""
    staged = ag.function(lambda x: function(x, *arguments))
    for x in (POSITIVE, NEGATIVE):
        assert staged(x) == function(x, *arguments)
    assert staged.trace_count == 1


def test_outside_of_a_trace_everything_is_called_as_it_is():
    seen = []
    assert default_graph.current() is None
    assert call(lambda *args, **kwargs: (args, kwargs), 1, a=2) == ((1,), {"a": 2})
    call(seen.append, 3)
    assert call(len, [1]) == len(seen) == 1


def test_a_keyword_may_be_named_as_a_parameter_of_ours():
    assert call(dict, function=1, self=2) == {"function": 1, "self": 2}


def test_builtins_are_called_as_their_overloads():
    assert target(len) is OVERLOADS[len]
    assert target(np.int8) is OVERLOADS[np.int8]


def test_functions_written_in_c_are_called_as_they_are():
    for function in (vars, "".split, operator.add, [].append):
        assert target(function) is function


def test_a_function_is_converted():
    assert is_converted(target(samples.absolute))
    assert_staged(samples.absolute)


def test_a_function_of_its_own_conversion_is_called_as_it_is():
    converted = target(samples.absolute)
    assert target(converted) is converted


def test_code_is_converted_once(monkeypatch):
    target(samples.absolute)
    monkeypatch.setattr(conversion, "rewrite", None)
    assert is_converted(target(samples.absolute))


def test_functions_that_share_code_keep_their_own_variables():
    for f in (lambda x: x + 1, lambda x: x * 2):
        assert_staged(samples.twice(f))


def test_a_lambda_is_converted():
    absolute = lambda y: y if y > 0 else -y  # noqa: E731
    assert_staged(lambda x: absolute(x))


def test_a_partial_is_taken_apart():
    half = functools.partial(samples.scaled, by=0.5)
    assert_staged(lambda x: half(x))
    assert_staged(functools.partial(samples.with_default, limit=1.0))
    assert target(functools.partial(int, base=16)).func is OVERLOADS[int]


def test_a_method_is_converted_and_keeps_its_object():
    model = samples.Model(2.0)
    assert target(model.other).__self__ is model
    assert_staged(lambda x: model.other(x * x))


@pytest.mark.parametrize("name", ["of_class", "of_nobody"])
def test_class_and_static_methods_are_converted(name):
    assert_staged(getattr(samples.Model, name))
    assert_staged(getattr(samples.Model(1.0), name))


def test_a_callable_object_is_called_by_its_converted_method():
    assert_staged(samples.Model(2.0))
    assert_staged(samples.ModelOfParent(2.0))


def test_an_object_that_cannot_be_hashed_can_be_called():
    assert_staged(samples.Unhashable())


def test_a_property_is_read_in_python():
    assert_staged(lambda x: x * samples.Model(2.0).unit)


def test_a_class_is_made_with_its_init_converted():
    assert_staged(lambda x: samples.Chooses(x).value)
    assert_staged(lambda x: samples.Slotted(x).value)


def test_a_base_class_is_initialised_converted_too():
    assert_staged(lambda x: samples.Child(x, 1.0).value)
    assert_staged(lambda x: samples.Child(x, y=2.0).more)


@pytest.mark.parametrize("cls", [samples.New, samples.Made, SimpleNamespace, bytearray])
def test_a_class_that_makes_its_instances_otherwise_is_called_as_it_is(cls):
    assert target(cls) is cls


def test_classes_that_make_something_else_do_so():
    assert_staged(lambda x: samples.New(x))
    assert_staged(lambda x: samples.Made(x))


def test_a_class_is_given_all_arguments():
    made = target(samples.Plain)(1, 2)
    assert type(made) is samples.Plain
    assert made.args == (1, 2)


def test_wrong_arguments_fail_as_in_python():
    @ag.function
    def f(x):
        return samples.absolute(x, x)

    message = r"absolute\(\) takes 1 positional argument but 2 were given"
    with pytest.raises(TypeError, match=message):
        f(POSITIVE)


def test_what_is_not_callable_fails_as_in_python():
    with pytest.raises(TypeError, match="'int' object is not callable"):
        ag.function(lambda x: (3 if x is not None else None)(x))(POSITIVE)


def test_decorators_of_a_callee_are_run_and_converted():
    assert_staged(samples.decorated)


def test_what_may_not_be_converted_is_called_as_it_is():
    assert target(samples.left_alone) is samples.left_alone
    assert_staged(samples.left_alone)


def test_the_truth_of_a_staged_value_in_such_a_function_is_an_error():
    with pytest.raises(ag.StagedBoolError, match="not converted"):
        ag.function(lambda x: samples.asks_for_truth(x))(POSITIVE)


@pytest.mark.parametrize("module", ["sklearn.base", "collections", "autograph.x"])
def test_functions_of_some_modules_are_called_as_they_are(module, monkeypatch):
    def f(x):
        return x

    f.__module__ = module
    assert not may_convert(f)
    assert target(f) is f


@pytest.mark.parametrize("module", ["__main__", "net", None])
def test_functions_of_the_user_are_converted(module):
    def f(x):
        return x

    f.__module__ = module
    assert may_convert(f)


def test_a_generator_stays_one_and_calls_operators():
    assert inspect.isgeneratorfunction(target(samples.numbers))
    assert is_converted(target(samples.numbers))
    assert_staged(lambda x: x + sum(samples.numbers(4)))


def test_recursion_on_plain_values_is_unrolled():
    assert_staged(samples.recursive, 3)
    assert_staged(samples.even, 3)


def without_source(text):
    space = {}
    exec(text, space)
    return space["f"]


def test_a_function_without_source_runs_as_it_is():
    double = without_source("def f(x): return x * 2")
    assert_staged(lambda x: double(x))


def test_the_truth_of_a_staged_value_names_why_a_function_was_not_converted():
    unknown = without_source("def f(x):\n    return x if x > 0 else -x")
    staged = ag.function(lambda x: unknown(x))
    for _ in range(2):
        with pytest.raises(ag.StagedBoolError) as caught:
            staged(POSITIVE)
        text = str(caught.value)
        assert "f could not be converted:\nThe source of f is not available" in text
        assert "it was made by exec (<string>), which keeps no text" in text


def test_a_function_is_converted_with_the_defaults_it_has_now():
    def f(x, y=1):
        return x + y

    staged = ag.function(lambda x: f(x))
    assert staged(POSITIVE) == 4
    f.__defaults__ = (5,)
    assert ag.function(lambda x: f(x))(POSITIVE) == 8


def test_arguments_of_every_kind_are_passed_on():
    @ag.function
    def f(x):
        args, kwargs = (1.0, 2.0), {"plus": 3.0}
        return samples.scaled(x, *args, by=2.0, **kwargs)

    assert f(POSITIVE) == samples.scaled(POSITIVE, 1.0, 2.0, by=2.0, plus=3.0)
    assert f(NEGATIVE) == NEGATIVE


def test_functions_that_take_functions_call_them_staged():
    @ag.function
    def f(x):
        return functools.reduce(lambda a, b: a + b, map(samples.left_alone, [x, x]))

    assert f(POSITIVE) == 8


SUM = functools.partial(max, 1)


def test_partials_of_partials_are_flat():
    def f(n):
        inner = functools.partial(min, n)
        outer = functools.partial(inner, 2)
        return outer.args, outer.func is min, functools.partial(SUM, 3).args, outer()

    assert ag.function(f)(np.int64(5)) == f(5) == ((5, 2), True, (1, 3), 2)
