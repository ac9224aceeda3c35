"""A staged `with` hands `__exit__` what the graph raises, and swallows what that swallows."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators
from autograph.errors import UnsupportedSyntaxError


class Transaction:
    """Looks at exceptions, and swallows those of one class."""

    def __init__(self, swallowed: type[BaseException] | tuple[type[BaseException], ...]) -> None:
        self.swallowed = swallowed
        self.state = "new"
        self.entered = 0

    def __enter__(self) -> int:
        self.state = "open"
        self.entered += 1
        return self.entered

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if kind is None:
            self.state = "committed"
            return False
        self.state = f"rolled back: {error}"
        return issubclass(kind, self.swallowed)


class Certain:
    """Swallows everything, whatever it is."""

    def __enter__(self) -> Certain:
        return self

    def __exit__(self, *details: object) -> bool:
        return True


class Sometimes:
    """Swallows what it is told to, by a value that is no argument of `__exit__`."""

    def __init__(self, swallows: bool) -> None:
        self.swallows = swallows

    def __enter__(self) -> None:
        pass

    def __exit__(self, *details: object) -> Any:
        return self.swallows or None


class Asking:
    """Asks for the exception in another way than by its arguments."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *details: object) -> Any:
        return isinstance(sys.exc_info()[1], IndexError)


@contextlib.contextmanager
def handling(*kinds: type[BaseException]) -> Iterator[list[int]]:
    log = [1]
    try:
        yield log
    except kinds:
        log.append(2)
    finally:
        log.append(3)


@contextlib.contextmanager
def twice(x: Any) -> Iterator[Any]:
    try:
        yield x
    except ValueError:
        yield x


def suppressed(x: Any, n: Any) -> Any:
    y = 0
    with contextlib.suppress(ValueError, ZeroDivisionError):
        y = 10 // int(n)
        if y > 3:
            raise ValueError("large")
        y = y + 1
    return y


def rolled_back(x: Any, n: Any) -> Any:
    change = Transaction(KeyError)
    y = x[0]
    with change as number:
        y = y + number
        if n > 2:
            raise KeyError("k")
        y = y * 2
    return y, change.state, change.entered


def passed_on(x: Any, n: Any) -> Any:
    change = Transaction(())
    try:
        with change:
            v = x[int(n)]
    except IndexError:
        v = -1.0
    return v, change.state[:11]


def swallowed_whatever(x: Any, n: Any) -> Any:
    with Certain():
        return x[int(n)]
    return -1.0


def swallowed_sometimes(x: Any, n: Any) -> Any:
    y = -1.0
    with Sometimes(True):
        y = x[int(n)]
    return y


def swallowed_by_asking(x: Any, n: Any) -> Any:
    y = -1.0
    with Asking():
        y = x[int(n)]
    return y


def handled(x: Any, n: Any) -> Any:
    y = x[0] * 0
    with handling(IndexError, ValueError) as log:
        y = x[int(n)]
        if y > 2:
            raise ValueError(y)
        log.append(4)
    return y, len(log)


def jumps(x: Any, n: Any) -> Any:
    total = 0
    for k in range(6):
        with contextlib.suppress(ZeroDivisionError), handling(KeyError) as log:
            if k == n:
                continue
            if k > n + 3:
                break
            total += 60 // (k - 1)
            if k > 2:
                raise KeyError(k)
            total += 1
            if total > 100:
                return total, len(log)
        total += 1000
    return total, 0


def around_a_loop(x: Any, n: Any) -> Any:
    i, seen = 0, 0.0
    with contextlib.suppress(IndexError):
        while i < n + 4:
            seen += x[i]
            i += 1
    return i, seen


def with_a_lock(x: Any, n: Any) -> Any:
    lock = threading.Lock()
    with lock as is_held:
        y = x[0] if n > 0 else x[1]
    return y, is_held, lock.locked()


SAMPLES = [
    suppressed, rolled_back, passed_on, swallowed_whatever, swallowed_sometimes,
    swallowed_by_asking, handled, jumps, around_a_loop,
    with_a_lock,
]  # fmt: skip


