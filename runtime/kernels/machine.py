"""From LLVM text to a function that Python calls: llvmlite, which is optional, does the work.

Comes in: the text of a module with its table. Goes out: a built-in function. A call of it costs as
little as one of Python's own built-in functions, since it is one (`METH_FASTCALL`).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import os
import platform
import struct
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any, Protocol

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from runtime.kernels import threads, workers
from runtime.kernels.entry import HEADER, Text
from runtime.kernels.helpers import module_of
from runtime.kernels.loops.rounds import UNROLLED, UNROLLED_MORE
from runtime.kernels.scalar import vector_library

METH_FASTCALL, METH_KEYWORDS = 0x80, 0x02
OBJECTS = 2
"""Goes up when the passes that machine code went through are others."""
NUMPY_FUNCTIONS = {"PyArray_Scalar": 60, "PyArray_NewCopy": 85, "PyArray_Empty": 184}
"""Places in NumPy's table of C functions; they never change."""


@cache
def is_available() -> bool:
    """Tell whether machine code can be made here: llvmlite, CPython, and an x86-64 processor."""
    return (
        _has_llvmlite()
        and sys.implementation.name == "cpython"
        and platform.machine().lower() in ("x86_64", "amd64")
    )


def _has_llvmlite() -> bool:
    try:
        from llvmlite import binding
    except ImportError:
        return False
    return hasattr(binding, "create_lljit_compiler")


class Table(bytes):
    """Addresses, as native code reads them; keeps alive what they belong to."""

    kept: Any


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_NEW_FUNCTION = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
)
_GET_POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)


class Turn:
    """Lets one thread compile at a time: what is compiled once for all must not be twice.

    Attributes:
        lock: who has it compiles; a process that is forked meanwhile gets a new one.
    """

    lock = threading.RLock()

    @classmethod
    def renew(cls) -> None:
        """Forget who has the lock."""
        cls.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Turn.renew)


def load(text: Text, name: str) -> Callable[..., Any]:
    """Compile a module and return its entry as a built-in function."""
    with Turn.lock:
        engine, (address,) = link(text.text, ["entry"])
        places = [address_of(each) for each in text.table]
    return built_in(name, address, places, engine)


def built_in(name: str, address: int, words: Sequence[int], engine: Any) -> Callable[..., Any]:
    """Return machine code as a built-in function.

    Args:
        name: of the function.
        address: of the code.
        words: what it reads from its table.
        engine: what holds the code.
    """
    method = method_of(name.encode(), address)
    table = Table(struct.pack(f"{len(words)}Q", *words))
    table.kept = (engine, method)
    make = _NEW_FUNCTION(("PyCFunction_NewEx", ctypes.pythonapi))
    function: Callable[..., Any] = make(ctypes.addressof(method), table, None)
    return function


def method_of(name: bytes, address: int, flags: int = 0, doc: bytes | None = None) -> Any:
    """Return what Python makes a built-in function of that takes its arguments in a row."""
    return _Method(name, address, METH_FASTCALL | flags, doc)


def link(text: str, names: Sequence[str]) -> tuple[Any, list[int]]:
    """Compile a module; return what holds its code, and the addresses of functions."""
    with Turn.lock:
        return _link(_compile(text), names)


def optimised(text: str) -> str:
    """Return the LLVM text after LLVM's passes."""
    return str(_optimise(text))


def assembly(text: str) -> str:
    """Return the machine code of LLVM text, as assembler."""
    found: str = _target().emit_assembly(_optimise(text))
    return found


@cache
def _target() -> Any:
    return _target_machine()


def host_features() -> Mapping[str, bool]:
    """Return what this machine's processor can do, by LLVM's names."""
    from llvmlite import binding

    found: Mapping[str, bool] = binding.get_host_cpu_features()
    return found


