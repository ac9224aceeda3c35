"""Handwritten digits: a network is trained by a plain loop, which as a whole is one graph."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import autograph as ag
from autograph import nn


@ag.function
def train(model, optimizer, images, labels, orders):
    """Change the variables of a model; return the mean loss of each epoch.

    Args:
        model: gives logits `[batch, classes]` for images `[batch, features]`.
        optimizer: changes its parameters.
        images: `[count, features]`.
        labels: `[count]`.
        orders: `[epochs, batches, batch]`: the numbers of the images of each batch.
    """
    loss_of = nn.losses.SparseCategoricalCrossentropy(from_logits=True)
    history = []
    for order in orders:
        total = 0.0
        for batch in order:
            with ag.GradientTape() as tape:
                loss = loss_of(labels[batch], model(images[batch], training=True))
            parameters = nn.parameters(model)
            optimizer.apply(tape.gradient(loss, parameters), parameters)
            total += float(loss)
        history.append(total / len(order))
    return np.array(history)


def digits():
    """Return images of eight by eight pixels with their labels, for training and for testing."""
    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype(np.float32)
    return tuple(train_test_split(images, labels, test_size=0.2, random_state=0, stratify=labels))


def shuffled(count, epochs, batch, seed=0):
    """Return the numbers of the images of each batch, in a new order for each epoch."""
    draw = np.random.default_rng(seed)
    batches = count // batch
    orders = [draw.permutation(count)[: batches * batch] for _ in range(epochs)]
    return np.array(orders).reshape(epochs, batches, batch)


def main():
    """Train a network with one hidden layer, and print how many digits of the test it knows."""
    ag.random.seed(0)
    images, test_images, labels, test_labels = digits()
    model = nn.Sequential([nn.Dense(64, "relu"), nn.Dropout(0.1), nn.Dense(10)])
    optimizer = nn.optimizers.Adam(0.01)
    losses = train(model, optimizer, images, labels, shuffled(len(images), epochs=12, batch=32))
    found = np.argmax(model(test_images), axis=1)
    print(f"loss: {losses[0]:.2f} in the first epoch, {losses[-1]:.3f} in the last one")
    print(
        f"of {len(test_labels)} digits of the test, {np.mean(found == test_labels):.1%} are known"
    )


if __name__ == "__main__":
    main()
