"""`tf.summary`: numbers, distributions, texts and images for TensorBoard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from autograph.operators.host_callback import py_function
from autograph.tf.absent import missing_from
from autograph.tf.events import BLOBS, SCALAR, TENSOR, EventFile, field, numbers, png, strings
from autograph.tf.events import summary as message
from autograph.tf.tensors import convert_to_tensor
from runtime import default_graph

__all__ = [
    "SummaryWriter",
    "create_file_writer",
    "flush",
    "histogram",
    "image",
    "scalar",
    "text",
]

BUCKETS = 30


class SummaryWriter:
    """Writes summaries into a file of a folder.

    Args:
        folder: where the file is made.
        suffix: the end of its name.
    """

    def __init__(self, folder: Any, suffix: str) -> None:
        self._file = EventFile(folder, suffix)

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Let summaries be written here in a `with` block, with a step where none is given."""
        token = _NOW.set((self, step))
        try:
            yield self
        finally:
            _NOW.reset(token)

    def set_as_default(self, step: Any = None) -> None:
        """Let summaries be written here from now on."""
        _NOW.set((self, step))

    def flush(self) -> None:
        """Do nothing: each summary is in the file at once."""

    def close(self) -> None:
        """End the file."""
        self._file.close()

    def write(self, step: int, summary: bytes) -> None:
        """Write a summary, a message."""
        self._file.add(step, field(5, summary))

    def __repr__(self) -> str:
        return f"<SummaryWriter {self._file.path}>"


_NOW: ContextVar[tuple[SummaryWriter | None, Any]] = ContextVar("writer", default=(None, None))


def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str = ".v2",
    name: str | None = None,
) -> SummaryWriter:
    """Return what writes summaries into a folder, in files that TensorBoard opens.

    Args:
        logdir: the folder.
        filename_suffix: the end of the file's name.
        max_queue, flush_millis, name: TensorFlow's, and not used.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writer = create_file_writer(folder)
    ...     with writer.as_default():
    ...         written = scalar("loss", 0.5, step=1)
    ...     writer.close()
    >>> written
    True
    """
    return SummaryWriter(logdir, filename_suffix)


def flush(writer: SummaryWriter | None = None) -> None:
    """Do nothing: each summary is in the file at once."""


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> bool:
    """Write a number; return whether there is a default writer.

    Args:
        name: of the curve.
        data: a number: `f32[]`, or what can be one.
        step: its place on the curve; by default that of the writer.
        description: what it is.

    Raises:
        ValueError: there is no step, or data have dimensions.
    """

    def made(array: Any) -> bytes:
        if array.ndim:
            raise ValueError(f"tf.summary.scalar({name!r}) takes a number, not {array.shape}")
        return message(
            name, "scalars", SCALAR, numbers(array.astype(np.float32)), description or ""
        )

    return _write(name, data, step, made)


def histogram(
    name: str,
    data: Any,
    step: Any = None,
    buckets: int | None = None,
    description: str | None = None,
) -> bool:
    """Write how numbers are distributed; return whether there is a default writer.

    Args:
        name: of the distribution.
        data: numbers of any shape.
        step: when it was; by default that of the writer.
        buckets: how many intervals of one width there are: 30.
        description: what it is.
    """

    def made(array: Any) -> bytes:
        table = bucketed(array.astype(np.float64).ravel(), buckets or BUCKETS)
        return message(name, "histograms", TENSOR, numbers(table), description or "")

    return _write(name, data, step, made)


def bucketed(values: Any, count: int) -> Any:
    """Return left edges, right edges and how many numbers are between them: `f64[count, 3]`.

    >>> bucketed(np.array([0.0, 1.0, 1.0, 2.0]), 2)
    array([[0., 1., 1.],
           [1., 2., 3.]])
    """
    if not values.size:
        return np.zeros((count, 3))
    least, most = values.min(), values.max()
    if least == most:
        only = np.full((count, 3), [least, least, 0.0])
        only[-1, 2] = values.size
        return only
    counts, edges = np.histogram(values, count, (least, most))
    return np.stack([edges[:-1], edges[1:], counts.astype(np.float64)], axis=1)


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> bool:
    """Write a text, or an array of texts; return whether there is a default writer."""

    def made(array: Any) -> bytes:
        texts = [x if isinstance(x, bytes) else str(x).encode() for x in array.ravel().tolist()]
        return message(name, "text", TENSOR, strings(texts, array.shape), description or "")

    return _write(name, data, step, made)


def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> bool:
    """Write images; return whether there is a default writer.

    Args:
        name: of them.
        data: `[count, height, width, channels]`: floats from 0 to 1, or `uint8`; 1 to 4 channels.
        step: when it was; by default that of the writer.
        max_outputs: how many of them are written at most.
        description: what they are.

    Raises:
        ValueError: data have another shape.
    """

    def made(array: Any) -> bytes:
        if array.ndim != 4 or not 1 <= array.shape[-1] <= 4:
            raise ValueError(
                f"tf.summary.image({name!r}) takes [count, height, width, channels] with 1 to 4 "
                f"channels, not {array.shape}"
            )
        if array.dtype != np.uint8:
            array = (np.clip(array, 0, 1) * 255 + 0.5).astype(np.uint8)
        sizes = [str(array.shape[2]).encode(), str(array.shape[1]).encode()]
        blobs = [*sizes, *map(png, array[:max_outputs])]
        return message(name, "images", BLOBS, strings(blobs, [len(blobs)]), description or "")

    return _write(name, data, step, made)


def _write(name: str, data: Any, step: Any, made: Callable[[Any], bytes]) -> bool:
    """Write data now, or when the graph runs that is being built."""
    writer, default = _NOW.get()
    if writer is None:
        return False
    step = default if step is None else step
    if step is None:
        raise ValueError(f"the summary {name!r} has no step; give step=, or as_default(step=...)")
    value, at = convert_to_tensor(data), convert_to_tensor(step)

    def write(value: Any, at: Any) -> None:
        writer.write(int(at), made(np.asarray(value.numpy())))

    if default_graph.current() is None:
        write(value, at)
    else:
        py_function(write, [value, at])
    return True


INSTEAD = {
    "trace_on": "graphs are not drawn by TensorBoard here; print(f.get_concrete_function().graph)",
    "trace_export": "graphs are not drawn by TensorBoard here; print the graph",
    "trace_off": "graphs are not drawn by TensorBoard here; print the graph",
    "audio": "there is no audio",
    "experimental": "give summaries their step",
}
__getattr__ = missing_from("autograph.tf.summary", globals(), INSTEAD)
