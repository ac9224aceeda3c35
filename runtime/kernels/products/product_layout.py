"""How a product of matrices, or of stacks of them, is laid out and divided.

Comes in: the shapes and strides of two arrays. Goes out: the words of a context (`product_entry`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from runtime.kernels.arrays.layout import CHUNK, TOTAL
from runtime.kernels.products.micro_kernel import WIDTHS, Shape
from runtime.kernels.products.product_entry import DEEPEST, MOST_AXES, MOST_PARTS, Words

RATE = 6e10
"""About how many operations a thread does in a second."""
UNLOCK_PAYS, THREADS_PAY, CHUNK_TIME = 2e-5, 4e-5, 3e-5
"""Times: when others may run meanwhile, when other threads help, how long each part takes."""
UNITS = 16
"""Into how many units of work a large product is divided at least."""
MOST_BYTES = 1 << 26
"""How far the elements of an operand are apart at most."""
DEPTHS = (448, 384, 320, 256, 512, 640, 768, 192, 128, 1024)
UNROLLS = (1, 4, 8, 16, 24, 32)
"""How deep the parts are in which OpenBLAS goes through the depth, and to what it rounds halves."""


@dataclass(frozen=True, slots=True)
class Operand:
    """How an array is laid out: its shape, and its strides in bytes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def reach(self) -> int:
        """How many bytes lie between the first and the last element."""
        return sum((n - 1) * abs(s) for n, s in zip(self.shape, self.strides, strict=True))

    @property
    def words(self) -> list[int]:
        """Rank, sizes and strides, as native code reads them."""
        room = [0] * (MOST_AXES - len(self.shape))
        strides = self.strides or self.shape
        return [len(self.shape), *self.shape, *room, *strides, *room]

    def step(self, stack: Sequence[int]) -> int | None:
        """Return the one stride that goes through a stack; None if there is none."""
        own = [0] * (len(stack) - len(self.shape) + 2)
        own += [0 if n == 1 else s for n, s in zip(self.shape[:-2], self.strides, strict=False)]
        found = [(n, s) for n, s in zip(stack, own, strict=True) if n != 1]
        if any(s != t * m for (_, s), (m, t) in pairwise(found)):
            return None
        return found[-1][1] if found else 0


Layout = tuple[Operand, Operand]
"""How the operands of a product are laid out."""


def layout_of(x: Any, y: Any) -> Layout:
    """Return how two arrays are laid out."""
    return Operand(x.shape, x.strides), Operand(y.shape, y.strides)


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a product of two operands is.

    Args:
        shape: of the result.
        depth: how many products each number of it is a sum of.
        items: how many matrices there are.
        steps: the strides of the operands from one to the next.
    """

    shape: tuple[int, ...]
    depth: int
    items: int
    steps: tuple[int, int]

    @property
    def work(self) -> int:
        """How many operations it is."""
        return 2 * math.prod(self.shape) * self.depth


def sizes_of(layout: Layout) -> Sizes | None:
    """Return the sizes of a product; None where there is no kernel for it.

    Vectors are left to BLAS, which has other functions for them.
    """
    x, y = layout
    if min(len(x.shape), len(y.shape)) < 2 or max(len(x.shape), len(y.shape)) > MOST_AXES:
        return None
    try:
        stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        return None
    (rows, depth), (other, columns) = x.shape[-2:], y.shape[-2:]
    inner = min(*x.strides[-2:], *y.strides[-2:])
    if depth != other or min(rows, columns) < 2 or inner <= 0 or 0 in (depth, *stack):
        return None
    first, second = x.step(stack), y.step(stack)
    if first is None or second is None or max(x.reach, y.reach) > MOST_BYTES:
        return None
    return Sizes((*stack, rows, columns), depth, math.prod(stack), (first, second))


def words_of(
    layout: Layout,
    sizes: Sizes,
    shape: Shape,
    ends: Sequence[int],
    zero: float,
    asked: tuple[int, int],
) -> list[int]:
    """Return the words of a product.

    Args:
        layout: of the operands.
        sizes: of the product.
        shape: what the machine code is made for.
        ends: after how many steps of the depth a sum goes to the result.
        zero: what sums are added to first.
        asked: the address of a function, and what it has to return.
    """
    (rows, columns), words = sizes.shape[-2:], [0] * Words.COUNT
    vectors = -(-columns // shape.lanes)
    panels, heights = -(-vectors // WIDTHS[-1]), -(-rows // shape.rows)
    seconds = sizes.work / RATE
    is_small = seconds < UNLOCK_PAYS
    wanted = 1 if is_small else -(-UNITS // (sizes.items * panels))
    bands = min(wanted, max(heights // 2, 1))
    units = sizes.items * panels * bands
    row = columns * shape.size
    (x, y), (x_step, y_step) = layout, sizes.steps
    bits = struct.pack("<f" if shape.size == 4 else "<d", zero)
    words[Words.ROWS : Words.ENDS] = [
        *(rows, columns, sizes.depth, *x.strides[-2:], *y.strides[-2:], row),
        *(x_step, y_step, rows * row, vectors, panels, bands),
        *(int.from_bytes(bits, "little"), is_small, sizes.work, int(THREADS_PAY * RATE)),
        *(*asked, len(ends)),
    ]
    words[TOTAL], words[CHUNK] = units, max(1, int(units * CHUNK_TIME / seconds))
    words[Words.ENDS : Words.ENDS + len(ends)] = ends
    return [*words, *Operand(sizes.shape, ()).words, *x.words, *y.words]


def ends_of(depth: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways in which the depth may be divided, the likeliest first.

    So OpenBLAS does it: parts of some size, and two halves at the end, the first rounded up.
    """
    found: dict[tuple[int, ...], None] = {(depth,): None}
    for most in DEPTHS:
        for unroll in UNROLLS:
            found[_divided(depth, most, unroll)] = None
    for ends in found:
        deepest = max(b - a for a, b in pairwise((0, *ends)))
        if len(ends) <= MOST_PARTS and deepest <= DEEPEST:
            yield ends


def _divided(depth: int, most: int, unroll: int) -> tuple[int, ...]:
    ends, done = [], 0
    while done < depth:
        left = depth - done
        if left >= 2 * most:
            left = most
        elif left > most:
            left = -(-(left // 2) // unroll) * unroll if unroll > 1 else (left + 1) // 2
        done += left
        ends.append(done)
    return tuple(ends)
