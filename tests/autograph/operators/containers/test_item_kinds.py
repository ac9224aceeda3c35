"""Lists, dicts and objects that hold things of several kinds in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.containers.kind_samples import SAMPLES, Circle, Square


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda x: x.__name__)
def test_what_is_of_several_kinds_is_what_plain_python_has(sample):
    staged = ag.function(sample)
    for x, n in ((1.5, 0), (1.5, 1), (0.5, 3), (2.5, 6)):
        given = np.float64(x), np.int64(n)
        assert repr(staged(*given)) == repr(sample(*given))


def test_objects_of_several_classes_are_returned_as_objects_of_them():
    @ag.function
    def made(x, n):
        shapes = []
        for k in range(n):
            shapes.append(Circle(x + k) if k % 3 else Square(x - k))
        return shapes, shapes[-1]

    shapes, last = made(np.float64(1.0), np.int64(5))
    assert [type(shape) for shape in shapes] == [Square, Circle, Circle, Square, Circle]
    assert shapes[-1] is last
    assert vars(shapes[3]) == {"side": -2.0, "label": "square"}


def test_a_list_holds_at_most_so_many_kinds():
    def f(n):
        found = []
        for k in range(n):
            for size in range(20):
                found.append((k,) * size)
        return len(found)

    with pytest.raises(ag.MutationError, match="at most 16 kinds"):
        ag.function(f)(np.int64(2))


def test_what_is_made_anew_in_each_round_is_no_item():
    def f(n):
        found = []
        for k in range(n):
            found.append(lambda: n)
        return len(found)

    with pytest.raises(ag.MutationError, match=r"an item of the list 'found'.* is or holds"):
        ag.function(f)(np.int64(2))


@dataclass
class Point:
    x: Any


@dataclass(frozen=True)
class Fixed:
    x: Any


def left_by_a_loop(cls, x, n):
    p = cls(x)
    q = p
    for _ in range(n):
        p, q = cls(p.x + 1), p
    return p is q


@pytest.mark.parametrize("cls", [Point, Fixed])
def test_whether_copies_of_instances_are_one_is_refused(cls):
    with pytest.raises(ag.StagedValueError, match=f"two instances of the dataclass {cls.__name__}"):
        ag.function(lambda x, n: left_by_a_loop(cls, x, n))(np.float64(1.0), np.int64(0))


@pytest.mark.parametrize("cls", [Point, Fixed])
def test_what_a_class_made_is_itself(cls):
    @ag.function
    def same(x):
        p, q = cls(x), cls(x)
        r = p
        return p is q, r is p

    assert same(np.float64(1.0)) == (False, True)
