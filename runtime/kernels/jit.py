"""From LLVM text to a function that Python calls: llvmlite, which is optional, does the work.

Comes in: the text of a module with its table. Goes out: a built-in function. A call of it costs as
little as one of Python's own built-in functions, since it is one (`METH_FASTCALL`).
"""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import platform
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from threading import stack_size
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from runtime.forks import COMPILING, before_fork, wait_for
from runtime.kernels import threads, work_partition
from runtime.kernels.c_functions import library
from runtime.kernels.disk_cache import STORES
from runtime.kernels.entry import Text
from runtime.kernels.helpers import module_of
from runtime.kernels.loops.rounds import UNROLLED, UNROLLED_MORE
from runtime.kernels.objects import HEADER
from runtime.kernels.scalar import vector_library
from runtime.kernels.target import Target, host_target

METH_FASTCALL, METH_KEYWORDS = 0x80, 0x02
OBJECTS = 4
"""Goes up when the passes that machine code went through are others."""
LATER = "-late-remat-update-threshold=1"
"""The same code, made in half of the time where much is carried by loops: what lives how long is
found out once for all copies of a number that is computed again, not once for each.
"""
LONGEST = 870
"""How many lines a text has at most whose loops are unrolled: LLVM takes seconds for 10,000."""
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


LIBRARY, MODULE = 256 * 2**20, 64 * 2**20
"""So many bytes must be free before LLVM is loaded, and before it compiles a module."""


def _need(size: int) -> None:
    """Raise MemoryError when the process may not have so much memory: LLVM would abort it."""
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        raise MemoryError(
            f"machine code needs {size >> 20} MiB of memory while it is made"
        ) from None


def _has_llvmlite() -> bool:
    try:
        _need(LIBRARY)
        from llvmlite import binding
    except (ImportError, MemoryError):
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


def load(text: Text, name: str, in_a_hurry: bool = False) -> Callable[..., Any]:
    """Compile a module, perhaps in a hurry, and return its entry as a built-in function."""
    with COMPILING:
        engine, (address,) = link(text.text, ["entry"], text.target, in_a_hurry)
        places = [address_of(each, text.target) for each in text.table]
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


def link(
    text: str, names: Sequence[str], target: Target, in_a_hurry: bool = False
) -> tuple[Any, list[int]]:
    """Compile a module; return what holds its code, and the addresses of functions.

    In a hurry there are no optimisations; it takes a twentieth of the time, and gives code that
    takes two to five times as long, which is not kept.
    """
    with COMPILING:
        key = _key(text, target)
        _need(MODULE)
        for code in _stored(key):
            with suppress(RuntimeError):  # it is no machine code, whatever its checksum says
                return _link(code, names)
        if in_a_hurry:
            return _link(_machine_of(target, optimised=False).emit_object(_parsed(text)), names)
        return _link(_compile(text, key, target), names)


def optimised(text: Text) -> str:
    """Return LLVM text after LLVM's passes."""
    with COMPILING:
        return str(_optimise(text.text, text.target))


def assembly(text: Text) -> str:
    """Return the machine code of LLVM text, as assembler."""
    with COMPILING:
        machine = _machine_of(text.target)
        found: str = machine.emit_assembly(_optimise(text.text, text.target))
    return found


@cache
def _machine_of(target: Target, optimised: bool = True) -> Any:
    from llvmlite.binding import ffi

    wait_for(ffi.lib._lock)  # finalizers take it, too
    return _target_machine(target, optimised)


