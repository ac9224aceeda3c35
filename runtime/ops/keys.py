"""Index expressions as text, and the shapes that they select.

    key   = item ("," item)* | "()"
    item  = "?" | integer | "None" | "..." | "True" | "False" | slice
    slice = [bound] ":" [bound] [":" bound]
    bound = integer | "?"

Each `?` stands for one part, an operand of the op: an integer for a slice or an axis, an array of
integers or booleans where the key selects element by element (NumPy's advanced indexing).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from runtime.dtypes import is_string
from runtime.errors import ShapeError
from runtime.graph.traits import Error, has_unknown, is_between, limits_of, raises_of_ranges
from runtime.ops.spec_rules import Size, as_size, operator_of
from runtime.spec import UNKNOWN, Shape, TensorSpec, broadcast_shapes

NAMED = {"None": None, "...": ..., "True": True, "False": False}

NOT_AN_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)


class Slot:
    """What stands for a part in a key that was read: `?`."""

    def __repr__(self) -> str:
        return "?"


SLOT = Slot()


@lru_cache(maxsize=4096)
def read_key(key: str) -> tuple[Any, ...]:
    """Return the items of a key: ints, None, Ellipsis, bools, slices, and `SLOT` for parts.

    >>> read_key("?, 1:?, None")
    (?, slice(1, ?, None), None)
    """
    texts = [] if key == "()" else key.split(",")
    return tuple(_read_item(text.strip()) for text in texts if text.strip())


def led_by(first: str, key: str) -> str:
    """Return a key with one item more in front.

    >>> led_by(":", "?, 0"), led_by("?", "()")
    (':, ?, 0', '?')
    """
    return first if key == "()" else f"{first}, {key}"


def _read_item(text: str) -> Any:
    if text in NAMED:
        return NAMED[text]
    if ":" in text:
        bounds = [_read_bound(bound) for bound in text.split(":")]
        return slice(*bounds)
    return _read_bound(text)


def _read_bound(text: str) -> Any:
    text = text.strip()
    if not text:
        return None
    return SLOT if text == "?" else int(text)


def write_key(items: Sequence[Any]) -> str:
    """Return the text of a key, the opposite of `read_key`."""
    return ", ".join(map(_write_item, items)) or "()"


def _write_item(item: Any) -> str:
    if isinstance(item, slice):
        bounds = (
            [item.start, item.stop] if item.step is None else [item.start, item.stop, item.step]
        )
        return ":".join("" if bound is None else str(bound) for bound in bounds)
    return "..." if item is ... else str(item)


def is_first_axis(key: str) -> bool:
    """Tell whether a key has one part, which says what is selected on the first axis.

    >>> is_first_axis("?, :"), is_first_axis(":, ?")
    (True, False)
    """
    first, *others = read_key(key)
    return first is SLOT and all(x in (slice(None), ...) for x in others)


def keyed(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """The rule of what ops with a key raise: indices out of range, steps of zero."""
    items, is_unknown = read_key(attrs["key"]), has_unknown(specs)
    steps = [x.step for x in items if isinstance(x, slice)]
    given = [x for x in items for x in _slots(x)]
    names = ["IndexError"] if _may_miss(specs, items, len(given)) else []
    is_written = len(specs) > 1 + len(given)
    names += ["ValueError"] if (is_unknown and is_written) or SLOT in steps else []
    return (*map(Error, names), *_assigned(specs[:2]), *raises_of_ranges(specs[:2], attrs))


def _slots(item: Any) -> list[Any]:
    parts = (item.start, item.stop, item.step) if isinstance(item, slice) else (item,)
    return [x for x in parts if x is SLOT]


def _may_miss(specs: Sequence[TensorSpec], items: Sequence[Any], count: int) -> bool:
    """Tell whether an index may be out of range; a mask of the array's own shape is not."""
    shape, first = specs[0].shape, specs[-1]
    if shape is None:
        return True
    if list(items[:1]) == [SLOT] and count == 1 and first.dtype.kind == "b" and first.shape:
        return first.shape != shape[: len(first.shape)] or UNKNOWN in shape
    is_whole = all(x is None or x is Ellipsis or isinstance(x, slice) for x in items)
    return not is_whole and (SLOT in items or has_unknown(specs[:1]))


