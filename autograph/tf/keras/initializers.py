"""`tf.keras.initializers`: those of `autograph.nn`."""

from __future__ import annotations

from autograph.nn import initializers as plain
from autograph.nn.initializers import get
from autograph.nn.names import in_snake_case
from autograph.tf.absent import missing_from

CLASSES = {name: getattr(plain, name) for name in plain.__all__}
ALIASES = {in_snake_case(name): x for name, x in CLASSES.items()}
"""Their names as functions are written, which older programs have."""
globals().update(CLASSES | ALIASES)

__all__ = [*CLASSES, *ALIASES, "get"]  # noqa: PLE0604  (those of autograph.nn stand in a table)
__getattr__ = missing_from("autograph.tf.keras.initializers", globals())
