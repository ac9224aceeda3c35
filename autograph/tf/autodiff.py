"""`tf.autodiff`: derivatives that go forward, and tapes."""

from __future__ import annotations

from autograph.tf.absent import missing_from
from autograph.transforms.forward_accumulator import ForwardAccumulator
from autograph.transforms.tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
__getattr__ = missing_from("autograph.tf.autodiff", globals())
