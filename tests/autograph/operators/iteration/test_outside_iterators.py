"""Iterators that were there before a call: what takes their items leaves them as Python does."""

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag


def counted(src: Iterator[Any], x: Any) -> Any:
    return x * next(src, 0) if x > 1 else x


def counted_at_once(src: Iterator[Any], x: Any) -> Any:
    n = next(src, 7)
    return x * n if x > n else x


def in_rounds(src: Iterator[Any], x: Any) -> Any:
    total = x
    while x > 1:
        total += next(src, 0)
        x = x - 1
    return total


def spread(src: Iterator[Any], x: Any) -> Any:
    return [*itertools.islice(src, 2), x] if x > 1 else [x]


def apart(src: Iterator[Any], x: Any) -> Any:
    first, rest = 0, []
    if x > 1:
        first, *rest = itertools.islice(src, 3)
    return first, rest, x


def looped(src: Iterator[Any], x: Any) -> Any:
    total = x
    if x > 1:
        for k, item in zip([1, 2], src):  # noqa: B905  (it takes one more than it uses)
            total += k * item
    return total


def until(src: Iterator[Any], x: Any) -> Any:
    if x > 1:
        for item in src:
            x = x + item
            if item > 1:
                break
    return x


def comprehended(src: Iterator[Any], x: Any) -> Any:
    return [item * x for item in itertools.islice(src, 2)] if x > 1 else []


def summed(src: Iterator[Any], x: Any) -> Any:
    return max(itertools.islice(src, 2), default=0) * x if x > 1 else x


def mapped(src: Iterator[Any], x: Any) -> Any:
    return dict(zip("ab", src)) if x > 1 else {}  # noqa: B905


def asked(src: Iterator[Any], x: Any) -> Any:
    return 3 in itertools.islice(src, 2) if x > 1 else x


def joined(src: Iterator[Any], x: Any) -> Any:
    return ",".join(map(str, itertools.islice(src, 2))) if x > 1 else ""


def caught(src: Iterator[Any], x: Any) -> Any:
    try:
        if x > 1:
            x = x * next(src)
    except StopIteration:
        x = -x
    return x


def generated() -> Iterator[int]:
    yield from (1, 2, 3, 4)


PROGRAMS = (counted, counted_at_once, in_rounds, spread, apart, looped, until, comprehended)
PROGRAMS += (summed, mapped, asked, joined, caught)
SOURCES: list[Callable[[], Iterator[Any]]] = [
    lambda: iter(range(1, 9)),
    lambda: map(abs, [1, -2, 3, 4]),
    generated,
    lambda: itertools.count(1),
    lambda: iter([1, 2, 3, 4, 5]),
    lambda: filter(None, [1, 0, 2, 3]),
]


def outcome(function: Callable[..., Any], x: Any) -> str:
    try:
        return repr(function(x))
    except (ValueError, StopIteration) as error:
        return repr(error)


def outcomes(function: Callable[..., Any]) -> list[str]:
    return [outcome(function, np.float64(x)) for x in (2.5, -2.0, 3.0, 2.0, 4.0)]


def of(program: Callable[..., Any], src: Iterator[Any]) -> Callable[..., Any]:
    return lambda x: program(src, x)


@pytest.mark.parametrize("program", PROGRAMS)
def test_items_are_taken_as_python_takes_them(program: Callable[..., Any]) -> None:
    for source in SOURCES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ag.FallbackWarning)
            found = outcomes(ag.function(of(program, source())))
        assert found == outcomes(of(program, source()))


def test_a_refusal_takes_no_item() -> None:
    src = map(abs, [1, -2, 3])
    with pytest.raises(ag.MutationError, match="the iterator 'src', of type map, gives an item"):
        ag.function(of(counted, src)).get_concrete_function(np.float64(2.0))
    assert list(src) == [1, 2, 3]
