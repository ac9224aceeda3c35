"""`ctc_loss`: how well the steps of a sequence spell a shorter one (Graves et al., 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn import activations

NEVER = -1e30
"""The logarithm of no probability: a number, so that differences of two of them are."""


def ctc_loss(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, blank_index: int = 0
) -> Any:
    """Return how unlikely it is that sequences spell their labels: `-log p`, `inf` if they cannot.

    A step says a class or `blank_index`, which says nothing. A sequence spells what its steps say,
    the same in steps one after the other once.

    Args:
        labels: `i32[batch, most]`, the classes to be spelled; behind their length anything.
        logits: `f32[steps, batch, classes]`.
        label_length: `i32[batch]`, how many labels count.
        logit_length: `i32[batch]`, how many steps count.
        blank_index: the class that says nothing; from the last one if it is negative.

    Returns:
        `f32[batch]`.

    >>> logits = np.zeros((2, 1, 3))
    >>> p = np.exp(-ctc_loss(np.array([[1]]), logits, np.array([1]), np.array([2])))
    >>> print(np.round(9 * p))  # of nine ways: 1 1, blank 1, and 1 blank
    [3.]
    """
    logs = activations.log_softmax(logits)
    blank, size = blank_index % logs.shape[-1], labels.shape[1]
    labels = np.where(np.arange(size) < label_length[:, None], labels, blank)
    said = np.stack([np.full_like(labels, blank), labels], axis=-1).reshape(-1, 2 * size)
    said = np.concatenate([said, np.full_like(said[:, :1], blank)], axis=1)
    rows = np.take_along_axis(logs, said[None], axis=2)
    other = np.concatenate([said[:, :2] != said[:, :2], said[:, 2:] != said[:, :-2]], axis=1)
    never = np.full_like(rows[0, :, :1], NEVER)
    reached = np.where(np.arange(2 * size + 1) < 2, rows[0], NEVER)
    for k in range(1, len(rows)):
        one = np.concatenate([never, reached[:, :-1]], axis=1)
        two = np.concatenate([never, one[:, :-1]], axis=1)
        after = np.logaddexp(np.logaddexp(reached, one), np.where(other, two, NEVER)) + rows[k]
        reached = np.where((k < logit_length)[:, None], after, reached)
    ends = np.stack([2 * label_length, np.maximum(2 * label_length - 1, 0)], axis=1)
    last, before = np.moveaxis(np.take_along_axis(reached, ends, axis=1), 1, 0)
    found = np.where(label_length > 0, np.logaddexp(last, before), last)
    return np.where(found > NEVER / 2, -found, np.inf)
