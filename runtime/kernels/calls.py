"""Calls of objects in machine code: which program fits the arguments, and the call of that.

Comes in: a class, and for each program a *record*, bytes that native code reads. Goes out: the
method `__call__` of the class, as a built-in one. It goes through the list of records of an
instance; where none fits, it calls the Python function that it stands in front of.

    record = count target check gives-up given offset misses parameter* argument*
    parameter = size default kind type value rank extent*
    argument = number of a parameter | address of an object | address of a weak reference + 1

All are words of eight bytes. `count` is how many parameters there are, `check` is called without
arguments (0: nothing is asked) and returns True where the program may run, `target` is called with
`given` arguments, which stand at `offset`. Where `gives-up` is not 0, a result of None means that
nothing was done; the `misses` of such a target add up, until it is not tried any more. Where it is
2, all other results mean None.
"""

from __future__ import annotations

import ctypes
import struct
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from runtime.kernels import call_entry
from runtime.kernels.call_entry import MOST, Word, call_text
from runtime.kernels.jit import (
    METH_KEYWORDS,
    Table,
    address_of,
    is_available,
    link,
    method_of,
)
from runtime.kernels.objects import HEADER
from runtime.kernels.target import host_target

Kind = call_entry.Kind
ANY = -1
"""An extent that is not compared."""
PAUSED = ctypes.c_int64(0)
"""Where it is not 0, no record fits; native code reads it."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """What an argument has to be.

    Args:
        kind: how it is compared.
        type: its type, where that is compared.
        value: the object; for an array its dtype; for a reference, what returns the object.
        extents: of an array.
        default: a tuple of what is taken where no argument is given; empty if there has to be one.
    """

    kind: Kind
    type: type | None = None
    value: Any = None
    extents: Sequence[int] = ()
    default: tuple[Any, ...] = ()

    @property
    def words(self) -> list[int]:
        """What native code reads."""
        default = id(self.default[0]) if self.default else 0
        kind = id(self.type) if self.type is not None else 0
        words = [self.kind, kind, id(self.value), len(self.extents), *self.extents]
        return [8 * (len(words) + 2), default, *words]


@dataclass(frozen=True, slots=True)
class Given:
    """An argument of a target: that of a parameter, or the same object in each call.

    An object that is held by a weak reference is None when it is gone.
    """

    number: int | None = None
    value: Any = None
    is_weak: bool = False

    @property
    def word(self) -> int:
        """What native code reads."""
        return id(self.value) + self.is_weak if self.number is None else self.number


def record(
    parameters: Sequence[Parameter],
    target: Callable[..., Any],
    given: Sequence[Given],
    check: Callable[[], bool] | None = None,
    gives_up: bool = False,
    returns: bool = True,
) -> Table | None:
    """Return a record; None when there are too many parameters.

    Args:
        parameters: what the arguments have to be.
        target: what is called.
        given: its arguments.
        check: is asked before.
        gives_up: whether a result of None means that it did nothing.
        returns: whether its result is that of the call; else that is None.
    """
    if max(len(parameters), len(given)) > MOST:
        return None
    guards = [word for parameter in parameters for word in parameter.words]
    checked = 0 if check is None else id(check)
    head = [
        len(parameters),
        id(target),
        checked,
        gives_up + (not returns),
        len(given),
        8 * (len(Word) + len(guards)),
        0,
    ]
    words = [*head, *guards, *(each.word for each in given)]
    found = Table(struct.pack(f"{len(words)}q", *words))
    found.kept = (*parameters, target, *given, check)
    return found


class _Probe:
    __slots__ = ("records",)

    def __init__(self) -> None:
        self.records: list[Any] = []


@cache
def can_call() -> bool:
    """Tell whether such methods can be made: where machine code can, in Pythons with one lock."""
    if not is_available() or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    probe = _Probe()
    place = id(probe) + _offset(_Probe, "records")
    return bool(ctypes.cast(place, _POINTERS)[0] == id(probe.records))


_POINTERS = ctypes.POINTER(ctypes.c_void_p)


def _offset(cls: type, slot: str) -> int:
    """Return where instances of a class have a slot."""
    member = ctypes.cast(id(cls.__dict__[slot]) + HEADER, _POINTERS)[3]
    return int(ctypes.cast(member or 0, ctypes.POINTER(ctypes.c_int64))[2])


def _vectorcall() -> str:
    """Return the name of what calls a function with names; 3.10 has it for Python's own only."""
    name = "PyObject_Vectorcall"
    return name if hasattr(ctypes.pythonapi, name) else "_PyFunction_Vectorcall"


_NEW_METHOD = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.c_void_p)
_DOC = b"__call__($self, /, *args, **kwargs)\n--\n\nCall self as a function."


def native_call(cls: type, slot: str, otherwise: Callable[..., Any]) -> Any:
    """Return a method for calls of instances of a class; it is there until the process ends.

    Args:
        cls: the class.
        slot: of the class: where instances hold the list of their records.
        otherwise: the function that is called with an instance, and all that it is called with.
    """
    target = host_target()
    text = call_text(_offset(cls, slot), target)
    engine, (call, begin) = link(text.text, ["call", "begin"], target)
    own = {"otherwise": id(otherwise), "paused": ctypes.addressof(PAUSED)}
    own["vectorcall"] = address_of(f"py:{_vectorcall()}", target)
    places = [own.get(name) or address_of(name, target) for name in text.table]
    table = (ctypes.c_uint64 * len(places))(*places)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(begin)(ctypes.addressof(table))
    method = method_of(b"__call__", call, METH_KEYWORDS, _DOC)
    made = _NEW_METHOD(("PyDescr_NewMethod", ctypes.pythonapi))(cls, ctypes.addressof(method))
    for each in (engine, table, method, otherwise):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
    return made
