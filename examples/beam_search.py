"""Beam search: the most likely sentences of a recurrent model, kept in a list of tuples."""

from __future__ import annotations

import numpy as np

import autograph as ag


def step(model, word, state):
    """Return the state after a word, and the logarithms of how likely each next word is."""
    embedding, w_state, w_out = model
    state = np.tanh(embedding[word] + state @ w_state)
    logits = state @ w_out
    shifted = logits - np.max(logits)
    return state, shifted - np.log(np.sum(np.exp(shifted)))


@ag.function
def beam_search(model, end, width, longest):
    """Return the best sentences that were found, each a pair of its score and its words.

    Args:
        model: an embedding `[words, units]`, `[units, units]`, and `[units, words]`.
        end: the word that stands before a sentence and behind it.
        width: how many sentences are kept.
        longest: how many words a sentence has at most.
    """
    beam = [(0.0, np.full(longest, end), np.zeros(len(model[1])))]
    for t in range(longest):
        found = []
        for score, words, state in beam:
            if t > 0 and words[t - 1] == end:
                found.append((score, words, state))
                continue
            state, logs = step(model, words[t - 1], state)
            for word in np.argpartition(-logs, width)[:width]:
                longer = words.copy()
                longer[t] = word
                found.append((score + logs[word], longer, state))
        found.sort(key=lambda candidate: -candidate[0])
        beam = found[:width]
        if all(words[t] == end for _, words, _ in beam):
            break
    return [(score, words) for score, words, _ in beam]


def model(words=1000, units=256, seed=0):
    """Return random weights."""
    draw = np.random.default_rng(seed)
    embedding = draw.normal(size=(words, units))
    w_out = draw.normal(size=(units, words)) / np.sqrt(units)
    return embedding, draw.normal(size=(units, units)) / np.sqrt(units), 3.0 * w_out


def main():
    """Print the best sentences of a small model."""
    end = 2
    print("log p    words")
    for score, words in beam_search(model(words=12, units=8), end, 4, np.int64(9)):
        print(f"{score:7.3f} ", *(word for word in words if word != end))


if __name__ == "__main__":
    main()
