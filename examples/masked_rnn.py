"""A recurrent network over sequences of different lengths, padded to one length and masked."""

from __future__ import annotations

import numpy as np

import autograph as ag


@ag.function
def masked_rnn(inputs, lengths, w_input, w_hidden, bias):
    """Return the outputs of all steps (zero where a sequence has ended) and the last states.

    Args:
        inputs: [batch, steps, features].
        lengths: [batch], integers.
        w_input: [features, units].
        w_hidden: [units, units].
        bias: [units].
    """
    batch, steps, _ = inputs.shape
    state = np.zeros((batch, len(bias)))
    outputs = np.zeros((batch, steps, len(bias)))
    for t in range(np.max(lengths)):
        new = np.tanh(inputs[:, t] @ w_input + state @ w_hidden + bias)
        alive = (t < lengths)[:, None]
        state = np.where(alive, new, state)
        outputs[:, t] = np.where(alive, new, 0.0)
    return outputs, state


def arguments(batch, steps, features, units, seed=0):
    """Return random arguments; the first sequence has full length."""
    draw = np.random.default_rng(seed)
    lengths = draw.integers(1, steps + 1, batch)
    lengths[0] = steps
    w_input = draw.normal(size=(features, units)) / np.sqrt(features)
    w_hidden = draw.normal(size=(units, units)) / np.sqrt(units)
    inputs = draw.normal(size=(batch, steps, features))
    return inputs, lengths, w_input, w_hidden, np.zeros(units)


def main():
    """Print how long each sequence is, and how many outputs of its row are not zero."""
    inputs, lengths, *weights = arguments(batch=4, steps=6, features=3, units=5)
    outputs, state = masked_rnn(inputs, lengths, *weights)
    print("lengths:      ", lengths)
    print("steps not 0:  ", np.count_nonzero(np.any(outputs != 0, axis=2), axis=1))
    print("norm of state:", np.round(np.linalg.norm(state, axis=1), 3))


if __name__ == "__main__":
    main()
