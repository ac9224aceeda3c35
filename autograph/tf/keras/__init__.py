"""`tf.keras`: Keras' names over `autograph.nn`. `docs/tf.md` lists what is here.

A model is a program over variables; `fit` runs a staged step on batches.
"""

from __future__ import annotations

from autograph.tf.absent import Names, missing_from
from autograph.tf.keras import (
    activations,
    backend,
    callbacks,
    constraints,
    datasets,
    initializers,
    layers,
    losses,
    metrics,
    models,
    ops,
    optimizers,
    random,
    regularizers,
    saving,
    utils,
)
from autograph.tf.keras.gathering import Metric
from autograph.tf.keras.layer import Layer
from autograph.tf.keras.losses import Loss
from autograph.tf.keras.model import Model, Sequential
from autograph.tf.keras.symbolic import Input

MODULES = {
    "activations": activations,
    "backend": backend,
    "callbacks": callbacks,
    "constraints": constraints,
    "datasets": datasets,
    "initializers": initializers,
    "layers": layers,
    "losses": losses,
    "metrics": metrics,
    "models": models,
    "ops": ops,
    "optimizers": optimizers,
    "random": random,
    "regularizers": regularizers,
    "saving": saving,
    "utils": utils,
}
"""The modules of Keras that are here."""

for _module in (constraints, initializers, layers, losses, metrics, optimizers, regularizers):
    _module.serialize = saving.serialize_keras_object  # type: ignore[attr-defined]
    _module.deserialize = saving.deserialize_keras_object  # type: ignore[attr-defined]

preprocessing = Names(
    "Where `pad_sequences` was; see `tf.keras.utils`.",
    sequence=Names("Sequences.", pad_sequences=utils.pad_sequences),
)

__all__ = [  # noqa: PLE0604  (modules stand in a table)
    *MODULES,
    "Input",
    "Layer",
    "Loss",
    "Metric",
    "Model",
    "Sequential",
    "preprocessing",
]

INSTEAD = {
    "applications": "there are no trained models",
    "mixed_precision": "give layers their dtype",
}
"""What to do without the parts of Keras that are absent."""
__getattr__ = missing_from("autograph.tf.keras", globals(), INSTEAD)
