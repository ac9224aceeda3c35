"""The variables of a program, as a structure: what is found in the attributes of its objects.

Comes in: any object: a layer, an object of one's own with layers in it, a list or dict of them.
Goes out: its variables by the path to them. Of an object they come first, those that are trained
before the others, and then those of the objects in it, in the order in which attributes were
assigned; it is Keras' order. Nothing is registered: an attribute is all it takes (after Equinox:
Kidger and Garcia, 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.operators.calls.converting import do_not_convert
from autograph.operators.mutation.reachable_objects import attributes_of, is_open
from runtime.state.variable import Variable

Items = Iterable[tuple[str, Any]]


def _own_first(owner: Any, items: Items) -> Items:
    return sorted(items, key=lambda item: _rank(item[1]))


def _rank(x: Any) -> int:
    return (0 if x.trainable else 1) if isinstance(x, Variable) else 2


@do_not_convert
def walk(
    root: Any,
    enters: Callable[[Any], bool] = is_open,
    order: Callable[[Any, Items], Items] = _own_first,
) -> Iterator[tuple[str, Any]]:
    """Yield each variable and object in an object, once, depth first, with the path to it.

    Args:
        root: an object, or a list, tuple or dict of them.
        enters: whether the attributes of an object are gone through.
        order: given an object and its attributes, pairs of name and value, returns them in order.
    """
    seen: set[int] = set()
    todo: list[tuple[str, Any]] = [("", root)]
    while todo:
        path, value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Variable):
            yield path, value
        elif isinstance(value, dict):
            todo += [(f"{path}[{key!r}]", x) for key, x in value.items()][::-1]
        elif isinstance(value, list | tuple):
            todo += [(f"{path}[{k}]", x) for k, x in enumerate(value)][::-1]
        elif enters(value):
            yield path, value
            named = order(value, attributes_of(value))
            todo += [(f"{path}.{name}" if path else name, x) for name, x in named][::-1]


@do_not_convert
def variables(module: Any) -> dict[str, Variable]:
    """Return all variables of an object, by the path to them.

    Args:
        module: a layer, any object with layers or variables in its attributes, or a list, tuple or
            dict of them. A variable that is found twice is there once.

    >>> import autograph as ag
    >>> layer = ag.nn.Dense(2)
    >>> layer(np.zeros((5, 3), np.float32)).shape
    (5, 2)
    >>> list(variables([layer, {"count": ag.Variable(0)}]))
    ['[0].kernel', '[0].bias', "[1]['count']"]
    """
    return {path: x for path, x in walk(module) if isinstance(x, Variable)}


@do_not_convert
def parameters(module: Any) -> dict[str, Variable]:
    """Return the variables of an object that are trained, by the path to them.

    Those are left out that are made with `trainable=False`, and those in objects that have an
    attribute `trainable` which is false, so that `layer.trainable = False` freezes a layer.

    >>> import autograph as ag
    >>> model = ag.nn.Sequential([ag.nn.Dense(3), ag.nn.Dense(1)])
    >>> model(np.zeros((5, 2), np.float32)).shape
    (5, 1)
    >>> {path: x.shape for path, x in parameters(model).items()}
    {'layers[0].kernel': (2, 3), 'layers[0].bias': (3,), 'layers[1].kernel': (3, 1), \
'layers[1].bias': (1,)}
    """
    found = walk(module, enters=lambda x: is_open(x) and getattr(x, "trainable", True) is not False)
    return {path: x for path, x in found if isinstance(x, Variable) and x.trainable}
