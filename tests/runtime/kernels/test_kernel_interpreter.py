"""The interpreter gives what machine code gives, for kernels over arrays, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import DtypeError
from runtime.graph.opdef import OpDef
from runtime.kernels import load
from runtime.kernels.arrays.map_entry import write_map
from runtime.kernels.instructions import TABLE
from runtime.kernels.jit import is_available
from runtime.kernels.kernel import (
    INT,
    ArrayType,
    Block,
    Instruction,
    Kernel,
    Port,
    UnsupportedError,
    Variable,
)
from runtime.kernels.kernel_interpreter import interpret
from runtime.kernels.maps import MapKernel
from runtime.kernels.semantics import MEANINGS, UndefinedError
from runtime.kernels.target import host_target
from runtime.lower.elementwise_kernels import map_kernel
from runtime.spec import TensorSpec
from tests.runtime.kernels.random_kernels import is_same
from tests.runtime.kernels.test_maps import array, elementwise, graph_of, kinds_of

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


def test_each_instruction_on_numbers_has_a_meaning() -> None:
    numbers = {
        row.name
        for row in TABLE.values()
        if not row.blocks and "A" not in (*row.operands, *row.results)
    }
    others = {"stop", "overflow", "place", "index", "columns", "reduce", "inner", "drawn"}
    others |= {"call_again"}
    assert numbers - {*MEANINGS} == others


def test_an_integer_that_is_said_to_fit_and_does_not_is_undefined() -> None:
    n, found = Variable(INT), Variable(INT)
    step = Instruction("add", (n, n), (found,), {"fits": True})
    body = Block((n,), (step,), (found,))
    kernel = Kernel("sum", body, (Port(INT),), (Port(INT),), target=host_target())
    assert interpret(kernel, [np.int64(2**61)]) == 2**62
    with pytest.raises(UndefinedError, match=r"add\(%\d, %\d, fits=True\)"):
        interpret(kernel, [np.int64(2**62)])


@pytest.mark.parametrize("op", elementwise())
def test_elementwise_kernels_mean_what_machine_code_does(op: OpDef) -> None:
    kinds = [*kinds_of(op)]
    for dtypes in kinds[:: max(1, len(kinds) // 4)]:
        attrs = {"dtype": "float64"} if "dtype" in op.signature.attrs else {}
        try:
            graph = graph_of(op, [TensorSpec([None], kind) for kind in dtypes], attrs)
            kernel = map_kernel(graph, graph.results[0].spec.shape or (), host_target())
        except (UnsupportedError, DtypeError):
            continue
        machine = load.load(write_map(kernel), "kernel")
        for kind in ("odd", "tame"):
            inputs = [array(x, 100, k, kind) for k, x in enumerate(dtypes)]
            check(kernel, machine, inputs)


def check(kernel: MapKernel, machine: Callable[..., Any], inputs: list[Any]) -> None:
    """Compare what the interpreter gives with what a function gives."""
    for settings in ("ignore", "warn"):
        with np.errstate(all=settings, under="ignore"):  # type: ignore[call-overload]
            wanted, found = machine(*inputs), interpret(kernel, inputs)
        assert is_same(found, wanted), f"{kernel}\n{inputs}: {found}, not {wanted}"


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def moments(x: Any) -> Any:
    return np.mean(x, axis=-1), np.var(x, axis=-1)


def places(x: Any) -> Any:
    return np.argmax(x * 2, axis=-1)


def total(x: Any) -> Any:
    return np.sum(x * x - 1)


def columns(x: Any) -> Any:
    return np.sum(x * 2, axis=0)


def moved(x: Any) -> Any:
    return np.roll(x, 2, axis=1) - x * np.roll(x, -1, axis=0)


def rounds(x: Any) -> Any:
    n = 0
    while np.any(np.abs(x) > 1e-3) and n < 50:
        x = x * 0.5 - 1e-4
        n += 1
    return x, n


@pytest.mark.parametrize("function", [softmax, moments, places, total, columns, moved, rounds])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_and_rounds_mean_what_machine_code_does(
    function: Any, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Any, Any]] = []
    text_of = load.text_of

    def kept(kernel: Any) -> Any:
        seen.append(kernel)
        return text_of(kernel)

    monkeypatch.setattr(load, "text_of", kept)
    x = np.random.default_rng(3).standard_normal((33, 40)).astype(dtype)
    str(ag.function(function).kernels(x))
    (kernel,) = (k for k in seen if isinstance(k, MapKernel))
    machine = load.load(text_of(kernel), "kernel")
    ports = dict(zip(kernel.sources, kernel.inputs, strict=True))
    arrays = [isinstance(ports[k].type, ArrayType) for k in sorted(ports)]
    for given in (x, np.where(x > 1, np.nan, x).astype(dtype), x * x.dtype.type(1e30)):
        check(kernel, machine, [given if is_array else 0 for is_array in arrays])
