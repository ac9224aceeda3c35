"""Texts: arrays of NumPy's strings of any length, on the CPU.

An array of texts has the dtype `string`, NumPy's `StringDType`. One text is a `str`, or such an
array without dimensions. `+` and comparisons are the ops of these names; what is here has no ufunc.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np

from runtime.dtypes import STRING, DType, as_dtype, is_string
from runtime.errors import DtypeError, ShapeError, exact
from runtime.graph.opdef import Samples, op
from runtime.graph.traits import raises, raises_of_shapes
from runtime.ops.families import FACTS
from runtime.ops.samples import Call, Rng
from runtime.ops.spec_rules import Axis, broadcast
from runtime.spec import UNKNOWN, TensorSpec, make_spec

WORDS = ("", "a", "Hello World", " two  words ", "1.5", "grün", "x,y,z", "-7")


def _texts(x: Any) -> Any:
    return np.asarray(x, STRING)


def _each(function: Callable[..., Any], dtype: Any, *arrays: Any) -> Any:
    """Return what a Python function makes of each element, as an array or a scalar."""
    found = np.frompyfunc(function, len(arrays), 1)(*(np.asarray(x, object) for x in arrays))
    return np.asarray(found, object).astype(dtype)[()]


def _need_text(spec: TensorSpec, what: str) -> None:
    if not is_string(spec.dtype):
        raise DtypeError(
            f"{what} takes texts, not {spec}; ag.strings.as_string(x) makes texts of numbers"
        )


def _to(dtype: DType, what: str) -> Callable[..., TensorSpec]:
    """Return the rule of ops that make something of each text."""

    def rule(x: TensorSpec, **attrs: Any) -> TensorSpec:
        _need_text(x, what)
        return make_spec(dtype, x.shape)

    return rule


def _samples(*given: dict[str, Any]) -> Samples:
    """Return samples for functions of one array of texts, with each of the attributes."""

    def draw(rng: Rng, dtype: DType) -> Iterator[Call]:
        words = np.array(WORDS, STRING)
        for attrs in given:
            for array in (words, words.reshape(2, 4).T, words[:0], "one Text"):
                yield (array,), attrs

    return Samples((STRING,), draw)


def _calls(*inputs: tuple[Any, ...], **attrs: Any) -> Samples:
    def draw(rng: Rng, dtype: DType) -> Iterator[Call]:
        for one in inputs:
            yield one, attrs

    return Samples((STRING,), draw)


CHANGES: dict[str, Callable[[str], str]] = {
    name: getattr(str, name)
    for name in ("lower", "upper", "capitalize", "title", "swapcase", "strip", "lstrip", "rstrip")
}
"""What `string_change` does, by the names of Python's methods."""


def _change_spec(x: TensorSpec, how: str) -> TensorSpec:
    _need_text(x, how)
    if how not in CHANGES:
        raise exact(DtypeError(f"a text is changed by {', '.join(CHANGES)}, not by {how!r}"))
    return make_spec(STRING, x.shape)


string_change = op(
    "string_change(x, /, *, how)",
    doc="Each text after Python's method of a name, such as `lower` or `strip`.",
    spec=_change_spec,
    kernel=lambda xp, x, how: _each(CHANGES[how], STRING, _texts(x)),
    samples=_samples(*({"how": name} for name in CHANGES)),
    family=FACTS,
)


def _size(unit: str) -> Callable[[str], int]:
    return len if unit == "char" else lambda text: len(text.encode())


def _need_unit(unit: str) -> None:
    if unit not in ("char", "byte"):
        raise exact(DtypeError(f"a text is measured in 'char' or 'byte', not in {unit!r}"))


def _length_spec(x: TensorSpec, unit: str) -> TensorSpec:
    _need_text(x, "length")
    _need_unit(unit)
    return make_spec(np.dtype(np.int64), x.shape)


