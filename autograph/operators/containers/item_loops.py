"""What is done with containers item by item, in Python: it is converted where they are staged."""
# ruff: noqa: PERF401, SIM110  (loops are what this is about)

from __future__ import annotations

import operator
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def add_all(found: set[Any], items: Iterable[Any]) -> None:
    """Put items into a set."""
    for x in items:
        found.add(x)


def add_those(found: set[Any], items: Iterable[Any], other: Any, wanted: bool) -> None:
    """Put items into a set that are in another one, or are not."""
    for x in items:
        if (x in other) == wanted:
            found.add(x)


def discard_all(found: set[Any], items: Iterable[Any]) -> None:
    """Take items out of a set."""
    for x in items:
        found.discard(x)


def toggle_all(found: set[Any], items: Iterable[Any]) -> None:
    """Take items out of a set that are there, and put in those that are not."""
    for x in items:
        if x in found:
            found.discard(x)
        else:
            found.add(x)


def transposed(rows: Iterable[Any]) -> Iterator[Any]:
    """As `zip(*rows)`."""
    count = -1
    for row in rows:
        count = len(row) if count < 0 else min(count, len(row))
    for k in range(count):
        yield tuple([row[k] for row in rows])


def position(items: Iterable[Any], item: Any) -> int:
    """Where an item is, as `list.index`; -1 where it is not there."""
    for k, x in enumerate(items):
        if x is item or x == item:
            return k
    return -1


def occurrences(items: Iterable[Any], item: Any) -> int:
    """As `list.count`."""
    found = 0
    for x in items:
        if x is item or x == item:
            found += 1
    return found


def equal_lists(a: list[Any], b: list[Any]) -> bool:
    """As `a == b`."""
    if len(a) != len(b):
        return False
    for k in range(len(a)):
        if a[k] is not b[k] and a[k] != b[k]:
            return False
    return True


def ordered(a: Any, b: Any, sign: Callable[[Any, Any], Any]) -> Any:
    """As `a < b` and the like, of lists and tuples: the first items that differ decide."""
    for k in range(min(len(a), len(b))):
        if a[k] is not b[k] and a[k] != b[k]:
            return sign(a[k], b[k])
    return sign(len(a), len(b))


def keys(items: Iterable[Any], key: Callable[[Any], Any] | None) -> list[Any]:
    """What items are compared by."""
    found = []
    for x in items:
        found.append(x if key is None else key(x))
    return found


def order(keys: list[Any], reverse: bool) -> list[int]:
    """Where the keys stand that `sorted` puts first, second, ..."""
    found: list[int] = []
    numbers = range(len(keys))
    for k in reversed(numbers) if reverse else numbers:
        low, high = 0, len(found)
        while low < high:
            middle = (low + high) // 2
            if keys[k] < keys[found[middle]]:
                high = middle
            else:
                low = middle + 1
        found.insert(low, k)
    return found[::-1] if reverse else found


def largest(keys: list[Any]) -> int:
    """Where the key stands that `max` gives; ValueError where there is none."""
    if not keys:
        max(())
    best = 0
    for k in range(1, len(keys)):
        if keys[k] > keys[best]:
            best = k
    return best


def smallest(keys: list[Any]) -> int:
    """As `largest`, of `min`."""
    if not keys:
        min(())
    best = 0
    for k in range(1, len(keys)):
        if keys[k] < keys[best]:
            best = k
    return best


def largest_by(items: Iterable[Any], key: Callable[[Any], Any], *default: Any) -> Any:
    """As `max`, where to ask for a key and for the next item may write."""
    found, keys_of = with_keys(items, key)
    return default[0] if default and not found else found[largest(keys_of)]


def smallest_by(items: Iterable[Any], key: Callable[[Any], Any], *default: Any) -> Any:
    """As `min`, likewise."""
    found, keys_of = with_keys(items, key)
    return default[0] if default and not found else found[smallest(keys_of)]


def with_keys(items: Iterable[Any], key: Callable[[Any], Any]) -> tuple[list[Any], list[Any]]:
    """Return items and what they are compared by, each asked for in turn."""
    found, keys_of = [], []
    for x in items:
        found.append(x)
        keys_of.append(key(x))
    return found, keys_of


def text_of_items(items: Iterable[Any], first: str, last: str) -> str:
    """As `repr` of a container, around whose items stand other texts."""
    text = between = ""
    for x in items:
        text += between + repr(x)
        between = ", "
    return first + text + last


def text_of_pairs(pairs: Iterable[Any], first: str, last: str) -> str:
    """As `repr` of a dict, around whose items stand other texts."""
    text = between = ""
    for key, value in pairs:
        text += between + repr(key) + ": " + repr(value)
        between = ", "
    return first + text + last


def equal_dicts(first: dict[Any, Any], second: dict[Any, Any]) -> bool:
    """As `first == second`."""
    if len(first) != len(second):
        return False
    for key, value in first.items():
        if key not in second or not second[key] == value:  # noqa: SIM201  (as dicts ask)
            return False
    return True


def equal_in_order(first: OrderedDict[Any, Any], second: OrderedDict[Any, Any]) -> bool:
    """As `first == second`, of dicts whose order matters."""
    return list(first.items()) == list(second.items())


def equal_counts(first: Counter[Any], second: Counter[Any]) -> bool:
    """As `first == second`: what is not counted is counted 0 times."""
    for key, count in first.items():
        if not count == second[key]:  # noqa: SIM201
            return False
    for key, count in second.items():
        if not first[key] == count:  # noqa: SIM201
            return False
    return True


def place_in_range(numbers: range, number: Any) -> int:
    """As `range.index`."""
    if number not in numbers:
        raise ValueError(f"{number!r} is not in range")
    return (operator.index(number) - numbers.start) // numbers.step
