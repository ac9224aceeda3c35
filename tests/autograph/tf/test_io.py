"""Bytes, records and examples: written and read as TensorFlow does, eagerly and staged."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf

io, train = tf.io, tf.train


def example(number):
    feature = train.Feature
    return train.Example(
        features=train.Features(
            feature={
                "pair": feature(int64_list=train.Int64List(value=[number, -number])),
                "half": feature(float_list=train.FloatList(value=[number / 2])),
                "text": feature(bytes_list=train.BytesList(value=[b"x%d" % number])),
                "some": feature(int64_list=train.Int64List(value=range(number))),
                "bytes": feature(bytes_list=train.BytesList(value=[b"\xff\x00"])),
            }
        )
    )


DECLARED = {
    "pair": io.FixedLenFeature([2], tf.int64),
    "half": io.FixedLenFeature([], tf.float32),
    "text": io.FixedLenFeature([], tf.string),
    "absent": io.FixedLenFeature([], tf.int64, default_value=9),
    "bytes": io.FixedLenFeature([], tf.uint8),
}


def test_an_example_is_written_as_tensorflow_writes_it():
    one = train.Example(
        features=train.Features(
            feature={"b": train.Feature(float_list=train.FloatList(value=[1.0, 0.5]))}
        )
    )
    written = b"\n\x13\n\x11\n\x01b\x12\x0c\x12\n\n\x08\x00\x00\x80?\x00\x00\x00?"
    assert one.SerializeToString() == written
    assert train.Example.FromString(written).features.feature["b"].float_list.value == [1.0, 0.5]
    assert str(one) == (
        'features {\n  feature {\n    key: "b"\n    value {\n      float_list {\n'
        "        value: 1\n        value: 0.5\n      }\n    }\n  }\n}\n"
    )


def test_lists_that_are_not_packed_are_read():
    written = b"\n\x0e\n\x0c\n\x01n\x12\x07\x1a\x05\x08\x07\x08\xac\x02"
    assert train.Example.FromString(written).features.feature["n"].values == [7, 300]


def test_records_of_examples_are_read_in_a_dataset(tmp_path):
    path = tmp_path / "some.tfrecord"
    with io.TFRecordWriter(str(path)) as writer:
        for number in range(3):
            writer.write(example(number).SerializeToString())
    rows = list(
        tf.data.TFRecordDataset(str(path)).map(lambda x: io.parse_single_example(x, DECLARED))
    )
    assert [row["pair"].numpy().tolist() for row in rows] == [[0, 0], [1, -1], [2, -2]]
    assert [float(row["half"]) for row in rows] == [0.0, 0.5, 1.0]
    assert [row["text"].numpy() for row in rows] == [b"x0", b"x1", b"x2"]
    assert [int(row["absent"]) for row in rows] == [9, 9, 9]
    assert rows[0]["bytes"].numpy().tolist() == [255, 0]


def test_batches_of_examples_are_rows_or_sparse():
    serialized = [example(number).SerializeToString() for number in range(3)]
    found = io.parse_example(
        serialized,
        {"some": io.RaggedFeature(tf.int64), "half": io.FixedLenFeature([], tf.float32)},
    )
    assert found["some"].to_list() == [[], [0], [0, 1]]
    assert found["half"].numpy().tolist() == [0.0, 0.5, 1.0]
    found = io.parse_example(serialized, {"some": io.VarLenFeature(tf.int64)})
    assert tf.sparse.to_dense(found["some"], -1).numpy().tolist() == [[-1, -1], [0, -1], [0, 1]]
    one = io.parse_single_example(serialized[2], {"some": io.VarLenFeature(tf.int64)})["some"]
    assert tf.sparse.to_dense(one).numpy().tolist() == [0, 1]


def test_files_and_tensors_are_bytes_eagerly_and_staged(tmp_path):
    path = str(tmp_path / "folder" / "x.txt")

    def program(text, x):
        io.write_file(path, text)
        again = io.parse_tensor(io.serialize_tensor(x), tf.float32)
        return io.read_file(path), io.decode_raw(text, tf.uint8), again

    x = tf.constant([[1.0, 2.0]])
    for call in (program, tf.function(program)):
        content, letters, again = call(tf.constant("häy"), x)
        assert content.numpy().tobytes() == letters.numpy().tobytes() == "häy".encode()
        assert again.numpy().tolist() == [[1.0, 2.0]]
    assert io.decode_raw(b"\x01\x00\x02\x00", tf.int16).numpy().tolist() == [1, 2]
    swapped = io.decode_raw(b"\x01\x00\x02\x00", tf.int16, little_endian=False)
    assert swapped.numpy().tolist() == [256, 512]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda x: io.parse_single_example(x, {"z": io.FixedLenFeature([], tf.int64)}), "no 'z'"),
        (
            lambda x: io.parse_single_example(x, {"pair": io.FixedLenFeature([3], tf.int64)}),
            r"'pair' has 2 values, and 3 make the shape \[3\]",
        ),
        (
            lambda x: io.parse_single_example(x, {"half": io.FixedLenFeature([], tf.int64)}),
            "'half' is a float_list, and was declared as tf.int64",
        ),
        (
            lambda x: io.parse_single_example(x, {"bytes": io.FixedLenFeature([], tf.string)}),
            "declare it as tf.uint8",
        ),
        (lambda x: train.Example.FromString(x[:-1]), "are no tf.train.Example"),
        (lambda x: train.BytesList(value=[5]), "neither bytes nor a text"),
        (lambda x: io.decode_raw(b"abc", tf.int16), "3 bytes are no numbers of int16"),
        (lambda x: io.read_file("nowhere/at/all"), "there is no file nowhere/at/all"),
        (lambda x: io.serialize_tensor(["a"]), "write texts with tf.train.Example"),
        (lambda x: io.parse_tensor(b"abc", tf.int32), "are no tensor"),
        (lambda x: io.TFRecordWriter("x", options="GZIP"), "leave options out"),
    ],
)
def test_what_is_wrong_is_said(program, message):
    with pytest.raises(Exception, match=message) as caught:
        program(example(2).SerializeToString())
    assert isinstance(caught.value, tf.errors.OpError | TypeError | NotImplementedError)


def test_bytes_are_no_numbers_of_zeros():
    with pytest.raises(TypeError, match="neither bytes nor a text"):
        train.BytesList(value=[np.zeros(2)])
