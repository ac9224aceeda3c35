"""Names of TensorFlow for gradients."""

from __future__ import annotations

from enum import Enum

from autograph.transforms.cotangents import NONE as NO_GRADIENT
from autograph.transforms.cotangents import ZERO as ZEROS
from autograph.transforms.tape import GradientTape

__all__ = ["GradientTape", "UnconnectedGradients"]


class UnconnectedGradients(Enum):
    """What the gradient by a source is that the target does not depend on."""

    NONE = NO_GRADIENT
    ZERO = ZEROS
