"""`tf.keras.utils`: small things around models."""

from __future__ import annotations

import os
import random as python_random
from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph.tf.absent import missing_from
from autograph.tf.data import Dataset
from autograph.tf.keras import cached
from autograph.tf.keras.configs import custom_object_scope, register_keras_serializable
from autograph.tf.keras.drawing import model_to_dot, plot_model
from autograph.tf.keras.folders import text_dataset_from_directory
from autograph.tf.keras.saving import deserialize_keras_object, serialize_keras_object
from autograph.tf.shaping import gather
from runtime.numpy import random

__all__ = [
    "PyDataset",
    "Sequence",
    "custom_object_scope",
    "deserialize_keras_object",
    "get_file",
    "model_to_dot",
    "normalize",
    "pack_x_y_sample_weight",
    "pad_sequences",
    "plot_model",
    "register_keras_serializable",
    "serialize_keras_object",
    "set_random_seed",
    "text_dataset_from_directory",
    "timeseries_dataset_from_array",
    "to_categorical",
    "unpack_x_y_sample_weight",
]


def to_categorical(x: Any, num_classes: int | None = None, dtype: Any = "float32") -> Any:
    """Return rows with a 1 at the place of each class, an array of NumPy.

    Args:
        x: numbers of classes `[...]` or `[..., 1]`.
        num_classes: how many there are, by default one more than the largest.
        dtype: of the result.

    Raises:
        ValueError: a number is not that of a class.

    >>> to_categorical([0, 2])
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    numbers = np.asarray(x).astype(np.int64)
    if numbers.ndim > 1 and numbers.shape[-1] == 1:
        numbers = numbers[..., 0]
    count = int(numbers.max(initial=-1)) + 1 if num_classes is None else num_classes
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise ValueError(
            f"to_categorical: classes are numbers from 0 to {count - 1}, and there are "
            f"{numbers.min()} to {numbers.max()}"
        )
    return (numbers[..., None] == np.arange(count)).astype(dtype)


def set_random_seed(seed: int) -> None:
    """Set the generators of Python, of NumPy and of this library."""
    python_random.seed(seed)
    np.random.seed(seed)
    random.seed(seed)


def pad_sequences(
    sequences: Iterable[Iterable[Any]],
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> Any:
    """Return sequences as rows of one length, an array of NumPy `[sequences, length, ...]`.

    Args:
        sequences: of numbers, or of rows of numbers.
        maxlen: the length; by default that of the longest.
        dtype: of the result.
        padding: whether what is missing stands before (`"pre"`) or after (`"post"`).
        truncating: whether what is too much is taken away before or after.
        value: what stands for what is missing.

    >>> pad_sequences([[1, 2], [3]])
    array([[1, 2],
           [0, 3]], dtype=int32)
    """
    for name, given in (("padding", padding), ("truncating", truncating)):
        if given not in ("pre", "post"):
            raise ValueError(f"{name} of pad_sequences is 'pre' or 'post', not {given!r}")
    rows = [np.asarray(x) for x in sequences]
    length = max((len(x) for x in rows), default=0) if maxlen is None else maxlen
    inner = next((x.shape[1:] for x in rows if len(x)), ())
    found = np.full((len(rows), length, *inner), value, dtype)
    for k, row in enumerate(rows):
        kept = row[max(len(row) - length, 0) :] if truncating == "pre" else row[:length]
        if len(kept):
            found[k, length - len(kept) if padding == "pre" else 0 :][: len(kept)] = kept
    return found


def get_file(fname: Any = None, origin: Any = None, **others: Any) -> str:
    """Return the path of a file that Keras has downloaded before; nothing is downloaded here.

    Args:
        fname: its name; by default the end of `origin`.
        origin: where it came from.
        others: TensorFlow's; `cache_dir` and `cache_subdir` say where it is.

    Raises:
        NotFoundError: it is not there.
    """
    name = os.path.basename(os.fspath(origin)) if fname is None else os.fspath(fname)
    home = others.get("cache_dir") or cached.home()
    folder = os.path.join(home, others.get("cache_subdir", "datasets"))
    return str(cached.file(os.path.join(folder, name)))


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Return an array of NumPy, divided by the norm along an axis.

    >>> normalize([[3.0, 4.0], [0.0, 0.0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    size = np.linalg.norm(np.atleast_1d(x), order, axis, keepdims=True)
    return np.asarray(x) / np.where(size == 0, 1, size)


def unpack_x_y_sample_weight(data: Any) -> tuple[Any, Any, Any]:
    """Return inputs, what is expected, and weights, of what `fit` gives to `train_step`.

    >>> unpack_x_y_sample_weight(("x", "y"))
    ('x', 'y', None)
    """
    parts = tuple(data) if isinstance(data, list | tuple) else (data,)
    if len(parts) > 3:
        raise ValueError(f"data are (x,), (x, y) or (x, y, sample_weight), and not {len(parts)}")
    x, y, weight = (*parts, None, None)[:3]
    return x, y, weight


def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Return inputs, what is expected, and weights as `fit` gives them to `train_step`."""
    if sample_weight is not None:
        return x, y, sample_weight
    if y is not None:
        return x, y
    return (x,) if isinstance(x, list | tuple) else x


