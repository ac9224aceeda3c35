"""`Dataset`: elements given one by one, described in stages, drawn when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import autograph.operators as operators
from autograph.data.core import Elements, checked_spec, whole
from autograph.data.functions import arguments_of, on_elements, predicate, unstaged
from autograph.data.picking import Picking
from autograph.operators.control_flow.hints import NO_OPTIONS
from autograph.operators.control_flow.staged_loops import stage_elements
from autograph.staging.functional import Variable
from runtime import default_graph, trees
from runtime.data import buffers, combining, progress, transforms
from runtime.data.element import batched, checked, joined, padded_spec, show
from runtime.data.stage import Stage
from runtime.data.stored import Stored
from runtime.errors import DtypeError, StructureError
from runtime.tree_classes import register_tree

T = TypeVar("T")


class Dataset(Picking):  # Long: the methods that users have, each with its sentences.
    """Elements given one by one.

    Made by `Dataset.range`, `from_arrays`, `from_generator` and the like, and changed by methods,
    each of which returns another dataset. A `for` loop goes over it: in Python the elements are
    trees of NumPy arrays and scalars; in a staged function the loop is part of the graph. Nothing
    is kept of an element that was given.

    >>> data = Dataset.range(7).map(lambda x: x * x).batch(3)
    >>> for x in data:
    ...     print(x)
    [0 1 4]
    [ 9 16 25]
    [36]
    >>> data
    <Dataset of i64[?], 3 elements>
    """

    __slots__ = ()

    @staticmethod
    def zip(datasets: Any) -> Dataset:
        """Return the elements of several datasets side by side, up to the end of the shortest.

        Args:
            datasets: a tuple or dict of datasets, or a tree of them.

        >>> list(Dataset.zip((Dataset.range(2), Dataset.from_arrays(["a", "b", "c"]))))
        [(np.int64(0), 'a'), (np.int64(1), 'b')]
        """
        parts, structure = trees.flatten_to(datasets, lambda x: type(x) is Dataset)
        for part in parts:
            _need_dataset(part, "zip")
        if not parts:
            raise StructureError("zip: there is no dataset; give it a tuple or dict of datasets")
        spec = trees.unflatten(structure, [part._spec for part in parts])
        return Dataset._made(transforms.Zipped, spec, *parts, structure=structure)

    def map(
        self, function: Callable[..., Any], *, staged: bool = True, element_spec: Any = None
    ) -> Dataset:
        """Return what a function makes of each element.

        Args:
            function: is given the element; the parts of a tuple as arguments of their own.
            staged: whether it is staged: it is traced once, at once, and its graph runs. If not,
                Python calls it for each element.
            element_spec: what it returns, for a function that is not staged.

        >>> [int(x) for x in Dataset.range(4).map(lambda x: x + 1 if x > 1 else x)]
        [0, 1, 3, 4]
        """
        if not staged:
            called = unstaged(function, element_spec, "map")
            given = checked_spec(element_spec)
            return Dataset._made(transforms.Mapped, given, self, function=called)
        applied = on_elements(function, self._spec, "map")
        return Dataset._made(transforms.Mapped, applied.spec, self, function=applied)

    def scan(self, initial: Any, function: Callable[[Any, Any], Any]) -> Dataset:
        """Return `y` of each element, with `state, y = function(state, element)`.

        Args:
            initial: the first state, a structure of arrays.
            function: is staged; the states that it returns are of the spec of the first one.

        >>> [int(x) for x in Dataset.range(5).scan(0, lambda total, x: (total + x, total * x))]
        [0, 0, 2, 9, 24]
        """
        start, spec = checked(initial, "the first state of scan")
        applied = on_elements(function, (spec, self._spec), "scan")
        if type(applied.spec) is not tuple or len(applied.spec) != 2:
            raise DtypeError(
                "the function of scan returns the next state and an element, and it returns "
                f"{show(applied.spec)}"
            )
        if applied.spec[0] != spec:
            raise DtypeError(
                f"the first state of scan is {show(spec)}, and its function returns "
                f"{show(applied.spec[0])} as the next one"
            )
        return Dataset._made(
            transforms.Scanned, applied.spec[1], self, start=start, function=applied
        )

    def filter(self, function: Callable[..., Any]) -> Dataset:
        """Return the elements for which a function is true.

        >>> [int(x) for x in Dataset.range(6).filter(lambda x: x % 2 == 0)]
        [0, 2, 4]
        """
        test = predicate(function, self._spec, "filter")
        return Dataset._made(transforms.Filtered, self._spec, self, function=test)

    def take_while(self, function: Callable[..., Any]) -> Dataset:
        """Return the elements before the first for which a function is false."""
        test = predicate(function, self._spec, "take_while")
        return Dataset._made(transforms.TakenWhile, self._spec, self, function=test)

    def batch(self, size: int, drop_remainder: bool = False) -> Dataset:
        """Return elements stacked, `size` at a time; the last batch may be smaller, or is dropped.

        >>> [x.tolist() for x in Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        number = whole(size, "batch: the size", 1)
        spec = batched(self._spec, number if drop_remainder else None)
        return Dataset._made(
            transforms.Batched, spec, self, size=number, drop_remainder=drop_remainder
        )

    def padded_batch(
        self, size: int, padded_shapes: Any = None, values: Any = None, drop_remainder: bool = False
    ) -> Dataset:
        """Return elements stacked, `size` at a time, each made as large as the largest of them.

        Args:
            size: how many elements a batch has.
            padded_shapes: a shape for each array of an element, with None for sizes that are those
                of the largest; by default all are.
            values: what is added, for each array; by default zeros, or empty texts.
            drop_remainder: whether a smaller last batch is dropped.

        >>> import numpy as np
        >>> rows = Dataset.range(1, 4).map(lambda n: np.full(n, n))
        >>> [x.tolist() for x in rows.padded_batch(2)]
        [[[1, 0], [2, 2]], [[3, 3, 3]]]
        """
        number = whole(size, "padded_batch: the size", 1)
        specs, structure = trees.flatten(self._spec)
        shapes = [None] * len(specs) if padded_shapes is None else _shapes(padded_shapes)
        filled = [x.dtype.type(0) if x.dtype.kind != "T" else "" for x in specs]
        filled = filled if values is None else list(trees.flatten(values)[0])
        if not len(shapes) == len(filled) == len(specs):
            raise StructureError(
                f"padded_batch needs one shape and one value for each array of {show(self._spec)}"
            )
        padded = [padded_spec(*pair) for pair in zip(specs, shapes, strict=True)]
        spec = batched(trees.unflatten(structure, padded), number if drop_remainder else None)
        return Dataset._made(
            combining.Padded,
            spec,
            self,
            size=number,
            shapes=tuple(shapes),
            values=tuple(filled),
            drop_remainder=drop_remainder,
        )

    @staticmethod
    def sample(
        datasets: Sequence[Dataset],
        weights: Sequence[float] | None = None,
        seed: int | None = None,
        stop_on_empty: bool = False,
    ) -> Dataset:
        """Return elements of datasets, each of one that is drawn by its weight.

        Args:
            datasets: with elements of one spec.
            weights: how likely each dataset is; all are equally likely by default.
            seed: of what is drawn.
            stop_on_empty: whether the first dataset without further elements ends it.
        """
        shares = [1.0] * len(datasets) if weights is None else weights
        drawn = [one for one, share in zip(datasets, shares, strict=True) if share > 0]
        if drawn:  # one that is never drawn would be waited for without an end
            datasets, shares = drawn, [share for share in shares if share > 0]
        return Dataset._chosen(datasets, combining.drawn_numbers(shares, seed), stop_on_empty)

    @staticmethod
    def choose(
        datasets: Sequence[Dataset], numbers: Dataset, stop_on_empty: bool = True
    ) -> Dataset:
        """Return elements of datasets, each of the one whose number another dataset gives next."""
        _need_dataset(numbers, "choose")
        stage = numbers._stage("choose")
        return Dataset._chosen(datasets, lambda: iter(stage), stop_on_empty)

    @staticmethod
    def _chosen(datasets: Sequence[Dataset], numbers: Callable[[], Any], ends: bool) -> Dataset:
        for one in datasets:
            _need_dataset(one, "choosing among datasets")
        if not datasets:
            raise StructureError("there is no dataset to choose from; give at least one")
        spec = reduce(
            lambda a, b: joined(a, b, "choosing among datasets"), [x._spec for x in datasets]
        )
        return Dataset._made(combining.Chosen, spec, *datasets, numbers=numbers, ends=ends)

    def concatenate(self, other: Dataset) -> Dataset:
        """Return the elements of this dataset, then those of another of the same structure."""
        _need_dataset(other, "concatenate")
        spec = joined(self._spec, other._spec, "concatenate")
        return Dataset._made(transforms.Concatenated, spec, self, other)

    def interleave(
        self, function: Callable[..., Dataset], cycle_length: int = 1, block_length: int = 1
    ) -> Dataset:
        """Return the elements of the datasets that a function makes of each element, in turn.

        Args:
            function: Python calls it with each element; it returns a dataset.
            cycle_length: how many of the datasets are open at a time.
            block_length: how many elements of one come before it is the next one's turn.

        >>> pairs = Dataset.range(1, 3).interleave(lambda x: Dataset.from_tensors(x).repeat(2))
        >>> [int(x) for x in pairs]
        [1, 1, 2, 2]
        """
        cycle = whole(cycle_length, "interleave: cycle_length", 1)
        block = whole(block_length, "interleave: block_length", 1)
        source = self._stage("interleave")

        def inner(element: Any) -> Dataset:
            found = function(*arguments_of(element))
            _need_dataset(found, "the function of interleave")
            return found

        first = next(iter(source), None)
        if first is None:
            raise StructureError(
                "interleave: the dataset is empty, so what the function makes of an element is "
                "not known"
            )
        spec = inner(first)._spec

        def stage_of(element: Any) -> Stage:
            found = inner(element)
            joined(spec, found._spec, "interleave")
            return found._stage("interleave")

        return Dataset(transforms.Interleaved(source, stage_of, cycle, block), spec)

    def flat_map(self, function: Callable[..., Dataset]) -> Dataset:
        """Return the elements of the datasets that a function makes of each, one after another."""
        return self.interleave(function)

    def cache(self, path: str | Path | None = None) -> Dataset:
        """Return the same elements, which are kept once all of them were given.

        Args:
            path: of a file that keeps them, also for later programs; by default memory does.
        """
        if path is None:
            return Dataset._made(buffers.Cached, self._spec, self)
        place, spec = Path(path).absolute(), self._spec
        if not place.parent.is_dir():
            raise FileNotFoundError(f"cache: there is no folder {place.parent}; make it first")
        return Dataset._made(lambda source: Stored(source, place, spec), spec, self)

    def prefetch(self, buffer_size: int = 1) -> Dataset:
        """Return the same elements, drawn in advance by a thread, at most `buffer_size` of them."""
        size = whole(buffer_size, "prefetch: the size of the buffer", -1)
        size = 1 if size < 1 else size
        return Dataset._made(buffers.Prefetched, self._spec, self, size=size)

    def progress(self, label: str = "dataset") -> Dataset:
        """Return the same elements, and show on the standard error stream how many were given.

        Args:
            label: stands in front of the number, and of a bar where the length is known.
        """
        return Dataset._made(progress.Shown, self._spec, self, label=label)

    def apply(self, function: Callable[[Dataset], T]) -> T:
        """Return `function(dataset)`."""
        return function(self)

    def reduce(self, initial: Any, function: Callable[[Any, Any], Any]) -> Any:
        """Return `initial` after `state = function(state, element)` for each element.

        >>> int(Dataset.range(5).reduce(0, lambda total, x: total + x))
        10
        """
        if default_graph.current() is None:
            for element in self:
                initial = function(initial, element)
            return initial
        state = Variable("the state of reduce", initial)

        def one_round(element: Any) -> None:
            state.value = operators.call(function, state.value, element)

        opened = self.__staged_iteration__().opened()
        stage_elements(opened, one_round, None, state, NO_OPTIONS)
        return state.value


def _shapes(shapes: Any) -> list[Any]:
    """Return the shapes in a structure of them: tuples of sizes, or lists."""

    def is_shape(x: Any) -> bool:
        return isinstance(x, list | tuple) and all(n is None or isinstance(n, int) for n in x)

    return list(trees.flatten_to(shapes, is_shape)[0])


def _need_dataset(value: Any, what: str) -> None:
    if type(value) is not Dataset:
        raise TypeError(
            f"{what} needs a dataset, and {value!r} is a {type(value).__name__}; make one with "
            "Dataset.from_arrays, say"
        )


def _take_apart(dataset: Dataset | Elements) -> tuple[Sequence[Any], Any]:
    specs, structure = trees.flatten(dataset._spec)
    return (dataset._source,), (structure, specs)


def _put_together(data: Any, children: Sequence[Any]) -> Dataset:
    structure, specs = data
    return Dataset(children[0], trees.unflatten(structure, specs))


def _begun(data: Any, children: Sequence[Any]) -> Elements:
    structure, specs = data
    return Elements(children[0], trees.unflatten(structure, specs))


for _kind, _made in ((Dataset, _put_together), (Elements, _begun)):
    register_tree(_kind, _take_apart, _made, lambda data: [""])
