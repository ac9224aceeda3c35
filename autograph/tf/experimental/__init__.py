"""`tf.experimental`: NumPy's functions of tensors, and types of one's own that hold tensors."""

from __future__ import annotations

from autograph.tf.absent import missing_from
from autograph.tf.experimental import numpy
from autograph.tf.experimental.extension_type import ExtensionType

__all__ = ["ExtensionType", "numpy"]
INSTEAD = {
    "dispatch_for_api": "write a method of the type, or a function that takes it",
    "dispatch_for_unary_elementwise_apis": "write a method of the type, or a function of it",
    "dispatch_for_binary_elementwise_apis": "write a method of the type, or a function of it",
}
"""What to do without what is absent."""
__getattr__ = missing_from("autograph.tf.experimental", globals(), INSTEAD)
