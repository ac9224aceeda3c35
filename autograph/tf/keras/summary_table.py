"""The table that `model.summary()` prints, in Keras' words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def lines(model: Any, width: int) -> Iterator[str]:
    """Yield the lines of the table of a model that has variables.

    Raises:
        ValueError: its layers have none yet, since it was not called.
    """
    if not model.built:
        raise ValueError(
            f"the model {model.name!r} has no shapes yet; call it on a batch, or give its first "
            "layer input_shape, before summary()"
        )
    columns = (int(width * 0.45), int(width * 0.85), width)
    yield f'Model: "{model.name}"'
    yield "_" * width
    yield _row((" Layer (type)", "Output Shape", "Param #"), columns)
    yield "=" * width
    for layer in model.layers:
        kind = type(layer).__name__
        name = getattr(layer, "name", getattr(layer, "__name__", kind))
        shape = getattr(layer, "output_shape", None)
        count = layer.count_params() if hasattr(layer, "count_params") else 0
        yield _row((f" {name} ({kind})", "?" if shape is None else str(shape), str(count)), columns)
        yield " " * width
    yield "=" * width
    trained, others = (
        sum(int(np.prod(x.shape)) for x in found)
        for found in (model.trainable_variables, model.non_trainable_variables)
    )
    yield f"Total params: {trained + others:,}"
    yield f"Trainable params: {trained:,}"
    yield f"Non-trainable params: {others:,}"
    yield "_" * width


def _row(cells: tuple[str, ...], columns: tuple[int, ...]) -> str:
    line = ""
    for cell, end in zip(cells, columns, strict=True):
        line = f"{line[:-1]} {cell}" if line else cell
        line = line[:end].ljust(end)
    return line
