"""`tf.keras.optimizers`: those of `autograph.nn`, by their names."""

from __future__ import annotations

from typing import Any

from autograph.nn import optimizers as plain
from autograph.nn.names import find
from autograph.tf.absent import missing_from

CLASSES = {name: getattr(plain, name) for name in plain.__all__}
globals().update(CLASSES)

__all__ = [*CLASSES, "get"]  # noqa: PLE0604  (those of autograph.nn stand in a table)
__getattr__ = missing_from("autograph.tf.keras.optimizers", globals())


def get(identifier: Any) -> Any:
    """Return an optimiser by its name (`adam`), or what is given."""
    if isinstance(identifier, plain.Optimizer):
        return identifier
    kinds = {name: x for name, x in CLASSES.items() if isinstance(x, type)}
    names = [k for k, x in kinds.items() if issubclass(x, plain.Optimizer) and k != "Optimizer"]
    found = find(identifier, globals(), names, "optimizer", {x.lower(): x for x in names})
    return found() if isinstance(found, type) else found
