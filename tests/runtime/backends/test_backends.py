from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from runtime.backends import backend_for, chosen, get_backend, on_host
from runtime.backends.backend import Backend
from runtime.errors import BackendError, MixedArraysError
from runtime.graph.interpret import interpret
from runtime.kernels.jit import is_available
from runtime.lower.compile import compile_graph
from runtime.numpy import random
from runtime.spec import TensorSpec
from tests.runtime.backends import stand_in
from tests.runtime.backends.stand_in import Box, xp
from tests.runtime.graph.random_graphs import SEEDS, arguments_for, random_graph, run
from tests.runtime.lower.random_updates import arguments, random_updates
from tests.runtime.lower.same import all_same
from tests.runtime.staging import trace

STAND_IN = Backend("stand_in", xp, (Box,), scalars=False)


def boxed(values: Any) -> list[Any]:
    """Return values as the stand-in library has them."""
    return [Box(x.copy()) if isinstance(x, np.ndarray | np.generic) else x for x in values]


def opened(values: Any) -> list[Any]:
    """Return values as NumPy has them, with scalars as arrays."""
    found = [x.held if isinstance(x, Box) else x for x in values]
    return [np.asarray(x) if isinstance(x, np.generic) else x for x in found]


@pytest.mark.parametrize("seed", SEEDS)
def test_driver_calls_nothing_but_the_array_module(seed: int) -> None:
    graph = random_graph(seed, nodes=14, depth=3)
    given = arguments_for(graph, seed)
    with np.errstate(all="ignore"):
        found = compile_graph(graph, backend=STAND_IN).run(*boxed(given))
    assert all_same(opened(found), opened(run(graph, given)))


@pytest.mark.parametrize("seed", range(60))
def test_updates_in_place_are_right_where_elements_are_views(seed: int) -> None:
    graph = random_updates(seed)
    given = boxed(arguments(seed))
    found = compile_graph(graph, backend=STAND_IN).run(*given)
    assert all_same(opened(found), opened(interpret(graph, arguments(seed), np)))
    assert all_same(opened(given), opened(arguments(seed)))


def test_calls_of_the_stand_in_module_are_counted() -> None:
    stand_in.calls.clear()
    xp.add(Box([1.0]), Box([2.0]))
    assert stand_in.calls == {"add": 1}


def test_stand_in_module_refuses_raw_arrays() -> None:
    with pytest.raises(TypeError, match="NumPy array was given"):
        xp.add(Box([1.0]), np.ones(1))


def test_arrays_choose_the_backend_by_their_type() -> None:
    host = "native" if is_available() else "numpy"
    assert backend_for([np.ones(2), 1.0, np.float32(1)]).name == host
    assert backend_for([]).name == host
    assert backend_for([Box([1.0]), 2]).xp is xp


def test_object_that_is_no_array_is_refused() -> None:
    with pytest.raises(BackendError, match="str is not an array"):
        backend_for(["text"])


def test_cupy_says_how_to_install_it_when_it_is_missing(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    get_cupy = sys.modules["runtime.backends.cupy"].load
    get_cupy.cache_clear()
    with pytest.raises(BackendError, match=r"needs CuPy .* pip install 'autograph-runtime\[gpu\]'"):
        get_backend("cupy")


def test_numpy_arrays_are_their_own_host_arrays() -> None:
    array = np.ones(2)
    assert on_host(array) is array
    assert on_host(Box(array)) is array
    assert on_host({"get": 1}) == {"get": 1}


def test_arrays_of_two_libraries_are_an_error_that_names_both() -> None:
    with pytest.raises(MixedArraysError, match="an operand is an array of numpy and an operand"):
        backend_for([np.ones(2), Box([1.0])])
    with pytest.raises(
        TypeError, match=r"the array a is an array of stand_in and the array b.*asarray\(b\)"
    ):
        backend_for([Box([1.0]), np.ones(2)], ["the array a", "the array b"])
    assert backend_for([Box([1.0]), np.float32(2), 3.0]).xp is xp


def test_an_array_of_another_library_than_was_named_is_an_error() -> None:
    with pytest.raises(
        MixedArraysError,
        match=r"the argument x is an array of stand_in, and the function is to run on numpy\. "
        r"Write numpy\.asarray\(x\), or leave out backend=",
    ):
        chosen("numpy", [Box([1.0])], ["the argument x"])
    assert chosen("numpy", [np.ones(2), 1.0], ["x", "y"]).name == "numpy"


def test_random_numbers_are_the_same_for_every_array_module() -> None:
    def draws(key: Any) -> Any:
        return (
            random.uniform_of(key, 3),
            random.normal_of(key, 3),
            random.permutation_of(key, 6),
        )

    graph, key = trace(draws, [TensorSpec([2], "uint64")]), random.key(3)
    found = compile_graph(graph, backend=STAND_IN).run(*boxed([key]))
    assert all_same(opened(found), opened(interpret(graph, [key], np)))
