"""Which plans are one kernel, and what that is given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from runtime.kernels.kernel import instructions
from runtime.kernels.load import load_now
from runtime.kernels.target import host_target
from runtime.lower.whole_graph import Known, whole_kernel
from tests.runtime.lower.same import all_same
from tools.bench.derivative_lists import filtered, plate, running, stack_machine, written_list
from tools.bench.derivative_loops import ball, broken, early, halving, newton
from tools.bench.loop_samples import collatz, gcd

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


def ran(function: Any, *args: Any) -> Any:
    """Return what the one kernel of a function returns; None if there is no such kernel."""
    plan = ag.function(function).get_concrete_function(*args).executable.plan
    whole = whole_kernel(plan, host_target())
    if whole is None:
        return None
    given = [x.value if isinstance(x, Known) else args[x] for x in whole.given]
    found = load_now(whole.kernel)(*given)
    assert found is not None
    return found


def root(a: Any) -> Any:
    """A loop whose derivative counts rounds, and keeps what they begin with in an array."""
    x = a
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


def roots(a: Any) -> Any:
    """Such loops in a loop."""
    total, k = 0.0, 0.0
    while k < a:
        total, k = total + root(a + k), k + 1.0
    return total


def limited(a: Any) -> Any:
    """A loop whose derivative chooses, and asks for the sizes of what it keeps."""
    x, step = a, 1.0
    while x < 9.0:
        step = np.minimum(step * 1.5, 2.0)
        x = x + step * np.maximum(a, 0.5)
    return x


def chosen(a: Any, is_returned: bool) -> Any:
    x = np.asarray(a)
    for _ in range(600):
        x = np.where(x > 2.0, x - 1.0, x + 0.3)
    return x if is_returned else x + 0.5


def sums(x: Any) -> Any:
    """A loop over elements, and sums of all of them in NumPy's order."""
    total = 0.0
    for k in range(len(x)):
        total = total + x[k, 0]
    return total * x.sum(), total - (x * 3.0).sum()


X = np.arange(6.0).reshape(2, 3)
RANDOM = np.random.default_rng(7).random((64, 64)) + 0.5
N, M = np.int64(48), np.int64(36)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda a, b: a + b, (X, X)),
        (lambda a, b: b - a, (X, X[0])),
        (lambda a, b: np.tanh(a) * b + 1, (X, np.float64(2))),
        (lambda x: np.sum(x), (X[0],)),
        (lambda x: np.exp(x - np.max(x)), (X[0],)),
        (lambda a, b: (a + b, a * b), (X, X)),
        (lambda a, b: a * b - 7, (N, M)),
        (lambda a, b: (b > a, a // b), (N, M)),
        (collatz, (N,)),
        (gcd, (N, M)),
        (lambda a: ag.value_and_grad(root)(a), (np.float64(2),)),
        (lambda a: ag.value_and_grad(roots)(a), (np.float64(2),)),
        (lambda a: ag.grad(lambda b: roots(b * b))(a), (np.float64(2),)),
        (lambda a: ag.grad(ag.grad(limited))(a), (np.float64(0.7),)),
        (lambda a: chosen(a, False), (np.float64(2.2),)),
        *((ag.value_and_grad(f), (RANDOM[0],)) for f in (newton, halving, early, broken, ball)),
        (sums, (RANDOM,)),
    ],
)
def test_one_kernel_gives_all_results_in_order(function: Any, args: tuple[Any, ...]) -> None:
    found, wanted = ran(function, *args), function(*args)
    assert all_same(
        found if isinstance(found, tuple) else (found,),
        wanted if isinstance(wanted, tuple) else (wanted,),
    )


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda x: x, (X,)),
        (lambda x: x.T, (X,)),
        (lambda x: x.reshape(-1), (X,)),
        (lambda x: x.T * 2.0, (X,)),
        (lambda x: np.sum(x.T * 2.0, axis=0), (X,)),
        (lambda x: np.sum(np.broadcast_to(x[0], x.shape)), (X,)),
        (lambda x: np.sort(x) + 1, (X,)),
        (lambda x: x + 1, (np.ones(100_000),)),
        (lambda a: chosen(a, True), (np.float64(2.2),)),
        (lambda x: ag.print(x), (N,)),
        (lambda x: 3, (X,)),
        (lambda x: (x[0], x[0, 0] * 2), (X,)),
        (lambda x: (x[0, 0] * 2, np.full(3, 2.0)), (X,)),
    ],
)
def test_other_plans_are_not_one_kernel(function: Any, args: tuple[Any, ...]) -> None:
    assert ran(function, *args) is None


