"""Summaries: their files are decoded by a reader of the tests' own."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf


def crc32c(data: bytes) -> int:
    """Return the CRC-32C, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 & -(crc & 1))
    return crc ^ 0xFFFFFFFF


def checked(data: bytes, stored: bytes) -> bytes:
    crc = crc32c(data)
    rotated = ((crc >> 15) | (crc << 17)) & 0xFFFFFFFF
    assert struct.unpack("<I", stored)[0] == (rotated + 0xA282EAD8) % 2**32
    return data


def records(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    while data:
        (length,) = struct.unpack("<Q", checked(data[:8], data[8:12]))
        yield checked(data[12 : 12 + length], data[12 + length : 16 + length])
        data = data[16 + length :]


def number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data: bytes) -> dict[int, list[Any]]:
    """Return the fields of a message, by their numbers."""
    found: dict[int, list[Any]] = {}
    at = 0
    while at < len(data):
        key, at = number(data, at)
        if key & 7 == 0:
            value, at = number(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack("<d", data[at : at + 8])[0], at + 8
        else:
            assert key & 7 == 2
            size, at = number(data, at)
            value, at = data[at : at + size], at + size
        found.setdefault(key >> 3, []).append(value)
    return found


def summaries(folder: Path) -> list[tuple[int, str, str, Any]]:
    """Return steps, tags, plugins and tensors of the only file in a folder."""
    (path,) = folder.glob("events.out.tfevents.*")
    first, *events = map(fields, records(path))
    assert first[3] == [b"brain.Event:2"]
    found = []
    for event in events:
        value = fields(fields(event[5][0])[1][0])
        plugin = fields(fields(value[9][0])[1][0])[1][0]
        step = event.get(2, [0])[0]
        found.append((step, value[1][0].decode(), plugin.decode(), tensor(value[8][0])))
    return found


def tensor(data: bytes) -> Any:
    found = fields(data)
    sizes = [fields(x)[1][0] for x in fields(found[2][0]).get(2, [])]
    if found[1] == [7]:
        return found[8]
    return np.frombuffer(found[4][0], {1: "<f4", 2: "<f8"}[found[1][0]]).reshape(sizes)


def test_summaries_are_events_of_a_file(tmp_path: Path) -> None:
    assert tf.summary.scalar("nowhere", 1.0, step=0) is False
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default(step=7):
        assert tf.summary.scalar("loss", 0.25)
        tf.summary.histogram("weights", [0.0, 1.0, 1.0, 2.0], step=300, buckets=2)
        tf.summary.text("note", "grüße")
        tf.summary.image("digit", np.array([[[[0], [255]]]], np.uint8))
    writer.close()
    loss, weights, note, digit = summaries(tmp_path)
    assert loss[:3] == (7, "loss", "scalars")
    assert float(loss[3]) == 0.25
    assert weights[:3] == (300, "weights", "histograms")
    assert weights[3].tolist() == [[0, 1, 1], [1, 2, 3]]
    assert note == (7, "note", "text", ["grüße".encode()])
    assert digit[:3] == (7, "digit", "images")
    width, height, png = digit[3]
    assert (width, height) == (b"2", b"1")
    start = png.index(b"IDAT") + 4
    assert zlib.decompress(png[start:-16]) == b"\0\0\xff"


def test_a_staged_function_writes_when_it_runs(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)

    @tf.function
    def train(steps):
        for step in tf.range(steps):
            with writer.as_default():
                tf.summary.scalar("square", step * step, step=step)

    train(tf.constant(3))
    writer.close()
    assert [(step, float(x)) for step, _, _, x in summaries(tmp_path)] == [(0, 0), (1, 1), (2, 4)]


def test_the_callback_writes_numbers_of_epochs(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    x, y = np.ones((4, 2)), np.ones(4)
    board = tf.keras.callbacks.TensorBoard(tmp_path)
    history = model.fit(x, y, epochs=2, verbose=0, validation_data=(x, y), callbacks=[board])
    for folder, name in (("train", "loss"), ("validation", "val_loss")):
        found = summaries(tmp_path / folder)
        assert [row[:2] for row in found] == [(0, "epoch_loss"), (1, "epoch_loss")]
        np.testing.assert_allclose([float(row[3]) for row in found], history.history[name])


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        with pytest.raises(ValueError, match="the summary 'loss' has no step"):
            tf.summary.scalar("loss", 1.0)
        with pytest.raises(ValueError, match="takes a number, not \\(2,\\)"):
            tf.summary.scalar("loss", [1.0, 2.0], step=1)
        with pytest.raises(ValueError, match="with 1 to 4 channels"):
            tf.summary.image("x", np.zeros((2, 2)), step=1)
    writer.close()
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match=r"call tf\.summary\.trace_on\(graph=True\) before"):
        tf.summary.trace_export("graph", step=0)


def half(x):
    return x * 0.5


@tf.function
def settle(x):
    while x > 1.0:
        if x > 4.0:
            x = half(x)
        else:
            x -= 1.0
    return x


def nodes(data: bytes) -> dict[str, str]:
    """Return the types of the nodes of a graph, by their names."""
    found = (fields(x) for x in fields(data)[1])
    return {x[1][0].decode(): x[2][0].decode() for x in found}


SETTLE = {
    "x": "Placeholder",
    "while/cond/Greater": "Greater",
    "while/body/cond/then/half/mul": "Mul",
    "while/body/cond/else/sub": "Sub",
    "while": "StatelessWhile",
}


def test_the_graphs_that_ran_are_written_with_scopes_a017_a173_a174(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    settle(tf.constant(8.0))
    tf.summary.trace_on(graph=True, profiler=False)
    for _ in range(2):
        settle(tf.constant(8.0))
    tf.function(lambda x: x + 1)(tf.constant(2.0))
    with writer.as_default():
        tf.summary.trace_export("ran", step=3)
    settle(tf.constant(8.0))
    writer.close()
    ((step, tag, plugin, (metadata,)),) = summaries(tmp_path)
    assert (step, tag, plugin) == (3, "ran", "graph_run_metadata_graph")
    first, second = (nodes(fields(x)[2][0]) for x in fields(metadata)[4])
    assert {name: first[name] for name in SETTLE} == SETTLE
    assert "while_body" not in str(first)
    assert list(second) == ["x", "add/y", "add", "Identity"]


def test_what_ran_before_trace_off_is_forgotten(tmp_path: Path) -> None:
    tf.summary.trace_on(graph=True)
    settle(tf.constant(8.0))
    tf.summary.trace_off()
    with pytest.raises(ValueError, match="there is nothing to export"):
        tf.summary.trace_export("ran", step=0)
    with pytest.warns(UserWarning, match="there is no profiler here"):
        tf.summary.trace_on(graph=True, profiler=True)
    tf.summary.trace_export("no default writer", step=0)


def test_a_graph_is_an_event(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        assert tf.summary.graph(settle.get_concrete_function(tf.constant(8.0)).graph)
    writer.close()
    (path,) = tmp_path.iterdir()
    event = list(map(fields, records(path)))[1]
    assert SETTLE.items() <= nodes(event[4][0]).items()


def test_functions_of_autograph_are_written_too(tmp_path: Path) -> None:
    writer = ag.summary.create_file_writer(tmp_path)
    doubled = ag.function(lambda x: x * 2)
    ag.summary.trace_on()
    doubled(np.arange(3.0))
    with writer.as_default(step=1):
        ag.summary.trace_export("doubled")
        ag.summary.scalar("loss", np.float64(0.5))
    writer.close()
    graph, loss = summaries(tmp_path)
    (only,) = (nodes(fields(x)[2][0]) for x in fields(graph[3][0])[4])
    assert list(only.values()) == ["Placeholder", "Const", "Mul", "Identity"]
    assert (loss[:2], float(loss[3])) == ((1, "loss"), 0.5)
