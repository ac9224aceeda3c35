"""Random numbers that Python draws while a function is traced: they are the same at each call."""

from __future__ import annotations

import warnings
from typing import Any

from autograph.errors import FrozenRandomWarning
from autograph.operators.control_flow.rolling import unroll
from runtime.graph.location import user_location

_INSTEAD = {"rand": "random", "randn": "normal", "random_sample": "random", "gauss": "normal"}


def warn_of_frozen(function: Any) -> None:
    """Warn that the number which a method draws now is part of the graph."""
    unroll()
    name = function.__name__
    place = user_location()
    warnings.warn_explicit(
        f"{name}() draws its numbers while the function is traced: each call of the staged "
        f"function gets the same ones. Write ag.random.{_INSTEAD.get(name, name)}, which draws "
        "when the graph runs, or pass the numbers as an argument",
        FrozenRandomWarning,
        place.file if place is not None else "<unknown>",
        place.line if place is not None else 0,
    )
