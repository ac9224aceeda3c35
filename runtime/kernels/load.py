"""From kernels to functions that Python calls.

Comes in: a kernel of either kind. Goes out: a function.

Kernels for ops on arrays are compiled when these ops have taken about as long as that takes; until
then they return None, as a kernel does that has no result. Another thread compiles
them, unless a single call takes longer than that.

Long kernels of loops are compiled in a hurry, and run in their first calls as what that gives; from
the third call on another thread compiles them as they should be. See decision 113.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import lru_cache
from threading import Thread, stack_size
from typing import Any

import numpy as np

from runtime.forks import COMPILING
from runtime.kernels import background, threads
from runtime.kernels.allocation import keep_memory
from runtime.kernels.arrays.map_entry import write_map
from runtime.kernels.entry import Text, write_entry
from runtime.kernels.jit import load
from runtime.kernels.kernel import Kernel, instructions
from runtime.kernels.maps import ROUNDS, MapKernel

PATIENCE = 0.01
"""For how many seconds of NumPy's time a kernel that waits is not compiled."""
LONG = 10
"""How many times that long a call takes in NumPy that waits for the kernel."""
CALL, ELEMENT = 5e-7, 1e-9
"""About how long NumPy takes for an op, and for each element."""
HASTY = 600
"""From how many lines on LLVM takes so long, 50 us for each, that a first call does not wait."""
FIRST = 2
"""How many calls of a long kernel nobody takes for many."""
MOST_GIVEN = 100_000
"""The largest size or number that is given to a kernel that is compiled in a hurry."""


def text_of(kernel: Kernel | MapKernel) -> Text:
    """Return the module of a kernel."""
    return write_map(kernel) if isinstance(kernel, MapKernel) else write_entry(kernel)


def load_kernel(kernel: Kernel | MapKernel) -> Callable[..., Any]:
    """Return the function of a kernel, which is compiled later."""
    return Waiting(kernel)


def load_now(kernel: Kernel | MapKernel) -> Callable[..., Any]:
    """Compile a kernel; return its function, the same for equal ones."""
    if isinstance(kernel, MapKernel):
        keep_memory()
    return _function(kernel, text_of(kernel))


def _function(
    kernel: Kernel | MapKernel, text: Text, in_a_hurry: bool = False
) -> Callable[..., Any]:
    with COMPILING:
        function = _loaded(text, kernel.name, in_a_hurry)
    streams = [k for k, port in enumerate(kernel.inputs) if port.stream]
    return _drawing(function, streams) if streams else function


def _drawing(function: Callable[..., Any], places: Sequence[int]) -> Callable[..., Any]:
    """Return a function that draws from generators, and puts them back if it gives nothing.

    Args:
        function: is given the addresses of their states.
        places: where generators are among the arguments; others than NumPy's own give nothing.
    """

    def run(*given: Any) -> Any:
        arguments, streams = [*given], dict[int, Any]()
        for k in places:
            if type(given[k]) is not np.random.Generator:
                return None
            stream = given[k].bit_generator
            streams[id(stream)] = stream
            address = _pointer(stream.capsule, b"BitGenerator")
            arguments[k] = np.array([address], np.int64)
        with ExitStack() as locks:
            for _, stream in sorted(streams.items()):  # in one order, whoever draws
                locks.enter_context(stream.lock)
            before, found = [stream.state for stream in streams.values()], None
            try:
                found = function(*arguments)
            finally:
                if found is None:
                    for stream, state in zip(streams.values(), before, strict=True):
                        stream.state = state
        return found

    return run


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_size_t, [ctypes.py_object, ctypes.c_char_p]


@lru_cache(maxsize=1024)
def _loaded(text: Text, name: str, in_a_hurry: bool) -> Callable[..., Any]:
    return load(text, name, in_a_hurry)


