"""`tf.keras.regularizers`: those of `autograph.nn`."""

from __future__ import annotations

from autograph.nn import regularizers as plain
from autograph.tf.absent import missing_from

FOUND = {name: getattr(plain, name) for name in plain.__all__}
globals().update(FOUND)

__all__ = [*FOUND]  # noqa: PLE0604  (those of autograph.nn stand in a table)
__getattr__ = missing_from("autograph.tf.keras.regularizers", globals())