def _target_machine(target: Target, optimised: bool = True) -> Any:
    """Return a new description of a target, as LLVM has it."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    binding.set_option("autograph", LATER)
    return binding.Target.from_default_triple().create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=2 if optimised else 0,
        reloc="pic",
        codemodel="small",
    )


def _parsed(text: str) -> Any:
    """Return the module of a text."""
    from llvmlite import binding

    module = binding.parse_assembly(text)
    module.verify()
    return module


def _optimise(text: str, target: Target) -> Any:
    """Return the module of a text after few passes: kernels are written as they should run."""
    from llvmlite import binding

    module = _parsed(text)
    passes = binding.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_new_gvn_pass()
    passes.add_jump_threading_pass()
    passes.add_loop_rotate_pass()
    passes.add_simplify_cfg_pass()
    if text.count("\n") <= LONGEST and (UNROLLED in text or UNROLLED_MORE in text):
        passes.add_loop_deletion_pass()
        passes.add_loop_unroll_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
    options = binding.create_pipeline_tuning_options(speed_level=2)
    passes.run(module, binding.create_pass_builder(_machine_of(target), options))
    return module


def _key(text: str, target: Target) -> bytes:
    return hashlib.sha256(f"{_described(target)}\n{text}".encode()).digest()


def _stored(key: bytes) -> Iterator[bytes]:
    """Yield the machine code that stores have."""
    found = (store.read_bytes(key) for store in STORES)
    return (code for code in found if code is not None)


def _compile(text: str, key: bytes, target: Target) -> bytes:
    """Return the machine code of a text, and keep it."""
    found: bytes = _machine_of(target).emit_object(_optimise(text, target))
    for store in STORES:
        store.write_bytes(key, found)
    return found


@cache
def _described(target: Target) -> str:
    """Return all that machine code depends on besides its text."""
    import llvmlite
    from llvmlite import binding

    versions = llvmlite.__version__, binding.llvm_version_info, OBJECTS
    return f"{versions} {_machine_of(target).triple} {target.cpu} {target.features}"


_NUMBERS = count()


@cache
def _linker() -> Any:
    from llvmlite import binding

    # In one piece of memory: parts that lie 2 GiB apart would end the process.
    return binding.create_lljit_compiler(_target_machine(host_target()), use_jit_link=True)


def _link(code: bytes, names: Sequence[str]) -> tuple[Any, list[int]]:
    """Return what holds the code, and the addresses of functions."""
    from llvmlite import binding

    builder = binding.JITLibraryBuilder().add_object_img(code)
    for name in names:
        builder.export_symbol(name)
    library = builder.link(_linker(), f"kernel{next(_NUMBERS)}")
    return library, [library[name] for name in names]


@cache
def _linked(text: str, names: tuple[str, ...], target: Target) -> tuple[Any, Mapping[str, int]]:
    """Return what holds a module of functions that kernels have in common, and their addresses.

    It is there until the process ends: a thread that nobody waits for may begin late.
    """
    library, places = link(text, names, target)
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


def room() -> int:
    """Return how many calls deep functions of kernels may go now: as deep as Python's.

    Threads whose stacks the program has chosen have no room for them.
    """
    depth, frame = 0, sys._getframe().f_back
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return 1 if stack_size() else max(sys.getrecursionlimit() - depth, 1)


_OBJECTS = {
    "None": None, "True": True, "False": False, "ndarray": np.ndarray, "reports": reports,
    "room": room, "list": list, "tuple": tuple,
}  # fmt: skip
_PYTHON_TYPES = {"i": int, "f": float, "c": complex}


def address_of(name: str, target: Target) -> int:
    """Return the address of what the table of a kernel for a target is to hold."""
    where, _, own = name.partition(":")
    if where == "py":
        return _function_address(getattr(ctypes.pythonapi, own))
    if where == "c":
        return _function_address(getattr(library(), own))
    if where == "process":
        return _process_function(own)
    if where == "helper":
        return _linked(*module_of(own, target), target)[1][own]
    if where == "vector":
        return vector_library.address_of(own)
    if where in ("threads", "slots"):
        _end_threads_at_forks(target)
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
def _end_threads_at_forks(target: Target) -> None:
    """Have threads without work end before a fork: Python warns of others."""
    if not work_partition.has_threads():
        return
    given = threads.SLOTS, *map(_process_function, ("syscall", "pthread_join"))

    def end() -> None:
        _QUIT(address_of("helper:quit", target))(*given)

    before_fork(end)


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
def _numpy_functions() -> Any:
    """Return NumPy's table of C functions."""
    get = _GET_POINTER(("PyCapsule_GetPointer", ctypes.pythonapi))
    table = get(_multiarray_umath._ARRAY_API, None)
    return ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