def _target_machine() -> Any:
    """Return a new description of this machine."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=2,
        reloc="pic",
        codemodel="small",
    )


def _optimise(text: str) -> Any:
    """Return the module of a text after few passes: kernels are written as they should run."""
    from llvmlite import binding

    module = binding.parse_assembly(text)
    module.verify()
    passes = binding.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_new_gvn_pass()
    passes.add_loop_rotate_pass()
    passes.add_simplify_cfg_pass()
    if UNROLLED in text or UNROLLED_MORE in text:
        passes.add_loop_deletion_pass()
        passes.add_loop_unroll_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
    options = binding.create_pipeline_tuning_options(speed_level=2)
    passes.run(module, binding.create_pass_builder(_target(), options))
    return module


class Store(Protocol):
    """Where machine code is kept for the next process; keys have 32 bytes."""

    def read_bytes(self, key: bytes) -> bytes | None:
        """Return what is kept under a key, or None."""

    def write_bytes(self, key: bytes, payload: bytes) -> None:
        """Keep bytes under a key."""


_STORES: list[Store] = []


def keep_objects(store: Store) -> None:
    """Keep machine code in a store from here on."""
    _STORES[:] = [store]


def _compile(text: str) -> bytes:
    """Return the machine code of a text, from the store where that has it."""
    key = hashlib.sha256(f"{_machine()}\n{text}".encode()).digest()
    for store in _STORES:
        known = store.read_bytes(key)
        if known is not None:
            return known
    found: bytes = _target().emit_object(_optimise(text))
    for store in _STORES:
        store.write_bytes(key, found)
    return found


@cache
def _machine() -> str:
    """Return all that machine code depends on besides its text."""
    import llvmlite
    from llvmlite import binding

    versions = llvmlite.__version__, binding.llvm_version_info, OBJECTS
    features = binding.get_host_cpu_features().flatten()
    return f"{versions} {_target().triple} {binding.get_host_cpu_name()} {features}"


_NUMBERS = count()


@cache
def _linker() -> Any:
    from llvmlite import binding

    return binding.create_lljit_compiler(_target_machine())


def _link(code: bytes, names: Sequence[str]) -> tuple[Any, list[int]]:
    """Return what holds the code, and the addresses of functions."""
    from llvmlite import binding

    builder = binding.JITLibraryBuilder().add_object_img(code)
    for name in names:
        builder.export_symbol(name)
    library = builder.link(_linker(), f"kernel{next(_NUMBERS)}")
    return library, [library[name] for name in names]


@cache
def _linked(text: str, names: tuple[str, ...]) -> tuple[Any, Mapping[str, int]]:
    """Return what holds a module of functions that kernels have in common, and their addresses.

    It is there until the process ends: a thread that nobody waits for may begin late.
    """
    library, places = link(text, names)
    for each in (library, _linker()):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
    return library, dict(zip(names, places, strict=True))


def reports(flags: int) -> bool:
    """Tell whether NumPy reports any of the flags of the processor under the present settings.

    >>> with np.errstate(over="ignore", under="warn"):
    ...     reports(0b01000), reports(0b10000)
    (False, True)
    """
    settings: Mapping[str, Any] = {**np.geterr()}
    names = {0b00001: "invalid", 0b00100: "divide", 0b01000: "over", 0b10000: "under"}
    return any(flags & bit and settings[name] != "ignore" for bit, name in names.items())


_OBJECTS = {
    "None": None, "True": True, "False": False, "ndarray": np.ndarray, "reports": reports,
}  # fmt: skip
_PYTHON_TYPES = {"i": int, "f": float}


def address_of(name: str) -> int:
    """Return the address of what a table is to hold."""
    where, _, own = name.partition(":")
    if where == "py":
        return _function_address(getattr(ctypes.pythonapi, own))
    if where == "c":
        return _function_address(getattr(_c_library(), own))
    if where == "process":
        return _process_function(own)
    if where == "helper":
        return _linked(*module_of(own))[1][own]
    if where == "vector":
        return vector_library.address_of(own)
    if where in ("threads", "slots"):
        _end_threads_at_forks()
        return ctypes.addressof(threads.COUNT if where == "threads" else threads.SLOTS)
    if where == "numpy":
        return int(_numpy_functions()[NUMPY_FUNCTIONS[own]])
    if where in ("loop", "data"):
        return _loop_address(where, *own.split(":"))
    if where == "object":
        return id(_OBJECTS[own])
    if where == "python":
        return id(_PYTHON_TYPES[own])
    return id(np.dtype(own).type if where == "type" else np.dtype(own))


@cache
def _end_threads_at_forks() -> None:
    """Have threads without work end before a fork: Python warns of others."""
    if not workers.has_threads():
        return
    given = threads.SLOTS, *map(_process_function, ("syscall", "pthread_join"))

    def end() -> None:
        _QUIT(address_of("helper:quit"))(*given)

    os.register_at_fork(before=end)


_QUIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def _process_function(name: str) -> int:
    return _function_address(getattr(ctypes.CDLL(None), name))


def _loop_address(part: str, ufunc: str, types: str) -> int:
    """Return the address of an inner loop of a ufunc, or of the data that it is given."""
    found: np.ufunc = getattr(np, ufunc)
    fields = ctypes.cast(id(found) + HEADER, ctypes.POINTER(ctypes.c_void_p))
    table = fields[2 if part == "loop" else 3]
    assert table is not None
    place = found.types.index(types)
    return ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[place] or 0


def _function_address(function: Any) -> int:
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None
    return found


@cache
def _c_library() -> Any:
    return ctypes.CDLL(ctypes.util.find_library("m"))


@cache
def _numpy_functions() -> Any:
    """Return NumPy's table of C functions."""
    get = _GET_POINTER(("PyCapsule_GetPointer", ctypes.pythonapi))
    table = get(_multiarray_umath._ARRAY_API, None)
    return ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
