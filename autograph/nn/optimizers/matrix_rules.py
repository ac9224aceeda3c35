"""Rules of descent that take a variable as a matrix: by its rows and columns, or its directions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from autograph.nn.optimizers.optimizer import Optimizer
from autograph.nn.optimizers.rules import Moments


def _rows(variable: Any) -> tuple[int, ...]:
    return tuple(variable.shape[:-1]) if len(variable.shape) > 1 else ()


def _columns(variable: Any) -> tuple[int, ...]:
    return (*variable.shape[:-2], variable.shape[-1]) if len(variable.shape) > 1 else ()


class Adafactor(Optimizer):
    """Descent by means of squares of rows and of columns of gradients (Shazeer and Stern, 2018).

    Args:
        learning_rate: how far a step goes, for elements of size 1.
        beta_2_decay: the power of the number of steps that goes into means anew.
        epsilon_1: is added to squares of gradients.
        epsilon_2: the least size of variables that steps are in proportion to.
        clip_threshold: how long steps are at most, before the rate.
        relative_step: has no effect, as in Keras: the rate is never more than one over the root of
            the number of steps.
        options: of `Optimizer`.
    """

    slots = ("rows", "columns", "velocity")
    shapes = MappingProxyType({"rows": _rows, "columns": _columns})

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, **options)
        self.beta_2_decay, self.clip_threshold = beta_2_decay, clip_threshold
        self.epsilon_1, self.epsilon_2 = epsilon_1, epsilon_2

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        v, squares = slots["velocity"], gradient * gradient + self.epsilon_1
        new = step**self.beta_2_decay
        if len(variable.shape) < 2:
            v.assign((1 - new) * v + new * squares)
        else:
            rows, columns = slots["rows"], slots["columns"]
            rows.assign((1 - new) * rows + new * np.mean(squares, axis=-1))
            columns.assign((1 - new) * columns + new * np.mean(squares, axis=-2))
            shares = rows / np.mean(rows, axis=-1, keepdims=True)
            v.assign(shares[..., :, None] * np.asarray(columns)[..., None, :])
        change = gradient / np.sqrt(v)
        change = change / np.maximum(_size(change) / self.clip_threshold, 1)
        length = np.maximum(_size(variable), self.epsilon_2) * np.minimum(rate, 1 / np.sqrt(step))
        variable.assign_sub(length * change)


def _size(x: Any) -> Any:
    """Return the root of the mean of squares."""
    return np.sqrt(np.mean(np.square(x)))


class Muon(Moments):
    """Descent by means of gradients whose directions all become as long (Jordan et al., 2024).

    Variables of another rank than two, and those that are excluded, are changed as by `AdamW`. What
    is as long is found by Newton's and Schulz' iteration, of a polynomial of degree 5; it is scaled
    so that rates and decay are those of `AdamW` (Liu et al., 2025).

    Args:
        learning_rate: how far a step goes, about.
        adam_beta_1, adam_beta_2, adam_weight_decay, epsilon: of `AdamW`.
        weight_decay: which part of the rate times themselves other variables lose at a step.
        exclude_layers: patterns; variables in whose names one is found are excluded.
        exclude_embeddings: whether variables are excluded whose name has "embedding".
        muon_a, muon_b, muon_c: the coefficients of the polynomial.
        adam_lr_ratio: which part of the rate `AdamW` has.
        momentum: which part of the mean of gradients stays at a step.
        ns_steps: how many iterations there are.
        nesterov: whether the gradient counts as if that part had been gone already.
        rms_rate: how large the elements of a step are, about; None for no scaling.
        options: of `Optimizer`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        adam_beta_1: float = 0.9,
        adam_beta_2: float = 0.999,
        adam_weight_decay: float | None = 0.004,
        epsilon: float = 1e-7,
        weight_decay: float | None = 0.004,
        *,
        exclude_layers: Sequence[str] | None = None,
        exclude_embeddings: bool = True,
        muon_a: float = 3.4445,
        muon_b: float = -4.775,
        muon_c: float = 2.0315,
        adam_lr_ratio: float = 1.0,
        momentum: float = 0.95,
        ns_steps: int = 5,
        nesterov: bool = True,
        rms_rate: float | None = 0.2,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, adam_beta_1, adam_beta_2, epsilon, **options)
        self.exclude_layers, self.exclude_embeddings = exclude_layers or (), exclude_embeddings
        self.polynomial, self.ns_steps = (muon_a, muon_b, muon_c), ns_steps
        self.adam_lr_ratio, self.momentum, self.nesterov = adam_lr_ratio, momentum, nesterov
        self.decays, self.rms_rate = (adam_weight_decay, weight_decay), rms_rate
        self.shapes = {"velocity": lambda x: tuple(x.shape) if self._is_excluded(x) else ()}

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        is_excluded = self._is_excluded(variable)
        decay = self.decays[0 if is_excluded else 1]
        if decay is not None:
            variable.assign_sub(variable.read() * (decay * rate))
        if is_excluded:
            self.descend(variable, gradient, rate * self.adam_lr_ratio, step, slots)
            return
        m = slots["momentum"]
        m.assign(self.momentum * m + gradient)
        mean = gradient + self.momentum * m if self.nesterov else m.read()
        scale = 1.0 if self.rms_rate is None else max(variable.shape) ** 0.5 * self.rms_rate
        variable.assign_sub(rate * self._orthogonal(mean) * scale)

    def _is_excluded(self, variable: Any) -> bool:
        name = variable.name
        is_embedding = self.exclude_embeddings and "embedding" in name.lower()
        is_named = any(re.search(pattern, name) for pattern in self.exclude_layers)
        return len(variable.shape) != 2 or is_embedding or is_named

    def _orthogonal(self, x: Any) -> Any:
        """Return a matrix with the directions of another one, all about as long."""
        (a, b, c), is_high = self.polynomial, x.shape[0] > x.shape[1]
        x = x.T if is_high else x
        x = x / (np.sqrt(np.sum(x * x)) + 1e-7)
        for _ in range(self.ns_steps):
            square = x @ x.T
            x = a * x + (b * square + c * square @ square) @ x
        return x.T if is_high else x
