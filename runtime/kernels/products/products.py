"""Products of matrices as kernels, and whether they have the bits of NumPy's.

Comes in: how two arrays are laid out. Goes out: a function of two such arrays, if there is one that
gives what NumPy gives.

BLAS does not say in which order it adds. On many machines OpenBLAS adds to each number of the
result one product after another, by fused multiply-adds, and puts such sums together after some
hundred steps. A trial tells: random numbers, some of them tiny, are multiplied both ways, and the
bits compared. The order does not depend on the numbers, but on the layout, on BLAS, and on how
many threads that has. So each layout is tried once.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from runtime.dtypes import DType, short_name
from runtime.forks import COMPILING
from runtime.kernels.entry import Text
from runtime.kernels.jit import address_of, built_in, link
from runtime.kernels.kernel import Kernel
from runtime.kernels.maps import MapKernel
from runtime.kernels.products.micro_kernel import Shape
from runtime.kernels.products.product_entry import product_text
from runtime.kernels.products.product_layout import (
    Layout,
    Operand,
    Sizes,
    ends_of,
    sizes_of,
    words_of,
)
from runtime.kernels.target import Target

MOST_WORK = 1 << 28
"""How many operations a product has at most: BLAS is good at larger ones."""
MOST_KNOWN = 1024
"""How many layouts are remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class ProductKernel:
    """A product of matrices, or of stacks of them.

    Args:
        name: for people.
        dtype: of the operands and of the result.
        ranks: of the operands.
        is_known: whether their sizes are always the same.
        target: what it is for.
        fast: whether it may add in another order than NumPy.
        constants: nothing; constant arrays are operands.
    """

    name: str
    dtype: DType
    ranks: tuple[int, int]
    is_known: bool
    target: Target
    fast: bool = False
    constants: tuple[Any, ...] = ()

    def __str__(self) -> str:
        kinds = [f"{short_name(self.dtype)}[{', '.join('_' * rank)}]" for rank in self.ranks]
        return f"{'fast ' * self.fast}product {self.name}(x: {kinds[0]}, y: {kinds[1]})"


AnyKernel = Kernel | MapKernel | ProductKernel


class BlasThreads:
    """The function of OpenBLAS that tells how many threads it has."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.address = ctypes.cast(function, ctypes.c_void_p).value or 0

    def __call__(self) -> int:
        """Return how many they are now."""
        return int(self.function())


@cache
def blas_threads() -> BlasThreads | None:
    """Return what tells how many threads BLAS has; None where NumPy has no OpenBLAS."""
    library = ctypes.CDLL(_multiarray_umath.__file__)
    for prefix in ("scipy_", ""):
        for suffix in ("64_", ""):
            name = f"{prefix}openblas_get_num_threads{suffix}"
            if hasattr(library, name):
                return BlasThreads(getattr(library, name))
    return None


def shape_of(dtype: DType, target: Target) -> Shape:
    """Return what products of a dtype are made for."""
    vector, rows = (64, 8) if target.has("avx512f") else (32, 4)
    return Shape(dtype.itemsize, vector // dtype.itemsize, rows)


@cache
def module_of(dtype: DType, target: Target) -> Text:
    """Return the module of the products of a dtype."""
    return product_text(shape_of(dtype, target), target)


class Products:
    """The products of a dtype: their machine code, and the functions of layouts.

    Args:
        dtype: float32 or float64.
        target: what they are for.
    """

    def __init__(self, dtype: DType, target: Target) -> None:
        self.dtype = dtype
        self.target = target
        self.known: dict[tuple[Layout, int], Callable[..., Any] | None] = {}
        """The functions of layouts, for so many threads of BLAS; -1 for those in any order."""
        text = module_of(dtype, target)
        self.engine, (self.entry,) = link(text.text, ["entry"], target)
        self.places = [address_of(each, target) for each in text.table]

    def found(self, layout: Layout) -> Callable[..., Any] | None:
        """Return the function of a layout, if it has NumPy's bits; each layout is tried once."""
        threads, sizes = blas_threads(), sizes_of(layout)
        if threads is None or sizes is None or sizes.work > MOST_WORK:
            return None
        key = layout, threads()
        if key not in self.known:
            self._make_room()
            self.known[key] = self.tried(layout, sizes, threads)
        return self.known[key]

    def in_any_order(self, layout: Layout) -> Callable[..., Any] | None:
        """Return the function of a layout that adds in the order that is simplest."""
        sizes, key = sizes_of(layout), (layout, -1)
        if sizes is None or sizes.work > MOST_WORK or not self.target.has("fma"):
            return None
        if key not in self.known:
            self._make_room()
            ends = next(ends_of(sizes.depth), None)
            found = None if ends is None else self.function(layout, sizes, ends, 0.0)
            self.known[key] = found
        return self.known[key]

    def _make_room(self) -> None:
        if len(self.known) >= MOST_KNOWN:
            self.known.clear()

    def tried(
        self, layout: Layout, sizes: Sizes, threads: BlasThreads
    ) -> Callable[..., Any] | None:
        """Return the function of a layout that has NumPy's bits."""
        if not self.target.has("fma"):
            return None
        asked = threads.address, threads()
        x, y = (self.drawn(operand, seed) for seed, operand in enumerate(layout))
        x[(0,) * (x.ndim - 1)] = np.finfo(self.dtype).smallest_subnormal
        with np.errstate(all="ignore"):
            wanted = np.matmul(x, y)
            for ends in ends_of(sizes.depth):
                for zero in (0.0, -0.0):
                    found = self.function(layout, sizes, ends, zero, asked)
                    if _is_same(found(x, y), wanted):
                        return found
        return None

    def function(
        self,
        layout: Layout,
        sizes: Sizes,
        ends: Sequence[int],
        zero: float,
        asked: tuple[int, int] = (0, 0),
    ) -> Callable[..., Any]:
        """Return the function of a layout that adds in some order (`words_of`)."""
        words = words_of(layout, sizes, shape_of(self.dtype, self.target), ends, zero, asked)
        table = [*self.places, *(word % 2**64 for word in words)]
        return built_in("product", self.entry, table, self.engine)

    def drawn(self, operand: Operand, seed: int) -> Any:
        """Return an array of random numbers that is laid out as an operand."""
        count = operand.reach // self.dtype.itemsize + 1
        numbers = np.random.default_rng(seed).random(count, self.dtype) - self.dtype.type(0.5)
        return np.lib.stride_tricks.as_strided(numbers, operand.shape, operand.strides)


def _is_same(found: Any, wanted: Any) -> bool:
    bits = f"u{wanted.itemsize}"
    return found is not None and bool(np.array_equal(found.view(bits), wanted.view(bits)))


_MADE: dict[tuple[DType, Target], Products] = {}


def products(dtype: DType, target: Target) -> Products:
    """Return the products of a dtype; their machine code is made once."""
    key = dtype, target
    if key not in _MADE:
        with COMPILING:
            if key not in _MADE:
                _MADE[key] = Products(*key)
    return _MADE[key]


def is_made(dtype: DType, target: Target) -> bool:
    """Tell whether there is machine code for a dtype already."""
    return (dtype, target) in _MADE
