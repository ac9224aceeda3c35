"""`tf.keras`: Keras' names over `autograph.nn`. `docs/tf.md` lists what is here.

A model is a program over variables; `fit` runs a staged step on batches.
"""

from __future__ import annotations

from autograph.tf.absent import missing_from
from autograph.tf.keras import (
    activations,
    callbacks,
    constraints,
    datasets,
    initializers,
    layers,
    losses,
    metrics,
    models,
    optimizers,
    regularizers,
    saving,
    utils,
)
from autograph.tf.keras.model import Model, Sequential
from autograph.tf.keras.symbolic import Input

MODULES = {
    "activations": activations,
    "callbacks": callbacks,
    "constraints": constraints,
    "datasets": datasets,
    "initializers": initializers,
    "layers": layers,
    "losses": losses,
    "metrics": metrics,
    "models": models,
    "optimizers": optimizers,
    "regularizers": regularizers,
    "saving": saving,
    "utils": utils,
}
"""The modules of Keras that are here."""

__all__ = [*MODULES, "Input", "Model", "Sequential"]  # noqa: PLE0604  (modules stand in a table)

INSTEAD = {
    "applications": "there are no trained models",
    "backend": "write with tf's own functions",
    "mixed_precision": "give layers their dtype",
    "preprocessing": "prepare data with tf.data or NumPy",
}
"""What to do without the parts of Keras that are absent."""
__getattr__ = missing_from("autograph.tf.keras", globals(), INSTEAD)
