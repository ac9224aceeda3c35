"""Rules of descent. Each says what it does to one variable, in the dtype of that."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn.optimizers.optimizer import Optimizer


class SGD(Optimizer):
    """Descent along gradients, with momentum if it is given (Sutskever et al., 2013).

    Args:
        learning_rate: how far a step goes.
        momentum: which part of the step before is added.
        nesterov: whether the gradient counts as if that part had been gone already.
        options: of `Optimizer`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, **options)
        if not 0 <= momentum <= 1:
            raise ValueError(f"momentum is between 0 and 1, not {momentum}")
        self.momentum, self.nesterov = momentum, nesterov
        self.slots = ("momentum",) if momentum else ()

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        if not self.momentum:
            variable.assign_sub(rate * gradient)
            return
        slots["momentum"].assign(self.momentum * slots["momentum"] - rate * gradient)
        if self.nesterov:
            variable.assign_add(self.momentum * slots["momentum"] - rate * gradient)
        else:
            variable.assign_add(slots["momentum"])


class Moments(Optimizer):
    """What rules share that go by the mean of gradients, and by how large they are.

    Args:
        learning_rate: how far a step goes, about.
        beta_1: which part of the mean stays at a step.
        beta_2: which part stays of what says how large they are.
        epsilon: is added to that.
        options: of `Optimizer`.
    """

    slots: tuple[str, ...] = ("momentum", "velocity")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, **options)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def means(self, gradient: Any, slots: Any) -> tuple[Any, Any]:
        """Return the means of gradients and of their squares, with one gradient more."""
        m, v = slots["momentum"], slots["velocity"]
        m.assign_add((gradient - m) * (1 - self.beta_1))
        v.assign_add((gradient * gradient - v) * (1 - self.beta_2))
        return m, v

    def lost(self, gradient: Any, step: Any) -> tuple[Any, Any]:
        """Return which parts of the means are not those of their first values, zeros."""
        one = np.ones((), gradient.dtype)
        return one - (one * self.beta_1) ** step, one - (one * self.beta_2) ** step

    def descend(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        """Go one step along the mean, by the means of squares, or their maximum if that is kept."""
        of_mean, of_squares = self.lost(gradient, step)
        m, v = self.means(gradient, slots)
        if "velocity_hat" in slots:
            slots["velocity_hat"].assign(np.maximum(slots["velocity_hat"], v))
            v = slots["velocity_hat"]
        correction = np.sqrt(of_squares) / of_mean
        variable.assign_sub(m * (rate * correction) / (np.sqrt(v) + self.epsilon))


class Adam(Moments):
    """Descent by means of gradients and of their squares (Kingma and Ba, 2014).

    Args:
        learning_rate: how far a step goes, about.
        beta_1: which part of the mean of gradients stays at a step.
        beta_2: which part of the mean of their squares stays.
        epsilon: is added to the root of that.
        amsgrad: whether its maximum so far is used (Reddi et al., 2018).
        options: of `Optimizer`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **options)
        self.slots = ("momentum", "velocity", "velocity_hat")[: 3 if amsgrad else 2]

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        self.descend(variable, gradient, rate, step, slots)


class AdamW(Adam):
    """`Adam`, with weights that decay beside it (Loshchilov and Hutter, 2017).

    Args:
        learning_rate: how far a step goes, about.
        weight_decay: which part of the rate times themselves weights lose at a step.
        options: of `Adam`.
    """

    def __init__(
        self, learning_rate: Any = 0.001, weight_decay: float = 0.004, *options: Any, **others: Any
    ) -> None:
        super().__init__(learning_rate, *options, weight_decay=weight_decay, **others)


class RMSprop(Optimizer):
    """Descent along gradients divided by the root of their mean square (Hinton, 2012).

    Args:
        learning_rate: how far a step goes, about.
        rho: which part of the mean of squares stays at a step.
        momentum: which part of the step before is added.
        epsilon: is added to the mean of squares.
        centered: whether the square of the mean is taken from it.
        options: of `Optimizer`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, **options)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered
        self.slots = (
            "velocity",
            *("momentum",) * (momentum > 0),
            *("average_gradient",) * centered,
        )

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        v = slots["velocity"]
        v.assign(self.rho * v + (1 - self.rho) * (gradient * gradient))
        denominator = v + self.epsilon
        if self.centered:
            mean = slots["average_gradient"]
            mean.assign(self.rho * mean + (1 - self.rho) * gradient)
            denominator = denominator - mean * mean
        change = rate * gradient / np.sqrt(denominator)
        if self.momentum > 0:
            slots["momentum"].assign(self.momentum * slots["momentum"] + change)
            variable.assign_sub(slots["momentum"])
        else:
            variable.assign_sub(change)


class Adagrad(Optimizer):
    """Descent along gradients divided by the root of the sum of their squares (Duchi et al., 2011).

    Args:
        learning_rate: how far a step goes, about.
        initial_accumulator_value: of the sum.
        epsilon: is added to the sum.
        options: of `Optimizer`.
    """

    slots = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, **options)
        self.initial, self.epsilon = {"accumulator": initial_accumulator_value}, epsilon

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        slots["accumulator"].assign_add(gradient * gradient)
        variable.assign_sub(rate * gradient / np.sqrt(slots["accumulator"] + self.epsilon))


class Adadelta(Optimizer):
    """Descent by steps as long as those before, for gradients as large (Zeiler, 2012).

    Args:
        learning_rate: a factor of all steps.
        rho: which part of the means of squares stays at a step.
        epsilon: is added to them.
        options: of `Optimizer`.
    """

    slots = ("accumulated_grad", "accumulated_delta_var")

    def __init__(
        self, learning_rate: Any = 0.001, rho: float = 0.95, epsilon: float = 1e-7, **options: Any
    ) -> None:
        super().__init__(learning_rate, **options)
        self.rho, self.epsilon = rho, epsilon

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        squares, steps = slots["accumulated_grad"], slots["accumulated_delta_var"]
        squares.assign(self.rho * squares + (1 - self.rho) * (gradient * gradient))
        length = np.sqrt(steps + self.epsilon) / np.sqrt(squares + self.epsilon)
        change = length * gradient
        steps.assign(self.rho * steps + (1 - self.rho) * (change * change))
        variable.assign_sub(rate * change)


class Adamax(Moments):
    """`Adam`, by the largest gradients instead of the mean of squares (Kingma and Ba, 2014).

    Args:
        learning_rate: how far a step goes, about.
        beta_1: which part of the mean of gradients stays at a step.
        beta_2: which part of the largest one.
        epsilon: is added to that.
        options: of `Optimizer`.
    """

    slots = ("momentum", "largest")

    def update(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        m, largest = slots["momentum"], slots["largest"]
        m.assign_add((gradient - m) * (1 - self.beta_1))
        largest.assign(np.maximum(self.beta_2 * largest, np.abs(gradient)))
        share = rate / self.lost(gradient, step)[0]
        variable.assign_sub(share * m / (largest + self.epsilon))
