"""L-BFGS: a quasi-Newton method with a line search, as plain loops over the parts of one vector.

Nocedal, "Updating quasi-Newton matrices with limited storage" (1980): the two loops that multiply a
gradient with the inverse of the Hessian, as the last steps tell it. Lewis and Overton, "Nonsmooth
optimization via quasi-Newton methods" (2013): the bisection for the weak conditions of Wolfe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.calls.converting import do_not_convert
from autograph.transforms.gradients import value_and_grad
from runtime.state.variable import Variable
from runtime.trees import flatten

DECREASE, CURVATURE = 1e-4, 0.9
"""How much of the fall that the slope promises there is to be, and of the slope still left."""


class Minimum(NamedTuple):
    """What a minimisation came to; the variables hold where.

    Args:
        converged: whether no element of the gradient is larger than the tolerance.
        value: of the loss.
        gradient_norm: the largest absolute value in the gradient.
        num_iterations: how many steps there were.
        num_objective_evaluations: how often the loss and its gradient were computed.
    """

    converged: Any
    value: Any
    gradient_norm: Any
    num_iterations: Any
    num_objective_evaluations: Any


def lbfgs_minimize(
    loss: Callable[[], Any],
    variables: Any,
    num_correction_pairs: int = 10,
    tolerance: float = 1e-8,
    max_iterations: Any = 50,
    max_line_search_iterations: int = 50,
) -> Minimum:
    """Change variables so that a function of them becomes as small as it is near them.

    In a staged function all of it is a loop of the graph. It ends, not converged, where no step
    along the direction makes the loss smaller.

    Args:
        loss: a function without arguments, of what the variables hold; smooth.
        variables: a structure of variables of floats.
        num_correction_pairs: how many steps are remembered.
        tolerance: how large elements of the gradient may be at the end.
        max_iterations: how many steps there are at most.
        max_line_search_iterations: how many lengths are tried for one step at most.

    >>> import autograph as ag
    >>> x = ag.Variable(np.array([-1.2, 1.0]))
    >>> def rosenbrock():
    ...     return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    >>> found = lbfgs_minimize(rosenbrock, x, max_iterations=100)
    >>> bool(found.converged), x.numpy().round(6).tolist()
    (True, [1.0, 1.0])
    """
    known = _known(variables)
    derivative = value_and_grad(lambda given: loss())
    x = joined(known)
    value, gradients = derivative(known)
    gradient = joined(gradients)
    steps = np.zeros((num_correction_pairs, x.shape[0]), x.dtype)
    changes, products = np.zeros_like(steps), np.zeros_like(steps[:, 0])
    count, evaluations, is_stuck = 0, 1, False
    while count < max_iterations and np.max(np.abs(gradient)) > tolerance and not is_stuck:
        direction = -inverse_times(gradient, steps, changes, products)
        length = np.ones_like(value)
        if count == 0:
            length = np.minimum(length, 1 / np.sum(np.abs(gradient)))
        start = x, direction, value, direction @ gradient
        is_found, tries, length, new_value, new_gradient = searched(
            derivative, known, start, length, max_line_search_iterations
        )
        evaluations += tries
        if is_found or new_value < value:
            step, change = length * direction, new_gradient - gradient
            if step @ change > 0:
                steps, changes = pushed(step, steps), pushed(change, changes)
                products = pushed(step @ change, products)
            x, value, gradient = x + step, new_value, new_gradient
            count += 1
        else:
            place(x, known)
            is_stuck = True
    norm = np.max(np.abs(gradient))
    return Minimum(norm <= tolerance, value, norm, count, evaluations)


def pushed(row: Any, rows: Any) -> Any:
    """Return rows with another one before them, and without the last one."""
    return np.concatenate([row[None], rows[:-1]])


def searched(
    derivative: Callable[[Any], Any],
    variables: Sequence[Variable],
    start: tuple[Any, Any, Any, Any],
    length: Any,
    most: int,
) -> tuple[Any, Any, Any, Any, Any]:
    """Look for a step after which the value and the slope have fallen enough.

    Args:
        derivative: gives value and gradients for what the variables hold.
        variables: hold the last point that was tried, afterwards.
        start: a point, a direction, and the value and the slope there.
        length: of the first step that is tried.
        most: so many are tried.

    Returns:
        Whether there is one, how many were tried; the last length, its value and gradient.
    """
    x, direction, value, slope = start
    low, high = np.zeros_like(slope), np.full_like(slope, np.inf)
    tries, is_found = 0, False
    taken, new_value, new_gradient = length, value, direction
    while tries < most and not is_found:
        taken = length
        place(x + taken * direction, variables)
        new_value, gradients = derivative(variables)
        new_gradient = joined(gradients)
        tries += 1
        if not new_value <= value + DECREASE * taken * slope:
            high = taken
            length = (low + high) / 2
        elif new_gradient @ direction < CURVATURE * slope:
            low = taken
            length = np.where(np.isinf(high), 2 * low, (low + high) / 2)[()]
        else:
            is_found = True
    return is_found, tries, taken, new_value, new_gradient


def inverse_times(gradient: Any, steps: Any, changes: Any, products: Any) -> Any:
    """Return the inverse of the Hessian, as steps and changes of gradients tell it, times a vector.

    Args:
        gradient: the vector, `[n]`.
        steps: the last steps, `[pairs, n]`, the last one first.
        changes: of the gradient in them, likewise.
        products: of each step with its change, `[pairs]`; 0 where there was none yet.
    """
    factors = np.where(products > 0, 1 / np.where(products > 0, products, 1), 0)
    parts = []
    for k in range(len(factors)):
        part = factors[k] * (steps[k] @ gradient)
        gradient = gradient - part * changes[k]
        parts.append(part)
    square = changes[0] @ changes[0]
    gradient = gradient * np.where(square > 0, products[0] / np.where(square > 0, square, 1), 1)
    for k in reversed(range(len(factors))):
        gradient = gradient + (parts[k] - factors[k] * (changes[k] @ gradient)) * steps[k]
    return gradient


def joined(parts: Sequence[Any]) -> Any:
    """Return arrays, or what variables hold, as one vector."""
    return np.concatenate([np.reshape(x, (-1,)) for x in parts])


def place(vector: Any, variables: Sequence[Variable]) -> None:
    """Assign the parts of a vector to variables."""
    first = 0
    for variable in variables:
        size = int(np.prod(variable.shape))
        part = np.reshape(vector[first : first + size], variable.shape)
        variable.assign(part.astype(variable.dtype))
        first += size


@do_not_convert
def _known(variables: Any) -> list[Variable]:
    found, _ = flatten(variables)
    for x in found:
        if not isinstance(x, Variable) or not x.spec.is_static:
            raise TypeError(
                f"lbfgs_minimize changes variables of known shapes, and was given {x!r}"
            )
    return list(found)
