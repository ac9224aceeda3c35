"""`tf.keras`: Keras' names over `autograph.nn`. `docs/tf.md` lists what is here.

A model is a program over variables; `fit` runs a staged step on batches.
"""

from __future__ import annotations

from autograph.tf.absent import missing_from
from autograph.tf.keras import (
    activations,
    callbacks,
    initializers,
    layers,
    losses,
    metrics,
    optimizers,
    utils,
)
from autograph.tf.keras.model import Model, Sequential
from autograph.tf.keras.symbolic import Input

MODULES = {
    "activations": activations,
    "callbacks": callbacks,
    "initializers": initializers,
    "layers": layers,
    "losses": losses,
    "metrics": metrics,
    "optimizers": optimizers,
    "utils": utils,
}
"""The modules of Keras that are here."""

__all__ = [*MODULES, "Input", "Model", "Sequential"]  # noqa: PLE0604  (modules stand in a table)
__getattr__ = missing_from("autograph.tf.keras", globals())
