"""Datasets of CSV files under TensorFlow's names: `tf.data.experimental`."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from glob import glob
from typing import Any

import numpy as np

from autograph.data import Dataset as Plain
from autograph.operators.calls.host_callback import py_function
from autograph.tf.composite import as_list
from autograph.tf.dtype import DType
from autograph.tf.errors import InvalidArgumentError, NotFoundError
from autograph.tf.shapes import TensorSpec
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime import default_graph
from runtime.dtypes import as_dtype, is_string

NUMBERS = {"i": np.dtype(np.int32), "f": np.dtype(np.float32)}
"""The dtypes of columns whose first number is whole, or not."""


def names_of(filenames: Any) -> list[str]:
    """Return names of files as a list: of one, several, or a tensor of them."""
    if isinstance(filenames, list | tuple):
        return [name for one in filenames for name in names_of(one)]
    if hasattr(filenames, "array"):
        return [str(name) for name in np.asarray(filenames.array).ravel()]
    return [filenames.decode() if isinstance(filenames, bytes) else filenames]


def rows_of(
    filenames: Any,
    record_defaults: Sequence[Any],
    header: bool = False,
    field_delim: str = ",",
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> tuple[Callable[[], Iterator[Any]], Any]:
    """Return what gives the rows of CSV files as tuples, and their specs.

    Args:
        filenames: of files of the same columns.
        record_defaults: of each column its dtype, if it may not be empty, else what stands there.
        header: whether files begin with the names of columns.
        field_delim: what stands between two fields.
        na_value: the text of an empty field.
        select_cols: the numbers of the columns that are read, of which the defaults are.

    Raises:
        InvalidArgumentError: a field is empty that may not be, or no number, or is not there.
    """
    columns = [_column(x) for x in record_defaults]
    fields = _reader(columns, na_value, select_cols)

    def rows() -> Iterator[Any]:
        for name in names_of(filenames):
            with open(name, newline="", encoding="utf-8-sig") as file:
                for number, row in enumerate(csv.reader(file, delimiter=field_delim)):
                    if row and not (header and number == 0):
                        yield fields(row, f"line {number + 1} of {name}")

    return rows, tuple(TensorSpec([], dtype) for dtype, _ in columns)


def decode_csv(
    records: Any,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: Any = None,
) -> list[Any]:
    """Return the fields of texts, each a row of a CSV file: a tensor for each column.

    Args:
        records: the texts.
        record_defaults: of each column its dtype, or what stands for an empty field.
        field_delim: what stands between two fields.
        use_quote_delim: whether a field in quotes may have that in it.
        na_value: the text of an empty field.
        select_cols: the numbers of the columns that are read, of which the defaults are.
        name: has no effect.

    Raises:
        InvalidArgumentError: a field is empty that may not be, or no number, or is not there.
    """
    columns = [_column(x) for x in as_list(record_defaults, "tf.io.decode_csv")]
    fields = _reader(columns, na_value, select_cols)
    quote = '"' if use_quote_delim else None

    def decode(texts: Any) -> list[Any]:
        given = np.asarray(texts.array)
        lines = csv.reader(map(str, given.ravel()), delimiter=field_delim, quotechar=quote)
        rows = [fields(row, f"record {k}") for k, row in enumerate(lines)]
        made = zip(zip(*rows, strict=True), columns, strict=True)
        return [
            np.array(x, object if is_string(t) else t).reshape(given.shape) for x, (t, _) in made
        ]

    given = convert_to_tensor(records)
    sizes = given.spec.shape
    shape = None if sizes is None else [n if isinstance(n, int) else None for n in sizes]
    specs = [TensorSpec(shape, dtype) for dtype, _ in columns]
    found: list[Any] = as_result(py_function(decode, [given], specs))
    return found


def _reader(
    columns: Sequence[tuple[Any, Any]], empty: str, chosen: Sequence[int] | None
) -> Callable[[list[str], str], tuple[Any, ...]]:
    """Return what gives the fields of a row, of which it is told where that stands."""

    def fields(row: list[str], where: str) -> tuple[Any, ...]:
        cells = row if chosen is None else [row[k] for k in chosen]
        if len(cells) != len(columns):
            raise InvalidArgumentError(f"{where} has {len(cells)} fields, and not {len(columns)}")
        pairs = zip(cells, columns, strict=True)
        return tuple(_field(cell, *column, empty, where) for cell, column in pairs)

    return fields


def _column(given: Any) -> tuple[Any, Any]:
    """Return the dtype of a column, and what stands for an empty field; None for an error."""
    if isinstance(given, DType | type | np.dtype):
        return as_dtype(given), None
    with default_graph.building(None):
        found = np.asarray(convert_to_tensor(given).array)
    return found.dtype, found.ravel()[0] if found.size else None


def _field(cell: str, dtype: Any, default: Any, empty: str, where: str) -> Any:
    if cell in ("", empty):
        if default is None:
            raise InvalidArgumentError(f"{where} has an empty field, and there is no default")
        return default
    if is_string(dtype):
        return cell
    try:
        return dtype.type(cell)
    except ValueError:
        raise InvalidArgumentError(f"{where} has {cell!r}, which is no {dtype.name}") from None


def columns_of(
    file_pattern: Any,
    column_names: Sequence[str] | None = None,
    select_columns: Sequence[str] | None = None,
    field_delim: str = ",",
) -> Plain:
    """Return the rows of CSV files as dicts by the names of their columns.

    Args:
        file_pattern: one or several.
        column_names: for files that do not begin with them.
        select_columns: those that are kept.
        field_delim: what stands between two fields.
    """
    paths = sorted({path for pattern in names_of(file_pattern) for path in glob(str(pattern))})
    if not paths:
        raise NotFoundError(f"no file matches {file_pattern}")
    found = Plain.from_csv(paths, None, column_names, field_delim)
    kinds = {name: spec.dtype for name, spec in found.element_spec.items()}
    small = {name: NUMBERS.get(dtype.kind, dtype) for name, dtype in kinds.items()}
    found = Plain.from_csv(paths, small, column_names, field_delim)
    if select_columns is None:
        return found
    if unknown := set(select_columns) - set(kinds):
        raise ValueError(f"there are no columns {sorted(unknown)}; there are {', '.join(kinds)}")
    return found.map(lambda row: {name: row[name] for name in select_columns})


def batches_of(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[str] | None = None,
    field_delim: str = ",",
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    **others: Any,
) -> Plain:
    """Return batches of the columns of CSV files, shuffled, and without an end unless it is said.

    Args:
        file_pattern, column_names, select_columns, field_delim: as in `columns_of`.
        batch_size: how many rows a batch has.
        label_name: the column that is given apart, after the others.
        num_epochs: how often all rows are given.
        shuffle: whether their order is random.
        shuffle_buffer_size, shuffle_seed: among how many rows one is drawn, and the seed.
        others: TensorFlow's, without an effect here.
    """
    rows = columns_of(file_pattern, column_names, select_columns, field_delim)
    names = [name for name in rows.element_spec if name != label_name]
    if label_name is not None and label_name not in rows.element_spec:
        raise ValueError(f"there is no column {label_name!r}; there are {', '.join(names)}")
    rows = rows.shuffle(shuffle_buffer_size, shuffle_seed) if shuffle else rows
    found = rows.repeat(num_epochs).batch(batch_size)
    if label_name is None:
        return found
    return found.map(lambda row: ({name: row[name] for name in names}, row[label_name]))
