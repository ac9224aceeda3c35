"""`tf.data`: the datasets of `autograph.data`, with tensors as elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from glob import glob
from typing import Any

import numpy as np

import autograph.operators as operators
from autograph.data import Dataset as Plain
from autograph.data.core import Elements as PlainElements
from autograph.staging.for_loop import Items
from autograph.staging.strictness import strictly
from autograph.tf import csv_data, elements, ragged_data
from autograph.tf.absent import Names, missing_from
from autograph.tf.errors import InvalidArgumentError, NotFoundError, translating
from autograph.tf.grouping import Grouped
from autograph.tf.shapes import TensorSpec
from autograph.tf.tensors import as_result, convert_to_tensor, operate
from runtime import default_graph, trees
from runtime.tree_classes import register_tree

__all__ = ["AUTOTUNE", "Dataset", "TFRecordDataset", "TextLineDataset", "experimental"]
AUTOTUNE = -1
"""The size of a buffer that is chosen by `prefetch`."""


class Dataset(Grouped):
    """A dataset whose elements are tensors; what it can do is told at `autograph.data.Dataset`.

    >>> [int(x) for x in Dataset.range(3)]
    [0, 1, 2]
    """

    __slots__ = ("__weakref__", "_plain", "class_names", "file_paths")
    class_names: list[str]
    file_paths: list[str]
    """Of the folder that its elements are of, if they are of one."""

    def __init__(self, plain: Plain) -> None:
        self._plain = plain

    @staticmethod
    def range(*bounds: Any, output_type: Any = np.int64) -> Dataset:
        """Return whole numbers, of `int64`."""
        return _made(Plain.range, *bounds, dtype=output_type)

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """Return the slices of tensors along their first axis."""
        if ragged_data.holds_composites(tensors):
            return _generated(*ragged_data.slices(tensors))
        return _made(Plain.from_arrays, elements.arrays(tensors))

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """Return a dataset of one element."""
        return _made(Plain.from_tensors, elements.arrays(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = (),
        output_signature: Any = None,
    ) -> Dataset:
        """Return what a Python function gives, as tensors of a signature, or of types."""
        if output_signature is None and output_types is None:
            raise TypeError(
                "from_generator needs output_signature: a tf.TensorSpec, or a structure of them"
            )
        if output_signature is None:
            output_signature = elements.specs(output_types, output_shapes)

        return _generated(lambda: generator(*args), output_signature)

    @staticmethod
    def zip(*datasets: Any) -> Dataset:
        """Return the elements of datasets side by side."""
        given = datasets[0] if len(datasets) == 1 else datasets
        return _made(Plain.zip, _plain_in(given))

    def map(self, map_func: Callable[..., Any], **options: Any) -> Dataset:
        """Return what a function makes of each element; it is traced once."""
        return _made(
            self._plain.map, lambda *parts: elements.packed(operators.call(map_func, *parts))
        )

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], **options: Any) -> Dataset:
        """Return `y` of each element, with `state, y = scan_func(state, element)`."""

        def step(state: Any, element: Any) -> Any:
            return tuple(map(elements.packed, operators.call(scan_func, state, element)))

        start = trees.map_tree(lambda x: np.asarray(convert_to_tensor(x)), initial_state)
        return _made(self._plain.scan, start, step)

    def filter(self, predicate: Callable[..., Any], name: Any = None) -> Dataset:
        """Return the elements for which a function is true."""
        return _made(self._plain.filter, predicate)

    def take_while(self, predicate: Callable[..., Any], name: Any = None) -> Dataset:
        """Return the elements before the first for which a function is false."""
        return _made(self._plain.take_while, predicate)

    def interleave(
        self,
        map_func: Callable[..., Dataset],
        cycle_length: int = 1,
        block_length: int = 1,
        **options: Any,
    ) -> Dataset:
        """Return the elements of the datasets that a function makes of each element, in turn."""

        def inner(*parts: Any) -> Any:
            return _plain_in(map_func(*(elements.tensors(part) for part in parts)))

        return _made(self._plain.interleave, inner, cycle_length, block_length)

    def flat_map(self, map_func: Callable[..., Dataset], name: Any = None) -> Dataset:
        """Return the elements of the datasets that a function makes of each, one after another."""
        return self.interleave(map_func)

    def cache(self, filename: Any = "", name: Any = None) -> Dataset:
        """Return the same elements, kept in memory or in a file once all of them were given."""
        return _made(self._plain.cache, filename or None)

    def padded_batch(
        self,
        batch_size: int,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: Any = None,
    ) -> Dataset:
        """Return elements stacked, each made as large as the largest of its batch."""
        values = None if padding_values is None else trees.map_tree(np.asarray, padding_values)
        return _made(self._plain.padded_batch, batch_size, padded_shapes, values, drop_remainder)

    def window(
        self, size: int, shift: int | None = None, stride: int = 1, drop_remainder: bool = False
    ) -> Windows:
        """Return datasets of elements that follow one another, which overlap."""
        return Windows(_made(self._plain.windows, size, shift, stride, drop_remainder))

    @staticmethod
    def sample_from_datasets(
        datasets: Any,
        weights: Any = None,
        seed: int | None = None,
        stop_on_empty_dataset: bool = False,
        **options: Any,
    ) -> Dataset:
        """Return elements of datasets, each of one that is drawn by its weight."""
        plain = list(map(_plain_in, datasets))
        shares = None if weights is None else np.asarray(weights).tolist()
        return _made(Plain.sample, plain, shares, seed, stop_on_empty_dataset)

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Return elements of datasets, each of the one whose number a dataset gives next."""
        plain = list(map(_plain_in, datasets))
        return _made(Plain.choose, plain, _plain_in(choice_dataset), stop_on_empty_dataset)

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: int | None = None, name: Any = None
    ) -> Dataset:
        """Return the names of the files that match patterns, in random order unless told not to."""
        patterns = [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
        found = sorted({name for pattern in patterns for name in glob(str(pattern))})
        if not found:
            raise NotFoundError(f"no file matches {patterns}")
        names = _made(Plain.from_arrays, found)
        if shuffle is False:
            return names
        return _made(names._plain.shuffle, len(found), seed)

    @staticmethod
    def counter(start: int = 0, step: int = 1, dtype: Any = np.int64) -> Dataset:
        """Return numbers without an end."""
        return Dataset.range(start, np.iinfo(np.int64).max, step, output_type=dtype)

    def get_single_element(self, name: Any = None) -> Any:
        """Return the only element; InvalidArgumentError when there are none or several."""
        found = list(map(elements.tensors, self._plain.take(2)))
        if len(found) != 1:
            raise InvalidArgumentError(
                f"the dataset has {'no element' if not found else 'more than one element'}, and "
                "get_single_element needs one"
            )
        return found[0]

    def with_options(self, options: Any, name: Any = None) -> Dataset:
        """Return the dataset itself: there are no options."""
        return self

    def concatenate(self, dataset: Dataset, name: Any = None) -> Dataset:
        """Return the elements of this dataset, then those of another."""
        return _made(self._plain.concatenate, _plain_in(dataset))

    def apply(self, transformation_func: Callable[[Dataset], Any]) -> Any:
        """Return `transformation_func(dataset)`."""
        return transformation_func(self)

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any]) -> Any:
        """Return the state after `state = reduce_func(state, element)` for each element."""
        start = trees.map_tree(convert_to_tensor, initial_state)
        if default_graph.current() is not None:
            return as_result(self._plain.reduce(start, reduce_func))
        for element in self:
            start = as_result(reduce_func(start, element))
        return start

    def cardinality(self) -> Any:
        """Return how many elements there are: -1 for no end, -2 when it is not known."""
        found = self._plain._length()
        return convert_to_tensor(np.int64(-2 if found is None else -1 if found > 2**62 else found))

    def as_numpy_iterator(self) -> Iterator[Any]:
        """Return an iterator over the elements as arrays of NumPy."""
        for element in self:
            yield trees.map_tree(elements.numpy_of, element)

    @property
    def element_spec(self) -> Any:
        """What its elements are."""
        return trees.map_tree(TensorSpec.of, self._plain.element_spec)

    def __iter__(self) -> Elements:
        return Elements(iter(self._plain))

    def __staged_iteration__(self) -> Items:
        return self._plain.__staged_iteration__()

    def __len__(self) -> int:
        return len(self._plain)

    def __length_hint__(self) -> int:
        return self._plain.__length_hint__()

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Dataset element_spec={self.element_spec!r}>"


