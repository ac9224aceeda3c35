"""Elements of arrays: indices with Python's meaning, reading, and writing.

Comes in: arrays and indices, and what writes instructions. Goes out: instructions. Indices out of
range leave the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtime.kernels.kernel import (
    BOOL,
    INT,
    ArrayType,
    Block,
    Instruction,
    Literal,
    Operand,
    Type,
    UnsupportedError,
    Variable,
    calls_of,
    is_call,
    is_loop,
    kind_of,
)
from runtime.kernels.scalar.scalars import Scalars


def load(s: Scalars, array: Operand, indices: Sequence[Operand]) -> Operand:
    """Return an element."""
    return s.emit("load", [array, *_places(s, array, indices)], array_type(array).dtype)


def store(s: Scalars, array: Operand, indices: Sequence[Operand], value: Operand) -> None:
    """Write an element: the value in the dtype of the array, as an assignment converts it."""
    places = _places(s, array, indices)
    s.emit("store", [array, s.cast(value, array_type(array).dtype), *places])


def zeros(s: Scalars, kind: Type, number: object, *sizes: Operand) -> Operand:
    """Return a new array, if its elements are zero; `sizes` are those that are not known."""
    number = number.value if isinstance(number, Literal) else number
    if isinstance(number, Variable) or any(np.asarray(number).tobytes()):  # -0.0 is another one
        raise UnsupportedError("a new array of other numbers than zero")
    if not isinstance(kind, ArrayType):
        raise UnsupportedError("a new array that is a number")
    given = [s.convert(x, INT) for x in sizes]
    for x in given:
        s.stop_if(s.less(x, Literal(INT, 0)))
    rest = iter(given)
    whole = [next(rest) if n is None else Literal(INT, n) for n in kind.shape]
    return s.emit("array", whole, kind, zeros=True)


def root(array: Operand, block: Block) -> Operand:
    """Return the array from before that a value of a block is in any case, or the value itself."""
    maker = next((x for x in block.instructions if array in x.results), None)
    if maker is not None and maker.op == "resized":
        return root(maker.args[0], block)
    if maker is None or not (maker.blocks or is_call(maker)):
        return array
    k = [x is array for x in maker.results].index(True)
    if is_call(maker):
        place = maker.attrs["kept"][k]
        return array if place is None else root(maker.args[place], block)
    if not is_loop(maker):
        first, second = (root(x.results[k], x) for x in maker.blocks)
        return root(first, block) if first is second else array
    place, body = k + (maker.op == "for"), maker.blocks[-1]
    stays = root(body.results[k], body) is body.params[place]
    return root(maker.args[place], block) if stays else array


def is_leaving(block: Block) -> bool:
    """Tell whether a block yields an array that may be one which it has made."""
    return any(is_made(x, block) for x in block.results)


def is_made(x: Operand, block: Block) -> bool:
    """Tell whether a value is an array that may be one which a block has made."""
    if not isinstance(x.type, ArrayType) or not any(x.op == "array" for x in block.instructions):
        return False
    first = root(x, block)
    return any(first in maker.results for maker in block.instructions)


def resizes_own(block: Block, own: set[Operand]) -> bool:
    """Tell whether a block resizes only arrays whose memory is the kernel's own; adds to these."""
    for x in block.instructions:
        kinds = (y.type for y in x.results)
        if x.op == "array" and any(isinstance(k, ArrayType) and None in k.shape for k in kinds):
            own.add(x.results[0])
        elif x.op == "resized":
            if x.args[0] not in own:
                return False
            own.add(x.results[0])
        elif is_loop(x):
            if not _rounds_resize_own(x, own):
                return False
        elif is_call(x):
            if x.blocks and not _function_resizes_own(x, own):
                return False
            own.update(y for y in x.results if root(y, block) in own)
        elif not all(resizes_own(arm, own) for arm in x.blocks):
            return False
        elif x.blocks:
            ways = zip(x.results, *(arm.results for arm in x.blocks), strict=True)
            own.update(y for y, *arms in ways if own.issuperset(arms))
    return True


def _rounds_resize_own(x: Instruction, own: set[Operand]) -> bool:
    """Tell whether the rounds of a loop resize only the kernel's own arrays."""
    given = x.args[x.op == "for" :]
    kept, before = {k for k, y in enumerate(given) if y in own}, -1
    while before != len(kept):
        before, found = len(kept), {*own}
        for block in x.blocks:
            found.update(block.params[k + (x.op == "for")] for k in kept)
            if not resizes_own(block, found):
                return False
        kept = {k for k in kept if x.blocks[-1].results[k] in found}
    own.update(found, (x.results[k] for k in kept))
    return True


def _function_resizes_own(x: Instruction, own: set[Operand]) -> bool:
    """Tell whether a function resizes only the kernel's own arrays."""
    (body,), again = x.blocks, calls_of(x)
    kept, before = {k for k, y in enumerate(x.args) if y in own}, -1
    while before != len(kept):
        found: set[Operand] = {body.params[k] for k in kept}
        before = len(kept)
        if not resizes_own(body, found):
            return False
        kept = {k for k in kept if all(y.args[k] in found for y in again)}
    return True


def array_type(array: Operand) -> ArrayType:
    """Return the type of an operand that is an array."""
    if not isinstance(array.type, ArrayType):
        raise UnsupportedError("elements of a number")
    return array.type


def _places(s: Scalars, array: Operand, indices: Sequence[Operand]) -> list[Operand]:
    shape = array_type(array).shape
    if len(shape) != len(indices):
        raise UnsupportedError("parts of an array")
    return [place_of(s, index, size_of(s, array, axis)) for axis, index in enumerate(indices)]


def place_of(s: Scalars, index: Operand, size: Operand) -> Operand:
    """Return an index that counts from the start; leave the kernel when it is out of range."""
    if kind_of(index).kind not in "iu" or kind_of(index).itemsize > 8 - (
        kind_of(index).kind == "u"
    ):
        raise UnsupportedError(f"an index of {kind_of(index)}")
    natural = s.is_natural(index) or kind_of(index).kind == "u"
    place = s.convert(index, INT)
    if isinstance(place, Literal) and isinstance(size, Literal):
        return _known_place(s, int(place.value), int(size.value))
    return s.emit("place", [place, size], INT, natural=natural)


def _known_place(s: Scalars, place: int, size: int) -> Literal:
    """Return a place that is known; leave the kernel when it is out of range."""
    inside = -size <= place < size
    s.stop_if(s.literal(not inside, BOOL))
    return s.literal(place % size if inside else 0, INT)


def size_of(s: Scalars, array: Operand, axis: int) -> Operand:
    """Return the size of an axis."""
    known = array_type(array).shape[axis]
    if known is not None:
        return Literal(INT, known)
    found: Variable = s.emit("size", [array], INT, axis=axis)
    return found
