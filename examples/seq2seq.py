"""Sequence to sequence: an encoder and a decoder, with its own words or a teacher's as input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import autograph as ag


class Model(NamedTuple):
    """The weights.

    Args:
        embedding: `[words, features]`, of both languages.
        encoder, decoder: the weights of a cell each.
        output: `[units, words]`.
    """

    embedding: np.ndarray
    encoder: tuple[np.ndarray, ...]
    decoder: tuple[np.ndarray, ...]
    output: np.ndarray


def sigmoid(x):
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


def cell(weights, x, state):
    """Return the state `[batch, units]` of a gated recurrent unit after an input."""
    w_input, w_state, bias = weights
    of_input = np.split(x @ w_input + bias, 3, axis=1)
    of_state = np.split(state @ w_state, 3, axis=1)
    reset = sigmoid(of_input[0] + of_state[0])
    update = sigmoid(of_input[1] + of_state[1])
    new = np.tanh(of_input[2] + reset * of_state[2])
    return update * state + (1 - update) * new


def loss_of(model, source, target, teacher):
    """Return the mean cross entropy of the words of the target, behind its first ones.

    Args:
        model: the weights.
        source, target: `[batch, words]`, integers.
        teacher: whether the next input is the word of the target, or the likeliest one.
    """
    batch, length = target.shape
    state = np.zeros((batch, len(model.output)), model.output.dtype)
    for word in source.T:
        state = cell(model.encoder, model.embedding[word], state)
    total, word = 0.0, target[:, 0]
    for t in range(1, length):
        state = cell(model.decoder, model.embedding[word], state)
        logits = state @ model.output
        logits = logits - np.max(logits, axis=1, keepdims=True)
        found = logits[np.arange(batch), target[:, t]]
        total += np.mean(np.log(np.sum(np.exp(logits), axis=1)) - found)
        if teacher:
            word = target[:, t]
        else:
            word = np.argmax(logits, axis=1)
    return total / (length - 1)


@ag.function
def evaluate(model, source, target, teacher):
    """Return the loss."""
    return loss_of(model, source, target, teacher)


@ag.function
def train(model, source, target, teacher, steps, rate):
    """Return weights after some steps of gradient descent, and the loss of the last one."""
    loss = model.output.dtype.type(0.0)
    for _ in range(steps):
        loss, gradients = ag.value_and_grad(loss_of)(model, source, target, teacher)
        model = descend(model, gradients, rate)
    return model, loss


def descend(weights, gradients, rate):
    """Return a structure of weights after one step."""
    if isinstance(weights, tuple):
        parts = [descend(w, g, rate) for w, g in zip(weights, gradients, strict=True)]
        return type(weights)(*parts) if isinstance(weights, Model) else tuple(parts)
    return weights - rate * gradients


def arguments(batch=32, length=64, words=1000, features=50, units=256, seed=0):
    """Return random weights, and sentences whose translation is the sentence, backwards."""
    draw = np.random.default_rng(seed)

    def weights(*shape):
        return (draw.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32)

    def of_cell():
        bias = np.zeros(3 * units, np.float32)
        return weights(features, 3 * units), weights(units, 3 * units), bias

    model = Model(weights(words, features), of_cell(), of_cell(), weights(units, words))
    source = draw.integers(1, words, (batch, length))
    first = np.zeros((batch, 1), int)
    return model, source, np.concatenate([first, source[:, ::-1]], axis=1)


def main():
    """Print the loss before and after training with a teacher, and what it is without."""
    model, source, target = arguments(batch=16, length=4, words=8, features=8, units=32)
    print(f"loss before training: {evaluate(model, source, target, True):.3f}")
    model, loss = train(model, source, target, True, np.int64(300), np.float32(0.5))
    print(f"after it, taught: {loss:.3f}, alone: {evaluate(model, source, target, False):.3f}")


if __name__ == "__main__":
    main()
