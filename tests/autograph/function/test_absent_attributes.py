"""Attributes that a staged branch or loop gives an object, or takes away, whatever they hold."""

from __future__ import annotations

import itertools
import linecache
import random
import types
from collections.abc import Iterator
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pytest

import autograph as ag
from autograph.function import returned_objects
from autograph.operators.mutation.reachable_objects import attributes_of
from autograph.operators.objects import presence
from runtime import tree_kinds
from runtime.errors import MutationError
from runtime.tree_classes import CLASSES

VALUES = (
    "n * 2",
    "1",
    "None",
    "'t'",
    "f'{n}'",
    "(n, 1)",
    "(1, 2)",
    "x * n",
    "x",
    "Plain(n)",
    "o",
    "p",
    "Plain",
    "len",
    "range(3)",
    "n * 1j",
)
WAYS = (
    "if n > 1:\n T.a = V",
    "if n > 1:\n T.a = V\nelse:\n T.b = V",
    "k = 0\nwhile k < n:\n T.a = V\n k += 1",
    "for k in range(n):\n T.a = V",
    "for k in range(5):\n if k > n:\n  T.a = V\n  break",
    "try:\n if n > 1:\n  raise ValueError(n)\n T.a = V\nexcept ValueError as e:\n T.b = V",
    "if n > 0:\n T.a = None\nif n > 2:\n T.a = V",
    "T.a = V\nif n > 1:\n del T.a",
    "T.a = 5\nif n > 2:\n T.a = V",
)
USES = (
    "return T",
    "return hasattr(T, 'a')",
    "return getattr(T, 'a', 'no')",
    "return T.a",
    "return getattr(T, 'a', 0) is None",
    "try:\n y = T.a\nexcept AttributeError as e:\n return str(e)\nreturn 'ok'",
    "if hasattr(T, 'a'):\n T.c = T.a\nreturn T",
)


class Plain:
    def __init__(self, v: Any) -> None:
        self.v = v


@dataclass(eq=False)
class Record:
    v: Any


MADE = {"o": "", "w": "w = Plain(0)\n", "r": "r = Record(0)\n", "q": ""}
"""What has the attribute: an argument or an object that is made, each of both classes."""


def described(value: Any, seen: tuple[int, ...] = ()) -> Any:
    """Return what can be compared of a result."""
    if id(value) in seen:
        return "again"
    inside = (*seen, id(value))
    if isinstance(value, Plain | Record):
        held = {name: described(x, inside) for name, x in vars(value).items()}
        return type(value).__name__, list(held.items())
    if isinstance(value, tuple | list):
        return type(value), [described(x, inside) for x in value]
    if isinstance(value, np.ndarray):
        return value.dtype, value.tolist()
    return value if isinstance(value, type | types.BuiltinFunctionType) else repr(value)


def text_of(value: str, way: str, use: str, target: str) -> str:
    body = f"{MADE[target]}{way}\n{use}".replace("T", target).replace("V", value)
    body = body.replace(f"{value}alueError", "ValueError")
    return "def f(o, p, q, x, n):\n" + "".join(f" {line}\n" for line in body.splitlines())


def outcome(function: Any, n: int) -> Any:
    o, p, q, x = Plain(7), Plain(8), Record(9), np.arange(3.0)
    try:
        result = described(function(o, p, q, x, np.int64(n)))
    except Exception as error:
        result = type(error), str(error)
    return result, described(o), described(p), described(q)


def differences(programs: Any) -> Iterator[str]:
    """Yield the programs that are something else when they are staged."""
    for number, program in enumerate(programs):
        text, name = text_of(*program), f"<absent {number}>"
        linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
        namespace: dict[str, Any] = {"Plain": Plain, "Record": Record}
        exec(compile(text, name, "exec"), namespace)
        plain = namespace["f"]
        staged = ag.function(plain)
        for n in (0, 2, 3, 1, 2):
            if outcome(plain, n) != outcome(staged, n):
                yield f"{text} n={n}\n {outcome(plain, n)}\n {outcome(staged, n)}"
                break


def programs(count: int) -> list[Any]:
    every = list(itertools.product(VALUES, WAYS, USES, MADE))
    return random.Random(4).sample(every, count)


def test_attributes_are_there_where_plain_python_has_them() -> None:
    assert list(differences(programs(90))) == []