string_length = op(
    "string_length(x, /, unit='char')",
    doc="The length of each text, in characters or in bytes of UTF-8.",
    spec=_length_spec,
    kernel=lambda xp, x, unit: _each(_size(unit), np.int64, _texts(x)),
    samples=_samples({}, {"unit": "byte"}),
    family=FACTS,
)


def _part(unit: str, text: str, start: int, length: int) -> str:
    whole: Any = text if unit == "char" else text.encode()
    first = start if start >= 0 else len(whole) + start
    if not 0 <= first <= len(whole):
        raise ValueError(f"substr: the position {start} is not in {text!r}, of length {len(whole)}")
    part = whole[first : first + max(length, 0)]
    return part if unit == "char" else part.decode()  # type: ignore[no-any-return]


def _substr_spec(x: TensorSpec, start: TensorSpec, length: TensorSpec, unit: str) -> TensorSpec:
    _need_text(x, "substr")
    _need_unit(unit)
    for spec in (start, length):
        if spec.dtype.kind not in "iu":
            raise exact(
                DtypeError(f"substr takes whole numbers for position and length, not {spec}")
            )
    return make_spec(STRING, broadcast(x, start, length))


string_substr = op(
    "string_substr(x, start, length, /, unit='char')",
    doc="The part of each text from a position on; ValueError where that is not in the text.",
    spec=_substr_spec,
    kernel=lambda xp, x, start, length, unit: _each(
        partial(_part, unit), STRING, _texts(x), start, length
    ),
    samples=_calls(("some text", 2, 4), (np.array(["abc", "xyz"], STRING), np.array([-1, 0]), 2)),
    family=FACTS,
    raises=raises("ValueError"),
)


def _join_spec(*xs: TensorSpec, separator: str) -> TensorSpec:
    for x in xs:
        _need_text(x, "join")
    return make_spec(STRING, broadcast(*xs))


def _join(separator: str, *parts: str) -> str:
    return separator.join(parts)


string_join = op(
    "string_join(*xs, separator='')",
    doc="Texts joined element by element, with a separator between them.",
    spec=_join_spec,
    kernel=lambda xp, *xs, separator: _each(partial(_join, separator), STRING, *map(_texts, xs)),
    samples=_calls(("a", "b"), (np.array(["a", "b"], STRING), "c", "d"), separator="-"),
    family=FACTS,
    raises=raises_of_shapes,
)


def _reduced(axis: Axis, x: TensorSpec) -> Any:
    if axis is None:
        return ()
    if x.shape is None:
        return None
    if not isinstance(axis, int) or not -len(x.shape) <= axis < len(x.shape):
        raise exact(ShapeError(f"join along axis {axis} of {x}, which has {len(x.shape)} axes"))
    place = axis % len(x.shape)
    return (*x.shape[:place], *x.shape[place + 1 :])


def _reduce_join_spec(x: TensorSpec, axis: Axis, separator: str) -> TensorSpec:
    _need_text(x, "join")
    return make_spec(STRING, _reduced(axis, x))


def _reduce_join_kernel(xp: Any, x: Any, axis: int | None, separator: str) -> Any:
    texts = _texts(x)
    if axis is None:
        return separator.join(texts.ravel().tolist())
    rows = np.moveaxis(texts, axis, -1)
    joined = [separator.join(row) for row in rows.reshape(-1, rows.shape[-1]).tolist()]
    return np.array(joined, STRING).reshape(rows.shape[:-1])[()]


string_reduce_join = op(
    "string_reduce_join(x, /, axis=None, separator='')",
    doc="The texts along an axis, or all of them, joined to one.",
    spec=_reduce_join_spec,
    kernel=_reduce_join_kernel,
    samples=_calls((np.array([["a", "b"], ["c", "d"]], STRING),), axis=0, separator=" "),
    family=FACTS,
)


def _split_spec(x: TensorSpec, separator: str | None) -> TensorSpec:
    _need_text(x, "split")
    if x.shape != ():
        raise _several_parts(x)
    return make_spec(STRING, (UNKNOWN,))


