"""`tf.Module`: an object with variables, which it finds in its attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from autograph.nn.arrivals import is_awaited, variables_were_made
from autograph.nn.layer import Layer
from autograph.nn.variables import walk
from autograph.operators.calls.converting import do_not_convert
from autograph.tf.control import name_scope
from runtime.state.variable import Variable

F = TypeVar("F", bound=Callable[..., Any])


class Module:
    """An object that knows the variables and modules in its attributes, also in lists and dicts.

    >>> from autograph import tf
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__(name="scale")
    ...         self.factor = tf.Variable(2.0)
    >>> [float(v.numpy()) for v in Scale().trainable_variables]
    [2.0]
    """

    def __init__(self, name: str | None = None) -> None:
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(self).__name__)
        self._name = words.lower() if name is None else name

    @classmethod
    def watch_attributes(cls) -> None:
        """Tell those who wait for variables of each attribute that is set, as long as any wait."""
        Module.__setattr__ = _set_and_tell  # type: ignore[method-assign]

    @property
    def name(self) -> str:
        """Its name: by default that of its class, in small letters."""
        return getattr(self, "_name", type(self).__name__.lower())

    @property
    def name_scope(self) -> Any:
        """What does nothing in a `with` statement: names of scopes are not kept."""
        return name_scope(self.name)

    @classmethod
    def with_name_scope(cls, method: F) -> F:
        """Return a method as it is: names of scopes are not kept."""
        return method

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables of the module and of those in it."""
        return tuple(x for x in _parts(self) if isinstance(x, Variable))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those that may be trained."""
        return tuple(x for x in self.variables if x.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """Those that may not be trained."""
        return tuple(x for x in self.variables if not x.trainable)

    @property
    def submodules(self) -> tuple[Any, ...]:
        """The modules in this one."""
        return tuple(x for x in _parts(self) if isinstance(x, Module))


@do_not_convert
def _set_and_tell(self: Module, name: str, value: Any) -> None:
    object.__setattr__(self, name, value)
    variables_were_made()
    if not is_awaited() and "__setattr__" in vars(Module):
        del Module.__setattr__


def _parts(module: Module) -> Iterator[Any]:
    """Yield each variable and module in a module, once, by the names of their attributes."""
    found = walk(module, lambda x: isinstance(x, Module | Layer), _in_order)
    return (x for _, x in found if x is not module)


def _in_order(owner: Any, items: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    return sorted(items) if isinstance(owner, Module) else items
