"""Everyday programs over lists, dicts, sets, heaps and deques, with new arguments for each call."""

from __future__ import annotations

import heapq
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

Draw = np.random.Generator


def dijkstra(edges: Any, n: Any) -> Any:
    """Return how far all places are from the first."""
    near = defaultdict(list)
    for a, b, far in edges:
        near[a].append((b, far))
        near[b].append((a, far))
    best, done, heap = {0: 0}, set(), [(0, 0)]
    while heap:
        far, place = heapq.heappop(heap)
        if place in done:
            continue
        done.add(place)
        for other, step in near[place]:
            if other not in best or far + step < best[other]:
                best[other] = far + step
                heapq.heappush(heap, (far + step, other))
    return [best.get(place, -1) for place in range(n)]


def breadth_first(pairs: Any, n: Any) -> Any:
    """Return how many steps all places are from the first."""
    near = defaultdict(list)
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    far, queue = [-1] * n, deque([0])
    far[0] = 0
    while queue:
        place = queue.popleft()
        for other in near[place]:
            if far[other] < 0:
                far[other] = far[place] + 1
                queue.append(other)
    return far


def components(pairs: Any, n: Any) -> Any:
    """Return the places that are connected, in groups."""
    graph, seen, found = defaultdict(set), set(), []
    for a, b in pairs:
        graph[a].add(b)
        graph[b].add(a)
    for start in range(n):
        if start not in seen:
            stack, group = [start], []
            while stack:
                place = stack.pop()
                if place not in seen:
                    seen.add(place)
                    group.append(place)
                    for other in graph[place]:
                        stack.append(other)  # noqa: PERF402
            found.append(group)
    return found


def lru_cache(requests: Any, most: Any) -> Any:
    """Return how many requests a cache could answer that forgets what was used least lately."""
    kept: Any = OrderedDict()
    hits = 0
    for key in requests:
        if key in kept:
            kept.move_to_end(key)
            hits += 1
        else:
            kept[key] = key
            if len(kept) > most:
                kept.popitem(last=False)
    return hits


def merge_sort(x: Any) -> Any:
    """Return a sorted list."""
    if len(x) <= 1:
        return x
    middle = len(x) // 2
    a, b = merge_sort(x[:middle]), merge_sort(x[middle:])
    found, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            found.append(a[i])
            i += 1
        else:
            found.append(b[j])
            j += 1
    return found + a[i:] + b[j:]


def fibonacci(n: Any) -> Any:
    """Return a Fibonacci number, by recursion that remembers."""
    memo: dict[Any, Any] = {}

    def number(k: Any) -> Any:
        if k < 2:
            return k
        if k not in memo:
            memo[k] = number(k - 1) + number(k - 2)
        return memo[k]

    return number(n)


def two_sum(numbers: Any, target: Any) -> Any:
    """Return the places of two numbers with a given sum."""
    seen: dict[Any, Any] = {}
    for i, x in enumerate(numbers):
        if target - x in seen:
            return seen[target - x], i
        seen[x] = i
    return None


def longest_window(items: Any, most: Any) -> Any:
    """Return the length of the longest part in which nothing occurs more than so often."""
    counts: Any = defaultdict(int)
    first = longest = 0
    for last, x in enumerate(items):
        counts[x] += 1
        while counts[x] > most:
            counts[items[first]] -= 1
            first += 1
        longest = max(longest, last - first + 1)
    return longest


def greatest_near(items: Any, width: Any) -> Any:
    """Return the greatest number of each window."""
    places: Any = deque()
    found = []
    for i, x in enumerate(items):
        while places and items[places[-1]] <= x:
            places.pop()
        places.append(i)
        if places[0] <= i - width:
            places.popleft()
        if i >= width - 1:
            found.append(items[places[0]])
    return found


def knapsack(weights: Any, values: Any, most: Any) -> Any:
    """Return the greatest value that can be carried."""
    best = [0] * (most + 1)
    for weight, value in zip(weights, values, strict=True):
        for room in range(most, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[most]


def edit_distance(a: Any, b: Any) -> Any:
    """Return how many edits lie between two lists."""
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        above, row = row, [i + 1] + [0] * len(b)
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            row[j + 1] = min(above[j + 1] + 1, row[j] + 1, above[j] + cost)
    return row[-1]


def primes(n: Any) -> Any:
    """Return all primes below a number."""
    is_prime = [True] * n
    for i in range(2, n):
        if is_prime[i]:
            for j in range(i * i, n, i):
                is_prime[j] = False
    return [i for i in range(2, n) if is_prime[i]]


def word_counts(words: Any) -> Any:
    """Return what occurs most, with how often."""
    counts: dict[Any, Any] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:10]


def merged(intervals: Any) -> Any:
    """Return intervals with those together that overlap."""
    found: list[Any] = []
    for first, last in sorted(intervals):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def mean_of_positive(numbers: Any) -> Any:
    """Return the mean of some of a few numbers."""
    total, count = 0.0, 0
    for x in numbers:
        if x > 0:
            total += x
            count += 1
    return total / count if count else 0.0


def insertion_sort(numbers: Any) -> Any:
    """Sort a few numbers in place."""
    for i in range(1, len(numbers)):
        x, j = numbers[i], i - 1
        while j >= 0 and numbers[j] > x:
            numbers[j + 1] = numbers[j]
            j -= 1
        numbers[j + 1] = x
    return numbers


def _numbers(draw: Draw, count: int, most: int) -> list[int]:
    found: list[int] = draw.integers(0, most, count).tolist()
    return found


def _rows(draw: Draw, count: int, *most: int) -> list[tuple[int, ...]]:
    return list(zip(*(_numbers(draw, count, x) for x in most), strict=True))


def _with_sum(numbers: list[int]) -> tuple[Any, ...]:
    return numbers, np.int64(numbers[-1] + numbers[-3])


def _intervals(draw: Draw) -> list[tuple[int, ...]]:
    return [(a, a + b) for a, b in _rows(draw, 300, 5000, 30)]


PROGRAMS: dict[Callable[..., Any], Callable[[Draw], tuple[Any, ...]]] = {
    dijkstra: lambda draw: (_rows(draw, 1600, 400, 400, 100), 400),
    breadth_first: lambda draw: (_rows(draw, 3000, 1000, 1000), 1000),
    components: lambda draw: (_rows(draw, 300, 300, 300), 300),
    lru_cache: lambda draw: (_numbers(draw, 2000, 60), 40),
    merge_sort: lambda draw: (_numbers(draw, 500, 10_000),),
    fibonacci: lambda draw: (np.int64(draw.integers(60, 80)),),
    two_sum: lambda draw: _with_sum(_numbers(draw, 1000, 100_000)),
    longest_window: lambda draw: (_numbers(draw, 1000, 50), 3),
    greatest_near: lambda draw: (_numbers(draw, 2000, 1000), 20),
    knapsack: lambda draw: ([1 + x for x in _numbers(draw, 50, 60)], _numbers(draw, 50, 90), 500),
    edit_distance: lambda draw: (_numbers(draw, 60, 4), _numbers(draw, 60, 4)),
    primes: lambda draw: (np.int64(draw.integers(4000, 4100)),),
    word_counts: lambda draw: (_numbers(draw, 2000, 300),),
    merged: lambda draw: (_intervals(draw),),
    mean_of_positive: lambda draw: (draw.normal(size=draw.integers(5, 40)).tolist(),),
    insertion_sort: lambda draw: (draw.normal(size=draw.integers(5, 40)).tolist(),),
}
"""What makes the arguments of a call, by program."""
