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


def test_a_misspelt_attribute_gets_the_nearest_name():
    with pytest.raises(AttributeError, match="did you mean 'shape'") as caught:
        ag.function(asks_for_a_misspelt_name)(np.ones(3))
    assert place_of(asks_for_a_misspelt_name, 1) in str(caught.value)


def test_asking_for_attributes_is_answered_as_for_arrays():
    x = np.ones(3)
    assert ag.function(asks_whether)(x) == asks_whether(x)


def test_a_refusal_that_knows_no_line_gets_the_users():
    def asks_for_a_length(x):
        return bin(x[0])

    with pytest.raises(TypeError) as caught:
        ag.function(asks_for_a_length)(np.array([3]))
    assert place_of(asks_for_a_length, 1) in str(caught.value)