class Elements(Iterator[Any]):
    """What `iter(dataset)` is: gives each element once, as tensors.

    Args:
        plain: gives them as arrays.
    """

    __slots__ = ("__weakref__", "_plain")

    def __init__(self, plain: PlainElements) -> None:
        self._plain = plain

    @property
    def element_spec(self) -> Any:
        """What its elements are."""
        return trees.map_tree(TensorSpec.of, self._plain.element_spec)

    def get_next(self) -> Any:
        """Return the next element."""
        return next(self)

    next = get_next

    def __next__(self) -> Any:
        with translating(of_user=True):
            return elements.tensors(next(self._plain))

    def __staged_iteration__(self) -> Items:
        return self._plain.__staged_iteration__()


class Windows:
    """Datasets of elements that follow one another, as `Dataset.window` gives them.

    Args:
        batches: the windows as batches.
    """

    __slots__ = ("_batches",)

    def __init__(self, batches: Dataset) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[Any]:
        return map(_sliced, self._batches)

    def flat_map(self, map_func: Callable[..., Dataset], name: Any = None) -> Dataset:
        """Return the elements of what a function makes of each window, one after another."""

        def inner(*parts: Any) -> Dataset:
            return map_func(*map(Dataset.from_tensor_slices, parts))

        return self._batches.flat_map(inner)

    def take(self, count: int) -> Windows:
        """Return the first windows."""
        return Windows(_made(self._batches._plain.take, count))

    def skip(self, count: int) -> Windows:
        """Return all but the first windows."""
        return Windows(_made(self._batches._plain.skip, count))


