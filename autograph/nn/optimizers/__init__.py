"""Optimisers: what changes variables by gradients of a loss."""

from autograph.nn.optimizers import schedules
from autograph.nn.optimizers.clipping import (
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    global_norm,
)
from autograph.nn.optimizers.later_rules import Ftrl, Lamb, Lion, Nadam
from autograph.nn.optimizers.lbfgs import Minimum, lbfgs_minimize
from autograph.nn.optimizers.matrix_rules import Adafactor, Muon
from autograph.nn.optimizers.optimizer import Optimizer
from autograph.nn.optimizers.rules import SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, RMSprop

__all__ = [
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Lamb",
    "Lion",
    "Minimum",
    "Muon",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "global_norm",
    "lbfgs_minimize",
    "schedules",
]
