"""Tree-LSTM: a network that reads the tree of a sentence by calling itself.

Tai, Socher, Manning, "Improved semantic representations from tree-structured long short-term
memory networks" (2015). A tree is three arrays: the word of each node, and its children.
"""

from __future__ import annotations

import numpy as np

import autograph as ag


def sigmoid(x):
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


def encode(model, tree, node):
    """Return the output and the memory `[units]` of a node."""
    embedding, kernel, bias, _ = model
    words, left, right = tree
    if left[node] < 0:
        memory = embedding[words[node]]
        return np.tanh(memory), memory
    of_left, left_memory = encode(model, tree, left[node])
    of_right, right_memory = encode(model, tree, right[node])
    gates = np.concatenate([of_left, of_right]) @ kernel + bias
    new, enter, keep_left, keep_right, leave = np.split(gates, 5)
    memory = sigmoid(enter) * np.tanh(new)
    memory = memory + sigmoid(keep_left) * left_memory + sigmoid(keep_right) * right_memory
    return sigmoid(leave) * np.tanh(memory), memory


def loss_of(model, tree, label):
    """Return the cross entropy of the class of a sentence, whose root is node 0."""
    logits = encode(model, tree, 0)[0] @ model[3]
    logits = logits - np.max(logits)
    return np.log(np.sum(np.exp(logits))) - logits[label]


@ag.function
def evaluate(model, trees, labels):
    """Return the mean loss of sentences."""
    total = 0.0
    for tree, label in zip(trees, labels, strict=True):
        total += loss_of(model, tree, label)
    return total / len(labels)


@ag.function
def train(model, trees, labels, rate):
    """Return weights after a step of gradient descent on each sentence, and the mean loss.

    Args:
        model: an embedding `[words, units]`, a kernel `[2 * units, 5 * units]` with its bias, and
            `[units, classes]`.
        trees: `[sentences, 3, nodes]`: words, and the numbers of both children, -1 for none.
        labels: `[sentences]`.
        rate: of learning.
    """
    total = 0.0
    for tree, label in zip(trees, labels, strict=True):
        loss, gradients = ag.value_and_grad(loss_of)(model, tree, label)
        model = tuple(w - rate * g for w, g in zip(model, gradients, strict=True))
        total += loss
    return model, total / len(labels)


def random_tree(draw, words, leaves):
    """Return a tree of random form, the root first: `int[3, 2 * leaves - 1]`."""
    rows = []

    def grow(count):
        row = [-1, -1, -1]
        rows.append(row)
        number = len(rows) - 1
        if count == 1:
            row[0] = draw.integers(words)
        else:
            cut = draw.integers(1, count)
            row[1], row[2] = grow(cut), grow(count - cut)
        return number

    grow(leaves)
    return np.array(rows).T


def arguments(sentences=50, leaves=20, words=1000, units=150, classes=5, seed=0):
    """Return random weights, and trees; the class of one is that of its first word."""
    draw = np.random.default_rng(seed)
    model = (
        draw.normal(size=(words, units)),
        draw.normal(size=(2 * units, 5 * units)) / np.sqrt(2 * units),
        np.zeros(5 * units),
        draw.normal(size=(units, classes)) / np.sqrt(units),
    )
    trees = np.stack([random_tree(draw, words, leaves) for _ in range(sentences)])
    labels = np.array([tree[0][tree[0] >= 0][0] % classes for tree in trees])
    return model, trees, labels


def main():
    """Print the loss of each pass over some sentences."""
    model, trees, labels = arguments(sentences=20, leaves=6, words=30, units=12)
    for _ in range(3):
        model, loss = train(model, trees, labels, 0.2)
        print(f"loss of the pass: {loss:.3f}")
    print(f"loss afterwards:  {evaluate(model, trees, labels):.3f}")


if __name__ == "__main__":
    main()
