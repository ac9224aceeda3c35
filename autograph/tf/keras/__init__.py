"""`tf.keras`: Keras' names over `autograph.nn`. `docs/tf.md` lists what is here.

A model is a program over variables; `fit` runs a staged step on batches.
"""

from __future__ import annotations

from autograph.tf.absent import missing_from
from autograph.tf.keras import (
    activations,
    callbacks,
    datasets,
    initializers,
    layers,
    losses,
    metrics,
    models,
    optimizers,
    utils,
)
from autograph.tf.keras.model import Model, Sequential
from autograph.tf.keras.symbolic import Input

MODULES = {
    "activations": activations,
    "callbacks": callbacks,
    "datasets": datasets,
    "initializers": initializers,
    "layers": layers,
    "losses": losses,
    "metrics": metrics,
    "models": models,
    "optimizers": optimizers,
    "utils": utils,
}
"""The modules of Keras that are here."""

__all__ = [*MODULES, "Input", "Model", "Sequential"]  # noqa: PLE0604  (modules stand in a table)

INSTEAD = {
    "applications": "there are no trained models",
    "backend": "write with tf's own functions",
    "mixed_precision": "give layers their dtype",
    "preprocessing": "prepare data with tf.data or NumPy",
    "regularizers": "add a term to the loss, or give the optimizer weight_decay",
}
"""What to do without the parts of Keras that are absent."""
__getattr__ = missing_from("autograph.tf.keras", globals(), INSTEAD)
