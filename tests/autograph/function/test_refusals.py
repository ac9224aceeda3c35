"""What is refused while tracing names the user's line, the value, and the way out."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def asks_for_memory(x):
    return x.setflags(write=False)


def asks_for_a_misspelt_name(x):
    return x.shap


def asks_whether(x):
    return hasattr(x, "shap"), hasattr(x, "shape"), getattr(x, "shap", 3), hasattr(x, "__shap__")


def place_of(function, line):
    return f'File "{__file__}", line {function.__code__.co_firstlineno + line}'


def test_a_missing_attribute_says_what_the_value_is_and_where():
    with pytest.raises(AttributeError) as caught:
        ag.function(asks_for_memory)(np.ones(3))
    text = str(caught.value)
    assert text.startswith("<staged x: f64[3]> has no attribute 'setflags': NumPy's arrays have it")
    assert "ag.numpy_function" in text
    assert place_of(asks_for_memory, 1) in text
    assert text.endswith("return x.setflags(write=False)")


def test_a_misspelt_attribute_is_the_programs_own_error():
    with pytest.raises(AttributeError, match="has no attribute 'shap'"):
        ag.function(asks_for_a_misspelt_name)(np.ones(3))


def test_an_attribute_that_numpy_has_not_raises_where_plain_python_comes_to_it():
    def f(x):
        if x[0] > 0:
            return x
        x[1] = 5
        return x.reverse()

    staged = ag.function(f)
    assert staged(np.ones(2)).tolist() == [1, 1]
    x = np.zeros(2)
    with pytest.raises(AttributeError, match="has no attribute 'reverse'"):
        staged(x)
    assert x.tolist() == [0, 5]


def test_asking_for_attributes_is_answered_as_for_arrays():
    x = np.ones(3)
    assert ag.function(asks_whether)(x) == asks_whether(x)


def test_a_refusal_that_knows_no_line_gets_the_users():
    def asks_for_a_length(x):
        return b"1".zfill(x[0])

    with pytest.raises(TypeError) as caught:
        ag.function(asks_for_a_length)(np.array([3]))
    assert place_of(asks_for_a_length, 1) in str(caught.value)
