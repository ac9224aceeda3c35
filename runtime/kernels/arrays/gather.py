"""Copies of elements that are not one after the other in memory, as routines.

Comes in: the size of an element, and the rank of the space. Goes out: functions

    gather(target, source, sizes, strides, shifts, begin, count, filled)
    roll(target, source, sizes, strides, shifts, begin, count, filled)
    take(target, source, index, length, inner, begin, count, filled)
    copy(target, source, bytes)
    pad(target, count, filled)

`gather` copies the elements from number `begin` on, in C order, of an array with sizes and strides;
then it repeats the last one until `filled` are there, as `pad` does. It may write one vector more
than that. `roll` does the same with elements that are moved on along each axis by `shifts`, and
around its end. `take` copies elements of `length` parts of so many elements each, which stand one
after another at given places; it returns whether one of the places is not there.
"""

from __future__ import annotations

from runtime.kernels.llvm import Writer
from runtime.kernels.routine_values import Value
from runtime.kernels.routines import routines
from runtime.kernels.target import WIDEST

_PAD = """
def pad(target: ptr, count: i64, filled: i64):
    last = target.one[count - 1]
    for k in range(count, filled):
        target.one[k] = last
"""

_COPY = """
def copy(target: ptr, source: ptr, bytes: i64):
    whole = bytes & -64
    for k in range(0, whole, 64):
        (target + k).vector[0] = (source + k).vector[0]
    for k in range(whole, bytes):
        target.i8[k] = source.i8[k]
"""

_GATHER = """
def gather(
    target: ptr, source: ptr, sizes: ptr, strides: ptr, shifts: ptr,
    begin: i64, count: i64, filled: i64
):
    places, whole = space(i64, rank), begin
    for axis in inner_axes:
        places.i64[axis] = whole % sizes.i64[axis]
        whole = whole // sizes.i64[axis]
    places.i64[0] = whole
    stride, row = strides.i64[last], sizes.i64[last]
    done = 0
    while true:
        at, left = source, row - places.i64[last]
        for axis in axes:
            place = places.i64[axis]
            if rolled:
                place -= shifts.i64[axis]
                place = place + sizes.i64[axis] if below(place, 0) else place
            at += place * strides.i64[axis]
        if rolled:
            left = min(left, row - place)
        run, to = min(count - done, left), target + done * size
        if stride == 0:
            same = splat(at.one[0], lanes)
            for k in range(0, run, lanes):
                (to + k * size).vector[0] = same
        elif stride == size and run >= lanes:
            for k in range(0, run & -lanes, lanes):
                (to + k * size).vector[0] = (at + k * size).vector[0]
            end = (run - lanes) * size
            (to + end).vector[0] = (at + end).vector[0]
        else:
            for k in range(0, run):
                to.one[k] = (at + k * stride).one[0]
        done += run
        if done == count:
            break
        places.i64[last] += run
        is_over = places.i64[last] == row
        if is_over:
            places.i64[last] = 0
        for axis in outer_axes:
            if is_over:
                places.i64[axis] += 1
                is_over = places.i64[axis] == sizes.i64[axis]
                if is_over:
                    places.i64[axis] = 0
    repeated = target.one[count - 1]
    for k in range(count, filled):
        target.one[k] = repeated
"""

_TAKE = """
def take(
    target: ptr, source: ptr, index: ptr, length: i64, inner: i64,
    begin: i64, count: i64, filled: i64
) -> i1:
    eights, lengths = count & -8 if inner == 1 else 0, splat(length, 8)
    for k in range(0, eights, 8):
        numbers = (index + (begin + k) * 8).eight[0]
        places = numbers + lengths if below(numbers, 0) else numbers
        if not every(places < lengths):
            return true
        (target + k * size).found[0] = gathered(source, places)
    done, number, column = eights, (begin + eights) // inner, (begin + eights) % inner
    while done != count:
        given = index.i64[number]
        place = given + length if below(given, 0) else given
        if place >= length:
            return true
        at, to = source + (place * inner + column) * size, target + done * size
        run = min(inner - column, count - done)
        whole = run & -lanes
        for k in range(0, whole, lanes):
            (to + k * size).vector[0] = (at + k * size).vector[0]
        for k in range(whole, run):
            to.one[k] = at.one[k]
        done += run
        number += 1
        column = 0
    repeated = target.one[count - 1]
    for k in range(count, filled):
        target.one[k] = repeated
    return false
"""


def write_copies(w: Writer) -> None:
    """Write `copy`, and `pad` for numbers of each size; its name ends with that size."""
    routines(w, _COPY, "define", vector="<64 x i8>")
    for size in (1, 2, 4, 8):
        routines(w, _PAD, "define", pad=f"pad{size}", one=f"i{8 * size}")


def write_gather(w: Writer, size: int, rank: int, rolled: bool) -> None:
    """Write `gather`, or `roll`, for elements of a size; its name ends with size and rank."""
    axes = range(rank)
    routines(
        w, _GATHER, "define", "noinline #0",
        gather=f"{'roll' if rolled else 'gather'}{size}x{rank}", rolled=rolled, rank=rank,
        axes=axes, last=rank - 1, inner_axes=axes[:0:-1],
        outer_axes=axes[-2::-1] if rank > 1 else (),
        **_sizes(size),
    )  # fmt: skip


def write_take(w: Writer, size: int) -> None:
    """Write `take` for elements of a size; its name ends with that size."""
    one, eight = f"i{8 * size}", "<8 x i64>"
    name = f"<8 x {one}> @llvm.masked.gather.v8{one}.v8p0"
    w.declare(f"{name}(<8 x ptr>, i32, <8 x i1>, <8 x {one}>)")
    w.declare("i1 @llvm.vector.reduce.and.v8i1(<8 x i1>)")

    def gathered(source: str, places: str) -> Value:
        at = w.new(f"getelementptr {one}, ptr {source}, {eight} {places}")
        given = f"<8 x ptr> {at}, i32 {size}, <8 x i1> splat (i1 true), <8 x {one}> poison"
        return Value(f"<8 x {one}>", w.new(f"call {name}({given})"))

    def every(tests: str) -> Value:
        return Value("i1", w.new(f"call i1 @llvm.vector.reduce.and.v8i1(<8 x i1> {tests})"))

    own = {"gathered": gathered, "every": every, "found": f"<8 x {one}>", "eight": eight}
    routines(w, _TAKE, "define", "noinline #0", take=f"take{size}", **own, **_sizes(size))


def _sizes(size: int) -> dict[str, object]:
    """Return what the size of an element tells."""
    lanes, one = WIDEST // size, f"i{8 * size}"
    return {"size": size, "lanes": lanes, "one": one, "vector": f"<{lanes} x {one}>"}
