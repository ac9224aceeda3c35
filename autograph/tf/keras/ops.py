"""`tf.keras.ops`: NumPy's functions, activations, losses and control flow, of tensors.

Also of what stands for an input, while a model is put together.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.staging.associative_scan import associative_scan as _associative
from autograph.staging.functional import scan as functional_scan
from autograph.tf import control, creation, elementwise, linalg, nn, segments, shaping
from autograph.tf import math as tf_math
from autograph.tf.absent import missing_from
from autograph.tf.keras import activations, losses
from autograph.tf.keras.encodings import encoded
from autograph.tf.keras.operations import FUNCTIONS, of_tensors, together
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.dtypes import as_dtype, dtype_name
from runtime.subscripts import describe
from runtime.tensor import value_now


def _of_some(count: int, function: Callable[..., Any], name: str) -> Any:
    """Return a function whose first arguments are tensors, of symbolic inputs, too."""

    def take(args: Any, kwargs: Any) -> Any:
        tensors = [convert_to_tensor(x) for x in args[:count]]
        return (*tensors, *args[count:]), {describe(x).dtype for x in tensors}

    public = of_tensors(name, function, take)
    public.__doc__ = function.__doc__
    return public


def _floats(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of floats that takes integers, too."""

    def of_floats(x: Any, *args: Any, **kwargs: Any) -> Any:
        kind = describe(x).dtype.kind
        return function(x.astype(np.float32) if kind in "biu" else x, *args, **kwargs)

    of_floats.__doc__ = function.__doc__
    return of_floats


def _dtype_name(x: Any) -> Any:
    return dtype_name(describe(convert_to_tensor(x)).dtype)


def _cast(x: Any, dtype: Any) -> Any:
    """Return a tensor of another dtype."""
    return elementwise.cast(x, as_dtype(dtype))