def _assigned(specs: Sequence[TensorSpec]) -> tuple[Error, ...]:
    """Return what texts raise, and Python's floats, that are no elements of an array."""
    if is_string(specs[-1].dtype) and not is_string(specs[0].dtype):
        return (Error("ValueError"),)
    is_float = specs[-1].weak and specs[-1].dtype.kind == "f" and specs[0].dtype.kind in "iu"
    names = ("ValueError", "OverflowError") if is_float else ()
    fits = partial(is_between, *limits_of(specs[0].dtype)) if names else None
    return tuple(Error(name, (1,), fits) for name in names)


def fill(key: str, parts: Sequence[Any], integers: bool) -> tuple[Any, ...]:
    """Return the index for an array: a key with its parts filled in.

    Args:
        integers: whether every part is an integer, and is to be made a Python one.
    """
    given = iter(map(integer, parts) if integers else parts)
    return tuple(_fill_item(item, given) for item in read_key(key))


def get_part(xp: Any, x: Any, key: str, parts: Sequence[Any], integers: bool) -> Any:
    """Return the part of an array that a key with parts selects; `integers` as for `fill`."""
    name = "index" if integers else "gather"
    return operator_of(xp, name, operator.getitem)(x, fill(key, parts, integers))


def with_part(xp: Any, x: Any, value: Any, key: str, parts: Sequence[Any], integers: bool) -> Any:
    """Return a copy of an array with another value in the part that a key selects."""
    found = xp.array(x)
    name = "update" if integers else "scatter"
    operator_of(xp, name, operator.setitem)(found, fill(key, parts, integers), value)
    return found


def integer(x: Any) -> int:
    """Return an integer as one of Python's; arrays of other libraries have no `__index__`."""
    return operator.index(x) if hasattr(x, "__index__") else int(x)


def _fill_item(item: Any, given: Iterator[Any]) -> Any:
    if isinstance(item, slice):
        bounds = (item.start, item.stop, item.step)
        return slice(*(integer(next(given)) if x is SLOT else x for x in bounds))
    return next(given) if item is SLOT else item


@dataclass(frozen=True, slots=True)
class Advanced:
    """An item of a key that selects element by element.

    Args:
        shape: the shape of the indices; None when it is unknown.
        takes: how many axes it takes.
        checks: the sizes of those axes, for a mask.
        at: the index, where it is a known integer.
    """

    shape: Shape | None
    takes: int
    checks: Shape = ()
    at: int | None = None


def selected(shape: Shape | None, key: str, parts: Sequence[TensorSpec]) -> Shape | None:
    """Return the shape that an index selects from an array; IndexError when it cannot."""
    given = iter(parts)
    items = [_abstract(item, given) for item in read_key(key)]
    if shape is None or any(item is UNKNOWN for item in items):
        return None
    return _select(shape, items)


def _abstract(item: Any, given: Iterator[TensorSpec]) -> Any:
    """Return an item with what is known of its parts; UNKNOWN when it takes an unknown rank."""
    if isinstance(item, slice):
        return slice(*(_bound(x, given) for x in (item.start, item.stop, item.step)))
    if isinstance(item, bool):
        return Advanced((int(item),), 0)
    if item is not SLOT:
        return item
    part = next(given)
    if part.dtype.kind == "b":
        return UNKNOWN if part.shape is None else _mask(part.shape)
    if part.dtype.kind not in "iu":
        raise IndexError(f"{NOT_AN_INDEX}, not {part}")
    return Advanced(part.shape, 1)


def _mask(shape: Shape) -> Advanced:
    return Advanced((UNKNOWN,), len(shape), shape)


