from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime.graph.interpret import interpret
from runtime.graph.verify import verify
from runtime.ops.control import reduce
from runtime.ops.elementwise import add, multiply
from runtime.passes.rows_in_place import write_rows
from tests.runtime.lower.same import all_same
from tests.runtime.passes.build import INT, Draft

NUMBER = ag.TensorSpec([])


@pytest.mark.parametrize("count", [-1, 0, 1, 4])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("size", "carried"), [(3, 4), (2000, 3)])
def test_small_rows_are_written_into_arrays_and_large_ones_are_stacked(
    count: int, reverse: bool, size: int, carried: int
) -> None:
    draft = Draft()
    n, x, v = draft.param(INT), draft.param(NUMBER), draft.param(ag.TensorSpec([size]))
    found = draft.nest(
        reduce,
        [n, x],
        [[INT, NUMBER]],
        [lambda d, i, a: [d(add, d(multiply, a, 0.5), i), a, d(add, v, a), i]],
        carry=1,
        sequences=0,
        reverse=reverse,
    )
    graph = draft.graph([n, x, v], *found)
    written = write_rows(graph)
    verify(written)
    assert [node.attrs["carry"] for node in written.nodes if node.op is reduce] == [carried]
    given = [count, np.float64(3.0), np.arange(float(size))]
    assert all_same(interpret(written, given, np), interpret(graph, given, np))


def test_a_loop_that_gives_numbers_is_machine_code() -> None:
    def running(xs: np.ndarray) -> np.ndarray:
        return ag.scan(lambda s, x: (s * 0.5 + x, s), np.float64(0.0), xs)[1]

    assert "not native" not in str(ag.function(running).kernels(np.ones(9)))
    assert "not native" not in str(ag.function(running).kernels(np.ones((9, 4))))
