"""`tf.keras.initializers`: those of `autograph.nn`."""

from __future__ import annotations

from autograph.nn import initializers as plain
from autograph.nn.initializers import get
from autograph.tf.absent import missing_from

CLASSES = {name: getattr(plain, name) for name in plain.__all__}
globals().update(CLASSES)

__all__ = [*CLASSES, "get"]  # noqa: PLE0604  (those of autograph.nn stand in a table)
__getattr__ = missing_from("autograph.tf.keras.initializers", globals())
