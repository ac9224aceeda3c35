"""Rules of descent after Adam, and Ftrl. Each says what it does to one variable."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from autograph.nn.optimizers.optimizer import Optimizer
from autograph.nn.optimizers.rules import Moments

DECAY = 0.96
"""How fast the momentum of `Nadam` comes to what it is in the end."""


class Nadam(Moments):
    """`Adam`, with the gradient counted as if the next step of the mean were gone (Dozat, 2016).

    Args:
        learning_rate: how far a step goes, about.
        beta_1: which part of the mean of gradients stays at a step, in the end.
        beta_2: which part of the mean of their squares stays.
        epsilon: is added to the root of that.
        options: of `Optimizer`.
    """

    slots = ("momentum", "velocity", "product")
    shapes = MappingProxyType({"product": lambda variable: ()})
    initial = MappingProxyType({"product": 1.0})

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        one = np.ones((), gradient.dtype)
        now = self.beta_1 * (one - 0.5 * (one * DECAY) ** step)
        after = self.beta_1 * (one - 0.5 * (one * DECAY) ** (step + 1))
        product = slots["product"]
        product.assign(product * now)
        m, v = self.means(gradient, slots)
        mean = after / (one - product * after) * m + (one - now) / (one - product) * gradient
        square = v / self.lost(gradient, step)[1]
        variable.assign_sub(rate * mean / (np.sqrt(square) + self.epsilon))


class Lamb(Moments):
    """`Adam`, with steps in proportion to the norms of variables (You et al., 2019).

    Args:
        learning_rate: how far a step goes, for a variable of norm 1.
        beta_1: which part of the mean of gradients stays at a step.
        beta_2: which part of the mean of their squares stays.
        epsilon: is added to the root of that.
        options: of `Optimizer`.
    """

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        (m, v), (of_mean, of_squares) = self.means(gradient, slots), self.lost(gradient, step)
        change = m / of_mean / (np.sqrt(v / of_squares) + self.epsilon)
        own, other = np.sqrt(np.sum(variable * variable)), np.sqrt(np.sum(change * change))
        share = np.where((own > 0) & (other > 0), own / np.where(other > 0, other, 1), 1)
        variable.assign_sub(share * rate * change)


class Lion(Optimizer):
    """Descent by the signs of means of gradients (Chen et al., 2023).

    Args:
        learning_rate: how far a step goes, in each element.
        beta_1: which part of the mean counts, beside the gradient.
        beta_2: which part of the mean stays at a step.
        options: of `Optimizer`.
    """

    slots = ("momentum",)

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.99, **options: Any
    ) -> None:
        super().__init__(learning_rate, **options)
        if not 0 < beta_1 <= 1:
            raise ValueError(f"beta_1 is above 0, and 1 at most, not {beta_1}")
        self.beta_1, self.beta_2 = beta_1, beta_2

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        m = slots["momentum"]
        variable.assign_sub(rate * np.sign(m * self.beta_1 + gradient * (1 - self.beta_1)))
        m.assign(m * self.beta_2 + gradient * (1 - self.beta_2))


class Ftrl(Optimizer):
    """The regularised leader is followed, for features of which few count (McMahan et al., 2013).

    Args:
        learning_rate: how far a step goes, about.
        learning_rate_power: to which power of the sum of squares steps are in proportion.
        initial_accumulator_value: of that sum.
        l1_regularization_strength: how strongly elements are held at 0.
        l2_regularization_strength: how strongly they are drawn to 0.
        l2_shrinkage_regularization_strength: the same, by means of the gradient.
        beta: is added to the root of the sum of squares.
        options: of `Optimizer`.
    """

    slots = ("accumulator", "linear")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, **options)
        if initial_accumulator_value < 0:
            raise ValueError(
                f"initial_accumulator_value is 0 or more, not {initial_accumulator_value}"
            )
        self.initial = {"accumulator": initial_accumulator_value}
        self.power, self.beta = learning_rate_power, beta
        self.l1, self.l2 = l1_regularization_strength, l2_regularization_strength
        self.shrinkage = l2_shrinkage_regularization_strength

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        squares, linear = slots["accumulator"], slots["linear"]
        before, after = squares.read(), squares + gradient * gradient
        drawn = gradient + 2 * self.shrinkage * variable
        width = (after**-self.power - before**-self.power) / rate
        linear.assign_add(drawn - width * variable)
        curve = after**-self.power / rate + 2 * (self.l2 + self.beta / (2 * rate))
        variable.assign((np.clip(linear, -self.l1, self.l1) - linear) / curve)
        squares.assign(after)
