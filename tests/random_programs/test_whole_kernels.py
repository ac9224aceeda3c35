"""Kernels of whole graphs, which only calls that are made often reach, beside their steps."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.kernels.jit import is_available
from runtime.kernels.load import load_now
from runtime.kernels.target import host_target
from runtime.lower.compile import Executable
from runtime.lower.whole_graph import Known, whole_kernel
from tests.random_programs.families import check_seed, kind_of
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


@pytest.mark.parametrize(
    ("family", "seeds", "least"),
    [("derivative", (0, 1, 4, 5, 7, 8), 8), ("scalar", (1, 2, 3), 4)],
)
def test_the_kernel_of_a_graph_gives_what_its_steps_give(
    monkeypatch: pytest.MonkeyPatch, family: str, seeds: tuple[int, ...], least: int
) -> None:
    run, kernels, compared = Executable.run, dict[Executable, Any](), 0

    def compare(executable: Executable, *arrays: Any) -> Any:
        nonlocal compared
        if executable not in kernels:
            whole = whole_kernel(executable.plan, host_target())
            kernels[executable] = whole and (load_now(whole.kernel), whole.given)
        found = None
        if kernels[executable]:
            kernel, given = kernels[executable]
            found = kernel(*(x.value if isinstance(x, Known) else arrays[x] for x in given))
        wanted = run(executable, *arrays)
        if found is not None:
            compared += 1
            assert all_same(found if isinstance(found, tuple) else (found,), wanted)
        return wanted

    monkeypatch.setattr(Executable, "run", compare)
    for seed in seeds:
        assert kind_of(check_seed(family, seed)) != "wrong", seed
    assert compared >= least
