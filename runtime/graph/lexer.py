"""The words of a printed graph, read one after the other.

Comes in: text. Goes out: words with their kind, literals and specs made of them, or a
GraphFormatError that says the line, what was expected and what stands there. Nothing in the text is
ever executed. It knows the small parts of the grammar in `runtime.graph.node`; nodes and regions
are the reader's.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

from runtime.dtypes import BY_SHORT_NAME, PYTHON_TYPES, DType, is_string, short_name
from runtime.errors import GraphFormatError
from runtime.graph.reference import Reference
from runtime.spec import UNKNOWN, WEAK_SPECS, Dim, Shape, TensorSpec, make_spec

T = TypeVar("T")
WORD = re.compile(
    r"""\s*(?:
      (?P<value>%\w+)
    | (?P<number>-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:e[-+]?\d+)?|inf|nan)(?!\w))
    | (?P<name>[^\W\d]\w*)
    | (?P<string>'[^'\\\n]*(?:\\.[^'\\\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*")
    | (?P<mark>\.\.\.|[][(){}=:,?@])
    | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
ESCAPE = re.compile(r"\\(?:(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|(.))")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
CONSTANTS: dict[str, Any] = {"None": None, "True": True, "False": False}
WEAK_NAMES: dict[str, TensorSpec] = {kind.__name__: spec for kind, spec in WEAK_SPECS.items()}
DEEPEST = 100
MOST_DIMENSIONS = 64


class Words:  # Long: the words of the grammar are read one by one from one place in one text.
    """A place in a text: `kind` and `word` are what stands there.

    Args:
        text: the whole text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = self.start = 0
        self._depth = 0
        self.kind = self.word = ""
        self.advance()

    def advance(self) -> str:
        """Go to the next word and return the one that was passed."""
        passed = self.word
        match = WORD.match(self._text, self._end)
        if match is None or match.lastgroup is None:
            blanks = re.compile(r"\s*").match(self._text, self._end)
            self.start = blanks.end() if blanks else self._end
            self.kind, self.word = "mark", self._text[self.start]
            self.fail("a value, a name, a number, a string or a mark")
        self.kind, self.word = match.lastgroup, match[match.lastgroup]
        self.start, self._end = match.start(match.lastgroup), match.end()
        return passed

    def fail(self, expected: str) -> NoReturn:
        """Raise the error that something else was expected here."""
        found = repr(_shortened(self.word)) if self.kind != "end" else "the end of the text"
        raise self.error(f"expected {expected}, found {found}")

    def error(self, message: str, start: int | None = None) -> GraphFormatError:
        """Return an error for this place, or for an earlier one."""
        start = self.start if start is None else start
        line = self._text.count("\n", 0, start) + 1
        source = self._text.split("\n")[line - 1].strip()
        return GraphFormatError(f"line {line}: {message}\n    {_shortened(source, 100)}")

    def accept(self, mark: str) -> bool:
        """Pass a mark if it stands here."""
        found = self.kind == "mark" and self.word == mark
        if found:
            self.advance()
        return found

    def expect(self, mark: str) -> None:
        """Pass a mark or a keyword, which must stand here."""
        if self.word != mark or self.kind not in ("mark", "name"):
            self.fail(repr(mark))
        self.advance()

    def take(self, kind: str, what: str) -> str:
        """Pass a word of a kind and return it; `what` says what is wanted."""
        if self.kind != kind:
            self.fail(what)
        return self.advance()

    def listed(self, close: str, read: Callable[[], T]) -> list[T]:
        """Read items with commas between them and the mark that closes the list."""
        found: list[T] = []
        while not self.accept(close):
            if found and not self.accept(","):
                self.fail(f"',' or {close!r}")
            found.append(read())
        return found

    def size(self) -> int:
        """Read the size of a dimension."""
        if not self.word.isdecimal() or len(self.word) > 18:
            self.fail("a size")
        return int(self.advance())

    def spec(self) -> TensorSpec:
        """Read the spec of a value."""
        if self.kind != "name" or (self.word not in BY_SHORT_NAME and self.word not in WEAK_NAMES):
            self.fail("a spec, such as f32[3, n] or float")
        name = self.advance()
        if self.accept("["):
            return make_spec(self._dtype(name), self._dims())
        if name not in WEAK_NAMES:
            self.fail(f"'[' and the sizes of {name}")
        return WEAK_NAMES[name]

    def _dtype(self, name: str) -> DType:
        if name not in BY_SHORT_NAME:
            raise self.error(f"expected a dtype, found {name!r}")
        return BY_SHORT_NAME[name]

    def _dims(self) -> Shape | None:
        if self.accept("..."):
            self.expect("]")
            return None
        return tuple(self.listed("]", self._dim))

    def _dim(self) -> int | Dim:
        if self.accept("?"):
            return UNKNOWN
        return Dim(self.advance()) if self.kind == "name" else self.size()

    def literal(self) -> Any:
        """Read the value of an attribute."""
        if self.kind == "string":
            return self.string()
        if self.kind == "number" or self.word in ("True", "False", "complex"):
            return self.number()
        if self.word in CONSTANTS:
            return CONSTANTS[self.advance()]
        if self.accept("("):
            return self._tuple()
        if self.accept("@"):
            return self._reference()
        if self.kind == "name" and self.word == "dtype":
            return self._dtype_literal()
        if self.kind == "name" and self.word in WEAK_NAMES and not self._has_items():
            return WEAK_NAMES[self.advance()]
        if self.kind == "name" and self.word in BY_SHORT_NAME:
            return self._array_or_scalar(BY_SHORT_NAME[self.advance()])
        self.fail("a number, a string, None, a tuple, or a dtype with items")

    def _dtype_literal(self) -> DType:
        self.advance()
        self.expect("(")
        found = self._dtype(self.take("name", "the name of a dtype"))
        self.expect(")")
        return found

    def _reference(self) -> Reference:
        """Read a reference after its `@`; without a number it is found by the name in it."""
        kind = self.take("name", "what is referred to")
        self.expect("(")
        name, number, process = self.string(), None, ""
        if self.accept(","):
            number = self.size()
            self.expect(",")
            process = self.string()
        elif kind not in ("function", "exception") or ":" not in name:
            raise self.error(
                f"where the {kind} {name!r} is was left out for people; "
                "print_graph(graph, elide=False) writes a text that can be read"
            )
        self.expect(")")
        return Reference(kind, name, number, process)

    def _has_items(self) -> bool:
        """Tell whether sizes or items follow a name."""
        following = WORD.match(self._text, self._end)
        return following is not None and following["mark"] in ("[", "(")

    def string(self) -> str:
        """Read a string with the escapes that `repr` writes."""
        start = self.start
        text = self.take("string", "a string")
        try:
            return ESCAPE.sub(_unescaped, text[1:-1])
        except (KeyError, ValueError, OverflowError):
            raise self.error("a backslash stands before something unknown", start) from None

    def number(self) -> complex:
        """Read a Python number."""
        if self.word in ("True", "False"):
            return bool(CONSTANTS[self.advance()])
        if self.word == "complex":
            return self._complex()
        text = self.take("number", "a number")
        if "x" in text:
            return int(text, 16)
        is_float = any(mark in text for mark in ".ein")
        try:
            return float(text) if is_float else int(text)
        except ValueError as error:
            raise self.error(f"{_shortened(text)} is no number: {error}") from None

    def _complex(self) -> complex:
        self.advance()
        self.expect("(")
        real = self.number()
        self.expect(",")
        imaginary = self.number()
        self.expect(")")
        if not type(real) is type(imaginary) is float:
            raise self.error("complex() takes two floats")
        return complex(real, imaginary)

    def _tuple(self) -> tuple[Any, ...]:
        """Read the items of a tuple and its closing parenthesis."""
        if self.accept(")"):
            return ()
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} tuples are nested")
        first = self.literal()
        self.expect(",")
        rest = () if self.accept(")") else self.listed(")", self.literal)
        self._depth -= 1
        return (first, *rest)

    def _array_or_scalar(self, dtype: DType) -> Any:
        """Read the sizes of an array, if it is one, and the items; without items it is a spec."""
        shape: Shape | None = None
        if self.accept("["):
            shape = self._dims()
            if shape is None or self.word != "(":
                return make_spec(dtype, shape)
        sizes = tuple(n for n in shape or () if isinstance(n, int))
        if len(sizes) < len(shape or ()):
            raise self.error("the sizes of an array are numbers")
        if len(sizes) > MOST_DIMENSIONS:
            raise self.error(f"an array has at most {MOST_DIMENSIONS} dimensions")
        self.expect("(")
        array = self._items(dtype, sizes)
        self.expect(")")
        return array[()] if shape is None else array

    def _items(self, dtype: DType, shape: tuple[int, ...]) -> Any:
        if self.kind == "mark" and self.word == "...":
            raise self.error(
                "the items of this array were left out for people; "
                "print_graph(graph, elide=False) writes a text that can be read"
            )
        start = self.start
        try:
            array = self._bytes(dtype) if self.word == "base64" else self._numbers(dtype, shape)
            array = array.reshape(shape)
        except (ValueError, OverflowError) as error:
            if isinstance(error, GraphFormatError):
                raise
            raise self.error(f"these are no {math.prod(shape)} items: {error}", start) from None
        array.flags.writeable = False
        return array

    def _bytes(self, dtype: DType) -> Any:
        self.advance()
        text = self.take("string", "a string of base64")
        data = base64.b64decode(text[1:-1], validate=True)
        if dtype.kind == "b" and data.strip(b"\0\1"):
            raise ValueError("a bool is the byte 0 or 1")
        return np.frombuffer(data, dtype.newbyteorder("<")).astype(dtype)

    def _numbers(self, dtype: DType, shape: tuple[int, ...]) -> Any:
        """Read nested lists of texts, or of numbers of the Python type of the dtype."""
        numbers: list[Any] = []
        start = self.start
        shape = (0,) if 0 in shape else shape
        self._rows(shape, numbers, self.string if is_string(dtype) else self.number)
        if is_string(dtype):
            return np.array(numbers, dtype)
        kind = PYTHON_TYPES["i" if dtype.kind == "u" else dtype.kind]
        if not all(type(number) is kind for number in numbers):
            name = short_name(dtype)
            raise self.error(f"the items of {name} are written as {kind.__name__}", start)
        return np.array(numbers, dtype)

    def _rows(self, shape: tuple[int, ...], numbers: list[Any], read: Callable[[], Any]) -> None:
        if not shape:
            numbers.append(read())
            return
        self.expect("[")
        for row in range(shape[0]):
            if row:
                self.expect(",")
            self._rows(shape[1:], numbers, read)
        self.expect("]")


def _unescaped(match: re.Match[str]) -> str:
    digits, letter = match.groups()
    return chr(int(digits[1:], 16)) if digits else ESCAPES[letter]


def _shortened(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