def _one_hot(
    x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Any:
    """Return for each index a row that is 1 there, and 0 elsewhere."""
    return creation.one_hot(x, num_classes, axis=axis, dtype=as_dtype(dtype or "float32"))


def _clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Return a tensor with its elements between two bounds."""
    return rnp.clip(x, x_min, x_max)


def _take(x: Any, indices: Any, axis: Any = None) -> Any:
    """Return the parts of a tensor at indices along an axis; negative ones count from the end."""
    return rnp.take(x, convert_to_tensor(indices), axis=axis)


def _split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return the parts of a tensor, equal ones or between places, as a list."""
    return list(rnp.split(x, indices_or_sections, axis=axis))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return a norm: the euclidean one, unless another one is asked for."""
    return rnp.linalg.norm(x, ord, tuple(axis) if isinstance(axis, list) else axis, keepdims)


def _normalize(x: Any, axis: int = -1, order: int = 2, epsilon: float = 1e-12) -> Any:
    """Return a tensor divided by its norm along an axis."""
    return x / rnp.maximum(rnp.linalg.norm(x, order, axis, True), epsilon)


def _logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return `log(sum(exp(x)))` over axes, without overflow."""
    return tf_math.reduce_logsumexp(x, axis, keepdims)


def _moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Return mean and variance over axes."""
    return nn.moments(x, list(axes), keepdims=keepdims)


def _slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """Return the part of a tensor of a shape, from a place on."""
    return shaping.slice(inputs, start_indices, shape)


def _scatter_update(inputs: Any, indices: Any, updates: Any) -> Any:
    """Return a tensor with other values at places, which are the last axis of the indices."""
    return shaping.tensor_scatter_nd_update(inputs, indices, updates)


def _updated(x: Any, start: Any, updates: Any) -> Any:
    """Return a tensor with another part from a place on."""
    found, part = rnp.copy(x), convert_to_tensor(updates)
    pairs = zip(start, part.shape, strict=True)
    found[tuple(builtins.slice(a, a + n) for a, n in pairs)] = part
    return found


def _svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return `u`, `s`, `v` with `x = u @ diag(s) @ v`; `s` alone without `compute_uv`."""
    return tuple(np.linalg.svd(x, full_matrices)) if compute_uv else np.linalg.svdvals(x)


def _segment(name: str, in_order: Any, unsorted: Any) -> Callable[..., Any]:
    def segment(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:
        if num_segments is None:
            return in_order(data, segment_ids)
        return unsorted(data, segment_ids, num_segments)

    segment.__doc__ = f"Return the {name} of the rows of each segment."
    return segment


_ONE: dict[str, Callable[..., Any]] = {
    "cast": _cast, "saturate_cast": elementwise.saturate_cast, "one_hot": _one_hot,
    "stop_gradient": elementwise.stop_gradient, "clip": _clip, "take": _take, "split": _split,
    "norm": _floats(_norm), "normalize": _floats(_normalize), "logsumexp": _floats(_logsumexp),
    "moments": _moments, "slice": _slice, "erf": _floats(elementwise.erf),
    "erfinv": _floats(elementwise.erfinv), "rsqrt": _floats(elementwise.rsqrt),
    "top_k": nn.top_k, "unstack": shaping.unstack,
    "cholesky": linalg.cholesky, "det": linalg.det, "inv": linalg.inv, "qr": linalg.qr,
    "eigh": linalg.eigh, "svd": _svd, "slogdet": rnp.linalg.slogdet,
    "pinv": linalg.pinv, "matrix_rank": rnp.linalg.matrix_rank,
}  # fmt: skip
_TWO: dict[str, Callable[..., Any]] = {
    "solve": rnp.linalg.solve, "in_top_k": nn.in_top_k,
    "segment_sum": _segment("sum", segments.segment_sum, segments.unsorted_segment_sum),
    "segment_max": _segment("maximum", segments.segment_max, segments.unsorted_segment_max),
    "divide_no_nan": elementwise.divide_no_nan,
}  # fmt: skip
_ACTIVATIONS = (
    "celu elu glu hard_shrink hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu log_sigmoid "
    "log_softmax relu relu6 selu sigmoid silu soft_shrink softmax softplus softsign sparse_plus "
    "sparse_sigmoid sparsemax squareplus swish tanh_shrink threshold"
)
_LOSSES = "categorical_crossentropy sparse_categorical_crossentropy"
NAMES = {
    **FUNCTIONS,
    **{name: _of_some(1, function, name) for name, function in _ONE.items()},
    **{name: _of_some(2, function, name) for name, function in _TWO.items()},
    "slice_update": _of_some(1, _updated, "slice_update"),
    "scatter_update": _of_some(3, _scatter_update, "scatter_update"),
    "scatter": _of_some(2, segments.scatter_nd, "scatter"),
}
for _name in _ACTIVATIONS.split():
    _plain = getattr(activations, _name)
    NAMES[_name] = _of_some(1, _plain if "relu" in _name else _floats(_plain), _name)
for _name in _LOSSES.split():
    NAMES[_name] = _of_some(2, getattr(losses, _name), _name)
globals().update(NAMES)


def _binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Return the loss of each of the probabilities of two classes."""
    each: Any = losses.binary_crossentropy
    return each(target[..., None], output[..., None], from_logits)


def _item(x: Any, key: Any) -> Any:
    """Return what a key selects of a tensor."""
    return x[key]


def _gelu(x: Any, approximate: bool = True) -> Any:
    """Return what `tf.keras.activations.gelu` does; approximated, unless it says otherwise."""
    return activations.gelu(x, approximate)


def _where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """Return the elements of one tensor where a condition is true, else those of another one."""
    if x1 is None or x2 is None:
        return tuple(x.astype(np.int32) for x in rnp.nonzero(condition))
    return rnp.where(condition, *together(x1, x2))


def _einsum(subscripts: str, *operands: Any, **options: Any) -> Any:
    """Return sums of products, as Einstein wrote them."""
    return rnp.einsum(subscripts, *together(*operands))


def _meshgrid(*x: Any, indexing: str = "xy") -> Any:
    """Return matrices of coordinates."""
    return list(rnp.meshgrid(*together(*x), indexing=indexing))


where = _of_some(1, _where, "where")
binary_crossentropy = _of_some(2, _binary_crossentropy, "binary_crossentropy")
get_item = _of_some(1, _item, "get_item")
gelu = _of_some(1, _floats(_gelu), "gelu")
einsum = of_tensors("einsum", _einsum, lambda args, kwargs: (args, _dtypes(args[1:])))
meshgrid = of_tensors("meshgrid", _meshgrid, lambda args, kwargs: (args, _dtypes(args)))


def _dtypes(values: Any) -> Any:
    return {describe(convert_to_tensor(x)).dtype for x in values}


def multi_hot(inputs: Any, num_classes: int, axis: int = -1, dtype: Any = None) -> Any:
    """Return for each row of indices which of the classes occur."""
    found = encoded(convert_to_tensor(inputs), num_classes, "multi_hot")
    return found if dtype is None else _cast(found, dtype)


def convert_to_numpy(x: Any) -> Any:
    """Return a tensor as an array of NumPy's."""
    return np.asarray(value_now(x))


def array(x: Any, dtype: Any = None) -> Any:
    """Return a value as a tensor, of a dtype if one is given."""
    found = convert_to_tensor(x)
    return found if dtype is None else _cast(found, dtype)


def shape(x: Any) -> Any:
    """Return the sizes of a tensor: a tuple, with staged numbers where they are not known."""
    return tuple(x.shape)


def ndim(x: Any) -> int:
    """Return the number of axes of a tensor."""
    return len(x.shape)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return a tensor of a shape filled with one value: `float32`, unless a dtype is given."""
    return _cast(creation.fill(shape, fill_value), dtype or "float32")


def size(x: Any) -> Any:
    """Return the number of elements of a tensor."""
    return creation.size(x)


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """Return `true_fn()` when a condition is true, else `false_fn()`."""
    return control.cond(pred, true_fn, false_fn)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """Return what the branch of a number returns; the nearest one, for other numbers."""
    count = len(branches)
    number = rnp.clip(convert_to_tensor(index), 0, count - 1)
    return control.switch_case(number, [lambda f=f: f(*operands) for f in branches])


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    maximum_iterations: Any = None,
) -> Any:
    """Return the variables of a loop after it: `while cond(*x): x = body(*x)`."""
    is_one = not isinstance(loop_vars, list | tuple)
    given = [loop_vars] if is_one else list(loop_vars)
    after = control.while_loop(cond, body, given, maximum_iterations=maximum_iterations)
    return after[0] if is_one else tuple(after)


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """Return `x` after `x = body_fun(i, x)` for each `i` from `lower` to `upper`, without it."""

    def body(i: Any, x: Any) -> Any:
        return i + 1, body_fun(i, x)

    return control.while_loop(lambda i, x: i < upper, body, [convert_to_tensor(lower), init_val])[1]


def scan(
    f: Callable[[Any, Any], Any], init: Any, xs: Any = None, length: Any = None,
    reverse: bool = False, unroll: Any = 1,
) -> Any:  # fmt: skip
    """Return `carry` after `carry, y = f(carry, x)` for each row, and all `y` stacked."""
    from_rows = xs if xs is not None else creation.range(length)
    rows = rnp.flip(convert_to_tensor(from_rows), 0) if reverse else from_rows
    carry, ys = as_result(functional_scan(f, init, rows))
    return carry, (as_result(rnp.flip(ys, 0)) if reverse else ys)


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """Return the results of a function for each row of tensors, stacked."""
    return vectorized_map(f, xs)


def vectorized_map(function: Callable[[Any], Any], elements: Any) -> Any:
    """Return the results of a function for each row of tensors, stacked."""
    return control.vectorized_map(function, elements)


def associative_scan(
    f: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """Return all prefixes `x0`, `f(x0, x1)`, ... of an associative function."""
    return as_result(_associative(f, convert_to_tensor(elems), reverse=reverse))


def is_tensor(x: Any) -> bool:
    """Tell whether a value is a tensor or a variable."""
    return creation.is_tensor(x)


def dtype(x: Any) -> str:
    """Return the name of the dtype of a tensor."""
    return str(_dtype_name(x))


__all__ = [  # noqa: PLE0604  (most names stand in a table)
    *NAMES,
    *("array", "associative_scan", "binary_crossentropy", "cond", "convert_to_numpy"),
    *("convert_to_tensor", "dtype", "einsum", "fori_loop", "full", "gelu", "get_item"),
    *("is_tensor", "map", "meshgrid", "multi_hot", "ndim", "scan", "shape", "size", "switch"),
    *("vectorized_map", "where", "while_loop"),
]
__getattr__ = missing_from("autograph.tf.keras.ops", globals())
