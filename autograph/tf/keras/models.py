"""`tf.keras.models`: the classes of models."""

from __future__ import annotations

from autograph.tf.absent import missing_from
from autograph.tf.keras.model import Model, Sequential

__all__ = ["Model", "Sequential"]

INSTEAD = dict.fromkeys(
    ("load_model", "save_model", "clone_model", "model_from_json"),
    "a model is made by its own code; model.save_weights and load_weights keep its variables",
)
__getattr__ = missing_from("autograph.tf.keras.models", globals(), INSTEAD)