@pytest.mark.parametrize("x", [np.asfortranarray(RANDOM[:13, :21]), RANDOM[::2, ::3], RANDOM[::-1]])
def test_arrays_that_lie_otherwise_are_summed_in_their_own_order(x: Any) -> None:
    plan = ag.function(sums).get_concrete_function(x).executable.plan
    whole = whole_kernel(plan, host_target())
    assert whole is not None
    found = load_now(whole.kernel)(x)
    assert found is None or all_same(found, sums(x))


SQUARE = RANDOM[:11, :11].copy()
ONES = [1, 1]


def written(x: Any, places: Any, value: Any) -> Any:
    x[places] = value
    return x


def added(x: Any, places: Any, value: Any) -> Any:
    np.add.at(x, np.array(places), value)
    return x


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("turn", [np.asarray, np.asfortranarray, lambda x: x.repeat(2, 0)[::2]])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x @ x.T,
        lambda x: (x + 1.0) @ np.swapaxes(x, 0, 1),
        lambda x: (x.T @ x) * 2.0 + x.T,
        lambda x: np.sum(x + np.moveaxis(x, 0, 1) * 0.3),
        lambda x: np.sum(x * 0.3, axis=0),
        lambda x: np.sum(x[:4] * -0.0, axis=0),
        lambda x: x / np.sum(x, axis=1, keepdims=True),
        lambda x: np.sum(x[:, :3].reshape(-1) * 0.1),
        lambda x: (x * 2.0).reshape(121)[::2] * 1.5,
        lambda x: np.sum(x[0].reshape(11, 1) @ x[1].reshape(1, 11)),
        lambda x: np.sum(np.broadcast_to(x[:, :1], (11, 11)) * x),
        lambda x: np.sum(np.stack([x[0], x[1] * 2.0], axis=1) * 0.3),
        lambda x: np.mean(x, axis=0) - np.max(x, axis=1),
        lambda x: np.std(x, axis=0, keepdims=True) * np.var(x, axis=1, keepdims=True),
        lambda x: np.min(x, axis=0) * np.prod(x * 0.9, axis=0) - np.prod(x, axis=1),
        lambda x: np.argmax(x, axis=1) + 1,
        lambda x: np.sum(np.broadcast_to(x[0], x.shape) * x[:, :1], axis=0),
        lambda x: np.sum(np.rot90(x) * x) + np.sum(np.flip(x) * 0.3),
        lambda x: np.sum(np.rot90(x).reshape(-1) * 0.7) + np.sum(x.T.ravel() * 0.1),
        lambda x: np.diagonal(x, 1) * np.diagonal(np.flip(x, 0), -1),
        lambda x: np.cumsum(x)[:11] + np.cumprod(x[::-1, 0] * 0.5),
        lambda x: np.cumsum(np.flip(x, 1), axis=1) - np.cumsum(x, axis=0),
        lambda x: np.squeeze(np.expand_dims(x * 2.0, (0, 2)), 0).reshape(121) + 1.0,
        lambda x: np.full_like(x, x[0, 0]) + np.full_like(x[0], 0.1),
        lambda x: np.sum(x[:, :, None] * x[0], axis=(0, 1)) + np.ptp(x, axis=1),
        lambda x: np.sum(x[:, :, None] * x[0], axis=(0, 2)) * np.sum(x[:, None], axis=(1, 2)),
        lambda x: np.max(x[:6, :, None] - x[0], axis=(0, 2)) + np.sum(x.reshape(11, 11, 1) * 0.3),
        lambda x: np.sum((x[:, :6, None, None] * x[:3, :4]).reshape(11, 6, 3, 4), axis=(1, 3)),
        lambda x: np.sum(x[:, :2] * 0.3, axis=1) + np.sum(x[:, 2:9] * -0.0, axis=1),
        lambda x: np.take_along_axis(x, np.argmax(x, axis=1)[:, None], axis=1) * x,
        lambda x: np.take_along_axis(x[:1], np.array([[3, -1, 0]]), axis=1) + x[:, :3],
        lambda x: written(x[0] * 1.0, np.array([3, 1, 3, -1]), x[1, :4]) + x[2],
        lambda x: added(x * 1.0, np.array([3, 1, 3]), x[0]) - added(x[0] * 1.0, ONES, x[1, :2]),
        lambda x: np.tile(x[:2], (2, 3)) * np.repeat(np.tile(x[0], 3), 2)[:33],
        lambda x: np.repeat(x[:, :3] * 2.0, 4, axis=1) + np.repeat(x[:4], 3)[:12],
        lambda x: (
            np.linalg.norm(x, axis=1) * np.linalg.norm(x, 1, axis=0) + np.linalg.norm(x[0], 1)
        ),
        lambda x: np.vdot(x[0], x[1]) * np.vdot(x[:, 0], x[::2, 1].repeat(2)[:11]) * x,
        lambda x: np.inner(x, x[::-1]) * np.inner(x[0], x[1]) + np.inner(x[0], x),
        lambda x: np.trace(x) * np.trace(x, 2, 1, 0) + x,
        lambda x: np.convolve(x[0], x[:4, 1], "same") + np.correlate(x[2], x[3], "same"),
        lambda x: np.correlate(x[0] * -0.0, x[1, :3], "full") * 1.0,
        lambda x: np.convolve(x[1], x[0])[10:] * x,
        lambda x: np.correlate(x[0, :3], x[1], "full") + x[0, 0],
        lambda x: np.correlate(x.reshape(-1), x.reshape(-1)[:80], "valid")[:11] * x,
        lambda x: np.convolve(x.reshape(-1)[:22], x[3:5].reshape(-1)[:13], "valid") * x[:, :10],
    ],
)
def test_matrices_of_one_kernel_have_the_bits_of_numpy(
    function: Any, turn: Any, dtype: Any
) -> None:
    x = turn(SQUARE.astype(dtype))
    plan = ag.function(function).get_concrete_function(x).executable.plan
    whole = whole_kernel(plan, host_target())
    assert whole is not None
    kernel, compared = load_now(whole.kernel), 0
    for scale in range(1, 30):
        one = x * dtype(0.1 * scale)
        given = [one if k == 0 else k.value for k in whole.given]
        found, wanted = kernel(*given), function(one)
        if found is not None:
            assert found.tobytes() == wanted.tobytes()
            assert np.ndim(found) < 2 or found.strides == wanted.strides
            compared += 1
    assert bool(compared) is (turn is not np.asfortranarray)  # whose columns are left to the steps


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(y := x.T * 2.0) + np.sum(y * y),
        lambda x: np.sum((y := x.T * 2.0) @ y) + np.sum(y),
        lambda x: np.linalg.norm(x.T * 2.0),
        lambda x: np.sum(np.cumsum(x.T, axis=0)) + np.sum(np.rot90(x)),
        lambda x: np.sum(np.broadcast_to(x[:1], (9, 11))),
        lambda x: np.sum(x[::-1, ::-1].reshape(-1)) + np.sum(np.rot90(x, 2).reshape(11, 11)),
    ],
)
def test_arrays_in_another_order_in_memory_are_added_up_in_that(function: Any) -> None:
    found = ag.function(function)
    for scale in range(1, 40):
        x = SQUARE * (0.1 * scale)
        whole = whole_kernel(found.get_concrete_function(x).executable.plan, host_target())
        given = load_now(whole.kernel)(x) if whole is not None else None
        assert given is None or given == function(x)


