"""What of an argument a trace depends on."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import autograph as ag
from autograph.function.tracetype import LiteralType, ObjectType, TensorType, admits, trace_type
from tests.runtime.backends.stand_in import Box


class Thing:
    def method(self):
        return self


class Slotted:
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.ones((2, 3), np.float32), "f32[2, 3]"),
        (np.float64(1), "f64[]"),
        (np.bool_(True), "bool[]"),
        (ag.Tensor(np.ones(2)), "f64[2]"),
        (ag.TensorSpec([None, 2], np.int32), "i32[?, 2]"),
        (Box([1.0]), "f64[1]"),
        (1, "1"),
        (-0.0, "-0.0"),
        ("a", "'a'"),
        (None, "None"),
        (range(3), "range(0, 3)"),
        (Thing(), "<Thing object>"),
        (np.float32, "<type object>"),
    ],
)
def test_a_type_is_printed_as_what_it_depends_on(value, text):
    assert str(trace_type(value)) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.0, -0.0),
        (1, True),
        (1, 1.0),
        (1.0, np.float64(1)),
        ("a", b"a"),
        (complex(0.0, 0.0), complex(0.0, -0.0)),
        (None, False),
        (0, None),
        (range(2), range(3)),
        (np.ones(2), np.ones(3)),
        (np.ones(1), np.ones(())),
        (np.ones(2), np.ones(2, np.float32)),
        (np.ones(2), ag.Tensor(np.ones(2))),
        (np.float64(1), np.array(1.0)),
        (Thing(), Thing()),
    ],
)
def test_what_a_program_could_tell_apart_has_different_types(one, other):
    first, second = trace_type(one), trace_type(other)
    assert first != second
    assert not first.admits(second)


@pytest.mark.parametrize(
    "make",
    [
        lambda: float("nan"),
        lambda: complex("nan"),
        lambda: 10**100,
        lambda: "text" * 3,
        lambda: range(5),
        lambda: np.ones(2),
        lambda: np.float32(3),
        lambda: None,
    ],
)
def test_equal_values_have_equal_types(make):
    first, second = trace_type(make()), trace_type(make())
    assert first == second
    assert hash(first) == hash(second)
    assert first.admits(second)


def test_values_of_arrays_do_not_matter():
    assert trace_type(np.zeros(2)) == trace_type(np.ones(2))


def test_kinds_of_types():
    kinds = [type(trace_type(x)) for x in (np.ones(1), "a", Thing)]
    assert kinds == [TensorType, LiteralType, ObjectType]


def test_an_object_that_is_gone_is_equal_to_nothing_else():
    thing = Thing()
    kind = trace_type(thing)
    assert kind == trace_type(thing)
    assert kind.is_alive
    del thing
    gc.collect()
    assert not kind.is_alive
    assert kind == kind  # as a key it has to be found
    assert kind != trace_type(Thing())


def test_a_method_is_known_by_its_object():
    thing = Thing()
    assert trace_type(thing.method) == trace_type(thing.method)
    assert trace_type(thing.method) != trace_type(Thing().method)
    assert trace_type(thing.method) != trace_type(thing)


def test_an_object_without_weak_references_is_held():
    assert trace_type(Slotted()).is_alive
    gone = trace_type(Thing())
    gc.collect()
    assert not gone.is_alive


def test_a_spec_with_unknown_sizes_admits_all_of_them():
    general = trace_type(ag.TensorSpec([None, 2]))
    assert general.admits(trace_type(np.ones((5, 2))))
    assert not general.admits(trace_type(np.ones((5, 3))))
    assert not general.admits(trace_type(np.ones((5, 2), np.float32)))
    assert not general.admits(trace_type(1.0))


def test_all_types_of_a_call_must_be_admitted():
    general = (trace_type(ag.TensorSpec([None])), trace_type(1))
    assert admits(general, (trace_type(np.ones(3)), trace_type(1)))
    assert not admits(general, (trace_type(np.ones(3)), trace_type(2)))
    assert not admits(general, (trace_type(np.ones(3)),))


def test_arrays_of_objects_are_told_apart_by_their_classes():
    texts, numbers = trace_type(np.array(["a"], object)), trace_type(np.array([1, 2], object))
    assert texts == trace_type(np.array(["b", "c"], object)) != numbers


def test_arrays_of_objects_that_may_do_anything_are_refused():
    with pytest.raises(TypeError, match="arrays of dtype object are not supported"):
        trace_type(np.array([None, [1]], object))
    with pytest.raises(TypeError, match="arrays of dtype object are not supported"):
        trace_type(np.array([print]))
