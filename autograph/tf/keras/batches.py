"""Batches: what `fit`, `evaluate` and `predict` are given, as elements `(x, y, sample_weight)`.

Comes in: arrays, lists and dicts of them, datasets, generators, sequences. Goes out: what gives
the elements of an epoch as tensors, and says how many there are, if that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from autograph.data import Dataset as PlainDataset
from autograph.tf.data import Dataset
from autograph.tf.sparse import to_dense
from autograph.tf.sparse_tensor import SparseTensor
from autograph.tf.tensors import convert_to_tensor, operate
from runtime import trees
from runtime.dtypes import as_texts, is_string
from runtime.errors import ShapeError
from runtime.numpy import random
from runtime.tensor import Tensor

Element = tuple[Any, Any, Any]


class Arrays:
    """Batches of arrays in memory.

    Args:
        data: `(x, y, sample_weight)`, structures of arrays with one size of the first axis.
        batch_size: of all batches but the last, which may be shorter.
        shuffle: whether samples come in a new order in each epoch.

    Attributes:
        count: how many samples there are.
        steps, whole: how many batches an epoch has, and how many of them are of the full size.
        pace: how many steps are made at a time where nobody wants to see each.
    """

    def __init__(self, data: Element, batch_size: int | None, shuffle: bool) -> None:
        self._leaves, self._structure = trees.flatten(packed(data))
        self._size = 32 if batch_size is None else int(batch_size)
        if self._size < 1:
            raise ValueError(f"batch_size is 1 or more, not {batch_size}")
        self._shuffles = shuffle
        self.count = count_of(data)
        self.steps: int | None = -(-self.count // self._size)
        self.whole = self.count // self._size
        self.pace = 1

    def epoch(self) -> Iterator[Any]:
        """Yield the batches of one epoch."""
        order = self._order()
        for start in range(0, self.count, self._size):
            yield self._taken(order[start : start + self._size])

    def together(self) -> tuple[Any, Any, Any]:
        """Return all samples, which of them make each whole batch of an epoch, and what is left.

        The latter is a batch, or None; the numbers of samples are `i64[whole, batch_size]`.
        """
        order, end = self._order(), self.whole * self._size
        rest = self._taken(order[end:]) if end < self.count else None
        data = trees.unflatten(self._structure, [Tensor(x, operate) for x in self._leaves])
        return data, order[:end].reshape(self.whole, self._size), rest

    def _order(self) -> Any:
        """Return the numbers of the samples in the order of an epoch."""
        drawn = random.permutation(self.count) if self._shuffles else np.arange(self.count)
        return np.asarray(drawn)

    def _taken(self, rows: Any) -> Any:
        taken = [Tensor(x.take(rows, axis=0), operate) for x in self._leaves]
        return trees.unflatten(self._structure, taken)


class Stream:
    """Batches of something that is iterated over.

    Args:
        source: a dataset, a generator, or a sequence of batches.
        weigh: completes an element.
        steps: how many batches an epoch has, if that is said: then one epoch begins where the one
            before ended.
    """

    def __init__(
        self, source: Any, weigh: Callable[[Element], Element], steps: int | None = None
    ) -> None:
        self._source, self._weigh, self._limit = source, weigh, steps
        self._left: Iterator[Any] | None = None
        self.steps = steps if steps is not None else _length(source)

    def epoch(self) -> Iterator[Any]:
        """Yield the batches of one epoch."""
        if self._left is None or self._limit is None:
            self._left = _elements(self._source)
        done = 0
        while self._limit is None or done < self._limit:
            try:
                element = next(self._left)
            except StopIteration:
                self._left = None
                getattr(self._source, "on_epoch_end", _nothing)()
                break
            yield _tensors(packed(self._weigh(unpacked(element))))
            done += 1
        if self._limit is None:
            self.steps = done
        elif done < self._limit and done == 0:
            raise ValueError(
                f"the data have ended, and an epoch is to have {self._limit} batches; give more "
                "(dataset.repeat()), or fewer steps_per_epoch"
            )


def _nothing() -> None:
    """Do nothing, as most data do where they have ended."""


def _length(source: Any) -> int | None:
    try:
        return len(source)
    except TypeError:
        return None


def _elements(source: Any) -> Iterator[Any]:
    if not hasattr(source, "__iter__"):
        return (source[k] for k in range(len(source)))
    return iter(source)


def unpacked(element: Any) -> Element:
    """Return an element as `(x, y, sample_weight)`, of which the last ones may be None."""
    if not isinstance(element, tuple):
        return element, None, None
    if not 1 <= len(element) <= 3:
        raise ValueError(
            f"an element of data is (x,), (x, y) or (x, y, sample_weight), not a tuple of "
            f"{len(element)}"
        )
    x, y, weight = (*element, None, None)[:3]
    return x, y, weight


def packed(element: Element) -> Any:
    """Return an element without what is None, as Keras gives it to `train_step`."""
    x, y, weight = element
    if weight is not None:
        return element
    return (x, y) if y is not None else (x,) if isinstance(x, tuple) else x


def _tensors(element: Any) -> Any:
    leaves, structure = trees.flatten(element)
    made = [x if type(x) is Tensor else Tensor(as_array(x), operate) for x in leaves]
    return trees.unflatten(structure, made)


def as_array(x: Any) -> Any:
    """Return data as an array, `float32` if they are floats."""
    if type(x) is Tensor and is_string(x.spec.dtype):
        return x.array  # x.numpy() has bytes
    if type(x) is SparseTensor:
        x = to_dense(x)
    x = x.toarray() if hasattr(x, "toarray") else x  # a sparse matrix of SciPy's
    found = np.asarray(x.numpy() if hasattr(x, "numpy") else x)
    if found.dtype.kind == "U":
        return as_texts(found)
    return found.astype(np.float32) if found.dtype == np.float64 else found


def arrays_of(data: Any) -> Any:
    """Return data with arrays in the places of lists of numbers, tensors and the like."""
    if data is None:
        return None
    if isinstance(data, dict):
        return {key: arrays_of(x) for key, x in data.items()}
    is_several = isinstance(data, list | tuple) and data and all(hasattr(x, "shape") for x in data)
    if isinstance(data, tuple) or (is_several and np.ndim(data[0]) > 0):
        return type(data)(map(arrays_of, data))
    return as_array(data)


def count_of(data: Any) -> int:
    """Return how many samples there are; ShapeError when arrays do not agree, or there is none."""
    sizes = [x.shape[0] if x.ndim else 0 for x in trees.flatten(data)[0] if x is not None]
    if len(set(sizes)) > 1:
        raise ShapeError(
            f"x, y and sample_weight are of as many samples, and have {', '.join(map(str, sizes))}"
        )
    if not sizes or sizes[0] == 0:
        raise ValueError("there are no samples: x is empty")
    return int(sizes[0])


def is_stream(x: Any) -> bool:
    """Tell whether data are batches already: a dataset, a generator, a sequence of batches."""
    if isinstance(x, Dataset | PlainDataset | Iterator):
        return True
    return not hasattr(x, "shape") and not isinstance(x, list | tuple | dict)


def batches_of(
    x: Any,
    y: Any,
    sample_weight: Any,
    batch_size: int | None = None,
    shuffle: bool = False,
    steps: int | None = None,
    class_weight: Any = None,
) -> Arrays | Stream:
    """Return the batches of what a method of a model is given.

    Raises:
        ValueError: `y` or `sample_weight` are given beside batches.
    """

    def weigh(element: Element) -> Element:
        if class_weight is None:
            return element
        return element[0], element[1], weights_of(element[1], element[2], class_weight)

    if is_stream(x):
        for name, value in (("y", y), ("sample_weight", sample_weight)):
            if value is not None:
                raise ValueError(
                    f"{name} is not given beside a dataset or generator: its elements are batches "
                    "(x, y) or (x, y, sample_weight)"
                )
        if not isinstance(x, Iterable) and not hasattr(x, "__getitem__"):
            raise TypeError(
                f"data are arrays, a dataset or a generator of batches, and not a "
                f"{type(x).__name__}"
            )
        return Stream(x, weigh, steps)
    data = weigh((arrays_of(x), arrays_of(y), arrays_of(sample_weight)))
    found = Arrays(data, batch_size, shuffle)
    return found if steps is None else Stream(_Repeated(found), lambda x: x, steps)


def for_validation(data: Any, batch_size: int | None, steps: int | None) -> Arrays | Stream | None:
    """Return the batches of what `fit` is given as validation data."""
    if data is None:
        return None
    if is_stream(data):
        return batches_of(data, None, None, steps=steps)
    if not isinstance(data, list | tuple) or not 1 <= len(data) <= 3:
        raise ValueError("validation_data is (x, y), (x, y, sample_weight), or batches")
    x, y, weight = (*data, None, None)[:3]
    return batches_of(x, y, weight, batch_size, steps=steps)


class _Repeated:
    """Batches of arrays without an end."""

    def __init__(self, batches: Arrays) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[Element]:
        while True:
            yield from map(unpacked, self._batches.epoch())


def weights_of(y: Any, sample_weight: Any, class_weight: dict[int, float]) -> Any:
    """Return the weights of samples of classes, times their own weights.

    Args:
        y: numbers of classes, or rows with a 1 at the place of the class.
        sample_weight: of the samples, or None.
        class_weight: of the classes; 1 for those that it does not name.
    """
    if y is None or isinstance(y, list | tuple | dict):
        raise ValueError("class_weight is for models with one output, whose y is one array")
    is_tensor = isinstance(y, Tensor)
    array = y.numpy() if is_tensor else y
    numbers = array.argmax(-1) if array.ndim > 1 and array.shape[-1] > 1 else array.reshape(-1)
    found = np.array([class_weight.get(int(k), 1.0) for k in numbers], np.float32)
    if sample_weight is not None:
        found = found * np.asarray(as_array(sample_weight), np.float32)
    return convert_to_tensor(found) if is_tensor else found


def split_off(data: Element, part: float) -> tuple[Element, Element]:
    """Return the first samples, and the last ones for validation."""
    if not 0 < part < 1:
        raise ValueError(f"validation_split is between 0 and 1, not {part}")
    x, y, weight = data
    data = arrays_of(x), arrays_of(y), arrays_of(weight)
    count = count_of(data)
    at = int(count * (1 - part))
    if at in (0, count):
        raise ValueError(f"validation_split={part} of {count} samples leaves no sample on a side")
    return _sliced(data, slice(0, at)), _sliced(data, slice(at, None))


def _sliced(data: Any, rows: slice) -> Any:
    leaves, structure = trees.flatten_to(data, lambda x: x is None)
    return trees.unflatten(structure, [None if x is None else x[rows] for x in leaves])
