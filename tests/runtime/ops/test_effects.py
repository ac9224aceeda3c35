from __future__ import annotations

import numpy as np
import pytest

from runtime.dispatch import apply
from runtime.errors import DtypeError
from runtime.ops.effects import check, fill_text, print_
from tests.runtime.staging import ops_of, staged, trace


def test_print_writes_when_the_graph_runs(capsys):
    def function(x):
        apply(print_, [x, x.sum()], format="x = {}, {{sum}} = {}\n")
        return x

    staged(function, np.ones(2))
    assert capsys.readouterr().out == "x = [1. 1.], {sum} = 2.0\n"


def test_print_of_known_values_is_staged_too(capsys):
    from runtime.spec import TensorSpec

    graph = trace(lambda x: (apply(print_, [], format="hello\n"), x)[1], [TensorSpec([])])
    assert ops_of(graph) == ["print"]
    assert capsys.readouterr().out == ""


def test_check_raises_the_named_exception():
    def function(x):
        apply(check, [x > 1, x], error="ValueError", message="{} is too small")
        return x

    assert staged(function, np.float64(2)) == 2
    with pytest.raises(ValueError, match=r"^0.5 is too small$"):
        staged(function, np.float64(0.5))


def test_check_raises_exceptions_of_python_only():
    with pytest.raises(
        DtypeError, match="raises one of Python's exceptions by its name, not 'int'"
    ):
        staged(lambda x: apply(check, [x], error="int"), np.float64(2))


def test_braces_that_are_no_place_stay():
    assert fill_text("{'a': 1} {}", (2,)) == "{'a': 1} 2"


def test_a_place_may_say_how_a_value_is_written():
    assert fill_text("{:.2f} {!r} {!s:>4}|{{}}", (1.5, "a", 2)) == "1.50 'a'    2|{}"


def test_printing_goes_to_the_named_stream(capsys):
    def function(x):
        apply(print_, [x], format="{}", stream="stderr", flush=True)
        return x

    staged(function, np.float64(2))
    assert tuple(capsys.readouterr()) == ("", "2.0")
    with pytest.raises(DtypeError, match="a graph prints to 'stdout' or 'stderr', not to 'stdin'"):
        staged(lambda x: apply(print_, [x], format="{}", stream="stdin"), np.float64(2))