@pytest.mark.parametrize("function", [running, filtered, stack_machine, written_list, plate])
def test_functions_of_lists_and_their_gradients_are_one_kernel_each(function: Any) -> None:
    x = np.random.default_rng(1).uniform(0.2, 1.8, 64)
    assert ran(function, x) == function(x)
    value, gradient = ran(ag.value_and_grad(function), x)
    expected = ag.value_and_grad(function)(x)
    assert value == expected[0]
    assert gradient.tobytes() == expected[1].tobytes()


def _last_of(x: Any) -> Any:
    found = [x[0]][:0]
    for v in x:
        if v > 1.0:
            found.append(v)
    return found[-1]


def test_a_kernel_with_a_check_leaves_it_to_the_steps_to_raise() -> None:
    staged, x = ag.function(_last_of), np.array([0.5, 2.0, 3.0, 0.25])
    assert ran(_last_of, x) == 3.0
    for _ in range(2100):
        assert staged(x) == 3.0
    with pytest.raises(IndexError, match="list index out of range"):
        staged(x * 0.1)
    assert staged(x) == 3.0


def _cut(x: Any, n: Any) -> Any:
    y = np.concatenate([x, x])
    first, total = y[::-1] * 1.0, x[0]
    for k in range(n):
        y[k] = y[k] + 1.0
        if y[k] > 2.0:
            y = y[: len(y) - 2]
        total = total + y[-1]
    return total + len(y) + (np.sum(first) if n > 4 else first[0])


