"""Stages that read files: lines of text, rows of CSV, arrays of NumPy.

A file is read while its elements are asked for, and is open no longer than that.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from runtime.data.stage import Length, Stage
from runtime.dtypes import STRING, is_string
from runtime.errors import DtypeError, StructureError
from runtime.spec import TensorSpec, make_spec


class Lines(Stage):
    """The lines of text files, without what ends them."""

    __slots__ = ("_encoding", "_paths")

    def __init__(self, paths: Sequence[Path], encoding: str) -> None:
        self._paths = tuple(paths)
        self._encoding = encoding

    def __iter__(self) -> Iterator[str]:
        for path in self._paths:
            with path.open(encoding=self._encoding) as file:
                try:
                    for line in file:
                        yield line.removesuffix("\n")
                except UnicodeDecodeError as error:
                    raise ValueError(
                        f"{path.name} is no text in {self._encoding}, since {error.reason}; say "
                        "its encoding in from_text(path, encoding=...)"
                    ) from None

    def length(self) -> Length:
        return None


class Rows(Stage):
    """The rows of CSV files, each a dict of the columns.

    Args:
        paths: the files; all have the same columns.
        columns: the spec of each column, in the order of the elements.
        header: the names of all columns for files that do not begin with them.
        delimiter: what stands between two fields.
    """

    __slots__ = ("_columns", "_delimiter", "_header", "_paths")

    def __init__(
        self,
        paths: Sequence[Path],
        columns: Mapping[str, TensorSpec],
        header: Sequence[str] | None,
        delimiter: str,
    ) -> None:
        self._paths = tuple(paths)
        self._columns = dict(columns)
        self._header = header
        self._delimiter = delimiter

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for path in self._paths:
            for line, fields in read_rows(path, self._header, self._delimiter):
                yield {
                    name: _field(fields, name, spec, f"{path.name}, line {line}")
                    for name, spec in self._columns.items()
                }

    def length(self) -> Length:
        return None


def read_rows(
    path: Path, header: Sequence[str] | None, delimiter: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a CSV file with their lines, as dicts of texts."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.reader(file, delimiter=delimiter)
        names = next(reader, []) if header is None else list(header)
        for row in reader:
            if not row:
                continue
            if len(row) != len(names):
                raise StructureError(
                    f"{path.name}, line {reader.line_num} has {len(row)} fields, and there are "
                    f"{len(names)} columns: {', '.join(names)}"
                )
            yield reader.line_num, dict(zip(names, row, strict=True))


def _field(fields: Mapping[str, str], name: str, spec: TensorSpec, place: str) -> Any:
    text = fields[name]
    if is_string(spec.dtype):
        return text
    try:
        return spec.dtype.type(text)
    except (ValueError, OverflowError):
        raise DtypeError(
            f"{place}: the column {name!r} is {spec.dtype}, and {text!r} is none; give another "
            f"dtype, such as dtypes={{{name!r}: str}}"
        ) from None


def column_specs(
    path: Path, header: Sequence[str] | None, delimiter: str, dtypes: Mapping[str, Any]
) -> dict[str, TensorSpec]:
    """Return the specs of the columns of a CSV file: the given dtypes, else the first row's.

    Raises:
        StructureError: there is no row, or no column of a name that has a dtype.
    """
    first = next(read_rows(path, header, delimiter), None)
    if first is None:
        raise StructureError(f"{path.name} has no rows, so its columns are not known")
    for name in dtypes:
        if name not in first[1]:
            columns = ", ".join(first[1])
            raise StructureError(f"{path.name} has no column {name!r}; it has {columns}")
    return {
        name: TensorSpec((), dtypes[name] if name in dtypes else _dtype_of(text))
        for name, text in first[1].items()
    }


def _dtype_of(text: str) -> Any:
    kinds: tuple[tuple[Callable[[str], Any], Any], ...] = ((int, np.int64), (float, np.float64))
    for kind, dtype in kinds:
        try:
            kind(text)
        except ValueError:
            continue
        return dtype
    return STRING


LINE = make_spec(STRING, ())
"""The spec of a line."""
