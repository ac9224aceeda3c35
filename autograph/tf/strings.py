"""`tf.strings`: functions of texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.calls import host_callback
from autograph.tf.absent import missing_from
from autograph.tf.composite import takes_composites
from autograph.tf.errors import translating
from autograph.tf.ragged_tensor import RaggedTensor, splits_of
from autograph.tf.tensors import as_result, convert_to_tensor, takes
from runtime import strings
from runtime.dtypes import STRING, is_string
from runtime.spec import TensorSpec

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_number",
    "unicode_decode",
    "unicode_split",
    "upper",
]


def _unit(unit: str) -> str:
    return "byte" if unit == "BYTE" else "char"


@takes_composites
def join(inputs: Any, separator: str = "", name: Any = None) -> Any:
    """Return texts joined element by element."""
    with translating():
        return as_result(strings.join([convert_to_tensor(x) for x in inputs], separator))


@takes(1)
def split(input: Any, sep: str | None = None, maxsplit: int = -1) -> Any:
    """Return the parts of a text; of several texts those of each, as rows."""
    if input.ndim == 0 and maxsplit < 0:
        return strings.split(input, sep or None)
    found = _split_rows(input, lambda text: text.split(sep or None, maxsplit))
    return found.values if input.ndim == 0 else found


def _split_rows(texts: Any, split: Callable[[str], list[str]]) -> RaggedTensor:
    """Return the parts of each text, `string[texts, (parts)]`."""

    def parted(given: Any) -> Any:
        rows = [split(text) for text in np.asarray(given.array).ravel().tolist()]
        parts = [part for row in rows for part in row]
        return np.array(parts, STRING), np.array([len(row) for row in rows], np.int64)

    specs = (TensorSpec([None], STRING), TensorSpec([None], np.int64))
    values, lengths = host_callback.py_function(parted, [texts], specs)
    return RaggedTensor(as_result(values), splits_of(lengths))


@takes(1)
def length(input: Any, unit: str = "BYTE") -> Any:
    """Return the length of each text, in bytes unless `unit="UTF8_CHAR"`."""
    return strings.length(input, _unit(unit)).astype(np.int32)


@takes(3)
def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE") -> Any:
    """Return the part of each text from a position on."""
    return strings.substr(input, pos, len, _unit(unit))


@takes(1)
def lower(input: Any) -> Any:
    """Return each text in small letters."""
    return strings.lower(input)


@takes(1)
def upper(input: Any) -> Any:
    """Return each text in capital letters."""
    return strings.upper(input)


@takes(1)
def strip(input: Any) -> Any:
    """Return each text without blanks around it."""
    return strings.strip(input)


@takes(1)
def reduce_join(inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "") -> Any:
    """Return the texts along an axis joined to one."""
    return strings.reduce_join(inputs, axis, separator)


@takes(1)
def to_number(input: Any, out_type: Any = np.float32) -> Any:
    """Return the number that each text says."""
    return strings.to_number(input, out_type)


@takes(1)
def as_string(input: Any, precision: int = -1, scientific: bool = False) -> Any:
    """Return the text of each number."""
    kind = "e" if scientific else "f"
    default = "" if input.dtype.kind in "iub" else kind
    return strings.as_string(input, default if precision < 0 else f".{precision}{kind}")


@takes(1)
def to_hash_bucket(input: Any, num_buckets: int) -> Any:
    """Return a number for each text, which is not TensorFlow's."""
    return strings.to_hash_bucket(input, num_buckets)


to_hash_bucket_fast = to_hash_bucket


@takes(1)
def regex_replace(input: Any, pattern: str, rewrite: str, replace_global: bool = True) -> Any:
    """Return each text with what a regular expression matches replaced."""
    return strings.regex_replace(input, pattern, rewrite, 0 if replace_global else 1)


@takes(1)
def regex_full_match(input: Any, pattern: str) -> Any:
    """Return whether a regular expression matches the whole of each text."""
    return strings.regex_full_match(input, pattern)


@takes(1)
def unicode_split(input: Any, input_encoding: str = "UTF-8", **others: Any) -> Any:
    """Return the characters of a text; of several texts those of each, as rows."""
    if input.ndim:
        return _split_rows(input, list)
    return strings.substr(input, rnp.arange(strings.length(input)), 1)


bytes_split = unicode_split


def unicode_decode(input: Any, input_encoding: str = "UTF-8", **others: Any) -> Any:
    """Return the numbers of the characters of a text; of several texts those of each, as rows."""
    characters = unicode_split(input)
    is_one = not isinstance(characters, RaggedTensor)
    flat = characters if is_one else characters.values

    def numbers(given: Any) -> Any:
        return np.array([ord(x) for x in np.asarray(given.array).tolist()], np.int32)

    spec = TensorSpec([None], np.int32)
    found = as_result(host_callback.py_function(numbers, [flat], spec))
    return found if is_one else characters.with_values(found)


def format(template: str, inputs: Any, placeholder: str = "{}", **others: Any) -> Any:
    """Return a text with values, numbers or texts, in the places of the placeholders."""
    given = inputs if isinstance(inputs, list | tuple) else (inputs,)
    first, *parts = template.split(placeholder)
    with translating():
        texts: list[Any] = [first]
        for value, part in zip(given, parts, strict=True):
            found = convert_to_tensor(value)
            texts += [found if is_string(found.dtype) else strings.as_string(found), part]
        return as_result(strings.join([convert_to_tensor(x) for x in texts]))


__getattr__ = missing_from("autograph.tf.strings", globals())
