"""What goes over iterators, as loops in Python: they are converted where their items are staged.

What each does is what Python's function of that name does.
"""
# ruff: noqa: PERF402, PERF403, SIM110, SIM113  (loops are what this is about)

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any


def collected(iterable: Iterable[Any]) -> list[Any]:
    """As `list`."""
    items = []
    for item in iterable:
        items.append(item)
    return items


def set_(iterable: Iterable[Any]) -> set[Any]:
    """As `set`."""
    found = set()
    for item in iterable:
        found.add(item)
    return found


def dict_(iterable: Iterable[Any], **others: Any) -> dict[Any, Any]:
    """As `dict` of pairs."""
    found = {}
    for key, value in iterable:
        found[key] = value
    found.update(others)
    return found


def dict_from_keys(iterable: Iterable[Any], value: Any = None, /) -> dict[Any, Any]:
    """As `dict.fromkeys`."""
    found = {}
    for key in iterable:
        found[key] = value
    return found


def shuffle(source: Random, items: list[Any]) -> None:
    """As `random.shuffle`."""
    for i in reversed(range(1, len(items))):
        j = source.randrange(i + 1)
        items[i], items[j] = items[j], items[i]


def counter(iterable: Iterable[Any], **others: int) -> Counter[Any]:
    """As `collections.Counter`."""
    found: Counter[Any] = Counter()
    for item in iterable:
        found[item] += 1
    for name, count in others.items():
        found[name] += count
    return found


def deque_(iterable: Iterable[Any], maxlen: int | None = None) -> deque[Any]:
    """As `collections.deque`."""
    found: deque[Any] = deque(maxlen=maxlen)
    for item in iterable:
        found.append(item)
    return found


def extend(items: Any, iterable: Iterable[Any]) -> None:
    """As `items.extend(iterable)`."""
    for item in iterable:
        items.append(item)


def extendleft(items: Any, iterable: Iterable[Any]) -> None:
    """As `items.extendleft(iterable)`."""
    for item in iterable:
        items.appendleft(item)


def update_dict(items: Any, iterable: Iterable[Any]) -> None:
    """As `items.update(iterable)` of pairs."""
    for key, value in iterable:
        items[key] = value


def update_counter(items: Any, iterable: Iterable[Any]) -> None:
    """As `items.update(iterable)` of items that are counted."""
    for item in iterable:
        items[item] += 1


def add_counts(items: Any, pairs: Iterable[Any]) -> None:
    """As `items.update(counts)` of items with their counts."""
    for item, count in pairs:
        items[item] += count


def subtract_counter(items: Any, iterable: Iterable[Any]) -> None:
    """As `items.subtract(iterable)` of items that are counted."""
    for item in iterable:
        items[item] -= 1


def subtract_counts(items: Any, pairs: Iterable[Any]) -> None:
    """As `items.subtract(counts)` of items with their counts."""
    for item, count in pairs:
        items[item] -= count


def any_(iterable: Iterable[Any]) -> bool:
    """As `any`."""
    for item in iterable:
        if item:
            return True
    return False


def all_(iterable: Iterable[Any]) -> bool:
    """As `all`."""
    for item in iterable:
        if not item:
            return False
    return True


def contains(iterable: Iterable[Any], wanted: Any) -> bool:
    """As `wanted in iterable`, for an iterator."""
    for item in iterable:
        if item is wanted or item == wanted:
            return True
    return False


def next_(iterator: Iterable[Any], *default: Any) -> Any:
    """As `next`, where no other item is taken."""
    for item in iterator:
        return item
    if not default:
        raise StopIteration
    return default[0]


def reduce(function: Callable[[Any, Any], Any], iterable: Iterable[Any], *initial: Any) -> Any:
    """As `functools.reduce`."""
    is_empty = not initial
    if initial:
        found = initial[0]
    for item in iterable:
        found = item if is_empty else function(found, item)
        is_empty = False
    if is_empty:
        raise TypeError("reduce() of empty iterable with no initial value")
    return found


def enumerate_(iterable: Iterable[Any], start: Any = 0) -> Iterator[Any]:
    """As `enumerate`."""
    number = start
    for item in iterable:
        yield number, item
        number += 1


