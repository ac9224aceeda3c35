"""The namespace and the arrays follow the array API standard, where NumPy does."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autograph as ag
import autograph.numpy as xp
from runtime.tensor import Tensor
from tests.numpy_surface.judging import same

NAMES = """
    abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan atan2
    atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
    bool broadcast_arrays broadcast_shapes broadcast_to can_cast ceil clip complex128 complex64
    concat conj copysign cos cosh count_nonzero cumulative_prod cumulative_sum diff divide e empty
    empty_like equal exp expand_dims expm1 eye fft finfo flip float32 float64 floor floor_divide
    from_dlpack full full_like greater greater_equal hypot iinfo imag inf int16 int32 int64 int8
    isdtype isfinite isin isinf isnan less less_equal linalg linspace log log10 log1p log2
    logaddexp logical_and logical_not logical_or logical_xor matmul matrix_transpose max maximum
    mean meshgrid min minimum moveaxis multiply nan negative newaxis nextafter nonzero not_equal
    ones ones_like permute_dims pi positive pow prod real reciprocal remainder repeat reshape
    result_type roll round searchsorted sign signbit sin sinh sort sqrt square squeeze stack std
    subtract sum take take_along_axis tan tanh tensordot tile tril triu trunc uint16 uint32 uint64
    uint8 unique_all unique_counts unique_inverse unique_values unstack var vecdot where zeros
    zeros_like __array_api_version__ __array_namespace_info__
"""
LINALG = """
    cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power
    matrix_rank matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot
    vector_norm
"""
FFT = """
    fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn
"""


@pytest.mark.parametrize(("room", "names"), [("", NAMES), ("linalg", LINALG), ("fft", FFT)])
def test_the_namespace_is_complete(room: str, names: str) -> None:
    ours, theirs = (getattr(x, room) if room else x for x in (xp, np))
    missing = [x for x in names.split() if hasattr(theirs, x) and not hasattr(ours, x)]
    assert not missing


def _program(x: Any) -> Any:
    np_or_ours = x.__array_namespace__()
    return (
        np_or_ours.astype(x, np_or_ours.float32),
        np_or_ours.unique_all(x),
        np_or_ours.unique_values(x),
        np_or_ours.cumulative_sum(x, include_initial=True),
        np_or_ours.fft.rfft(x),
        np_or_ours.linalg.eigvals(np_or_ours.eye(2) * x[0]),
        np_or_ours.vecdot(x, x),
        np_or_ours.zeros(3, device=x.device) + x.to_device("cpu"),
        np_or_ours.isdtype(x.dtype, "real floating"),
        np_or_ours.reshape(x, (3, 1), copy=True),
        np_or_ours.from_dlpack(x),
        np_or_ours.asarray(x, copy=False),
    )


def test_a_program_in_the_namespace_of_its_argument_is_staged() -> None:
    staged = ag.function(_program)
    for x in (np.array([1.0, 2.0, 2.0]), np.array([4.0, 5.0, 6.0])):
        assert same(staged(x), _program(x))


def test_a_copy_that_is_not_to_be_made_is_an_error() -> None:
    staged = ag.function(lambda x: np.asarray(x, dtype=np.float32, copy=False))
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        staged(np.ones(2))
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(Tensor(np.ones(2)), dtype=np.float32, copy=False)
    tensor = Tensor(np.ones(2))
    assert np.shares_memory(np.asarray(tensor, copy=False), tensor.array)


def test_a_tensor_is_where_its_array_is() -> None:
    tensor = Tensor(np.ones(2))
    assert tensor.device == "cpu"
    assert tensor.to_device("cpu") is tensor
    with pytest.raises(ValueError, match="on 'cpu'"):
        tensor.to_device("gpu")
    with pytest.raises(ValueError, match="Device not understood"):
        xp.zeros(3, device="gpu")
    with pytest.raises(ValueError, match="is not supported"):
        tensor.__array_namespace__(api_version="1999.1")
    assert np.from_dlpack(tensor).tolist() == [1.0, 1.0]


def _numbers(x: Any) -> Any:
    cell = np.asarray(x.sum())
    return cell[()], (cell + 1)[()], np.log(cell)[()], x[0][()], x[0][...], cell[...]


ORDERS = {
    "ravel K": lambda x: x.ravel("K"),
    "ravel A": lambda x: np.ravel(x, "A"),
    "ravel F": lambda x: x.ravel("F"),
    "reshape F": lambda x: x.reshape(4, -1, order="F"),
    "reshape A": lambda x: np.reshape(x, (4, -1), "A"),
    "copy F": lambda x: x.copy("F").ravel("K"),
    "flatten K": lambda x: x.flatten("K"),
    "sum of a number": lambda x: x[0, 0].sum(0).shape,
    "reduction of no axis": lambda x: np.sum(x, axis=(), keepdims=True),
}


@pytest.mark.parametrize("name", ORDERS)
def test_elements_are_taken_in_the_order_that_is_asked_for(name: str) -> None:
    array = np.arange(12.0).reshape(3, 4)
    for x in (array, np.asfortranarray(array)):
        assert same(ag.function(ORDERS[name])(x), ORDERS[name](x))


def test_the_array_that_argmax_writes_is_of_integers() -> None:
    with pytest.raises(TypeError, match="Cannot cast array data"):
        ag.function(lambda x, out: np.argmax(x, axis=0, out=out))(np.ones((2, 3)), np.zeros(3))


def test_an_empty_index_of_a_number_is_that_number() -> None:
    x = np.array([1.0, 2.0])
    assert same(ag.function(_numbers)(x), _numbers(x))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
@pytest.mark.parametrize("order", [1, 2, 0])
def test_the_norm_of_all_elements_keeps_their_axes(shape: tuple[int, ...], order: int) -> None:
    x = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape) - 1

    def norm(x: Any) -> Any:
        return np.linalg.vector_norm(x, ord=order, keepdims=True)

    found, wanted = ag.function(norm)(x), norm(x)
    assert (type(found), found.dtype, found.shape) == (type(wanted), wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("axis", [(0, 1), (2, 0), (1,), (-1, 0, 1), (), (0, 0), (0, 5)])
def test_the_norm_over_several_axes_is_numpys(axis: Any) -> None:
    x = np.random.default_rng(0).normal(size=(3, 4, 5))

    def norms(x: Any, norm: Any) -> Any:
        kinds = itertools.product([1, 2, 0, np.inf], [False, True])
        return [norm(x, axis=axis, ord=order, keepdims=keepdims) for order, keepdims in kinds]

    def outcome(function: Any, norm: Any) -> Any:
        try:
            return function(x, norm)
        except (ValueError, np.exceptions.AxisError) as error:
            return type(error).__name__, str(error).partition("\n")[0]

    wanted = outcome(norms, np.linalg.vector_norm)
    assert same(outcome(ag.function(norms), np.linalg.vector_norm), wanted)
    assert same(outcome(norms, xp.linalg.vector_norm), wanted)


@pytest.mark.parametrize("copy", [False, True])
def test_a_sparse_grid_is_the_vectors_themselves_only_where_numpy_makes_no_copies(
    copy: bool,
) -> None:
    def written(x: Any, y: Any) -> Any:
        grid = np.meshgrid(x, y, sparse=True, copy=copy)
        grid[0][...] = 7
        return grid, x + 0, y + 0

    given = np.ones(2), np.ones(3)
    again = np.ones(2), np.ones(3)
    assert same(ag.function(written)(*given), written(*again))
    assert same(given, again)