def _cut_as_given(x: Any, n: Any) -> Any:
    y, total = x, x[0]
    for k in range(n):
        if y[k] > 1.0:
            y = y[: len(y) - 1]
        total = total + y[-1]
    return total + len(y)


@pytest.mark.parametrize("function", [_cut, _cut_as_given])
@pytest.mark.parametrize("n", [0, 1, 3, 5])
def test_arrays_of_which_first_rows_are_left_are_those_of_plain_python(function, n) -> None:
    x = np.arange(8.0)
    given = x.copy()
    expected = function(x.copy(), n)
    assert ag.function(function)(given, np.int64(n)) == expected
    assert given.tobytes() == x.tobytes()


def _cut_alone(x: Any, n: Any) -> Any:
    y, total = np.concatenate([x, x]), x[0]
    for k in range(n):
        y[k] = y[k] + 1.0
        if y[k] > 2.0:
            y = y[: len(y) - 2]
        total = total + y[-1]
    return total


def test_first_rows_of_an_array_are_left_where_they_are() -> None:
    x, n = np.arange(6.0), np.int64(5)
    assert ran(_cut_alone, x, n) == _cut_alone(x, n)
    plan = ag.function(_cut_alone).get_concrete_function(x, n).executable.plan
    whole = whole_kernel(plan, host_target())
    assert whole is not None
    loop = next(x for x in whole.kernel.body.instructions if x.op == "for" and x.results)
    assert "array" not in {x.op for x in instructions(loop.blocks[0])}
    assert "resized" in {x.op for x in instructions(loop.blocks[0])}


def by_definition(x: Any, g: Any) -> Any:
    """Return the gradient of running products along the last axis, product by product."""
    found = np.zeros_like(x)
    for k in range(x.shape[-1]):
        others = x.copy()
        others[..., k] = 1.0
        found[..., k] = np.sum((np.cumprod(others, -1) * g)[..., k:], -1)
    return found


@pytest.mark.parametrize("shape", [(2,), (9,), (3, 7), (2, 3, 5)])
def test_the_gradient_of_running_products_is_one_recurrence_in_one_kernel(shape: Any) -> None:
    rng = np.random.default_rng(len(shape))
    x, g = rng.uniform(-1.5, 1.5, shape), rng.uniform(-1.0, 1.0, shape)
    x[..., shape[-1] // 2] = 0.0
    given = ag.function(ag.grad(lambda x, g: np.sum(np.cumprod(x, -1) * g)))
    found = given(x, g)
    assert np.allclose(found, by_definition(x, g), rtol=1e-12)
    assert str(given.get_concrete_function(x, g).graph).count("= recurrence(") == 1
    assert np.allclose(ran(given, x, g), found, rtol=1e-12)
