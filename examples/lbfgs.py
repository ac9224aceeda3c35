"""L-BFGS: the two-loop recursion over lists of the last steps, on a small network."""

from __future__ import annotations

import numpy as np

import autograph as ag


def loss_of(parameters, images, labels, hidden):
    """Return the mean cross entropy of a network whose weights are parts of one vector."""
    pixels, classes = images.shape[1], 10
    first, last = np.split(parameters, [hidden * pixels])
    active = np.tanh(images @ first.reshape(pixels, hidden))
    logits = active @ last.reshape(hidden, classes)
    logits = logits - np.max(logits, axis=1, keepdims=True)
    found = logits[np.arange(len(labels)), labels]
    return np.mean(np.log(np.sum(np.exp(logits), axis=1)) - found)


def direction(gradient, steps, changes):
    """Return minus the gradient times the inverse of the Hessian, as the last steps tell it.

    Nocedal, "Updating quasi-Newton matrices with limited storage" (1980).
    """
    found, factors = -gradient, []
    for step, change in zip(reversed(steps), reversed(changes), strict=True):
        factor = (step @ found) / (step @ change)
        factors.append(factor)
        found = found - factor * change
    if steps:
        found = found * (steps[-1] @ changes[-1]) / (changes[-1] @ changes[-1])
    for step, change, factor in zip(steps, changes, reversed(factors), strict=True):
        found = found + step * (factor - (change @ found) / (step @ change))
    return found


@ag.function
def minimise(parameters, images, labels, hidden, rounds, memory, tolerance=1e-6):
    """Return parameters with a smaller loss, that loss, and how many rounds were made.

    Args:
        parameters: `[hidden * (pixels + classes)]`.
        images: `[batch, pixels]`.
        labels: `[batch]`.
        hidden: how many units there are.
        rounds: how many rounds there are at most.
        memory: how many steps are remembered.
        tolerance: the largest element of the gradient at which to end.
    """
    derivative = ag.value_and_grad(lambda x: loss_of(x, images, labels, hidden))
    loss, gradient = derivative(parameters)
    steps, changes = [], []
    done = 0
    while done < rounds and np.max(np.abs(gradient)) > tolerance:
        along = direction(gradient, steps, changes)
        slope, length = gradient @ along, 1.0
        new_loss, new_gradient = derivative(parameters + along)
        while new_loss > loss + 1e-4 * length * slope:
            length = 0.5 * length
            new_loss, new_gradient = derivative(parameters + length * along)
        step, change = length * along, new_gradient - gradient
        if step @ change > 1e-10:
            steps.append(step)
            changes.append(change)
            if len(steps) > memory:
                steps.pop(0)
                changes.pop(0)
        parameters, loss, gradient = parameters + step, new_loss, new_gradient
        done += 1
    return parameters, loss, done


def arguments(batch=100, pixels=784, hidden=100, rounds=20, memory=100, seed=0):
    """Return made images with their labels, and where to begin."""
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 10, batch)
    images = draw.normal(size=(10, pixels))[labels] + draw.normal(size=(batch, pixels))
    parameters = draw.normal(size=hidden * (pixels + 10)) / np.sqrt(pixels)
    return parameters, images, labels, hidden, np.int64(rounds), memory


def main():
    """Print the loss after some rounds."""
    parameters, images, labels, hidden, _, memory = arguments(batch=60, pixels=30, hidden=12)
    for rounds in (0, 5, 20):
        _, loss, done = minimise(parameters, images, labels, hidden, np.int64(rounds), memory)
        print(f"after {done} rounds: {loss:.5f}")


if __name__ == "__main__":
    main()