def outcome(function: Callable[..., Any], n: float) -> tuple[Any, ...]:
    """Return how a call ends."""
    try:
        return "returned", repr(function(np.array([1.0, 2.0, 3.0]), np.float64(n)))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_it_does_what_python_does(sample: Callable[..., Any]) -> None:
    converted, staged = conversion.convert(sample, operators), ag.function(sample)
    for n in (-3.0, 0.0, 1.0, 2.0, 3.0, 7.0):
        assert outcome(converted, n) == outcome(sample, n)
        assert outcome(staged, n) == outcome(sample, n), n


def test_an_error_that_is_not_swallowed_names_its_line() -> None:
    @ag.function
    def f(x: Any) -> Any:
        with Transaction(KeyError):
            if x > 0:
                raise ValueError("here")
        return x

    assert f(np.float64(-1)) == -1
    with pytest.raises(ValueError, match="here") as found:
        f(np.float64(1))
    lines = [str(entry.statement).strip() for entry in found.traceback]
    assert lines[-1] == 'raise ValueError("here")'


def test_a_manager_that_yields_twice_is_refused_where_it_could_handle() -> None:
    @ag.function
    def f(x: Any) -> Any:
        with twice(x) as y:
            z = y[0] + 1
        return z

    with pytest.raises(UnsupportedSyntaxError, match="context manager twice"):
        f(np.array([1.0]))


def test_what_is_no_manager_is_pythons_error() -> None:
    def f(x: Any) -> Any:
        with x as y:
            y = y[0]
        return y

    kinds = (TypeError, AttributeError)  # before Python 3.11 the method is missing
    with pytest.raises(kinds, match=r"context manager protocol|__enter__"):
        ag.function(f)(np.array([1.0]))


class _Ends:
    """Raises where it is left, without a look at what was raised."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *given: Any) -> None:
        raise TypeError("ends")


class _Writes:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *given: Any) -> None:
        self.x[0] = 7


@pytest.mark.parametrize("manager", [lambda x: _Ends(), _Writes])
def test_what_a_manager_does_it_does_where_the_block_raises(manager: Any) -> None:
    def f(x: Any, n: Any) -> Any:
        try:
            with manager(x):
                if n > 0:
                    raise KeyError(n)
        except (KeyError, TypeError) as error:
            return x[0] + 1, str(error)
        return x[0], ""

    staged = ag.function(f)
    for n in (1, -1):
        plain, ours = np.zeros(2), np.zeros(2)
        assert staged(ours, np.int64(n)) == f(plain, np.int64(n))
        assert np.array_equal(plain, ours)


def test_a_handler_raises_again_where_all_ways_through_a_try_raise() -> None:
    def f(n: Any, m: Any) -> Any:
        try:
            if n < 3:
                raise FileNotFoundError
            raise KeyError(m + m)
        except Exception as error:
            raise error

    staged = ag.function(f)
    with pytest.raises(FileNotFoundError):
        staged(np.int64(1), np.int64(2))
    with pytest.raises(KeyError, match="4"):
        staged(np.int64(9), np.int64(2))


@contextlib.contextmanager
def set_to(kept: dict[Any, Any], key: Any, value: Any) -> Iterator[Any]:
    before = kept.get(key)
    kept[key] = value
    yield before
    kept[key] = before


@contextlib.contextmanager
def deeper(box: Any, x: Any) -> Iterator[Any]:
    if x > 1:
        box.depth += x
    try:
        yield box
    finally:
        box.depth -= 1


class Depth:
    depth = 0


def settings(x: Any) -> Any:
    kept = {x: 1, 7: 2}
    with set_to(kept, x, 5), set_to(kept, 7, x) as before:
        y = kept[x] + kept[7] + before
    return y, kept[x], kept[7]


def depths(x: Any) -> Any:
    box, seen = Depth(), []
    for k in range(x):
        with deeper(box, k) as same:
            seen.append(same.depth)
            if k == 3:
                return seen, box.depth
    return seen, box.depth


@pytest.mark.parametrize("function", [settings, depths])
@pytest.mark.parametrize("x", [np.int64(0), np.int64(2), np.int64(5)])
def test_generators_decide_and_write_by_what_is_staged(function: Any, x: Any) -> None:
    assert ag.function(function)(x) == function(x)
