"""`Configured`: objects that know what they were made of, so that they can be made again."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

T = TypeVar("T", bound="Configured")
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Configured:
    """Keeps the arguments that an object was made with.

    >>> class Scale(Configured):
    ...     def __init__(self, factor, name="scale"):
    ...         self.factor = factor
    >>> scale = Scale(3)
    >>> scale.get_config(), Scale.from_config(scale.get_config()).factor
    ({'factor': 3}, 3)
    """

    def __new__(cls: type[T], *args: Any, **options: Any) -> T:
        made = super().__new__(cls)
        made.__given__ = args, options  # a name that no search for variables looks at
        return made

    __given__: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that it was made with, by their names."""
        args, options = self.__given__
        return {**_named(type(self), args), **options}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Return an object that is made with these arguments."""
        return cls(**config)


def _named(kind: type, args: tuple[Any, ...]) -> dict[str, Any]:
    """Return positional arguments by their names; those of `*args` are of the next class."""
    names: list[str] = []
    for owner in kind.__mro__:
        if "__init__" in vars(owner):
            parameters = list(inspect.signature(vars(owner)["__init__"]).parameters.values())[1:]
            names += [x.name for x in parameters if x.kind in POSITIONAL]
            if not any(x.kind is inspect.Parameter.VAR_POSITIONAL for x in parameters):
                break
    return dict(zip(names, args, strict=False))
