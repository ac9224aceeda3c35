"""Wrong arguments of public functions: an exception that shows no frame of ours, and says why."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf
from runtime.graph.location import is_ours

WRONG: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((None,), {}),
    (("text",), {}),
    ((-1,), {}),
    ((object(),), {}),
    ((object(), object()), {}),
    (("text", "text", "text"), {}),
    ((None,) * 12, {}),
    ((), {"no_such_argument": 1}),
]
"""What each public function and method is called with."""

FACES: dict[str, Any] = {
    "ag": ag,
    "ag.random": ag.random,
    "ag.data": ag.data,
    "ag.strings": ag.strings,
    "ag.numpy": ag.numpy,
    "ag.data.Dataset": ag.data.Dataset.range(3),
    "ag.Variable": ag.Variable(np.zeros(2)),
    "ag.TensorArray": ag.TensorArray(np.float64, 2),
    "tf": tf,
    **{f"tf.{name}": getattr(tf, name) for name in tf.MODULES},
}
"""Modules, and values whose methods are public."""

LEFT_OUT = {"ag.breakpoint"}  # stops
RAISES_AS_ASKED = {"ag.check", "tf.Assert", "tf.debugging.Assert"}
"""Functions that raise what they are given."""

INTERNAL = re.compile(
    r"'\w+' object (has no attribute|is not (iterable|callable|subscriptable))"
    r"|cannot unpack|unsupported operand|list index out of range|tuple index out of range"
)
"""What a message reads like that was not written for who made the mistake."""
INTERNAL_CLASSES = (AttributeError, KeyError, NameError, AssertionError, RecursionError)

LEFT: dict[str, str] = {
    "ag.TensorArray": ("scatter unstack write"),
    "ag.Variable": ("assign_add assign_sub box change store"),
    "ag.data.Dataset": ("apply flat_map interleave reduce sample"),
    "ag.numpy": ("allclose average from_dlpack fromfunction gradient indices kaiser rot90 tile"),
    "tf": (
        "add_n case cond numpy_function py_function switch_case tensor_scatter_nd_add "
        "tensor_scatter_nd_max tensor_scatter_nd_min "
        "tensor_scatter_nd_sub tensor_scatter_nd_update while_loop"
    ),
    "tf.debugging": ("assert_shapes"),
    "tf.math": ("add_n"),
    "tf.random": ("categorical"),
    "tf.strings": ("format join"),
}
"""Functions with such messages still, by face; none is added, and who mends one takes it out."""


def _functions(face: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    where = FACES[face]
    for name in getattr(where, "__all__", None) or dir(where):
        full = f"{face}.{name}"
        found = None if name.startswith("_") else getattr(where, name)
        if callable(found) and not inspect.ismodule(found) and full not in LEFT_OUT:
            yield full, found


def _mistakes(face: str) -> Iterator[tuple[str, Exception]]:
    for name, function in _functions(face):
        for args, kwargs in WRONG:
            try:
                function(*args, **kwargs)
            except Exception as error:  # noqa: PERF203  (each call may fail)
                yield name, error


def _reads_as_internal(name: str, error: Exception) -> bool:
    if name in RAISES_AS_ASKED:
        return False
    return isinstance(error, INTERNAL_CLASSES) or INTERNAL.search(str(error)) is not None


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("face", FACES)
def test_wrong_arguments_show_no_frame_of_ours(face):
    shown = [
        (name, repr(error), frame.name)
        for name, error in _mistakes(face)
        for frame in traceback.extract_tb(error.__traceback__)
        if is_ours(frame.filename)
    ]
    assert shown == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("face", FACES)
def test_wrong_arguments_give_messages_for_who_gave_them(face):
    found = {name for name, error in _mistakes(face) if _reads_as_internal(name, error)}
    assert found == {f"{face}.{name}" for name in LEFT.get(face, "").split()}