def _sliced(batch: Any) -> Any:
    if type(batch) is tuple:
        return tuple(map(Dataset.from_tensor_slices, batch))
    return Dataset.from_tensor_slices(batch)


def _forward(name: str) -> Callable[..., Dataset]:
    def method(self: Dataset, *args: Any, **kwargs: Any) -> Dataset:
        kwargs = {key: x for key, x in kwargs.items() if key not in _UNUSED}
        return _made(getattr(self._plain, name), *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Return what `autograph.data.Dataset.{name}` does."
    return method


_UNUSED = frozenset({"name", "num_parallel_calls", "deterministic"})
FORWARDED = "batch enumerate prefetch repeat shard shuffle skip take unbatch unique"
"""Methods that are those of `autograph.data.Dataset`."""
for _name in FORWARDED.split():
    setattr(Dataset, _name, _forward(_name))


def TextLineDataset(filenames: Any, **options: Any) -> Dataset:  # noqa: N802  (a class there)
    """Return the lines of text files."""
    return _made(Plain.from_text, csv_data.names_of(filenames))


def TFRecordDataset(filenames: Any, **options: Any) -> Dataset:  # noqa: N802  (a class there)
    """Return the records of files, as arrays of bytes."""
    return _made(Plain.from_records, csv_data.names_of(filenames))


def CsvDataset(filenames: Any, record_defaults: Any, *args: Any, **options: Any) -> Dataset:  # noqa: N802
    """Return the rows of CSV files as tuples of their columns, which have dtypes or defaults."""
    return _generated(*csv_data.rows_of(filenames, record_defaults, *args, **options))


def make_csv_dataset(file_pattern: Any, batch_size: int, *args: Any, **options: Any) -> Dataset:
    """Return batches of the columns of CSV files, by their names, with the labels apart."""
    return _made(csv_data.batches_of, file_pattern, batch_size, *args, **options)


def _generated(generator: Callable[[], Any], signature: Any) -> Dataset:
    def values() -> Any:
        for value in generator():
            yield elements.as_declared(value, signature)

    return _made(Plain.from_generator, values, signature)


Dataset.generated = staticmethod(_generated)


def _made(make: Callable[..., Plain], *args: Any, **kwargs: Any) -> Dataset:
    with translating(of_user=True), strictly(operate):
        return Dataset(make(*args, **kwargs))


def _plain_in(value: Any) -> Any:
    """Return a structure of datasets with those of `autograph.data` in their places."""
    leaves, structure = trees.flatten_to(value, lambda x: type(x) is Dataset)
    found = [x._plain if type(x) is Dataset else x for x in leaves]
    return found[0] if structure == trees.LEAF else trees.unflatten(structure, found)


def _take_apart(given: Dataset | Elements) -> tuple[Any, Any]:
    return (given._plain,), None


register_tree(Dataset, _take_apart, lambda data, children: Dataset(children[0]))
register_tree(Elements, _take_apart, lambda data, children: Elements(children[0]))
experimental = Names(
    "What TensorFlow tried out first, under its names.",
    AUTOTUNE=AUTOTUNE,
    cardinality=Dataset.cardinality,
    Counter=Dataset.counter,
    CsvDataset=CsvDataset,
    make_csv_dataset=make_csv_dataset,
    dense_to_ragged_batch=lambda *args, **options: lambda x: x.ragged_batch(*args, **options),
    INFINITE_CARDINALITY=-1,
    UNKNOWN_CARDINALITY=-2,
)
__getattr__ = missing_from("autograph.tf.data", globals())
