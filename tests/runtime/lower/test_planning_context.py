from __future__ import annotations

import numpy as np
import pytest

from runtime.graph.builder import Builder
from runtime.kernels.maps import MapKernel
from runtime.kernels.target import Target, host_target
from runtime.lower.elementwise_kernels import map_kernel
from runtime.lower.memory import find_memory
from runtime.lower.plan import Plan
from runtime.lower.planning_context import Shared
from runtime.ops.elementwise import negative
from runtime.spec import TensorSpec


def test_what_is_planned_after_an_error_inside_of_a_kernel_is_native_again() -> None:
    builder = Builder()
    x = builder.param(TensorSpec([8], np.float64))
    graph = builder.seal([x], builder.emit(negative, [x], {}))
    kernel = map_kernel(graph, (8,), host_target())
    shared = Shared(find_memory(graph), host_target(), False, planned)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            fail_inside(shared, kernel)
        assert shared.target == host_target()


def planned(graph: object, target: Target | None) -> Plan:
    """Plan no function: there is none."""
    raise AssertionError


def fail_inside(shared: Shared, kernel: MapKernel) -> None:
    """Fail while steps are planned that a kernel stands for."""
    with shared.inside(None):
        assert shared.target is not None
    with shared.inside(kernel), shared.inside(None):
        assert shared.target is None
        raise ZeroDivisionError
