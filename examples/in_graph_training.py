"""Training in the graph: one linear layer on images of MNIST's size, all steps in one loop."""

from __future__ import annotations

import numpy as np

import autograph as ag


def loss_of(weights, bias, images, labels):
    """Return the mean cross entropy of a batch."""
    logits = images @ weights + bias
    logits = logits - np.max(logits, axis=1, keepdims=True)
    found = logits[np.arange(len(labels)), labels]
    return np.mean(np.log(np.sum(np.exp(logits), axis=1)) - found)


@ag.function
def train(weights, bias, images, labels, batches, rate):
    """Return what is learned by gradient descent, and the loss of each step.

    Args:
        weights: `[pixels, classes]`.
        bias: `[classes]`.
        images: `[count, pixels]`.
        labels: `[count]`.
        batches: `[steps, batch]`: the numbers of the images of each step.
        rate: of learning.
    """
    losses = []
    for batch in batches:
        loss, (by_weights, by_bias) = ag.value_and_grad(loss_of, argnums=(0, 1))(
            weights, bias, images[batch], labels[batch]
        )
        weights = weights - rate * by_weights
        bias = bias - rate * by_bias
        losses.append(loss)
    return weights, bias, np.array(losses)


def arguments(steps=1000, batch=200, count=60_000, pixels=784, classes=10, seed=0):
    """Return made images, each near the middle of its class, and where to begin."""
    draw = np.random.default_rng(seed)
    middles = draw.normal(size=(classes, pixels)) * 0.3
    labels = draw.integers(0, classes, count)
    images = (middles[labels] + draw.normal(size=(count, pixels))).astype(np.float32)
    weights = np.zeros((pixels, classes), np.float32)
    bias = np.zeros(classes, np.float32)
    batches = draw.integers(0, count, (steps, batch))
    return weights, bias, images, labels, batches, np.float32(0.1)


def main():
    """Print the loss on the way, and how many images are known in the end."""
    weights, bias, images, labels, batches, rate = arguments(200, 50, 2000, pixels=100)
    weights, bias, losses = train(weights, bias, images, labels, batches, rate)
    print("loss:", *(f"{loss:.2f}" for loss in losses[[0, 50, 100, 199]]))
    known = np.mean(np.argmax(images @ weights + bias, axis=1) == labels)
    print(f"known: {known:.0%}")


if __name__ == "__main__":
    main()
