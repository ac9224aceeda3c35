"""Functions of converted files run plain outside of tracing, and are staged while tracing."""

from __future__ import annotations

import importlib.util
import linecache
import textwrap
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import autograph as ag
from autograph.files.modules import convert_module

SOURCE = '''
"""A module."""

from functools import lru_cache


def fib(n):
    """Text."""
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def half(x):
    while x > 1:
        x = x / 2
    return x


def long_condition(x, y):
    while (z := x * 2) > 1 and (
        y > 0
    ):
        x = x - 0.1 * z
        y -= 1
        if x < -3:
            return x, -y
    return x, y


class Counter:
    """A class."""

    def __init__(self, start):
        self.__count = start

    def up(self, by=1, *, times=1):
        for _ in range(times):
            self.__count += by if by > 0 else -by
        return self.__count

    @staticmethod
    @lru_cache(None)
    def cached(x):
        return [y for y in range(x) if y % 2 and y]

    @classmethod
    def made(cls, n):
        if n:
            return cls(n)
        return super().__new__(cls)


def adder(k):
    def add(x):
        return x + k if x > 0 else x - k

    return add, lambda x: x and k


def swapping(x):
    return (lambda y: y if y > x else -y)
'''


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    return written(SOURCE.lstrip(), tmp_path / "sample.py")


def written(text: str, path: Path) -> ModuleType:
    """Return the module of a converted text."""
    converted = convert_module(text, str(path))
    assert isinstance(converted, str)
    path.write_text(converted)
    spec = importlib.util.spec_from_file_location("sample", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_operator_is_called_outside_of_tracing(module: ModuleType) -> None:
    functions = [module.fib, module.half, module.Counter.up, module.Counter.made, module.adder]
    for function in functions:
        function = getattr(function, "__func__", function)
        names = {*function.__code__.co_names, *function.__code__.co_freevars}
        assert "_ag" not in names


def test_functions_do_what_the_original_does(module: ModuleType) -> None:
    original: dict[str, object] = {}
    exec(SOURCE, original)
    assert [module.fib(n) for n in range(9)] == [0, 1, 1, 2, 3, 5, 8, 13, 21]
    assert module.fib.__doc__ == "Text."
    counter = module.Counter(3)
    assert (counter.up(), counter.up(-2, times=3)) == (4, 10)
    assert module.Counter.cached(6) == [1, 3, 5]
    assert module.Counter.made(2).up() == 3
    assert type(module.Counter.made(0)) is module.Counter
    add, both = module.adder(2)
    assert (add(1), add(-1), both(0), both(1)) == (3, -3, 0, 2)


def test_an_error_shows_the_lines_of_the_file(module: ModuleType) -> None:
    with pytest.raises(TypeError) as caught:
        module.half("text")
    traceback = caught.value.__traceback__
    assert traceback is not None
    assert traceback.tb_next is not None
    line = linecache.getline(module.__file__ or "", traceback.tb_next.tb_lineno)
    assert "x > 1" in line


def test_while_tracing_they_are_staged(module: ModuleType) -> None:
    staged = ag.function(lambda x: module.half(x) + module.adder(np.float64(1))[0](x))
    for x in (np.float64(10), np.float64(-3)):
        assert staged(x) == module.half(x) + module.adder(1)[0](x)


def test_a_condition_that_stands_above_its_loop_is_staged(module: ModuleType) -> None:
    staged = ag.function(lambda x, y: module.long_condition(x, y))
    for x, y in ((np.float64(10), np.int64(100)), (np.float64(-3), np.int64(4))):
        assert staged(x, y) == module.long_condition(x, y)


def test_a_closure_made_outside_is_staged_while_tracing(module: ModuleType) -> None:
    add, choose = module.adder(np.float64(1))[0], module.swapping(np.float64(2))
    staged = ag.function(lambda x: add(x) * choose(x))
    for x in (np.float64(10), np.float64(-3)):
        assert staged(x) == add(x) * choose(x)


def test_without_conversion_the_text_of_the_file_is_staged(module: ModuleType) -> None:
    staged = ag.function(module.half, autograph=False)
    assert staged(np.float64(9)) == module.half(np.float64(9))


def test_the_text_of_a_function_is_that_of_its_plain_form(module: ModuleType) -> None:
    assert ag.to_code(module.half) == textwrap.dedent(
        """\
        def half(x):
            def body():
                nonlocal x
                x = x / 2
            ag.while_(lambda: x > 1, body, 'x')
            return x
        """
    )


def test_a_long_chain_of_elif_is_plain_as_well(tmp_path: Path) -> None:
    cases = "".join(f"    elif x == {k}:\n        y = {k}\n" for k in range(1, 45))
    text = f"def f(x):\n    if x == 0:\n        y = 0\n{cases}    return y\n"
    function = written(text, tmp_path / "chain.py").f
    assert function(44) == 44
    assert "_ag" not in function.__code__.co_names


def test_a_file_that_is_another_one_by_now_runs_as_it_was_compiled(tmp_path: Path) -> None:
    path = tmp_path / "changed.py"
    text = convert_module("def f(x):\n    return 1 if x else 2\n", str(path))
    assert isinstance(text, str)
    path.write_text(text.replace("1", "5"))
    namespace: dict[str, object] = {}
    exec(compile(text, str(path), "exec"), namespace)
    assert namespace["f"](3) == 1  # type: ignore[operator]
