"""Clipping of gradients: structures of arrays, of which None stands for no gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.trees import flatten_to, unflatten


def clip_by_value(gradients: Any, clip_value: float) -> Any:
    """Return gradients with each element between `-clip_value` and `clip_value`.

    >>> clip_by_value([np.array([-3.0, 0.5])], 1.0)
    [array([-1. ,  0.5])]
    """
    found, structure = leaves(gradients)
    return unflatten(
        structure, [None if g is None else np.clip(g, -clip_value, clip_value) for g in found]
    )


def clip_by_norm(gradients: Any, clip_norm: float) -> Any:
    """Return gradients, each scaled down so that its norm is `clip_norm` at most.

    >>> clip_by_norm([np.array([3.0, 4.0])], 1.0)
    [array([0.6, 0.8])]
    """
    found, structure = leaves(gradients)
    return unflatten(structure, [None if g is None else _shortened(g, clip_norm) for g in found])


def _shortened(gradient: Any, clip_norm: float) -> Any:
    norm = np.sqrt(np.sum(gradient * gradient))
    return gradient * clip_norm / np.maximum(norm, clip_norm)


def clip_by_global_norm(gradients: Any, clip_norm: float) -> Any:
    """Return gradients, all scaled down so that their norm as one vector is `clip_norm` at most.

    >>> clip_by_global_norm([np.array([3.0]), np.array([4.0])], 1.0)
    [array([0.6]), array([0.8])]
    """
    found, structure = leaves(gradients)
    norm = np.maximum(global_norm(gradients), clip_norm)
    scaled = [None if g is None else g * (clip_norm / norm).astype(g.dtype) for g in found]
    return unflatten(structure, scaled)


def global_norm(gradients: Any) -> Any:
    """Return the norm of gradients as one vector.

    >>> global_norm({"a": np.array([3.0]), "b": np.array([4.0])})
    np.float64(5.0)
    """
    found, _ = leaves(gradients)
    return np.sqrt(sum([np.sum(g * g) for g in found if g is not None]))


def leaves(gradients: Any) -> Any:
    """Return the gradients of a structure, of which some may be None, and the structure."""
    return flatten_to(gradients, _is_none)


def _is_none(x: Any) -> bool:
    return x is None
