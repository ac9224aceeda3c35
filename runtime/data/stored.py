"""A stage that keeps its elements in a file.

    file  = specs element*
    specs = array of bytes                  the text of the element spec
    element = leaf*
    leaf  = array | lengths bytes           numbers; texts, one after the other, in UTF-8

All arrays are in NumPy's format `.npy`, one after the other.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from runtime import trees
from runtime.data.element import Spec, show
from runtime.data.stage import Length, Stage
from runtime.dtypes import STRING, is_string
from runtime.errors import StructureError
from runtime.spec import TensorSpec


class Stored(Stage):
    """Elements that are drawn once, and read from a file at all later times.

    The file has its name only when it is complete.

    Args:
        source: gives the elements.
        path: of the file.
        spec: of the elements.
    """

    __slots__ = ("_path", "_source", "_spec")

    def __init__(self, source: Stage, path: Path, spec: Spec) -> None:
        self._source = source
        self._path = path
        self._spec = spec

    def __iter__(self) -> Iterator[Any]:
        return self._read() if self._path.exists() else self._first_time()

    def _first_time(self) -> Iterator[Any]:
        part, name = tempfile.mkstemp(dir=self._path.parent, prefix=f"{self._path.name}.")
        try:
            with os.fdopen(part, "wb") as file:
                _write(file, _bytes(show(self._spec)))
                for item in self._source:
                    for leaf in trees.flatten(item)[0]:
                        _write_leaf(file, leaf)
                    yield item
            Path(name).replace(self._path)
        finally:
            Path(name).unlink(missing_ok=True)

    def _read(self) -> Iterator[Any]:
        specs, structure = trees.flatten(self._spec)
        with self._path.open("rb") as file:
            self._check(file)
            while file.peek(1):
                yield trees.unflatten(structure, [_read_leaf(file, x) for x in specs])

    def _check(self, file: BinaryIO) -> None:
        try:
            found = _read(file).tobytes().decode()
        except ValueError:
            raise StructureError(
                f"{self._path} is no file that cache() wrote; give cache() another path"
            ) from None
        if found != show(self._spec):
            raise StructureError(
                f"{self._path} holds elements of {found}, and those of this dataset are "
                f"{show(self._spec)}; remove the file, or give cache() another path"
            )

    def length(self) -> Length:
        return self._source.length()


def _bytes(text: str) -> Any:
    return np.frombuffer(text.encode(), np.uint8)


def _write(file: BinaryIO, array: Any) -> None:
    np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)


def _read(file: BinaryIO) -> Any:
    return np.lib.format.read_array(file, allow_pickle=False)


def _write_leaf(file: BinaryIO, leaf: Any) -> None:
    if not isinstance(leaf, str) and not is_string(leaf.dtype):
        _write(file, leaf)
        return
    texts = np.asarray(leaf, STRING)
    parts = [x.encode() for x in texts.ravel()]
    _write(file, np.reshape([len(x) for x in parts], texts.shape).astype(np.int64))
    _write(file, np.frombuffer(b"".join(parts), np.uint8))


def _read_leaf(file: BinaryIO, spec: TensorSpec) -> Any:
    found = _read(file)
    return _texts(found, _read(file).tobytes()) if is_string(spec.dtype) else found[()]


def _texts(lengths: Any, data: bytes) -> Any:
    ends: Sequence[int] = np.cumsum(lengths.ravel()).tolist()
    parts = [data[end - n : end].decode() for n, end in zip(lengths.ravel(), ends, strict=True)]
    return np.reshape(np.array(parts, STRING), lengths.shape) if lengths.ndim else parts[0]