def test_a_planted_mistake_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as planted:
        planted.setattr(presence, "flags_of", lambda value: iter(()))
        assert any(differences(programs(30)))
    with monkeypatch.context() as planted:
        planted.setattr(returned_objects, "may_lack", lambda x: False)
        assert any(differences(programs(90)))
    fields = tree_kinds.DATACLASS._replace(flatten=lambda x: ((x.v,), ("v",)))
    with monkeypatch.context() as planted:
        planted.setitem(CLASSES, Record, fields)
        assert any(differences(programs(30)))


@dataclass
class Account:
    """Attributes that are no fields: made by the class, and by a property that keeps its value."""

    rate: Any
    factor: InitVar[int] = 3

    def __post_init__(self, factor: int) -> None:
        self.total = self.rate * factor
        self._log: list[Any] = []

    @cached_property
    def double(self) -> Any:
        return self.rate * 2


def grown(account: Account, n: Any) -> Any:
    if n > 1:
        account.total = n * 2
    account._log.append(n)
    return account.total + account.double


def test_attributes_that_are_no_fields() -> None:
    staged = ag.function(grown)
    one, other = Account(np.float64(2)), Account(np.float64(2))
    for n in map(np.int64, (0, 2, 3)):
        assert grown(one, n) == staged(other, n)
        assert repr(vars(one)) == repr(vars(other))


def test_no_repr_of_the_users_is_called() -> None:
    @dataclass(eq=False, repr=False)
    class Loud:
        v: Any

        def __repr__(self) -> str:
            raise AssertionError

    @ag.function
    def put(one: Any, n: Any) -> Any:
        if n > 1:
            one.extra = n * 2
        return n

    one = Loud(1)
    assert put(one, np.int64(3)) == 3
    assert one.extra == 6  # type: ignore[attr-defined]


@dataclass(eq=False)
class Node:
    v: Any
    next: Any = None
    prev: Any = None


def test_objects_that_become_parts_of_themselves() -> None:
    @ag.function
    def link(first: Any, second: Any, n: Any) -> Any:
        if n > 1:
            first.next = second
            second.prev = first
        return n

    @ag.function
    def alone(n: Any) -> Any:
        node = Node(n)
        if n > 1:
            node.next = [node]
        return node

    with pytest.raises(MutationError, match="part of itself"):
        alone(np.int64(2))

    first, second = Node(1), Node(2)
    assert link(first, second, np.int64(0)) == 0
    assert first.next is None
    link(first, second, np.int64(2))
    assert first.next is second
    assert second.prev is first


@dataclass(eq=False)
class Plainly:
    a: Any
    b: Any = 5


@dataclass(slots=True, eq=False)
class Slotted:
    a: Any
    b: Any = 5


def without_one(one: Any, n: Any) -> Any:
    if n > 1:
        del one.a
    return n


def without_other(one: Any, n: Any) -> Any:
    del one.b
    return n


@pytest.mark.parametrize("cls", [Plainly, Slotted])
@pytest.mark.parametrize("function", [without_one, without_other])
def test_fields_of_arguments_are_deleted(function: Any, cls: Any) -> None:
    staged = ag.function(function)
    for n in map(np.int64, (0, 3, 1)):
        one, other = cls(7), cls(7)
        assert function(one, n) == staged(other, n)
        assert attributes_of(one) == attributes_of(other)


def test_defaults_that_no_instance_has_are_the_classes() -> None:
    @dataclass(eq=False)
    class Late:
        a: Any
        scale: Any = field(default=2, init=False)
        shift: ClassVar[int] = 0

    staged = ag.function(lambda one, n: one.a * one.scale + n + one.shift)
    one = Late(np.float64(3))
    assert staged(one, np.int64(1)) == 7
    Late.scale = 4
    assert staged(one, np.int64(1)) == 13
    Late.shift = 1
    assert staged(one, np.int64(1)) == 14
    assert "scale" not in vars(one)


def test_of_a_class_only_what_the_code_names_is_compared_before_a_call() -> None:
    staged = ag.function(lambda one, n: one.a * n + one.b)
    places = staged.get_concrete_function(Plainly(np.float64(3)), np.int64(1)).guards.places
    assert [x.text for x in places if not x.text.endswith("__init__")] == ["Plainly.b"]