def _bound(bound: Any, given: Iterator[TensorSpec]) -> Any:
    if bound is not SLOT:
        return bound
    part = next(given)
    if part.dtype.kind not in "biu" or part.shape:
        raise TypeError(f"slice bounds must be integers, not {part}")
    return SLOT


def _takes(item: Any) -> int:
    if item is None or item is ...:
        return 0
    return item.takes if isinstance(item, Advanced) else 1


def _select(shape: Shape, items: list[Any]) -> Shape | None:
    items = _expand_ellipsis(items, len(shape))
    advanced = [item for item in items if isinstance(item, Advanced)]
    joined = any(item.shape != () or not item.takes for item in advanced)
    result: list[Size] = []
    places: list[int] = []
    at: list[int] = []
    axis = 0
    for number, item in enumerate(items):
        sizes = shape[axis : axis + _takes(item)]
        axis += len(sizes)
        if isinstance(item, int | Advanced):
            _check(item, sizes, axis - len(sizes))
            places.append(number)
            at.append(len(result))
        else:
            result.append(1 if item is None else _slice_size(item, sizes[0]))
    if not joined:
        return tuple(result)
    together = broadcast_indices([item.shape for item in advanced])
    if together is None:
        return None
    start = at[0] if places == list(range(places[0], places[-1] + 1)) else 0
    return (*result[:start], *together, *result[start:])


def _expand_ellipsis(items: list[Any], rank: int) -> list[Any]:
    """Return items that take every axis: slices stand for the ellipsis, or follow at the end."""
    taken = sum(map(_takes, items))
    if taken > rank:
        raise IndexError(
            f"too many indices for array: array is {rank}-dimensional, but {taken} were indexed"
        )
    dots = [number for number, item in enumerate(items) if item is ...]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    place = dots[0] if dots else len(items)
    return [*items[:place], *[slice(None)] * (rank - taken), *items[place + 1 :]]


def broadcast_indices(shapes: Sequence[Shape | None]) -> Shape | None:
    """Return the shape of several indices together; IndexError when they do not broadcast."""
    try:
        return broadcast_shapes(shapes)
    except ShapeError as error:
        found = " ".join(str(shape) for shape in shapes)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {found}"
        ) from error


def _check(item: int | Advanced, sizes: Shape, axis: int) -> None:
    """Raise IndexError when an index is known to be out of range, or a mask does not fit."""
    if isinstance(item, int):
        (size,) = sizes
        if isinstance(size, int) and not -size <= item < size:
            raise IndexError(f"index {item} is out of bounds for axis {axis} with size {size}")
        return
    for number, (wanted, size) in enumerate(zip(item.checks, sizes, strict=False)):
        if isinstance(wanted, int) and isinstance(size, int) and wanted != size:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis + number}; size of "
                f"axis is {size} but size of corresponding boolean axis is {wanted}"
            )


def _slice_size(item: slice, size: Size) -> Size:
    bounds = (item.start, item.stop, item.step)
    if item.step == 0:
        raise ValueError("slice step cannot be zero")
    if SLOT not in bounds and isinstance(size, int):
        return len(range(*item.indices(size)))
    whole = item.start in (None, 0) and item.stop is None and item.step in (None, 1)
    backwards = bounds == (None, None, -1)
    return size if whole or backwards else as_size(0 if item.stop == 0 and not item.start else None)


def check_fits(value: TensorSpec, target: Shape | None) -> None:
    """Raise ShapeError when a value cannot be assigned to what an index selects."""
    if value.shape is None or target is None:
        return
    extra = max(0, len(value.shape) - len(target))
    sizes, leading = value.shape[extra:], value.shape[:extra]
    known = zip(reversed(sizes), reversed(target), strict=False)
    fits = all(m == n or m == 1 for m, n in known if isinstance(m, int) and isinstance(n, int))
    if not fits or any(isinstance(n, int) and n != 1 for n in leading):
        raise ShapeError(
            f"could not broadcast input array from shape {_shape_text(value.shape)} into shape "
            f"{_shape_text(target)}"
        )


def _shape_text(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
