"""`heapq` and `bisect` as loops in Python: they are converted where items are staged.

Each puts the items where the standard library puts them: the heaps are those of J. W. J. Williams
(Algorithm 232, Communications of the ACM 7(6), 1964), and an item that comes to the top sinks to
the bottom before it rises (Knuth, The Art of Computer Programming, volume 3, section 5.2.3).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from autograph.operators.builtins.type_queries import type_name

Key = Callable[[Any], Any]


def heappush(heap: list[Any], item: Any) -> None:
    """As `heapq.heappush`."""
    _need_list(heap, "heappush() argument 1")
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap: list[Any]) -> Any:
    """As `heapq.heappop`."""
    _need_list(heap, "heappop() argument")
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return first


def heapreplace(heap: list[Any], item: Any) -> Any:
    """As `heapq.heapreplace`."""
    _need_list(heap, "heapreplace() argument 1")
    if not heap:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return first


def heappushpop(heap: list[Any], item: Any) -> Any:
    """As `heapq.heappushpop`."""
    _need_list(heap, "heappushpop() argument 1")
    found = item
    if heap and heap[0] < item:
        found = heap[0]
        heap[0] = item
        _sink(heap, 0)
    return found


def heapify(heap: list[Any]) -> None:
    """As `heapq.heapify`."""
    _need_list(heap, "heapify() argument")
    for position in reversed(range(len(heap) // 2)):
        _sink(heap, position)


def nsmallest(n: int, iterable: Any, key: Key | None = None) -> list[Any]:
    """As `heapq.nsmallest`."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: int, iterable: Any, key: Key | None = None) -> list[Any]:
    """As `heapq.nlargest`."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def _need_list(heap: Any, what: str) -> None:
    if not isinstance(heap, list):
        raise TypeError(f"{what} must be list, not {type_name(heap)}")


def _rise(heap: list[Any], start: int, position: int) -> None:
    """Move an item up until its parent is not greater."""
    item = heap[position]
    while position > start and item < heap[(position - 1) >> 1]:
        heap[position] = heap[(position - 1) >> 1]
        position = (position - 1) >> 1
    heap[position] = item


def _sink(heap: list[Any], position: int) -> None:
    """Move an item down to a leaf, by its smaller children, and up again to its place."""
    start = position
    item = heap[position]
    child = 2 * position + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child += 1
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _rise(heap, start, position)


def bisect_left(
    a: Sequence[Any], x: Any, lo: int = 0, hi: int | None = None, *, key: Key | None = None
) -> int:
    """As `bisect.bisect_left`."""
    return _bisect(a, lo, hi, key, lambda item: item < x)


def bisect_right(
    a: Sequence[Any], x: Any, lo: int = 0, hi: int | None = None, *, key: Key | None = None
) -> int:
    """As `bisect.bisect_right`."""
    return _bisect(a, lo, hi, key, lambda item: not x < item)


def _bisect(
    a: Sequence[Any], lo: int, hi: int | None, key: Key | None, is_left: Callable[[Any], Any]
) -> int:
    """Return the place of the first item that does not belong to the left."""
    low = operator.index(lo)
    if low < 0:
        raise ValueError("lo must be non-negative")
    high = len(a) if hi is None else operator.index(hi)
    while low < high:
        middle = (low + high) // 2
        if is_left(a[middle] if key is None else key(a[middle])):
            low = middle + 1
        else:
            high = middle
    return low


def insort_left(
    a: list[Any], x: Any, lo: int = 0, hi: int | None = None, *, key: Key | None = None
) -> None:
    """As `bisect.insort_left`."""
    wanted = x if key is None else key(x)
    a.insert(bisect_left(a, wanted, lo, hi, key=key), x)


def insort_right(
    a: list[Any], x: Any, lo: int = 0, hi: int | None = None, *, key: Key | None = None
) -> None:
    """As `bisect.insort_right`."""
    wanted = x if key is None else key(x)
    a.insert(bisect_right(a, wanted, lo, hi, key=key), x)
