"""`tf.train.Example`: numbers, texts and bytes by name, as messages of protocol buffers.

Example   = Features                    Features = { name: Feature }
Feature   = BytesList | FloatList | Int64List
message   = { key, content }            key      = number of the field << 3 | wire type
content   = varint (0) | 8 bytes (1) | length and bytes (2) | 4 bytes (5)
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from autograph.tf.errors import DataLossError
from autograph.tf.events import varint
from autograph.tf.messages import Field, Message, Record


class _List(Message):
    """Values of one kind.

    Args:
        value: a list of them.
    """

    __slots__ = ("value",)
    kept: Callable[[Any], Any]
    """Returns a value as it is kept."""

    def __init__(self, value: Any = ()) -> None:
        if not isinstance(value, Iterable) or isinstance(value, str | bytes):
            raise TypeError(f"{type(self).__name__} takes a list of values, not {value!r}")
        self.value = list(map(type(self).kept, value))

    def fields(self) -> Iterable[Field]:
        """Return the fields: one for each value, as messages are written for people."""
        return [Field(1, "value", x) for x in self.value]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.value == self.value

    __hash__ = None  # type: ignore[assignment]


def bytes_of(value: Any) -> bytes:
    """Return bytes, of a text, an array of uint8, or a tensor of either."""
    found = value.numpy() if hasattr(value, "numpy") else value
    if isinstance(found, str):
        return found.encode()
    if isinstance(found, bytes | bytearray | memoryview):
        return bytes(found)
    if isinstance(found, np.ndarray) and found.dtype == np.uint8:
        return found.tobytes()
    raise TypeError(
        f"{value!r} is neither bytes nor a text; write tf.io.serialize_tensor(x) for a tensor"
    )


class BytesList(_List):
    """Texts and bytes."""

    __slots__ = ()
    kept = staticmethod(bytes_of)


class FloatList(_List):
    """Numbers of float32."""

    __slots__ = ()
    kept = np.float32

    def SerializeToString(self) -> bytes:  # noqa: N802  (the name that messages have)
        """Return the message as bytes: all numbers in one field."""
        data = np.asarray(self.value, "<f4").tobytes()
        return varint(10) + varint(len(data)) + data if data else b""


class Int64List(_List):
    """Whole numbers."""

    __slots__ = ()
    kept = int

    def SerializeToString(self) -> bytes:  # noqa: N802  (the name that messages have)
        """Return the message as bytes: all numbers in one field."""
        data = b"".join(map(varint, self.value))
        return varint(10) + varint(len(data)) + data if data else b""


KINDS: dict[int, tuple[str, type[_List]]] = {
    1: ("bytes_list", BytesList),
    2: ("float_list", FloatList),
    3: ("int64_list", Int64List),
}


class Feature(Message):
    """Values under one name: `bytes_list`, `float_list` or `int64_list`.

    >>> print(Feature(int64_list=Int64List([7])), end="")
    int64_list {
      value: 7
    }
    """

    __slots__ = ("bytes_list", "float_list", "int64_list")

    def __init__(self, bytes_list: Any = None, float_list: Any = None, int64_list: Any = None):
        self.bytes_list, self.float_list, self.int64_list = bytes_list, float_list, int64_list

    def fields(self) -> Iterable[Field]:
        """Return the list that there is."""
        lists = ((number, name, getattr(self, name)) for number, (name, _) in KINDS.items())
        return [Field(number, name, x) for number, name, x in lists if x is not None]

    def WhichOneof(self, group: str = "kind") -> str | None:  # noqa: N802  (as messages have it)
        """Return the name of the list that there is."""
        return next((x.name for x in self.fields()), None)

    @property
    def values(self) -> list[Any]:
        """The values of the list that there is."""
        return next((x.value.value for x in self.fields()), [])


class Features(Message):
    """Features by their names."""

    __slots__ = ("feature",)

    def __init__(self, feature: Mapping[str, Feature] | None = None) -> None:
        if not isinstance(feature, Mapping | None):
            raise TypeError(f"Features takes a dict of features by their names, not {feature!r}")
        self.feature = dict(feature or {})

    def fields(self) -> Iterable[Field]:
        """Return an entry for each name, in the order of names."""
        return [
            Field(1, "feature", Record(Field(1, "key", name), Field(2, "value", x)))
            for name, x in sorted(self.feature.items())
        ]


class Example(Message):
    """One sample: features by their names.

    >>> example = Example(features=Features({"x": Feature(int64_list=Int64List([7, -1]))}))
    >>> Example.FromString(example.SerializeToString()).features.feature["x"].int64_list.value
    [7, -1]
    """

    __slots__ = ("features",)

    def __init__(self, features: Features | None = None) -> None:
        self.features = Features() if features is None else features

    def fields(self) -> Iterable[Field]:
        """Return the features."""
        return [Field(1, "features", self.features)]

    def ParseFromString(self, serialized: Any) -> None:  # noqa: N802  (as messages have it)
        """Take the features of a message that was written as bytes."""
        self.features = Example.FromString(serialized).features

    @staticmethod
    def FromString(serialized: Any) -> Example:  # noqa: N802  (as messages have it)
        """Return what was written as bytes; DataLossError when that is no example."""
        try:
            return _example(bytes_of(serialized))
        except (IndexError, struct.error, UnicodeDecodeError, ValueError) as error:
            raise DataLossError(f"the bytes are no tf.train.Example: {error}") from None


def _example(data: bytes) -> Example:
    found: dict[str, Feature] = {}
    for features in _contents(data, 1):
        for entry in _contents(features, 1):
            (name,) = _contents(entry, 1)
            found[name.decode()] = next(map(_feature, _contents(entry, 2)), Feature())
    return Example(Features(found))


def _feature(data: bytes) -> Feature:
    for number, content in _parts(data):
        if number in KINDS:
            name, kind = KINDS[number]
            return Feature(**{name: kind(_values(kind, content))})
    return Feature()


def _values(kind: type[_List], data: bytes) -> Iterator[Any]:
    """Yield the values of a list, which may be packed into one field or stand in one each."""
    for number, content in _parts(data):
        if number != 1:
            continue
        if kind is BytesList:
            yield content
        elif kind is FloatList:
            yield from np.frombuffer(content, "<f4")
        elif isinstance(content, int):
            yield _signed(content)
        else:
            place = 0
            while place < len(content):
                value, place = _varint(content, place)
                yield _signed(value)


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _contents(data: bytes, number: int) -> list[Any]:
    return [content for found, content in _parts(data) if found == number]


def _parts(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the numbers of the fields of a message, and what they hold."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        wire = key & 7
        if wire == 0:
            value, place = _varint(data, place)
            yield key >> 3, value
            continue
        size = {1: 8, 5: 4}.get(wire)
        if size is None and wire != 2:
            raise ValueError(f"a field of the wire type {wire}")
        if size is None:
            size, place = _varint(data, place)
        if place + size > len(data):
            raise ValueError("it ends within a field")
        yield key >> 3, data[place : place + size]
        place += size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return an integer that begins at a place, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
