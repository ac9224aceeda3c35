"""Files of events, as TensorBoard reads them.

file    = { record }, which are those of `runtime.data.records`
event   = a message of protocol buffers: time, step, and a summary
"""

from __future__ import annotations

import os
import socket
import struct
import time
import zlib
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np

from runtime.data.records import record
from runtime.forks import Lock

DOUBLE, STRING, FLOAT = 2, 7, 1
"""The numbers of dtypes in messages."""
SCALAR, TENSOR, BLOBS = 1, 2, 3
"""What kinds of data summaries are."""
_NUMBERS = count()


def varint(value: int) -> bytes:
    """Return an integer in groups of seven bits, the lowest first.

    >>> varint(300)
    b'\\xac\\x02'
    """
    value &= (1 << 64) - 1
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def field(number: int, value: int | float | np.float32 | str | bytes) -> bytes:
    """Return one field of a message: an integer, a double, a float, or bytes.

    >>> field(1, "ab"), field(2, 1)
    (b'\\n\\x02ab', b'\\x10\\x01')
    """
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, np.float32):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def numbers(array: Any) -> bytes:
    """Return an array of floats as a message: `f32` or `f64`."""
    kind = FLOAT if array.dtype == np.float32 else DOUBLE
    content = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
    return field(1, kind) + field(2, _shape(array.shape)) + field(4, content)


def strings(values: Sequence[bytes], shape: Sequence[int]) -> bytes:
    """Return texts or blobs as a message."""
    parts = b"".join(field(8, x) for x in values)
    return field(1, STRING) + field(2, _shape(shape)) + parts


def _shape(shape: Iterable[int]) -> bytes:
    return b"".join(field(2, field(1, int(size))) for size in shape)


def summary(
    tag: str, plugin: str, kind: int, tensor: bytes, description: str = "", version: bytes = b""
) -> bytes:
    """Return a summary of one value as a message.

    Args:
        tag: its name.
        plugin: the part of TensorBoard that shows it.
        kind: `SCALAR`, `TENSOR` or `BLOBS`.
        tensor: the value.
        description: what it is.
        version: of the data, where that part asks for it.
    """
    metadata = field(1, field(1, plugin) + (field(2, version) if version else b""))
    metadata += (field(3, description) if description else b"") + field(4, kind)
    return field(1, field(1, tag) + field(8, tensor) + field(9, metadata))


def png(pixels: Any) -> bytes:
    """Return an image as a PNG file.

    Args:
        pixels: `u8[height, width, channels]`, with 1 to 4 channels.
    """
    height, width, channels = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels))
    head = struct.pack(">IIBBBBB", width, height, 8, (0, 4, 2, 6)[channels - 1], 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )


class EventFile:
    """A file that events are written to, made at the first event.

    Args:
        folder: where it is; made if it is not there.
        suffix: the end of its name.
    """

    def __init__(self, folder: Any, suffix: str = ".v2") -> None:
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}"
        name = f"{name}.{os.getpid()}.{next(_NUMBERS)}{suffix}"
        self.path = os.path.join(os.fspath(folder), name)
        self._lock = Lock()
        self._file: Any = None
        self.is_closed = False

    def add(self, step: int, what: bytes) -> None:
        """Write an event.

        Args:
            step: its number.
            what: a field of the event.
        """
        with self._lock:
            if self.is_closed:
                raise ValueError(f"{self.path} was closed: no further summary can be written")
            if self._file is None:
                os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
                self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115
                self._file.write(record(field(1, time.time()) + field(3, "brain.Event:2")))
            self._file.write(record(field(1, time.time()) + field(2, int(step)) + what))

    def close(self) -> None:
        """End the file."""
        with self._lock:
            self.is_closed = True
            if self._file is not None:
                self._file.close()
                self._file = None
