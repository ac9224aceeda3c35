"""`tf.io`: bytes of files, tensors as bytes, and examples that are read by what they declare.

Bytes are tensors of `uint8` here, since texts are Unicode; where TensorFlow's functions take bytes,
these take such tensors, texts, and Python's bytes.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.calls import host_callback
from autograph.tf import creation
from autograph.tf.absent import missing_from
from autograph.tf.csv_data import decode_csv
from autograph.tf.dtype import as_dtype
from autograph.tf.errors import InvalidArgumentError, NotFoundError, translated
from autograph.tf.examples import Example, bytes_of
from autograph.tf.ragged_functions import stack
from autograph.tf.ragged_making import from_row_lengths
from autograph.tf.sparse_tensor import sparse_of
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.data.records import RecordWriter
from runtime.dtypes import STRING, is_string
from runtime.dtypes import as_dtype as plain_dtype
from runtime.spec import TensorSpec

__all__ = [
    "FixedLenFeature",
    "RaggedFeature",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_csv",
    "decode_raw",
    "parse_example",
    "parse_single_example",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
]

BYTES = TensorSpec([None], np.uint8)


def _asked(function: Any, args: list[Any], specs: Any) -> Any:
    given = [np.frombuffer(x, np.uint8) if isinstance(x, bytes) else x for x in args]
    return as_result(
        host_callback.py_function(function, list(map(convert_to_tensor, given)), specs)
    )


def _as_array(data: bytes) -> Any:
    return np.frombuffer(data, np.uint8).copy()


@translated
def read_file(filename: Any, name: Any = None) -> Any:
    """Return the bytes of a file, `u8[n]`, which is read when the graph runs."""

    def read(given: Any) -> Any:
        path = bytes_of(given).decode()
        if not os.path.exists(path):
            raise NotFoundError(f"there is no file {path}")
        with open(path, "rb") as file:
            return _as_array(file.read())

    return _asked(
        read, [os.fspath(filename) if isinstance(filename, os.PathLike) else filename], BYTES
    )


@translated
def write_file(filename: Any, contents: Any, name: Any = None) -> None:
    """Write a text, or bytes, into a file when the graph runs; its folder is made."""

    def write(given: Any, data: Any) -> None:
        path = bytes_of(given).decode()
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(bytes_of(data))

    _asked(write, [filename, contents], None)


@translated
def decode_raw(
    input_bytes: Any, out_type: Any, little_endian: bool = True, name: Any = None
) -> Any:
    """Return the numbers that bytes are, or those of a text.

    >>> decode_raw("Duck", np.uint8).numpy()
    array([ 68, 117,  99, 107], dtype=uint8)
    """
    dtype = plain_dtype(out_type).newbyteorder("<" if little_endian else ">")

    def decode(data: Any) -> Any:
        found = bytes_of(data)
        if len(found) % dtype.itemsize:
            raise InvalidArgumentError(f"{len(found)} bytes are no numbers of {dtype.name}")
        return np.frombuffer(found, dtype).astype(dtype.newbyteorder("="))

    return _asked(decode, [input_bytes], TensorSpec([None], dtype.newbyteorder("=")))


@translated
def serialize_tensor(tensor: Any, name: Any = None) -> Any:
    """Return a tensor as bytes, `u8[n]`, which `parse_tensor` reads; texts are none."""
    given = convert_to_tensor(tensor)
    if is_string(given.spec.dtype):
        raise TypeError("tf.io.serialize_tensor takes numbers; write texts with tf.train.Example")

    def serialize(x: Any) -> Any:
        file = io.BytesIO()
        np.save(file, np.asarray(x.array), allow_pickle=False)
        return _as_array(file.getvalue())

    return _asked(serialize, [given], BYTES)


@translated
def parse_tensor(serialized: Any, out_type: Any, name: Any = None) -> Any:
    """Return the tensor that `serialize_tensor` wrote, of a dtype that is declared."""

    def parse(data: Any) -> Any:
        try:
            return np.load(io.BytesIO(bytes_of(data)), allow_pickle=False)
        except ValueError as error:
            raise InvalidArgumentError(f"the bytes are no tensor: {error}") from None

    return _asked(parse, [serialized], TensorSpec(None, plain_dtype(out_type)))


class TFRecordWriter:
    """Writes bytes as records of a file, which `tf.data.TFRecordDataset` reads.

    Args:
        path: of the file, which is made anew.
        options: must be None: nothing is compressed.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        if options is not None:
            raise NotImplementedError("records are not compressed here: leave options out")
        self._writer = RecordWriter(os.fspath(path))

    def write(self, record: Any) -> None:
        """Write one record: bytes, a tensor of them, or a text."""
        self._writer.write(bytes_of(record))

    def flush(self) -> None:
        """Do nothing: what was written is in the file when it is closed."""

    def close(self) -> None:
        """Close the file."""
        self._writer.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()


