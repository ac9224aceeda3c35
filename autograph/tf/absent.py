"""Names of TensorFlow that are not here: an AttributeError that names the nearest thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

INSTEAD = {
    "Session": "there are no sessions: call the function",
    "profiler": "f.profile(...) of a staged function tells the time of each step",
    "placeholder": "there are no placeholders: a function has arguments",
    "compat": "there is nothing of TensorFlow 1",
    "audio": "there is no audio",
    "quantization": "there is no quantisation",
}
"""What to do without the parts of TensorFlow that are absent."""


class Names:
    """Names that stand together under one more name.

    Args:
        doc: what they are.
        names: the names, with what they mean.
    """

    def __init__(self, doc: str, **names: Any) -> None:
        self.__doc__ = doc
        vars(self).update(names)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        known = ", ".join(x for x in vars(self) if not x.startswith("_"))
        raise AttributeError(f"{name} is not there; there is {known}. docs/tf.md lists what is")


def missing_from(
    module: str, namespace: Mapping[str, Any], instead: Mapping[str, str] = INSTEAD
) -> Callable[[str], NoReturn]:
    """Return the `__getattr__` of a module, which says what to do instead of some absent names."""
    place = module.removeprefix("autograph.")

    def missing(name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        names = [x for x in namespace if not x.startswith("_")]
        near = get_close_matches(name, names, 1)
        reason = instead.get(name)
        hint = f": {reason}" if reason else (f"; the nearest is {place}.{near[0]}" if near else "")
        raise AttributeError(f"{place}.{name} is not there{hint}. docs/tf.md lists what is")

    return missing
