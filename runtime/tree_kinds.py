"""How the containers of Python are taken apart, made and shown, for `runtime.trees`."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """How the instances of a class are taken apart, made and shown.

    Args:
        flatten: `(value) -> (children, data)`; the data are hashable.
        unflatten: `(cls, data, children) -> value`.
        labels: `(cls, data, count) -> ` what is appended to a path for each child.
        show: `(cls, data, texts of the children) -> text`.
    """

    flatten: Callable[[Any], tuple[Sequence[Any], Any]]
    unflatten: Callable[[Any, Any, Sequence[Any]], Any]
    labels: Callable[[type, Any, int], Iterable[str]]
    show: Callable[[type, Any, Sequence[str]], str]


_NO_ATTRIBUTES: dict[str, Any] = {}


@cache
def slots_of(cls: Any) -> tuple[str, ...]:
    """Return the attributes of a class that are not in the dictionary of an instance."""
    slots = (vars(x).get("__slots__", ()) for x in cls.__mro__)
    names = chain(*((x,) if isinstance(x, str) else x for x in slots))
    return tuple(x for x in dict.fromkeys(names) if x not in ("__dict__", "__weakref__"))


def indices(cls: type, data: Any, count: int) -> list[str]:
    """Return `[0]`, `[1]` and so on."""
    return [f"[{k}]" for k in range(count)]


def _show_fields(cls: type, names: Sequence[str], texts: Sequence[str]) -> str:
    shown = (f"{name}={text}" for name, text in zip(names, texts, strict=True))
    return f"{cls.__name__}({', '.join(shown)})"


def _take_dict(value: dict[Any, Any]) -> tuple[Sequence[Any], Any]:
    """Return the values, and the keys with their types: 1 and True are different keys here."""
    keys = tuple(value)
    factory = (value.default_factory,) if type(value) is defaultdict else ()
    return tuple(value.values()), (keys, tuple(map(type, keys)), *factory)


def _show_dict(cls: type, data: Any, texts: Sequence[str]) -> str:
    shown = (f"{key!r}: {text}" for key, text in zip(data[0], texts, strict=True))
    text = "{" + ", ".join(shown) + "}"
    return text if cls is dict else f"{cls.__name__}({text})"


def _show_tuple(cls: type, data: Any, texts: Sequence[str]) -> str:
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _take_dataclass(value: Any) -> tuple[Sequence[Any], Any]:
    """Return the attributes that an instance has of its own, and their names."""
    own = getattr(value, "__dict__", _NO_ATTRIBUTES)
    cls: Any = type(value)
    slots = [x for x in slots_of(cls) if hasattr(value, x)]
    return (*own.values(), *(getattr(value, x) for x in slots)), (*own, *slots)


def _make_dataclass(cls: Any, data: Sequence[str], children: Sequence[Any]) -> Any:
    """Set the fields without running `__init__`, which may want other things than the fields."""
    value = object.__new__(cls)
    for name, child in zip(data, children, strict=True):
        object.__setattr__(value, name, child)
    return value


DICT = Kind(
    _take_dict,
    lambda cls, data, children: cls(*data[2:], zip(data[0], children, strict=True)),
    lambda cls, data, count: [f"[{key!r}]" for key in data[0]],
    _show_dict,
)
COUNTER = Kind(
    _take_dict,
    lambda cls, data, children: cls(dict(zip(data[0], children, strict=True))),
    DICT.labels,
    _show_dict,
)
NAMED_TUPLE = Kind(
    lambda value: (value, None),
    lambda cls, data, children: cls._make(children),
    lambda cls, data, count: [f".{name}" for name in cls._fields],  # type: ignore[attr-defined]
    lambda cls, data, texts: _show_fields(cls, cls._fields, texts),  # type: ignore[attr-defined]
)
DATACLASS = Kind(
    _take_dataclass,
    _make_dataclass,
    lambda cls, data, count: [f".{name}" for name in data],
    _show_fields,
)
TUPLE = Kind(
    lambda value: (value, None), lambda cls, data, children: tuple(children), indices, _show_tuple
)
LIST = Kind(
    lambda value: (value, None),
    lambda cls, data, children: list(children),
    indices,
    lambda cls, data, texts: f"[{', '.join(texts)}]",
)
DEQUE = Kind(
    lambda value: (value, value.maxlen),
    lambda cls, maxlen, children: deque(children, maxlen),
    indices,
    lambda cls, maxlen, texts: f"deque([{', '.join(texts)}])",
)
NONE = Kind(lambda value: ((), None), lambda cls, data, children: None, indices, lambda *_: "None")
KINDS: dict[type, Kind] = {
    tuple: TUPLE,
    list: LIST,
    deque: DEQUE,
    dict: DICT,
    OrderedDict: DICT,
    defaultdict: DICT,
    Counter: COUNTER,
    type(None): NONE,
}