class FixedLenFeature(NamedTuple):
    """Values of an example that make a tensor of a shape; `uint8` for bytes that are no text."""

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """Any number of values of an example: a sparse tensor."""

    dtype: Any


class RaggedFeature(NamedTuple):
    """Any number of values of an example: a tensor of them, in a batch rows."""

    dtype: Any
    value_key: str | None = None


LISTS = {"bytes_list": "TU", "float_list": "f", "int64_list": "iub"}
"""The kinds of dtypes that lists are declared with."""


def _column(example: Example, name: str, feature: Any) -> Any:
    """Return the values of a feature, as an array of one dimension; None when there are none."""
    dtype = plain_dtype(feature.dtype)
    found = example.features.feature.get(getattr(feature, "value_key", None) or name)
    kind = None if found is None else found.WhichOneof()
    if found is None or kind is None:
        return None
    if kind == "bytes_list" and dtype == np.uint8:
        return _as_array(b"".join(found.values))
    if dtype.kind not in LISTS[kind]:
        declared = as_dtype(dtype)
        raise InvalidArgumentError(f"{name!r} is a {kind}, and was declared as {declared!r}")
    if kind != "bytes_list":
        return np.asarray(found.values, dtype)
    try:
        return np.array([x.decode() for x in found.values], STRING)
    except UnicodeDecodeError:
        raise InvalidArgumentError(
            f"{name!r} has bytes that are no text in UTF-8; declare it as tf.uint8 to get them"
        ) from None


def _fixed(example: Example, name: str, feature: Any) -> Any:
    found, dtype = _column(example, name, feature), plain_dtype(feature.dtype)
    is_bytes = dtype == np.uint8
    if found is None:
        if feature.default_value is None:
            raise InvalidArgumentError(f"the example has no {name!r}, and it has no default_value")
        found = np.asarray(convert_to_tensor(feature.default_value, dtype).array)
        return np.broadcast_to(found, feature.shape).astype(dtype)
    if is_bytes and not len(feature.shape):
        return found
    count = int(np.prod(feature.shape))
    if found.size != count:
        raise InvalidArgumentError(
            f"{name!r} has {found.size} values, and {count} make the shape {list(feature.shape)}"
        )
    return found.reshape(feature.shape)


def _part(example: Example, name: str, feature: Any) -> Any:
    if isinstance(feature, FixedLenFeature):
        return _fixed(example, name, feature)
    found = _column(example, name, feature)
    return np.zeros(0, plain_dtype(feature.dtype)) if found is None else found


def _part_spec(feature: Any) -> TensorSpec:
    dtype = plain_dtype(feature.dtype)
    is_fixed = isinstance(feature, FixedLenFeature)
    is_open = not is_fixed or (dtype == np.uint8 and not len(feature.shape))
    return TensorSpec([None] if is_open else feature.shape, dtype)


@translated
def parse_single_example(serialized: Any, features: Mapping[str, Any], name: Any = None) -> Any:
    """Return the tensors of an example, by name.

    Args:
        serialized: the bytes of a `tf.train.Example`.
        features: what is declared of each name: a `FixedLenFeature`, `VarLenFeature` or
            `RaggedFeature`.
        name: is TensorFlow's, and not used.

    Raises:
        InvalidArgumentError: the example has something else under a name, or nothing.
    """
    if not isinstance(features, Mapping):
        raise TypeError(f"features are a dict of what is declared of each name, not {features!r}")
    names = list(features)

    def parse(data: Any) -> Any:
        example = Example.FromString(bytes_of(data))
        return tuple(_part(example, key, features[key]) for key in names)

    parts = _asked(parse, [serialized], tuple(_part_spec(features[key]) for key in names))
    return {key: _single(features[key], x) for key, x in zip(names, parts, strict=True)}


def _single(feature: Any, values: Any) -> Any:
    if not isinstance(feature, VarLenFeature):
        return values
    count = creation.shape(values, np.int64)
    return sparse_of(as_result(creation.range(count[0])[:, None]), values, count)


def parse_example(serialized: Any, features: Mapping[str, Any], name: Any = None) -> Any:
    """Return the tensors of several examples, by name, outside of staged functions.

    Args:
        serialized: a list of the bytes of each.
        features, name: as in `parse_single_example`.
    """
    if not isinstance(serialized, list | tuple):
        raise TypeError("tf.io.parse_example takes a list of bytes, one for each example")
    rows = [parse_single_example(x, features) for x in serialized]
    return {key: _batch(features[key], [row[key] for row in rows]) for key in features}


def _batch(feature: Any, parts: list[Any]) -> Any:
    if isinstance(feature, FixedLenFeature):
        return as_result(np.stack([x.array for x in parts]))
    if isinstance(feature, RaggedFeature):
        return stack(parts)
    values = np.concatenate([x.values.array for x in parts])
    return from_row_lengths(values, [len(x.values) for x in parts]).to_sparse()


__getattr__ = missing_from("autograph.tf.io", globals())
