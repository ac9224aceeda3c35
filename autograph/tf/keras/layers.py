"""`tf.keras.layers`: the layers of `autograph.nn` under their names, and those of texts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from autograph import nn
from autograph.operators.calls.converting import do_not_convert
from autograph.tf.absent import missing_from
from autograph.tf.keras import encodings, pictures, vocabularies
from autograph.tf.keras.layer import InputLayer, Lambda, Layer
from autograph.tf.keras.symbolic import Input

MASKED = {
    *("Activation", "Add", "AdditiveAttention", "AlphaDropout", "Attention", "Average"),
    *("ActivityRegularization", "BatchNormalization", "GroupNormalization", "Identity"),
    *("RMSNormalization", "UnitNormalization"),
    *("Concatenate", "Dense", "Dot", "Dropout", "ELU", "GaussianDropout", "GaussianNoise"),
    *("LayerNormalization", "LeakyReLU", "Maximum", "Minimum", "Multiply", "MultiHeadAttention"),
    *("Normalization", "PReLU", "ReLU", "Rescaling", "Softmax", "SpatialDropout1D", "Subtract"),
    "TimeDistributed",
}
"""The layers that pass masks on."""


def _face(plain: Any) -> type:
    """Return a layer of `autograph.nn` as one of Keras': of tensors."""
    doc = f"{plain.__doc__.partition(chr(10) * 2)[0]}\n\n    See `autograph.nn.{plain.__name__}`.\n"
    kept = {"takes": plain.takes, "__doc__": doc, "__module__": __name__}
    kept["supports_masking"] = plain.__name__ in MASKED
    kept["has_input_dim"] = "input_dim" in inspect.signature(plain).parameters
    if hasattr(plain, "compute_mask"):
        kept["compute_mask"] = plain.compute_mask
    return type(plain.__name__, (Layer, plain), kept)


FACES = {
    name: _face(found)
    for name, found in ((name, getattr(nn, name)) for name in nn.__all__)
    if isinstance(found, type)
    and issubclass(found, nn.Layer)
    and found not in (nn.Layer, nn.Sequential)
}
globals().update(FACES)


ALIASES = {
    f"{area}{short}{rank}D": FACES[f"{area}{name}{rank}D"]
    for area in ("", "Global")
    for short, name in (("MaxPool", "MaxPooling"), ("AvgPool", "AveragePooling"))
    for rank in "123"
}
for _rank in "123":
    ALIASES[f"Convolution{_rank}D"] = FACES[f"Conv{_rank}D"]
    ALIASES[f"Convolution{_rank}DTranspose"] = FACES[f"Conv{_rank}DTranspose"]
for _rank in "12":
    ALIASES[f"SeparableConvolution{_rank}D"] = FACES[f"SeparableConv{_rank}D"]
"""Other names of Keras' for the same layers."""
globals().update(ALIASES)


def _merged(kind: str) -> Callable[..., Any]:
    @do_not_convert
    def merge(inputs: Sequence[Any], *args: Any, **options: Any) -> Any:
        return FACES[kind](*args, **options)(inputs)

    merge.__doc__ = f"Return what a layer `{kind}` gives for a list of tensors."
    merge.__name__ = merge.__qualname__ = kind.lower()
    made: Callable[..., Any] = merge
    return made


MERGES = {
    name.lower(): _merged(name)
    for name in (
        "Add",
        "Average",
        "Concatenate",
        "Dot",
        "Maximum",
        "Minimum",
        "Multiply",
        "Subtract",
    )
}
globals().update(MERGES)

PREPROCESSING = {
    name: getattr(module, name)
    for module in (encodings, pictures, vocabularies)
    for name in module.__all__
}
globals().update(PREPROCESSING)

__all__ = [  # noqa: PLE0604  (most layers stand in tables)
    "Input",
    "InputLayer",
    "Lambda",
    "Layer",
    *PREPROCESSING,
    *MERGES,
    *FACES,
    *ALIASES,
]
__getattr__ = missing_from("autograph.tf.keras.layers", globals())
