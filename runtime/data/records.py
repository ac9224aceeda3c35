"""Files of records, in the format TFRecord.

    record = length (8 bytes) checksum of these (4) data (length bytes) checksum of the data (4)

All numbers are little-endian. A checksum is the CRC-32C of the bytes, masked:
`((crc >> 15) | (crc << 17)) + 0xa282ead8` (https://www.tensorflow.org/tutorials/load_data/tfrecord).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from runtime.data.stage import Length, Stage

_POLYNOMIAL = 0x82F63B78
_HEAD = struct.Struct("<QI")
_TAIL = struct.Struct("<I")


def _row(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE = tuple(map(_row, range(256)))


def crc32c(data: bytes) -> int:
    """Return the CRC-32C (Castagnoli) of bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    crc = 0xFFFFFFFF
    table = _TABLE
    for byte in data:
        crc = (crc >> 8) ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _masked(data: bytes) -> int:
    """Return the checksum of bytes, masked.

    >>> hex(_masked(b"123456789"))
    '0xc78ab0e5'
    """
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def record(data: bytes) -> bytes:
    """Return bytes as a record of a file, with its checksums."""
    length = struct.pack("<Q", len(data))
    return length + _TAIL.pack(_masked(length)) + data + _TAIL.pack(_masked(data))


class RecordWriter:
    """Writes a file of records; a context manager.

    Args:
        path: of the file, which is made anew.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with RecordWriter(Path(folder) / "two.tfrecord") as writer:
    ...         writer.write(b"one")
    ...         writer.write(b"two")
    ...     [x.tobytes() for x in Records([Path(folder) / "two.tfrecord"])]
    [b'one', b'two']
    """

    def __init__(self, path: str | Path) -> None:
        self._file = Path(path).open("wb")  # noqa: SIM115  (it is closed by `close`)

    def write(self, data: bytes) -> None:
        """Write one record."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(
                f"a record is bytes, not {type(data).__name__}; write x.tobytes() of an array, "
                "text.encode() of a text"
            )
        self._file.write(record(bytes(data)))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Records(Stage):
    """The records of files, as arrays of bytes (`u8[?]`)."""

    __slots__ = ("_paths",)

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)

    def __iter__(self) -> Iterator[Any]:
        for path in self._paths:
            with path.open("rb") as file:
                for number, data in enumerate(_records(file, path)):
                    sound = _sound(data, f"record {number} of {path.name}")
                    yield np.frombuffer(sound, np.uint8).copy()

    def length(self) -> Length:
        return None


def _records(file: BinaryIO, path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield the records of a file with their checksums."""
    while head := file.read(_HEAD.size):
        if len(head) < _HEAD.size:
            raise ValueError(f"{path.name} ends within the head of a record; it was cut off")
        length, checksum = _HEAD.unpack(head)
        if checksum != _masked(head[:8]):
            raise ValueError(
                f"{path.name} has a damaged length at byte {file.tell() - _HEAD.size}, or is no "
                "file of records"
            )
        data, tail = file.read(length), file.read(_TAIL.size)
        if len(data) < length or len(tail) < _TAIL.size:
            raise ValueError(f"{path.name} ends within a record of {length} bytes; it was cut off")
        yield data, _TAIL.unpack(tail)[0]


def _sound(found: tuple[bytes, int], what: str) -> bytes:
    data, checksum = found
    if checksum != _masked(data):
        raise ValueError(f"{what} is damaged: its checksum is not that of its {len(data)} bytes")
    return data
