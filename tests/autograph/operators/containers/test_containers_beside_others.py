"""A container whose items only the graph knows, where another way leaves something else."""

from __future__ import annotations

import linecache
import sys
import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag

HEAD = "from collections import Counter, OrderedDict, deque, namedtuple\nimport numpy as np\n"
GROWN = {
    "[1]": "o.append(x)",
    "{'a': 1}": "o['k'] = x",
    "deque([1])": "o.append(x)",
    "Counter('a')": "o['k'] += x",
    "OrderedDict(a=1)": "o['k'] = x",
}
OTHERS = ("False", "None", "5.5", "'text'", "[2, 3]", "(o, 1)", "len(o)", "str(o)", "np.zeros(2)")
OTHERS += ("{v: 1 for v in range(x)}", "o2", "lambda: 1")
FORMS = (
    "    if x > 2: {grow}\n    if x != 1:\n        o = {other}\n    return {shown}\n",
    "    if x > 2:\n        {grow}\n    elif x == 0:\n        o = {other}\n"
    "    return {shown}, o2\n",
    "    if x > 2: {grow}\n    try:\n        if x == 1: raise ValueError\n        o = {other}\n"
    "    except ValueError:\n        pass\n    return {shown}\n",
)
SHOWN = ("o", "bool(o), str([o]), isinstance(o, dict)", "len(o) if hasattr(o, '__len__') else o")


def _compiled(text: str, name: str) -> Any:
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"__name__": "beside"}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def _outcome(function: Any, x: int) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = function(np.int64(x))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return "a function" if callable(found) else repr(found)


def _programs() -> Iterator[tuple[str, str]]:
    """Yield every seventh program, with its name."""
    for number, (form, grown, other) in enumerate(product(FORMS, GROWN, OTHERS)):
        if number % 4 == 0:
            shown = SHOWN[number // 4 % len(SHOWN)]
            body = form.format(grow=GROWN[grown], other=other, shown=shown)
            yield (
                f"{HEAD}def f(x):\n    o = {grown}; o2 = o\n{body}",
                f"<{grown}, {other}, {number}>",
            )


@pytest.mark.parametrize(("text", "name"), list(_programs()), ids=lambda x: x[-40:])
def test_it_is_as_in_plain_python(text: str, name: str) -> None:
    plain, staged = _compiled(text, name), ag.function(_compiled(text, name))
    for x in (0, 1, 4):
        assert _outcome(staged, x) == _outcome(plain, x)


@pytest.mark.filterwarnings("error")
def test_a_dict_or_a_truth_value_is_staged() -> None:
    def f(x: Any) -> Any:
        o: Any = {"a": 1}
        if x > 2:
            o["k"] = x
        if x != 1:
            o = o is None
        return o

    staged = ag.function(f)
    assert [staged(np.int64(x)) for x in (0, 1, 4)] == [f(np.int64(x)) for x in (0, 1, 4)]


CHOSEN = (
    "[1] | [1, 2]",
    "None | 5",
    "'x' | 7",
    "(1,) | (1, 2)",
    "OrderedDict(a=1) | None",
    "max | int",
)
TEXTS = (
    "repr([o])",
    "f'{(o, 1)}'",
    "'%r %s' % (o, [o])",
    "str({'k': [o]})",
    "str(N(o))",
    "print([o], o)",
)
TEXTS += ("str(ValueError(o))", "repr(ValueError([o]))", "ascii([o])", "str(slice([o]))")


@pytest.mark.parametrize("chosen", CHOSEN)
def test_the_text_of_a_container_has_the_one_that_a_branch_chose(chosen: str, capsys: Any) -> None:
    first, second = chosen.split(" | ")
    for number, made in enumerate(TEXTS):
        text = f"{HEAD}N = namedtuple('N', 'v')\ndef f(x):\n    o = {first}\n"
        text += f"    if x > 1: o = {second}\n    return {made}\n"
        plain, staged = (_compiled(text, f"<{chosen}, {number}, {k}>") for k in (0, 1))
        staged = ag.function(staged)
        for x in (0, 4):
            found = []
            for function in (plain, staged):
                outcome = _outcome(function, x)
                found.append((outcome, capsys.readouterr().out))
            assert found[0] == found[1]


@pytest.mark.parametrize("chosen", ["None | 'x'", "{1} | {'a': 1}", "'x' | 7"])
def test_an_array_that_numpy_makes_of_it_is_made_by_numpy(chosen: str) -> None:
    first, second = chosen.split(" | ")
    text = f"{HEAD}def f(x):\n    o = {first}\n    if x > 1: o = {second}\n    return np.array(o)\n"
    plain, staged = (_compiled(text, f"<array of {chosen}, {k}>") for k in (0, 1))
    staged = ag.function(staged)
    assert [_outcome(staged, x) for x in (0, 4)] == [_outcome(plain, x) for x in (0, 4)]


@pytest.mark.parametrize("function", [lambda x: any(x), lambda x: all(x > 0)])
def test_a_number_has_no_items(function: Any) -> None:
    with pytest.raises(TypeError, match=r"^'numpy.(int64|bool)' object is not iterable"):
        ag.function(function)(np.int64(1))


ASKED = (
    "callable(o), callable([o][0])",
    "issubclass(type(o), int), o.__class__.__name__",
    "copy.deepcopy([o]), copy.copy(N(o))",
    "random.Random(0).choice([o, o])",
    "'%(k)s, %(j)s %%(i)s' % {'k': [o], 'j': o}, '%s' % {'k': o}",
    "id(o) == id([o][0])",
    "[v for v in o]",
    "[v for v in ([] if x < 2 else None)]",
)


@pytest.mark.parametrize("chosen", ["1 | 1.5", "None | 5", "max | 5", "(1,) | 'x'"])
def test_what_is_asked_of_one_of_several_is_asked_of_the_one(chosen: str) -> None:
    first, second = chosen.split(" | ")
    for number, asked in enumerate(ASKED):
        text = f"import copy, random\n{HEAD}N = namedtuple('N', 'v')\ndef f(x):\n    o = {first}\n"
        text += f"    if x > 1: o = {second}\n    return {asked}\n"
        plain, staged = (_compiled(text, f"<{asked} of {chosen}, {k}>") for k in (0, 1))
        staged = ag.function(staged)
        assert [_outcome(staged, x) for x in (0, 4)] == [_outcome(plain, x) for x in (0, 4)], number


HAS_OTHER_WORDS = sys.version_info < (3, 11)
"""Python 3.10 says only the name of an attribute that is not there to be deleted."""
OBJECTS = """
class Square:
    def __init__(self, v): self.v = v
    def __repr__(self): return f"{type(self).__name__}({self.v})"
class Circle(Square): pass
"""


@pytest.mark.parametrize(
    "use",
    [
        "raise ValueError(o)",
        "assert o.v > 9, o",
        "o.v += {1: 2}[o]",
        "o.v = o.nothing",
        pytest.param("del o.v; del o.v", marks=pytest.mark.skipif(HAS_OTHER_WORDS, reason="3.10")),
    ],
)
def test_an_error_holds_no_object_of_a_trace(use: str) -> None:
    text = f"{OBJECTS}def f(x):\n    o = Square(2)\n    if x > 1: o = Circle(5)\n    {use}\n"
    plain, staged = (_compiled(text, f"<{use}, {k}>") for k in (0, 1))
    staged = ag.function(staged)
    for x in (0, 4):
        wanted, found = _outcome(plain, x), _outcome(staged, x)
        assert found.split(" object")[0] == wanted.split(" object")[0]
