"""`tf.experimental.numpy`: NumPy's functions, with NumPy's dtypes, that give tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import random as draws
from autograph.tf.absent import Names, missing_from
from autograph.tf.creation import dims
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, operate, wrap
from runtime import trees
from runtime.tensor import Symbol, Tensor, value_now
from runtime.tensor import TensorLike as ndarray  # noqa: N813  (its name there)

FUNCTIONS = (
    "abs absolute add all allclose amax amin angle any append arange arccos arccosh arcsin "
    "arcsinh arctan arctan2 arctanh argmax argmin argsort around array array_equal "
    "asanyarray asarray ascontiguousarray atleast_1d atleast_2d atleast_3d average "
    "bitwise_and bitwise_not bitwise_or bitwise_xor broadcast_arrays broadcast_to cbrt ceil "
    "clip compress concatenate conj conjugate copy cos cosh count_nonzero cross cumprod "
    "cumsum deg2rad diag diag_indices diagflat diagonal diff divide divmod dot dsplit dstack "
    "einsum empty empty_like equal exp exp2 expand_dims expm1 eye fabs fix flip fliplr "
    "flipud float_power floor floor_divide full full_like gcd geomspace greater "
    "greater_equal heaviside hsplit hstack hypot identity imag inner isclose iscomplex "
    "isfinite isinf isnan isneginf isposinf isreal ix_ kron lcm less less_equal linspace log "
    "log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor "
    "logspace matmul max maximum mean meshgrid min minimum mod moveaxis multiply nanmean "
    "nanprod nansum negative nextafter nonzero not_equal ones ones_like outer pad polyval "
    "positive power prod ptp rad2deg ravel real reciprocal remainder repeat reshape roll "
    "rot90 round select sign signbit sin sinc sinh sort split sqrt square squeeze stack std "
    "subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose tri "
    "tril triu true_divide vander var vdot vsplit vstack where zeros zeros_like"
)
"""The functions that give tensors."""

FACTS = (
    "finfo iinfo iscomplexobj isrealobj isscalar issubdtype ndim promote_types result_type shape "
    "size"
)
"""What tells something about tensors, and gives none."""

TYPES = (
    "bool_ complex128 complex64 float16 float32 float64 inexact int16 int32 int64 int8 object_ "
    "uint16 uint32 uint64 uint8 e inf newaxis pi"
)


def _of_tensors(name: str) -> Callable[..., Any]:
    function = getattr(rnp, name, None) or getattr(np, name)

    def public(*args: Any, **kwargs: Any) -> Any:
        with translating():
            given, named = trees.map_tree(value_now, (args, kwargs))
            return trees.map_tree(_as_tensor, function(*given, **named))

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Return what `np.{name}` does, as tensors."
    return public


def _as_tensor(leaf: Any) -> Any:
    """Return an array, or a number, of NumPy's or of a graph as a tensor of its dtype."""
    if type(leaf) is Tensor:
        leaf.operate = operate
    if type(leaf) is Symbol and leaf.spec.weak:
        found: Any = leaf
        return found.astype(leaf.spec.dtype)
    is_array = isinstance(leaf, np.ndarray | np.generic)
    return wrap(np.asarray(leaf)) if is_array else leaf


def experimental_enable_numpy_behavior(*args: Any, **kwargs: Any) -> None:
    """Let operators of tensors mix dtypes as NumPy's do, from now on."""
    operate.mixes = True


def _drawn(draw: Callable[..., Any], *options: Any) -> Callable[..., Any]:
    @functools.wraps(draw)
    def public(*sizes: int) -> Any:
        return as_result(draw(dims(list(sizes)), *options, np.float64))

    return public


def _uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Return numbers between two bounds, all equally likely."""
    return draws.uniform(_sizes(size), low, high, np.float64)


def _randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Return whole numbers from one bound up to another one, without it."""
    least, most = (0, low) if high is None else (low, high)
    return draws.uniform(_sizes(size), least, most, dtype)


def _sizes(size: Any) -> Any:
    return [] if size is None else [size] if isinstance(size, int) else list(size)


random = Names(
    "Random numbers, as `float64`.",
    seed=draws.set_seed,
    rand=_drawn(draws.uniform, 0.0, 1.0),
    randn=_drawn(draws.normal, 0.0, 1.0),
    random=lambda size=None: _uniform(size=size),
    standard_normal=lambda size=None: draws.normal(_sizes(size), dtype=np.float64),
    uniform=_uniform,
    randint=_randint,
)
NAMES = {name: _of_tensors(name) for name in FUNCTIONS.split()}
NAMES.update({name: getattr(np, name) for name in f"{FACTS} {TYPES}".split()})
globals().update(NAMES)

__all__ = [*NAMES, "experimental_enable_numpy_behavior", "ndarray", "random"]  # noqa: PLE0604
__getattr__ = missing_from("autograph.tf.experimental.numpy", globals())