class Account:
    """What belongs to a kernel, which may stand in several places of a program.

    Attributes:
        spent: how many seconds NumPy took for what it stands for.
        maker: the thread that compiles.
        function: what was compiled.
        calls: how many calls there were before.
        hasty: what was compiled in a hurry.
    """

    def __init__(self) -> None:
        self.spent = 0.0
        self.calls = 0
        self.hasty: Callable[..., Any] | None = None
        self.maker: Thread | None = None
        self.function: Callable[..., Any] | None = None


class Waiting:
    """A kernel that is compiled when it is called, or when it pays.

    `settle` is then given the function.
    """

    def __init__(self, kernel: Kernel | MapKernel) -> None:
        self.kernel = kernel
        self.account = Account()
        loop = kernel.loop if isinstance(kernel, MapKernel) else None
        self.steps = sum(1 for _ in instructions(kernel.body)) * (ROUNDS if loop else 1)
        self.settle: Callable[[Callable[..., Any]], None] = lambda function: None
        self.shapes: tuple[tuple[int, ...], ...] | None = None
        self.size = 1

    def __call__(self, *given: Any) -> Any:
        """Return what the kernel returns; of one that waits, None for some time before."""
        if self.is_early(given):
            return None
        try:
            function = self.hasty(given) or self.load()
        except MemoryError:
            if not self.kernel.waits:
                raise
            self.account.spent = -math.inf  # NumPy goes on without it
            return None
        return function(*given)

    def is_early(self, given: Sequence[Any]) -> bool:
        """Tell whether it does not pay yet."""
        if not self.kernel.waits or self.account.function is not None:
            return False
        own = self.steps * (CALL + ELEMENT * self.elements(given))
        self.account.spent += own
        is_too_early = self.account.spent < PATIENCE
        return is_too_early or (own < LONG * PATIENCE and self.is_made_beside())

    def hasty(self, given: Sequence[Any]) -> Callable[..., Any] | None:
        """Return a long kernel as it was compiled in a hurry, for its first calls."""
        account, kernel = self.account, self.kernel
        if account.function is not None or kernel.waits or isinstance(kernel, MapKernel):
            return None
        account.calls += 1
        if account.calls > FIRST:
            return account.hasty if account.hasty and self.is_made_beside() else None
        if stack_size() or max(map(_size, given), default=0) > MOST_GIVEN:
            return None
        if account.hasty is None and _is_long(text := text_of(kernel)):
            account.hasty = _function(kernel, text, in_a_hurry=True)
        return account.hasty

    def elements(self, given: Sequence[Any]) -> int:
        """Return for how many elements it computes, if the arguments fit."""
        shapes = tuple(x.shape if isinstance(x, np.ndarray) else () for x in given)
        if shapes != self.shapes:
            self.shapes, self.size = shapes, self.size_of(shapes)
        return self.size

    def size_of(self, shapes: tuple[tuple[int, ...], ...]) -> int:
        """Return for how many elements it computes, if arguments are of such shapes."""
        if isinstance(self.kernel, MapKernel):
            try:
                return math.prod(self.kernel.space(shapes))
            except ValueError:
                return 1
        return max(map(math.prod, shapes), default=1)

    def is_made_beside(self) -> bool:
        """Have another thread compile it, once; tell whether it is at it."""
        account = self.account
        if account.maker is None and threads.get_threads() > 1:
            account.maker = background.begin(self.load)
            return account.maker is not None
        return account.maker is not None and background.is_running(account.maker)

    def load(self) -> Callable[..., Any]:
        """Compile it now; return its function."""
        found = self.account.function = self.account.function or load_now(self.kernel)
        self.settle(found)
        return found


def _size(x: Any) -> Any:
    """Return how many elements an array has, or how large an integer is."""
    return x.size if isinstance(x, np.ndarray) else x if isinstance(x, int | np.integer) else 0


def _is_long(text: Text) -> bool:
    """Tell whether LLVM takes long; functions that call themselves have no room on the stack."""
    is_long = text.text.count("\n") > HASTY
    return is_long and "@function0" not in text.text
