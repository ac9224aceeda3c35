"""Staged methods: each instance has traces of its own, for as long as it lives."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.0])


class Scale:
    factor = 2.0

    def __init__(self, factor=None):
        if factor is not None:
            self.factor = factor

    @ag.function
    def apply(self, x):
        """Scale an array."""
        if x.sum() > 0:
            return x * self.factor
        return -x


class Slotted:
    __slots__ = ("factor",)

    def __init__(self, factor):
        self.factor = factor

    @ag.function
    def apply(self, x):
        return x * self.factor


@dataclass
class Options:
    factor: float

    @ag.function
    def apply(self, x):
        return x * self.factor


class Twice(Scale):
    @ag.function
    def apply(self, x):
        return super().apply(x) * 2


class Same(Scale):
    factor = 5.0


class Stacked:
    factor = 3.0

    @classmethod
    @ag.function
    def of_class(cls, x):
        return x * cls.factor

    @ag.function
    @classmethod
    def of_class_too(cls, x):
        return x * cls.factor

    @staticmethod
    @ag.function
    def of_nobody(x):
        return x * 4

    @ag.function
    @staticmethod
    def of_nobody_too(x):
        return x * 4


class Inherited(Stacked):
    factor = 7.0


def test_a_method_of_an_instance_that_nobody_else_holds_works():
    np.testing.assert_array_equal(Scale(3.0).apply(X), 3 * X)


def test_a_method_that_is_kept_keeps_its_instance():
    method = Scale(3.0).apply
    gc.collect()
    np.testing.assert_array_equal(method(X), 3 * X)


def test_an_instance_is_traced_once():
    scale = Scale(3.0)
    for _ in range(3):
        scale.apply(X)
    assert scale.apply.trace_count == 1


def test_an_instance_is_not_kept_alive_by_its_traces():
    scale = Scale(3.0)
    scale.apply(X)
    reference = weakref.ref(scale)
    del scale
    gc.collect()
    assert reference() is None


def test_many_instances_leave_nothing_behind():
    for k in range(50):
        Scale(float(k)).apply(X)
    gc.collect()
    assert len(Scale.__dict__["apply"]._bound) == 0


def test_instances_without_weak_references_have_their_own_traces():
    for factor in (2.0, 3.0):
        slotted = Slotted(factor)
        for _ in range(2):
            np.testing.assert_array_equal(slotted.apply(X), factor * X)
        assert slotted.apply.trace_count == 1


def test_only_some_instances_without_weak_references_are_kept():
    for k in range(80):
        assert Slotted(float(k)).apply(X)[0] == k
    assert len(Slotted.__dict__["apply"]._bound) < 70


def test_instances_that_cannot_be_hashed_have_their_own_traces():
    two, three = Options(2.0), Options(3.0)
    for _ in range(2):
        np.testing.assert_array_equal(two.apply(X), 2 * X)
        np.testing.assert_array_equal(three.apply(X), 3 * X)
    assert (two.apply.trace_count, three.apply.trace_count) == (1, 1)


def test_a_method_can_be_called_on_the_class():
    for _ in range(2):
        np.testing.assert_array_equal(Scale.apply(Scale(3.0), X), 3 * X)


def test_a_method_that_is_called_on_the_class_is_that_of_the_instance():
    class Counter:
        @ag.function(input_signature=[ag.TensorSpec([None])])
        def total(self, x):
            return x.sum() + self.start

    counter = Counter()
    counter.start = 2.0
    assert Counter.total(counter, [1, 2]) == 5
    assert (counter.total.trace_count, Counter.total.trace_count) == (1, 0)


def test_an_inherited_method_sees_the_class_of_its_instance():
    np.testing.assert_array_equal(Same().apply(X), 5 * X)


def test_super_finds_the_method_of_the_base():
    np.testing.assert_array_equal(Twice(3.0).apply(X), 6 * X)
    np.testing.assert_array_equal(Twice(3.0).apply(-X), 2 * X)


@pytest.mark.parametrize("name", ["of_class", "of_class_too"])
def test_a_class_method_gets_the_class(name):
    for _ in range(2):
        np.testing.assert_array_equal(getattr(Stacked, name)(X), 3 * X)
        np.testing.assert_array_equal(getattr(Stacked(), name)(X), 3 * X)
        np.testing.assert_array_equal(getattr(Inherited, name)(X), 7 * X)


@pytest.mark.parametrize("name", ["of_nobody", "of_nobody_too"])
def test_a_static_method_gets_nothing(name):
    for _ in range(2):
        np.testing.assert_array_equal(getattr(Stacked, name)(X), 4 * X)
        np.testing.assert_array_equal(getattr(Stacked(), name)(X), 4 * X)
    assert getattr(Stacked, name).trace_count == 1


def test_an_input_signature_of_a_method_leaves_self_out():
    class Model:
        @ag.function(input_signature=[ag.TensorSpec([None])])
        def total(self, x):
            return x.sum()

    model = Model()
    assert model.total([1, 2]) == 3
    assert model.total([1.0, 2, 3]) == 6
    assert model.total.trace_count == 1


def test_methods_of_one_instance_are_equal():
    scale = Scale()
    assert scale.apply == scale.apply
    assert len({scale.apply, scale.apply}) == 1
    assert scale.apply != Scale().apply
    assert scale.apply != Scale.apply


def test_a_method_that_is_an_argument_is_traced_once():
    @ag.function
    def call(x, function):
        return function(x)

    scale = Scale(3.0)
    for _ in range(3):
        np.testing.assert_array_equal(call(X, scale.apply), 3 * X)
    assert call.trace_count == 1


def test_a_bound_method_is_not_bound_again():
    class Other:
        borrowed = Scale(3.0).apply

    np.testing.assert_array_equal(Other().borrowed(X), 3 * X)
    with pytest.raises(AttributeError, match="sum"):
        Other.borrowed(Other())


def test_a_method_shows_its_signature_without_self():
    assert list(inspect.signature(Scale().apply).parameters) == ["x"]
    assert Scale().apply.__doc__ == "Scale an array."
    assert Scale().apply.__name__ == "apply"


def test_wrong_arguments_of_a_method_name_it():
    for _ in range(2):
        with pytest.raises(TypeError, match=r"apply\(\).*'y'"):
            Scale().apply(X, y=1)


def test_a_method_is_pickled_with_its_instance():
    method = pickle.loads(pickle.dumps(Scale(3.0).apply))
    np.testing.assert_array_equal(method(X), 3 * X)
    assert method.__self__.factor == 3.0


def test_an_object_with_staged_methods_can_be_copied():
    scale = Scale(3.0)
    scale.apply(X)
    other = copy.deepcopy(scale)
    other.factor = 4.0
    np.testing.assert_array_equal(other.apply(X), 4 * X)
    np.testing.assert_array_equal(scale.apply(X), 3 * X)


def test_a_method_of_a_method_is_traced_into():
    class Chain:
        def __init__(self):
            self.first, self.second = Scale(2.0), Scale(3.0)

        @ag.function
        def apply(self, x):
            return self.second.apply(self.first.apply(x))

    chain = Chain()
    np.testing.assert_array_equal(chain.apply(X), 6 * X)
    assert chain.first.apply.trace_count == 0
