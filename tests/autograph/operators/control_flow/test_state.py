"""The variables of a branch or loop are found, read and written where they live."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from autograph.operators.control_flow.state import Name, State, parse_names
from autograph.staging.region import UNDEFINED

shared = "global"


class Slotted:
    __slots__ = ("value",)


class Property:
    def __init__(self):
        self.held, self.writes = 1, 0

    @property
    def value(self):
        return self.held

    @value.setter
    def value(self, new):
        self.held, self.writes = new, self.writes + 1


def of_cells() -> tuple[Any, Any]:
    """Return a function that shares x, y and thing with another, which shows them."""
    x: Any = 1
    thing: Any = SimpleNamespace(a=SimpleNamespace(b=2))
    y: Any
    if x > 1:
        y = 0

    def body():
        nonlocal x, y, thing
        x, y, thing = x, y, thing

    def show():
        try:
            return x, y
        except NameError:
            return x, "unbound"

    return body, show


def of_globals() -> Any:
    def body():
        global shared, fresh
        shared, fresh = 1, 2

    return body


def test_names_are_read_in_their_order():
    assert [name.text for name in parse_names("y, self.count, result?")] == [
        *["y", "self.count", "result"]
    ]
    assert parse_names("a.b.c?") == (Name("a.b.c", "a", ("b", "c"), "?"),)
    assert parse_names("") == ()


def test_which_names_are_guarded_by_a_flag_is_known():
    body, _ = of_cells()
    assert State("x, y?", "", [body]).optional == [False, True]


def test_local_variables_are_read_and_written_in_their_cells():
    body, show = of_cells()
    state = State("x, y", "", [body])
    assert state.read() == [1, UNDEFINED]
    state.write([5, 6])
    assert show() == (5, 6)


def test_a_variable_can_lose_its_value():
    body, show = of_cells()
    state = State("x, y", "", [body])
    state.write([5, 6])
    state.write([7, UNDEFINED])
    assert show() == (7, "unbound")
    state.write([8, UNDEFINED])
    assert state.read() == [8, UNDEFINED]


def test_closures_of_all_functions_are_looked_at():
    body, _ = of_cells()
    assert State("x", "", [None, lambda: None, body]).read() == [1]


def test_globals_are_read_and_written_in_their_module(monkeypatch):
    monkeypatch.setitem(globals(), "shared", "global")
    state = State("shared, fresh", "", [of_globals()])
    assert state.read() == ["global", UNDEFINED]
    state.write(["new", 3])
    assert (shared, globals()["fresh"]) == ("new", 3)
    state.write(["global", UNDEFINED])
    assert "fresh" not in globals()


def test_attributes_are_read_and_written_in_their_object():
    body, _ = of_cells()
    state = State("thing.a.b, thing.c", "", [body])
    assert state.read() == [2, UNDEFINED]
    state.write([3, 4])
    assert state.read() == [3, 4]
    state.write([3, UNDEFINED])
    assert state.read() == [3, UNDEFINED]


def holding(thing: Any) -> Any:
    def body():
        nonlocal thing
        thing = thing

    return body


def test_attributes_of_an_object_with_slots_are_variables():
    state = State("thing.value", "", [holding(Slotted())])
    assert state.read() == [UNDEFINED]
    state.write([1])
    assert state.read() == [1]
    state.write([UNDEFINED])
    assert state.read() == [UNDEFINED]


def test_attributes_of_a_variable_without_a_value_have_none():
    def body():
        nonlocal thing
        thing = thing

    thing: Any
    if shared is None:
        thing = 1
    assert State("thing.value", "", [body]).read() == [UNDEFINED]


def test_a_property_is_no_variable_since_its_setter_writes_others():
    state = State("thing.value, thing.held", "", [holding(Property())])
    assert state.names == ["thing.held"]


def test_discarded_variables_get_back_what_they_held():
    body, show = of_cells()
    state = State("", "x, y", [body])
    other = State("x, y", "", [body])
    other.write([8, 9])
    state.write([])
    assert show() == (1, "unbound")


def test_the_number_of_values_must_be_that_of_the_names():
    body, _ = of_cells()
    with pytest.raises(ValueError, match=r"shorter|longer"):
        State("x, y", "", [body]).write([1])