def timeseries_dataset_from_array(
    data: Any,
    targets: Any,
    sequence_length: int,
    sequence_stride: int = 1,
    sampling_rate: int = 1,
    batch_size: int | None = 128,
    shuffle: bool = False,
    seed: int | None = None,
    start_index: int | None = None,
    end_index: int | None = None,
) -> Any:
    """Return batches of windows of a series, with their targets, if there are some.

    Args:
        data: the series `[times, ...]`.
        targets: of the window that begins at each time; None for none.
        sequence_length: how many elements a window has.
        sequence_stride, sampling_rate: from one window to the next, and from element to element.
        batch_size: how many windows a batch has; None for windows by themselves.
        shuffle, seed: whether they come in another order, and which.
        start_index, end_index: the part of the series that is used.

    >>> found = timeseries_dataset_from_array(np.arange(6.0), np.arange(6.0)[3:], 3, batch_size=2)
    >>> [(x.numpy().tolist(), y.numpy().tolist()) for x, y in found][-1]
    ([[2.0, 3.0, 4.0]], [5.0])
    """
    series, first = np.asarray(data), start_index or 0
    last = len(series) if end_index is None else end_index
    span = (sequence_length - 1) * sampling_rate
    count = last - first - span
    if targets is not None:
        wanted = np.asarray(targets)
        count = min(count, len(wanted) - first)
    starts = first + np.arange(0, max(count, 0), sequence_stride)
    if shuffle:
        np.random.RandomState(seed).shuffle(starts)
    steps = np.arange(0, span + 1, sampling_rate)
    windows: Any = Dataset.from_tensor_slices(starts).map(lambda k: gather(series, k + steps))
    if targets is not None:
        rows = Dataset.from_tensor_slices(wanted[starts])
        windows = Dataset.zip(windows, rows)
    return windows if batch_size is None else windows.batch(batch_size)


class PyDataset:
    """Batches by their numbers: a class with `__len__` and `__getitem__`; once `Sequence`.

    It is told the end of each epoch by its `on_epoch_end`, if it has one.

    Args:
        workers, use_multiprocessing, max_queue_size: have no effect: batches are made as they are
            asked for.
    """

    def __init__(
        self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10
    ) -> None:
        self.workers, self.use_multiprocessing = workers, use_multiprocessing
        self.max_queue_size = max_queue_size


Sequence = PyDataset

INSTEAD = dict.fromkeys(
    ("array_to_img", "img_to_array", "load_img", "save_img"),
    "pictures are read and written by another library: PIL.Image.fromarray(x), np.asarray(image)",
)
"""What to do without the functions that are absent."""
__getattr__ = missing_from("autograph.tf.keras.utils", globals(), INSTEAD)
