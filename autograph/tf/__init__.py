"""TensorFlow's names, defaults and errors over this library: `from autograph import tf`.

Programs written for `tf.function` run by changing their import. Python's floats become `float32`,
its integers `int32`, and results are tensors. `docs/tf.md` lists what is here and what is not.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from autograph.tf import (
    autodiff,
    autograph,
    bitwise,
    config,
    control,
    creation,
    data,
    debugging,
    distribute,
    edits,
    elementwise,
    errors,
    experimental,
    host_functions,
    image,
    io,
    linalg,
    lookup,
    math,
    nn,
    printing,
    ragged,
    ragged_making,
    ragged_tensor,
    random,
    reductions,
    saved_model,
    segments,
    sequences,
    sets,
    shapes,
    shaping,
    signal,
    sparse,
    sparse_tensor,
    state,
    strings,
    tape,
    train,
    types,
)
from autograph.tf.absent import Names, missing_from
from autograph.tf.dtype import DType, as_dtype
from autograph.tf.functions import function
from autograph.tf.methods import install
from autograph.tf.module import Module
from autograph.tf.tensors import convert_to_tensor
from runtime.lower.tracebacks import export
from runtime.tensor import TensorLike as Tensor

DTYPES = {
    name: as_dtype(name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}
DTYPES.update(half=DTYPES["float16"], double=DTYPES["float64"], string=as_dtype("string"))

MODULES = {
    "autodiff": autodiff,
    "autograph": autograph,
    "bitwise": bitwise,
    "config": config,
    "data": data,
    "debugging": debugging,
    "distribute": distribute,
    "errors": errors,
    "experimental": experimental,
    "image": image,
    "io": io,
    "linalg": linalg,
    "lookup": lookup,
    "math": math,
    "nn": nn,
    "ragged": ragged,
    "random": random,
    "saved_model": saved_model,
    "sets": sets,
    "signal": signal,
    "sparse": sparse,
    "strings": strings,
    "train": train,
    "types": types,
}
"""The modules of TensorFlow that are here."""

FROM = {
    control: (
        "case cond control_dependencies device foldl foldr group init_scope map_fn name_scope "
        "no_op scan switch_case vectorized_map while_loop"
    ),
    host_functions: "numpy_function py_function",
    creation: (
        "constant eye fill is_tensor linspace one_hot ones ones_like range "
        "rank shape size zeros zeros_like"
    ),
    elementwise: (
        "abs acos acosh add add_n asin asinh atan atan2 atanh cast clip_by_norm clip_by_value "
        "complex cos cosh divide equal exp floor floordiv greater greater_equal identity "
        "identity_n less "
        "less_equal logical_and logical_not logical_or maximum minimum mod multiply negative "
        "not_equal pow realdiv round saturate_cast scalar_mul sigmoid sign sin sinh sqrt square "
        "stop_gradient subtract tan tanh truediv truncatediv truncatemod where"
    ),
    linalg: "clip_by_global_norm einsum matmul norm tensordot",
    reductions: (
        "argmax argmin cumsum reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean "
        "reduce_min reduce_prod reduce_sum"
    ),
    shaping: (
        "argsort boolean_mask broadcast_to concat ensure_shape expand_dims gather gather_nd "
        "meshgrid pad repeat reshape reverse roll searchsorted sequence_mask slice sort "
        "split squeeze stack strided_slice tensor_scatter_nd_update tile transpose unique "
        "unique_with_counts unstack"
    ),
    shapes: "TensorShape TensorSpec",
    ragged_making: "RaggedTensorSpec",
    ragged_tensor: "RaggedTensor",
    sparse_tensor: "SparseTensor SparseTensorSpec",
    edits: "edit_distance",
    segments: (
        "scatter_nd tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min "
        "tensor_scatter_nd_sub"
    ),
    sequences: (
        "dynamic_partition dynamic_stitch histogram_fixed_width histogram_fixed_width_bins "
        "reverse_sequence unravel_index"
    ),
    state: "TensorArray Variable",
    strings: "as_string",
    tape: "GradientTape UnconnectedGradients custom_gradient gradients hessians recompute_grad",
    debugging: "Assert assert_equal assert_greater assert_less",
}
"""The names of `tf` itself, and the modules that define them."""

for _face in MODULES.values():
    export(_face.__name__)
NAMES = {name: getattr(module, name) for module, names in FROM.items() for name in names.split()}
globals().update(DTYPES)
globals().update(NAMES)
globals().update(print=printing.print_)
newaxis = None
__version__ = "2.21.0"
"""The version of TensorFlow whose names these are."""
version = Names("The version of TensorFlow whose names these are.", VERSION=__version__)
install()

dtypes = type("dtypes", (), {**DTYPES, "DType": DType, "as_dtype": staticmethod(as_dtype)})
nest = type(
    "nest",
    (),
    {
        "map_structure": staticmethod(creation.map_structure),
        "flatten": staticmethod(creation.flatten),
    },
)

__all__ = [  # noqa: PLE0604  (most names stand in tables)
    *DTYPES,
    *MODULES,
    *NAMES,
    "Module",
    "Tensor",
    "convert_to_tensor",
    "function",
    "newaxis",
    "print",
]
export(__name__)


def executing_eagerly() -> bool:
    """Tell whether no graph is being built."""
    return creation.is_eager()


_missing = missing_from("autograph.tf", globals())
LATE = {"keras": "keras", "summary": "summary"}
LATE.update({name: f"keras.{name}" for name in ("initializers", "losses", "metrics", "optimizers")})
"""Modules that are imported when they are first asked for."""
INITIALIZERS = {
    "constant_initializer": "Constant",
    "ones_initializer": "Ones",
    "random_normal_initializer": "RandomNormal",
    "random_uniform_initializer": "RandomUniform",
    "zeros_initializer": "Zeros",
}
"""Other names of `tf.initializers`."""


def __getattr__(name: str) -> Any:
    if name in INITIALIZERS:
        return getattr(import_module(f"{__name__}.keras.initializers"), INITIALIZERS[name])
    return import_module(f"{__name__}.{LATE[name]}") if name in LATE else _missing(name)