def map_(function: Callable[..., Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """As `map` of one iterable."""
    for item in iterable:
        yield function(item)


def filter_(function: Callable[[Any], Any] | None, iterable: Iterable[Any]) -> Iterator[Any]:
    """As `filter`."""
    for item in iterable:
        if item if function is None else function(item):
            yield item


def filterfalse(function: Callable[[Any], Any] | None, iterable: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.filterfalse`."""
    for item in iterable:
        if not (item if function is None else function(item)):
            yield item


def takewhile(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.takewhile`."""
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.dropwhile`."""
    is_taken = False
    for item in iterable:
        if not is_taken:
            is_taken = not predicate(item)
        if is_taken:
            yield item


def starmap(function: Callable[..., Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.starmap`."""
    for item in iterable:
        yield function(*item)


def chain(*iterables: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.chain`."""
    for iterable in iterables:
        yield from iterable


def chain_of(iterables: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """As `itertools.chain.from_iterable`."""
    for iterable in iterables:
        yield from iterable


def pairwise(iterable: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.pairwise`."""
    before: Any
    is_first = True
    for item in iterable:
        if not is_first:
            yield before, item  # noqa: F821  (it is assigned below)
        before = item
        is_first = False


def groupby(
    iterable: Iterable[Any], key: Callable[[Any], Any] | None = None
) -> Iterator[tuple[Any, Iterator[Any]]]:
    """As `itertools.groupby`: a group that is not taken ends where the next one begins."""
    group: list[Any] = []
    first = None  # the key of the group, which later ones are equal to, or are
    for item in iterable:
        found = item if key is None else key(item)
        if group and found not in (first,):
            yield first, iter(group)
            group.clear()
            group = []
        first = first if group else found
        group.append(item)
    if group:
        yield first, iter(group)
        group.clear()


def compress(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.compress`."""
    for item, is_meant in zip(data, selectors, strict=False):
        if is_meant:
            yield item


def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    """As `itertools.count`."""
    number = start
    while True:
        yield number
        number += step


def repeat(value: Any, times: Any = None) -> Iterator[Any]:
    """As `itertools.repeat`."""
    if times is None:
        while True:
            yield value
    else:
        for _ in range(times):
            yield value


def first_items(iterable: Iterable[Any], stop: Any) -> Iterator[Any]:
    """As `itertools.islice` of the items up to a number."""
    left = stop
    if left is None or left > 0:
        for item in iterable:
            yield item
            if left is not None:
                left -= 1
                if left <= 0:
                    return


def islice(iterable: Iterable[Any], *bounds: Any) -> Iterator[Any]:
    """As `itertools.islice`."""
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, None)[:3]
    wanted = 0 if start is None else start
    distance = 1 if step is None else step
    if stop is not None and stop <= 0 and wanted == 0:
        return
    last = None if stop is None else max(wanted, stop)
    position = 0
    for item in iterable:
        if position == wanted and (stop is None or position < stop):
            yield item
            wanted += distance
        position += 1
        if last is not None and position >= last:
            return


def accumulate(
    iterable: Iterable[Any],
    func: Callable[[Any, Any], Any] | None = None,
    *,
    initial: Any = None,
) -> Iterator[Any]:
    """As `itertools.accumulate`."""
    is_first = initial is None
    if initial is not None:
        total = initial
        yield total
    for item in iterable:
        if is_first:
            total = item
        elif func is None:
            total = total + item
        else:
            total = func(total, item)
        is_first = False
        yield total


def zip_with(rows: Any, iterable: Iterable[Any], position: int) -> Iterator[Any]:
    """As `zip` of one iterator, at a position, and of what can be asked for rows of the others."""
    number = 0
    for item in iterable:
        if not rows.has(number):
            return
        row = rows.item(number)
        yield (*row[:position], item, *row[position:])
        number += 1
        if position and not rows.has(number):
            return


def has_attribute(owner: Any, name: str) -> bool:
    """As `hasattr`."""
    try:
        getattr(owner, name)
    except AttributeError:
        return False
    return True


def attribute_or(owner: Any, name: str, default: Any) -> Any:
    """As `getattr` with a default."""
    try:
        return getattr(owner, name)
    except AttributeError:
        return default


def steps(iterator: Iterator[Any]) -> Iterator[Any]:
    """As a loop over an iterator."""
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item


def items_by_index(sequence: Any) -> Iterator[Any]:
    """As a loop over an object that has items by number, and no `__iter__`."""
    index = 0
    while True:
        try:
            item = sequence[index]
        except IndexError:
            return
        yield item
        index += 1


def member(kind: Any, value: Any) -> Any:
    """As an enumeration of a value."""
    for one in kind.__members__.values():
        if one.value == value:
            return one
    found = kind._missing_(value)
    if found is None:
        raise ValueError(f"{value!r} is not a valid {kind.__qualname__}")
    return found


def item_or(iterator: Iterator[Any], default: Any) -> Any:
    """As `next` with a default."""
    try:
        return next(iterator)
    except StopIteration:
        return default
