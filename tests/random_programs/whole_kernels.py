"""Kernels of whole graphs, which only calls that are made often reach, beside their steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from runtime.kernels.jit import is_available
from runtime.kernels.load import load_now
from runtime.kernels.target import host_target
from runtime.lower.compile import Executable
from runtime.lower.whole_graph import Known, whole_kernel
from tests.runtime.lower.same import all_same

FAMILIES = ("derivative", "scalar")
"""Those of whose programs many are one kernel."""


@contextmanager
def whole_kernels(family: str) -> Iterator[list[bool]]:
    """Run the kernel of each graph beside its steps; yield whether they gave the same."""
    run, kernels, found = Executable.run, dict[Executable, Any](), list[bool]()

    def compare(executable: Executable, *arrays: Any) -> Any:
        if executable not in kernels:
            whole = whole_kernel(executable.plan, host_target())
            kernels[executable] = whole and (load_now(whole.kernel), whole.given)
        given = None
        if kernels[executable]:
            kernel, places = kernels[executable]
            given = kernel(*(x.value if isinstance(x, Known) else arrays[x] for x in places))
        wanted = run(executable, *arrays)
        if given is not None:
            found.append(all_same(given if isinstance(given, tuple) else (given,), wanted))
        return wanted

    if family not in FAMILIES or not is_available():
        yield found
        return
    with patch.object(Executable, "run", compare):
        yield found
