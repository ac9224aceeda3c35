"""Names: of objects, counted by their classes, and of what is asked for by a text."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from autograph.operators.calls.converting import do_not_convert

_COUNTS: Counter[str] = Counter()


def in_snake_case(name: str) -> str:
    """Return the name of a class as that of an object.

    >>> in_snake_case("LayerNormalization"), in_snake_case("Conv2D"), in_snake_case("LSTM")
    ('layer_normalization', 'conv2d', 'lstm')
    """
    words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()


@do_not_convert
def counted(name: str) -> str:
    """Return a name that was not returned before: `dense`, then `dense_1`, as Keras counts."""
    _COUNTS[name] += 1
    return name if _COUNTS[name] == 1 else f"{name}_{_COUNTS[name] - 1}"


def reset_names() -> None:
    """Count names from the start."""
    _COUNTS.clear()


@do_not_convert
def find(
    asked: Any,
    space: Mapping[str, Any],
    names: Iterable[str],
    what: str,
    short: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Return what a text names, or anything else as it is.

    Args:
        asked: a name as Keras has it, `glorot_uniform` or `GlorotUniform`, or a callable.
        space: where the names are.
        names: those that may be asked for.
        what: they are called in messages.
        short: further names for some of them.

    Raises:
        ValueError: there is nothing of the name.
        TypeError: it is neither a name nor callable.
    """
    if not isinstance(asked, str):
        if callable(asked):
            return asked
        raise TypeError(f"{asked!r} is no {what}: give a name, or something that can be called")
    own = list(names)
    known = {name: name for name in own}
    known.update({in_snake_case(name): name for name in own})
    known.update(short)
    if asked not in known:
        near = difflib.get_close_matches(asked, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ValueError(f"there is no {what} {asked!r}{hint} There are {', '.join(own)}")
    return space[known[asked]]
