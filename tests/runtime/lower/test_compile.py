from __future__ import annotations

import linecache
import traceback

import numpy as np
import pytest

from runtime.errors import BackendError
from runtime.graph.builder import Builder
from runtime.graph.location import Location
from runtime.graph.node import Graph, Node
from runtime.graph.opdef import REGISTRY
from runtime.lower.compile import compile_graph
from runtime.spec import TensorSpec
from tests.runtime.graph.random_graphs import SEEDS, arguments_for, random_graph, run
from tests.runtime.lower.same import all_same


@pytest.mark.parametrize("seed", SEEDS)
def test_driver_gives_what_the_interpreter_gives(seed: int) -> None:
    graph = random_graph(seed, nodes=14, depth=3)
    arguments = arguments_for(graph, seed)
    with np.errstate(all="ignore"):
        found = compile_graph(graph).run(*arguments)
    assert all_same(found, run(graph, arguments))


@pytest.mark.parametrize("backend", ["native", "numpy"])
@pytest.mark.parametrize("optimised", [True, False])
def test_a_region_that_runs_as_it_stands_is_steps_of_the_program(
    backend: str, optimised: bool
) -> None:
    builder, inner, spec = Builder(), Builder(), TensorSpec([3])
    x, y = builder.param(spec, "x"), inner.param(spec, "y")
    region = inner.seal([y], inner.emit(REGISTRY["negative"], [y], {}))
    graph = builder.seal([x], builder.emit(REGISTRY["checkpoint"], [x], {}, [region]))
    (found,) = compile_graph(graph, backend=backend, optimised=optimised).run(np.ones(3))
    assert all_same((found,), (-np.ones(3),))


def addition() -> Graph:
    """Return the graph of x + y, with a node that says where it comes from."""
    builder = Builder()
    x, y = (builder.param(TensorSpec([None]), name) for name in "xy")
    (result,) = builder.emit(REGISTRY["add"], (x, y), {})
    graph = builder.seal([x, y], [result])
    here = Location(__file__, "some_function", 1)
    nodes = [Node(n.op, n.inputs, n.attrs, n.regions, n.results, here) for n in graph.nodes]
    return Graph(graph.params, tuple(nodes), graph.results)


def test_function_returns_a_single_result_bare() -> None:
    executable = compile_graph(addition())
    assert executable.function(1, 2) == 3
    assert executable.run(1, 2) == (3,)


def test_source_is_readable_by_debuggers_under_a_name_that_depends_on_the_text_only() -> None:
    one, two = compile_graph(addition()), compile_graph(addition())
    assert one.file == two.file
    assert "".join(linecache.getlines(one.file)) == one.source


def test_error_shows_the_users_line_and_not_the_drivers() -> None:
    executable = compile_graph(addition())
    with pytest.raises(ValueError, match="broadcast") as caught:
        executable.run(np.ones(2), np.ones(3))
    text = "".join(traceback.format_exception(caught.value))
    assert f'File "{__file__}", line 1, in some_function' in text
    assert "from __future__ import annotations" in text
    assert "<driver" not in text


def test_error_of_the_bare_function_shows_the_drivers_line() -> None:
    executable = compile_graph(addition())
    with pytest.raises(ValueError, match="broadcast") as caught:
        executable.function(np.ones(2), np.ones(3))
    assert "return x + y" in "".join(traceback.format_exception(caught.value))


def test_unknown_backend_is_named_with_those_there_are() -> None:
    with pytest.raises(BackendError, match="no backend 'tpu'; there are native, fast, numpy, cupy"):
        compile_graph(addition(), backend="tpu")


def test_attribute_may_be_a_scalar_of_numpy() -> None:
    builder = Builder()
    (result,) = builder.emit(REGISTRY["filled"], (), {"value": np.float32(2), "shape": (200, 200)})
    (found,) = compile_graph(builder.seal([], [result])).run()
    assert all_same([found], [np.full((200, 200), np.float32(2))])