def _several_parts(x: TensorSpec) -> ShapeError:
    return ShapeError(
        f"split of {x}: the texts have several numbers of parts, which make no array; split "
        "them one by one, in a loop or with ag.data.Dataset.from_arrays"
    )


def _split(xp: Any, x: Any, separator: str | None) -> Any:
    if np.ndim(x):
        raise _several_parts(make_spec(STRING, np.shape(x)))
    return np.array(str(x).split(separator or None), STRING)


string_split = op(
    "string_split(x, /, separator=None)",
    doc="The parts of one text between separators, or between blanks.",
    spec=_split_spec,
    kernel=_split,
    samples=_calls(("a b  c",), ("",)),
    family=FACTS,
)


def _number(kind: Any, text: str) -> Any:
    try:
        return kind(text)
    except (ValueError, OverflowError):
        raise ValueError(f"to_number: {text!r} is no number of {kind.__name__}") from None


def _to_number_spec(x: TensorSpec, dtype: str) -> TensorSpec:
    _need_text(x, "to_number")
    kind = as_dtype(dtype)
    if kind.kind not in "if":
        raise exact(DtypeError(f"to_number gives whole numbers or floats, not {kind}"))
    return make_spec(kind, x.shape)


string_to_number = op(
    "string_to_number(x, /, dtype='float64')",
    doc="The number that each text says; ValueError where it says none.",
    spec=_to_number_spec,
    kernel=lambda xp, x, dtype: _each(
        partial(_number, np.dtype(dtype).type), np.dtype(dtype), _texts(x)
    ),
    samples=_calls(("7",), (np.array(["1", " 2"], STRING),), dtype="int32"),
    family=FACTS,
    raises=raises("ValueError"),
)


def _as_string_spec(x: TensorSpec, form: str) -> TensorSpec:
    if is_string(x.dtype):
        raise exact(DtypeError(f"as_string makes texts of numbers, and {x} has texts already"))
    return make_spec(STRING, x.shape)


as_string = op(
    "as_string(x, /, form='')",
    doc="The text of each number, as `format` writes it.",
    spec=_as_string_spec,
    kernel=lambda xp, x, form: _each(lambda one: format(one, form), STRING, x),
    samples=_calls((np.array([1.5, -2.0]),), (3,), form="6.2f"),
    family=FACTS,
)


def _bucket(buckets: int, text: str) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") % buckets


def _hash_spec(x: TensorSpec, buckets: int) -> TensorSpec:
    _need_text(x, "to_hash_bucket")
    if buckets < 1:
        raise exact(ShapeError(f"to_hash_bucket needs at least one bucket, not {buckets}"))
    return make_spec(np.dtype(np.int64), x.shape)


string_hash = op(
    "string_hash(x, /, *, buckets)",
    doc="A number below `buckets` for each text, the same in all processes (BLAKE2b).",
    spec=_hash_spec,
    kernel=lambda xp, x, buckets: _each(partial(_bucket, buckets), np.int64, _texts(x)),
    samples=_samples({"buckets": 10}),
    family=FACTS,
)


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None


string_replace = op(
    "string_replace(x, /, *, pattern, rewrite, count=0)",
    doc="Each text with what a regular expression matches replaced; `count` 0 means all.",
    spec=_to(STRING, "regex_replace"),
    kernel=lambda xp, x, pattern, rewrite, count: _each(
        lambda text: _pattern(pattern).sub(rewrite, text, count=count), STRING, _texts(x)
    ),
    samples=_samples({"pattern": "[aeo]", "rewrite": "<\\g<0>>"}),
    family=FACTS,
)

string_matches = op(
    "string_matches(x, /, *, pattern)",
    doc="Whether a regular expression matches the whole of each text.",
    spec=_to(np.dtype(bool), "regex_full_match"),
    kernel=lambda xp, x, pattern: _each(
        lambda text: _pattern(pattern).fullmatch(text) is not None, np.bool_, _texts(x)
    ),
    samples=_samples({"pattern": "[a-z]+"}),
    family=FACTS,
)
