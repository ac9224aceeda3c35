"""Optimisers: what changes variables by gradients of a loss."""

from autograph.nn.optimizers.optimizer import Optimizer
from autograph.nn.optimizers.rules import SGD, Adagrad, Adam, AdamW, RMSprop

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop"]
