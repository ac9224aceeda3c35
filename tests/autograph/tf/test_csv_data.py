"""CSV files under TensorFlow's names, and what tables of pandas hold, as tensors."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf

read = tf.data.experimental


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "some.csv"
    file.write_text("label,kind,price\n1,a,0.5\n0,b,\n1,c,2.5\n")
    return str(file)


def test_rows_are_tuples_of_declared_columns_with_defaults_for_empty_fields(path):
    rows = list(read.CsvDataset(path, [tf.int32, tf.string, 9.5], header=True))
    assert [(int(a), b.numpy(), float(c)) for a, b, c in rows] == [
        (1, b"a", 0.5),
        (0, b"b", 9.5),
        (1, b"c", 2.5),
    ]
    some = read.CsvDataset(path, [-1.0, 0], header=True, select_cols=[2, 0])
    stacked = some.map(lambda price, label: tf.stack([price, tf.cast(label, tf.float32)]))
    assert [x.numpy().tolist() for x in stacked] == [[0.5, 1.0], [-1.0, 0.0], [2.5, 1.0]]


@pytest.mark.parametrize(
    ("defaults", "message"),
    [
        (
            [tf.int32, tf.string, tf.float32],
            "line 3 of .* has an empty field, and there is no default",
        ),
        ([tf.int32, tf.int32, 0.0], "has 'a', which is no int32"),
        ([tf.int32, tf.string], "line 2 of .* has 3 fields, and not 2"),
    ],
)
def test_fields_that_are_not_as_declared_are_errors_with_their_line(path, defaults, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        list(read.CsvDataset(path, defaults, header=True))


def test_batches_of_columns_have_their_labels_apart(tmp_path):
    (tmp_path / "a.csv").write_text("label,kind,price\n1,a,0.5\n0,b,1.5\n1,c,2.5\n")
    pattern = str(tmp_path / "*.csv")
    batches = read.make_csv_dataset(pattern, 2, label_name="label", num_epochs=1, shuffle=False)
    found = [
        ({k: v.numpy().tolist() for k, v in x.items()}, y.numpy().tolist()) for x, y in batches
    ]
    assert found == [
        ({"kind": [b"a", b"b"], "price": [0.5, 1.5]}, [1, 0]),
        ({"kind": [b"c"], "price": [2.5]}, [1]),
    ]
    endless = read.make_csv_dataset(pattern, 5, select_columns=["price"])
    (batch,) = endless.take(1)
    assert batch["price"].shape == (5,)
    assert batch["price"].dtype == tf.float32
    with pytest.raises(ValueError, match="there are no columns \\['x'\\]"):
        read.make_csv_dataset(pattern, 2, select_columns=["x"])
    with pytest.raises(ValueError, match="there is no column 'x'"):
        read.make_csv_dataset(pattern, 2, label_name="x")
    with pytest.raises(tf.errors.NotFoundError, match="no file matches"):
        read.make_csv_dataset(str(tmp_path / "*.none"), 2)


def test_names_of_files_are_tensors_in_interleaved_datasets(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"{name}1\n{name}2\n")
    files = tf.data.Dataset.from_tensor_slices([str(tmp_path / f"{name}.txt") for name in "ab"])
    lines = files.interleave(tf.data.TextLineDataset, cycle_length=2)
    assert [x.numpy() for x in lines] == [b"a1", b"b1", b"a2", b"b2"]


class Column:
    """As columns of tables are: no array, but one can be made of it."""

    shape = (2,)

    def __init__(self, *values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, object if isinstance(self.values[0], str) else None)


def test_columns_of_tables_and_objects_that_are_texts_become_tensors():
    assert tf.constant(np.array(["a", b"b"], object)).numpy().tolist() == [b"a", b"b"]
    table = {"kind": Column("x", "y"), "price": Column(0.5, 1.5)}
    rows = list(tf.data.Dataset.from_tensor_slices(table).as_numpy_iterator())
    assert rows == [{"kind": b"x", "price": 0.5}, {"kind": b"y", "price": 1.5}]
    with pytest.raises(tf.errors.InvalidArgumentError, match="no tensor can be made of it"):
        tf.constant(np.array(["a", 1], object))


def test_fields_of_texts_are_columns():
    texts = tf.data.Dataset.from_tensor_slices(["1,2.5,a", '3,,"b,c"'])
    (found,) = texts.batch(2).map(lambda row: tf.io.decode_csv(row, [tf.int32, -1.0, ""]))
    assert [x.numpy().tolist() for x in found] == [[1, 3], [2.5, -1.0], [b"a", b"b,c"]]
    (number,) = tf.io.decode_csv("1;x", [0], field_delim=";", select_cols=[0])
    assert (number.dtype, number.shape, int(number)) == (tf.int32, (), 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="record 0 has an empty field"):
        tf.io.decode_csv("1,", [tf.int32, tf.int32])
