"""`tf.summary`: numbers, distributions, texts, images and graphs for TensorBoard."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar

import numpy as np

from autograph.function.concrete import ConcreteFunction
from autograph.function.eager import SWITCH
from autograph.operators.calls.host_callback import py_function
from autograph.tf.absent import missing_from
from autograph.tf.events import BLOBS, SCALAR, TENSOR, EventFile, field, numbers, png, strings
from autograph.tf.events import summary as message
from autograph.tf.functions import GraphText
from autograph.tf.graph_def import GraphDef
from autograph.tf.tensors import convert_to_tensor
from runtime import default_graph

__all__ = [
    "SummaryWriter",
    "create_file_writer",
    "flush",
    "graph",
    "histogram",
    "image",
    "scalar",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
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

    def write_graph(self, graph: GraphDef) -> None:
        """Write a graph, the one of the run."""
        self._file.add(0, field(4, graph.SerializeToString()))

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
    step = _step(name, step, default)
    value, at = convert_to_tensor(data), convert_to_tensor(step)

    def write(value: Any, at: Any) -> None:
        writer.write(int(at), made(np.asarray(value.numpy())))

    if default_graph.current() is None:
        write(value, at)
    else:
        py_function(write, [value, at])
    return True


def _step(name: str, step: Any, default: Any) -> Any:
    step = default if step is None else step
    if step is None:
        raise ValueError(f"the summary {name!r} has no step; give step=, or as_default(step=...)")
    return step


def graph(graph_data: Any) -> bool:
    """Write a graph; return whether there is a default writer.

    Args:
        graph_data: the graph of a concrete function, or its definition.

    >>> from autograph import tf
    >>> concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.constant(1))
    >>> graph(concrete.graph)
    False
    """
    writer = _NOW.get()[0]
    if writer is None:
        return False
    writer.write_graph(graph_data.flat() if isinstance(graph_data, GraphText) else graph_data)
    return True


class _Traced:
    """The traces that ran since `trace_on`; None when it is off."""

    now: ClassVar[dict[ConcreteFunction, None] | None] = None


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Begin to look at which graphs run, for `trace_export`.

    Args:
        graph: whether to.
        profiler: there is none; a warning says so. `f.profile(...)` measures one call.
        profiler_outdir: TensorFlow's, and not used.
    """
    if profiler:
        warnings.warn("there is no profiler here; f.profile(...) measures a call", stacklevel=2)
    _Traced.now = {} if graph else None
    SWITCH.watch(_ran if graph else None)


def _ran(concrete: ConcreteFunction) -> None:
    if _Traced.now is not None:
        _Traced.now[concrete] = None


def trace_off() -> None:
    """Look at no more graphs, and forget those that ran."""
    _Traced.now = None
    SWITCH.watch(None)


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Write the graphs that ran since `trace_on`, and look at no more.

    Their loops, branches and functions are scopes, which TensorBoard opens.

    Args:
        name: of the summary.
        step: when it was; by default that of the writer.
        profiler_outdir: TensorFlow's, and not used.

    Raises:
        ValueError: there was no `trace_on`, or there is no step.

    >>> trace_export("graph", step=0)
    Traceback (most recent call last):
    ValueError: there is nothing to export: call tf.summary.trace_on(graph=True) before
    """
    if _Traced.now is None:
        raise ValueError("there is nothing to export: call tf.summary.trace_on(graph=True) before")
    traced = list(_Traced.now)
    trace_off()
    writer, default = _NOW.get()
    if writer is None:
        return
    graphs = (GraphText(x).flat().SerializeToString() for x in traced)
    metadata = b"".join(field(4, field(2, x)) for x in graphs)
    kind = "graph_run_metadata_graph"
    data = message(name, kind, 0, strings([metadata], []), version=b"1")
    writer.write(int(_step(name, step, default)), data)


INSTEAD = {
    "audio": "there is no audio",
    "experimental": "give summaries their step",
}
__getattr__ = missing_from("autograph.tf.summary", globals(), INSTEAD)
