"""MAML: weights from which one gradient step adapts a network to any sine.

Finn, Abbeel, Levine, "Model-agnostic meta-learning for fast adaptation of deep networks" (2017).
"""

from __future__ import annotations

import numpy as np

import autograph as ag


def network(weights, x):
    """Return what a network with two hidden layers gives: `f64[n, 1]` to `f64[n, 1]`."""
    for kernel, bias in weights[:-1]:
        x = np.tanh(x @ kernel + bias)
    kernel, bias = weights[-1]
    return x @ kernel + bias


def error_of(weights, x, y):
    """Return the mean squared error."""
    return np.mean((network(weights, x) - y) ** 2)


def descend(weights, gradients, rate):
    """Return weights after one step along their gradients."""
    pairs = zip(weights, gradients, strict=True)
    return tuple((w - rate * by_w, b - rate * by_b) for (w, b), (by_w, by_b) in pairs)


def loss_of_task(weights, task, local_rate):
    """Return the error on the new examples of a task, after one step on its others."""
    x, y, x_new, y_new = task
    gradients = ag.grad(error_of)(weights, x, y)
    return error_of(descend(weights, gradients, local_rate), x_new, y_new)


def loss_of_tasks(weights, tasks, local_rate):
    """Return the mean error of tasks, each of which has weights of its own after its step."""
    return np.mean(ag.vmap(loss_of_task, in_axes=(None, 0, None))(weights, tasks, local_rate))


@ag.function
def meta_train(weights, steps, rate, local_rate):
    """Return weights that adapt well, and the loss of each step.

    Args:
        weights: pairs of a kernel and a bias, one for each layer.
        steps: `[steps, tasks, 4, examples, 1]`: inputs and outputs to adapt to, and new ones.
        rate: of the gradient through the adaptation.
        local_rate: of the adaptation.
    """
    losses = np.zeros(len(steps))
    for k, tasks in enumerate(steps):
        losses[k], gradients = ag.value_and_grad(loss_of_tasks)(weights, tasks, local_rate)
        weights = descend(weights, gradients, rate)
    return weights, losses


def arguments(steps=100, tasks=25, examples=10, hidden=40, local_rate=1e-3, seed=3):
    """Return random weights, and sines of random amplitudes and phases."""
    draw = np.random.default_rng(seed)
    sizes = (1, hidden), (hidden, hidden), (hidden, 1)
    layers = [(draw.normal(size=n) / np.sqrt(n[0]), np.zeros(n[1])) for n in sizes]
    amplitude = draw.uniform(0.1, 2.0, (steps, tasks, 1, 1))
    phase = draw.uniform(0.0, np.pi, (steps, tasks, 1, 1))
    x, x_new = draw.uniform(-2.0, 2.0, (2, steps, tasks, examples, 1))
    parts = x, amplitude * np.sin(x + phase), x_new, amplitude * np.sin(x_new + phase)
    return tuple(layers), np.stack(parts, axis=2), 0.02, local_rate


def main():
    """Print the error after one step on a task, at first and after training."""
    _, losses = meta_train(*arguments(steps=400, tasks=4, hidden=20, local_rate=0.05))
    print("error on a new task after one step on it:")
    print(f"  {np.mean(losses[:20]):.2f} at first, {np.mean(losses[-20:]):.2f} after training")


if __name__ == "__main__":
    main()
