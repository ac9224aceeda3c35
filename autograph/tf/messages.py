"""Messages of protocol buffers: their fields in order, as bytes and as text.

text   = { field }
field  = name ": " (string | number | "true" | "false" | CONSTANT) | name " {" text "}"
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple

from autograph.tf.events import field


class Field(NamedTuple):
    """A field of a message: its number, its name, and what it holds."""

    number: int
    name: str
    value: Any


class Message(ABC):
    """What has fields: integers, floats, truth values, texts, bytes, and messages."""

    __slots__ = ()

    @abstractmethod
    def fields(self) -> Iterable[Field]:
        """Return the fields, in the order in which they are written."""

    def SerializeToString(self) -> bytes:  # noqa: N802  (the name that messages have)
        """Return the message as bytes."""
        return b"".join(field(x.number, _content(x.value)) for x in self.fields())

    def __repr__(self) -> str:
        return "".join(line + "\n" for line in _lines(self, ""))


class Record(Message):
    """A message of given fields.

    >>> print(Record(Field(1, "name", "x"), Field(2, "shape", Record())), end="")
    name: "x"
    shape {
    }
    """

    __slots__ = ("_fields",)

    def __init__(self, *fields: Field) -> None:
        self._fields = fields

    def fields(self) -> Iterable[Field]:
        """Return the fields."""
        return self._fields

    def __getattr__(self, name: str) -> Any:
        """Return what a field holds."""
        found = [x.value for x in self._fields if x.name == name]
        if not found:
            raise AttributeError(f"the message has no {name}")
        return found[0]


def _content(value: Any) -> Any:
    return value.SerializeToString() if isinstance(value, Message) else value


def _lines(message: Message, indent: str) -> Iterator[str]:
    for _, name, value in message.fields():
        if isinstance(value, Message):
            yield f"{indent}{name} {{"
            yield from _lines(value, indent + "  ")
            yield indent + "}"
        else:
            yield f"{indent}{name}: {_text(value)}"


def _text(value: Any) -> str:
    if isinstance(value, IntEnum):
        return value.name
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | bytes):
        data = value.encode() if isinstance(value, str) else value
        return f'"{"".join(map(_escaped, data))}"'
    return str(value).removesuffix(".0")


_ESCAPES = {10: r"\n", 13: r"\r", 9: r"\t", 34: r"\"", 39: r"\'", 92: r"\\"}


def _escaped(byte: int) -> str:
    """Return a byte as in C: printable ones of ASCII, and others in octal digits."""
    plain = chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
    return _ESCAPES.get(byte, plain)
