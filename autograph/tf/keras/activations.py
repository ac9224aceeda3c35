"""`tf.keras.activations`: those of `autograph.nn`, of tensors."""

from __future__ import annotations

from typing import Any

from autograph.nn import activations as plain
from autograph.tf.absent import missing_from
from autograph.tf.tensors import takes

FUNCTIONS = {name: takes(1)(getattr(plain, name)) for name in plain.__all__}
globals().update(FUNCTIONS)

__all__ = [*FUNCTIONS, "get"]  # noqa: PLE0604  (those of autograph.nn stand in a table)
__getattr__ = missing_from("autograph.tf.keras.activations", globals())


def get(identifier: Any) -> Any:
    """Return an activation by its name, or what is given; None is `linear`."""
    found = plain.get(identifier)
    return FUNCTIONS.get(identifier or "linear", found) if not callable(identifier) else found
