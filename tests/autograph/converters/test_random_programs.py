"""Random programs do the same plain and rewritten."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from tests.autograph.converters.random_programs import Programs
from tests.autograph.converting import code_of, converted

PROGRAMS_PER_TEST = 20
ARGUMENTS = [(0, 1, 2), (3, -1, 0), (1, 1, 1), (-2, 2, 5)]
LONGEST_LOG = 200


class Log(list[Any]):
    """A list that ends a program when it grows for ever."""

    def append(self, item: Any) -> None:
        assert len(self) < LONGEST_LOG
        super().append(item)


@contextmanager
def failing(log: Log) -> Iterator[None]:
    """A context manager that sometimes raises an error on the way out."""
    yield
    if len(log) % 2:
        raise ZeroDivisionError("exit")


@contextmanager
def quiet(log: Log) -> Iterator[None]:
    log.append("in")
    try:
        yield
    finally:
        log.append("out")


def compiled(text: str, seed: int) -> Callable[..., Any]:
    file = f"<random program {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"suppress": suppress, "failing": failing, "quiet": quiet}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def behaviour(function: Callable[..., Any], arguments: tuple[int, ...]) -> tuple[Any, ...]:
    log = Log([0])
    try:
        result = function(*arguments, log)
    except NameError:
        result = "unbound"  # in a function around, or in its own: only the operators can tell
    except Exception as error:
        result = type(error).__name__
    return seen(result), [seen(item) for item in log]


def seen(item: Any) -> Any:
    if not callable(item):
        return item
    try:
        value = item()
        return "a function" if callable(value) else value
    except NameError:
        return "unbound"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    count = metafunc.config.getoption("--random-programs")
    metafunc.parametrize("first_seed", range(0, count, PROGRAMS_PER_TEST))


def test_random_programs_do_the_same_rewritten(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + PROGRAMS_PER_TEST):
        text = Programs(seed).program()
        try:
            plain = compiled(text, seed)
        except SyntaxError:
            continue  # a name was used before its nonlocal declaration
        other = converted(plain)
        for arguments in ARGUMENTS:
            assert behaviour(other, arguments) == behaviour(plain, arguments), (
                f"seed {seed}, arguments {arguments}:\n{text}\n{code_of(plain)}"
            )
