"""Methods of `tf.data.Dataset` that gather elements as they come, by Python's own code."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.tf import ragged_data
from autograph.tf.shapes import TensorSpec
from autograph.tf.tensors import convert_to_tensor
from runtime import trees


class Grouped:
    """A dataset whose elements are gathered."""

    __slots__ = ()
    element_spec: Any
    __iter__: Callable[..., Iterator[Any]]
    map: Callable[..., Any]
    unbatch: Callable[..., Any]
    generated: Callable[..., Any]
    """Returns a dataset of what a function gives that returns iterators, of specs."""

    def ragged_batch(self, batch_size: int, drop_remainder: bool = False, name: Any = None) -> Any:
        """Return elements of several sizes stacked as rows."""
        return self.generated(*ragged_data.batches(self, batch_size, drop_remainder))

    def rebatch(self, batch_size: int, drop_remainder: bool = False, name: Any = None) -> Any:
        """Return the rows of batches, in batches of another size."""
        return self.unbatch().batch(batch_size, drop_remainder)

    @classmethod
    def random(cls, seed: int | None = None, name: Any = None, **options: Any) -> Any:
        """Return random whole numbers below 2**32 without an end, the same for one seed."""

        def numbers() -> Iterator[Any]:
            source = np.random.default_rng(seed)
            while True:
                yield convert_to_tensor(source.integers(2**32, dtype=np.int64))

        return cls.generated(numbers, TensorSpec([], np.int64))

    def ignore_errors(self, log_warning: bool = False, name: Any = None) -> Any:
        """Return the elements that are computed without an error."""

        def sound() -> Iterator[Any]:
            elements, end = iter(self), object()
            element: Any = None
            while element is not end:
                try:
                    element = next(elements, end)
                except Exception as error:  # noqa: PERF203  (each element may fail)
                    if log_warning:
                        warnings.warn(f"an element is left out: {error}", stacklevel=2)
                else:
                    yield from () if element is end else (element,)

        return self.generated(sound, self.element_spec)

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: int | None = None,
        name: Any = None,
    ) -> Any:
        """Return elements, each with its class, of which some are left out at random.

        Args:
            class_func: gives the class of an element, a whole number.
            target_dist: the share that each class is to have.
            initial_dist: the share that it has; counted as elements come if it is not given.
            seed: of the generator that says which are left out.
        """
        wanted = np.asarray(target_dist, np.float64)

        def chosen() -> Iterator[Any]:
            source, counts = np.random.default_rng(seed), np.full(len(wanted), 10.0)
            for element in self:
                found = class_func(*element) if type(element) is tuple else class_func(element)
                counts[int(found)] += 1
                given = counts if initial_dist is None else np.asarray(initial_dist, np.float64)
                shares = np.divide(wanted, given, out=np.zeros_like(wanted), where=given > 0)
                if source.random() * np.max(shares) < shares[int(found)]:
                    yield convert_to_tensor(found), element

        return self.generated(chosen, (self.map(class_func).element_spec, self.element_spec))

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[[Any, Any], Any],
        window_size: int | None = None,
        window_size_func: Callable[[Any], Any] | None = None,
        name: Any = None,
    ) -> Any:
        """Return what a function makes of elements that have one key, so many at a time.

        Args:
            key_func: gives the key of an element, a whole number.
            reduce_func: given a key and a dataset of elements, returns a dataset.
            window_size: how many elements are taken together; fewer at the end.
            window_size_func: gives that for a key.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("give one of window_size and window_size_func")

        def size_of(key: Any) -> Any:
            return window_size if window_size_func is None else window_size_func(key)

        like = reduce_func(_key(0), self._window(())).element_spec
        return self._gathered(key_func, reduce_func, size_of, like)

    def _window(self, elements: Sequence[Any]) -> Any:
        return self.generated(lambda: iter(elements), self.element_spec)

    def _gathered(self, key_func: Any, reduce_func: Any, size_of: Any, like: Any) -> Any:
        def groups() -> Iterator[Any]:
            held: dict[int, list[Any]] = {}
            for element in self:
                key = int(key_func(*element) if type(element) is tuple else key_func(element))
                held.setdefault(key, []).append(element)
                if len(held[key]) == size_of(_key(key)):
                    yield from reduce_func(_key(key), self._window(held.pop(key)))
            for key in sorted(held):
                yield from reduce_func(_key(key), self._window(held[key]))

        return self.generated(groups, like)

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: Any = None,
    ) -> Any:
        """Return batches of elements of about one length, padded to the longest of their batch.

        Args:
            element_length_func: gives the length of an element.
            bucket_boundaries: lengths at which the next bucket begins.
            bucket_batch_sizes: of each bucket, one more than boundaries.
            padded_shapes, padding_values, drop_remainder: as `padded_batch` has them.
            pad_to_bucket_boundary: whether elements become as long as any of their bucket may be.
            no_padding: whether they are stacked as they are.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                f"{len(bucket_boundaries)} boundaries are between {len(bucket_boundaries) + 1} "
                f"buckets, and there are {len(bucket_batch_sizes)} batch sizes"
            )

        def number(*parts: Any) -> int:
            return bisect_right(bucket_boundaries, int(element_length_func(*parts)))

        def batched(key: Any, window: Any, shapes: Any = padded_shapes) -> Any:
            size = bucket_batch_sizes[int(key)]
            if no_padding:
                return window.batch(size, drop_remainder)
            return window.padded_batch(size, shapes, padding_values, drop_remainder)

        def to_boundary(key: Any, window: Any) -> Any:
            if int(key) == len(bucket_boundaries):
                raise ValueError("an element is longer than the last of bucket_boundaries")
            longest = bucket_boundaries[int(key)] - 1
            given = padded_shapes
            if given is None:
                specs, structure = trees.flatten(self.element_spec)
                given = trees.unflatten(structure, [list(x.shape) for x in specs])
            leaves, structure = trees.flatten_to(given, _is_shape)
            sizes = [[n if isinstance(n, int) else longest for n in shape] for shape in leaves]
            return batched(key, window, trees.unflatten(structure, sizes))

        like = batched(0, self._window(())).element_spec
        reduced = to_boundary if pad_to_bucket_boundary else batched
        return self._gathered(number, reduced, lambda key: bucket_batch_sizes[int(key)], like)


def _is_shape(x: Any) -> bool:
    return isinstance(x, list | tuple) and not any(isinstance(n, list | tuple) for n in x)


def _key(key: int) -> Any:
    return convert_to_tensor(np.int64(key))
