"""Properties that are computed once.

`functools.cached_property` has a lock for all instances of a class before Python 3.12: two traces
wait for each other, and a child that is forked meanwhile waits for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class lazy(Generic[Value]):  # noqa: N801  (it reads as `property` does)
    """A property that is computed when it is first asked for, and then kept by its instance.

    Threads that ask at the same time may compute it at the same time; all get the first value.

    >>> class Circle:
    ...     @lazy
    ...     def area(self):
    ...         print("computed")
    ...         return 3
    >>> circle = Circle()
    >>> circle.area + circle.area
    computed
    6
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._compute(instance))
