"""`tf.keras.models`: the classes of models, and models as files."""

from __future__ import annotations

from autograph.tf.absent import missing_from
from autograph.tf.keras.model import Model, Sequential
from autograph.tf.keras.saving import clone_model, load_model, model_from_json, save_model

__all__ = ["Model", "Sequential", "clone_model", "load_model", "model_from_json", "save_model"]
__getattr__ = missing_from("autograph.tf.keras.models", globals())
