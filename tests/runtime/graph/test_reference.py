"""What a graph refers to is found where it is, and refused where it is not."""

from __future__ import annotations

import doctest
import math
import subprocess
import sys
import traceback
from typing import Any

import numpy as np
import pytest

from runtime.errors import GraphFormatError
from runtime.graph import reference
from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.graph.opdef import REGISTRY
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.graph.reference import portable_name
from runtime.lower.compile import compile_graph
from runtime.ops.effects import Called
from runtime.spec import TensorSpec
from runtime.state.variable import Variable

FOUND: list[Any] = []
SCALAR = TensorSpec(())


def note(x: Any) -> None:
    """Remember what is handed over."""
    FOUND.append(x)


def graph_of(op: str, **attrs: Any) -> Graph:
    builder = Builder()
    x = builder.param(SCALAR, "x")
    builder.emit(REGISTRY[op], [x], REGISTRY[op].attributes(attrs))
    return builder.seal([x], [x])


def run_elsewhere(graph: Graph | str, functions: str = "[]") -> subprocess.CompletedProcess[str]:
    """Read and run the text of a graph in another process, in which a variable holds 7.

    Args:
        graph: the graph, or a text.
        functions: that the graph may call: Python, which the other process evaluates.
    """
    program = (
        "import sys, numpy as np, autograph\n"
        "from runtime.graph.interpret import interpret\n"
        "from runtime.graph.reader import read_graph\n"
        "from runtime.io.program import with_functions\n"
        "variables = [autograph.Variable(7.0) for _ in range(500)]\n"
        "try:\n"
        f"    graph = with_functions(read_graph(sys.stdin.read()), {functions})\n"
        "    interpret(graph, [np.float64(2.0)], np)\n"
        "except (RuntimeError, LookupError) as error:\n"
        "    print(error)\n"
        "print({float(v) for v in variables})\n"
        "print('antigravity' in sys.modules)\n"
        "if 'tests.runtime.graph.test_reference' in sys.modules:\n"
        "    print(sys.modules['tests.runtime.graph.test_reference'].FOUND)\n"
    )
    text = graph if isinstance(graph, str) else print_graph(graph, elide=False)
    command = [sys.executable, "-c", program]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True)


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(reference).failed == 0


def test_a_variable_of_another_process_is_refused_and_no_other_one_is_written():
    variable = Variable(1.0, name="rate")
    found = run_elsewhere(graph_of("keep", variable=variable.reference)).stdout
    assert "refers to the variable 'rate' of the process that traced it" in found
    assert "{7.0}" in found


def test_a_function_without_a_name_is_refused_in_another_process():
    graph = graph_of("call_python", function=Called(lambda x: None, name="local"))
    found = run_elsewhere(graph).stdout
    assert "refers to the function 'local' of the process that traced it" in found
    assert "give it a function of a module" in found


def test_a_function_of_a_module_is_called_in_every_process_that_gives_it():
    graph = graph_of("call_python", function=Called(note))
    imported = f"[__import__({__name__!r}, fromlist=['note']).note]"
    assert run_elsewhere(graph, imported).stdout.endswith(f"{[np.float64(2.0)]}\n")


def test_a_text_chooses_no_function_and_imports_no_module():
    """What is read from a file would run code: `os.system` is imported in every process."""
    text = print_graph(graph_of("call_python", function=Called(note)), elide=False)
    for name in ("builtins:print", "antigravity:geohash", "posix:system"):
        found = run_elsewhere(text.replace(f"{__name__}:note", name)).stdout
        assert f"calls the Python function {name!r}, and no text chooses what is called" in found
        assert found.endswith("{7.0}\nFalse\n")


def test_a_class_of_exceptions_is_of_a_module_that_is_imported():
    form = "check(%0, %x, error=@exception('antigravity:Error(?)'))"
    text = f"graph(%x: f64[]) {{ %0: bool[] = less(%x, %x) {form} return %x }}"
    found = run_elsewhere(text).stdout
    assert "'antigravity:Error' is of a module; import antigravity before" in found
    assert found.endswith("False\n")


@pytest.mark.parametrize("is_local", [True, False])
def test_what_is_printed_is_found_again_in_the_same_process(is_local):
    seen: list[Any] = []
    own = Called(seen.append, name="local") if is_local else Called(note)
    graph = read_graph(print_graph(graph_of("call_python", function=own), elide=False))
    interpret(graph, [np.float64(3.0)], np)
    compile_graph(graph).run(np.float64(4.0))
    assert (seen if is_local else FOUND[-2:]) == [3.0, 4.0]


def test_a_text_for_people_says_the_name_only():
    variable = Variable(1.0, name="rate")
    text = print_graph(graph_of("keep", variable=variable.reference))
    assert "keep(%x, variable=@variable('rate'))" in text
    with pytest.raises(GraphFormatError, match="the variable 'rate' is was left out for people"):
        read_graph(text)


def test_where_nodes_were_made_is_read_back():
    builder = Builder()
    x = builder.param(TensorSpec([None]), "x")
    y = builder.param(TensorSpec([None]), "y")
    graph = builder.seal([x, y], builder.emit(REGISTRY["add"], [x, y], {}))
    (node,) = graph.nodes
    (again,) = read_graph(print_graph(graph, elide=False)).nodes
    assert again.location == node.location
    assert again.location is not None
    assert (again.location.file, again.location.function) == (__file__, node.location.function)


def test_an_error_of_a_graph_that_was_read_shows_the_users_line():
    builder = Builder()
    x, y = (builder.param(TensorSpec([None]), name) for name in "xy")
    total = builder.emit(REGISTRY["add"], [x, y], {})  # the line that raises
    text = print_graph(builder.seal([x, y], total), elide=False)
    with pytest.raises(ValueError, match="broadcast") as caught:
        compile_graph(read_graph(text)).run(np.ones(2), np.ones(3))
    assert "# the line that raises" in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("place", ["('a', 'b', 'c')", "('a', 'b', 'c', 1, 2)", "1"])
def test_a_place_that_is_none_is_refused(place):
    text = f"graph(%x: f64[]) {{ %0: f64[] = negative(%x) at {place} return %0 }}"
    with pytest.raises(GraphFormatError, match="a place is a file, a function"):
        read_graph(text)


def test_a_function_has_a_portable_name_when_its_module_has_it_under_that_name():
    assert portable_name(math.sin) == "math:sin"
    assert portable_name(note) == f"{__name__}:note"
    assert portable_name(lambda: None) is None
    assert portable_name(np.float64(1).__add__) is None
