"""Where the elements of datasets come from: numbers, arrays, Python functions and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from autograph.data.core import Described, checked_spec
from runtime import trees
from runtime.data import files, records, sources
from runtime.data.element import Spec, as_array, checked, flat, spec_of_leaf, unbatched
from runtime.dtypes import as_dtype
from runtime.errors import DtypeError, ShapeError, StructureError
from runtime.spec import TensorSpec, make_spec
from runtime.tensor import is_staged

Paths = str | Path | Sequence[str | Path]
Self = TypeVar("Self", bound="Sources")


class Sources(Described):
    """The ways to make a dataset of something else."""

    __slots__ = ()

    @classmethod
    def range(
        cls: type[Self], start: Any, stop: Any = None, step: Any = 1, dtype: Any = np.int64
    ) -> Self:
        """Return the whole numbers from `start` to `stop`, as `range` has them.

        >>> from autograph.data import Dataset
        >>> [int(x) for x in Dataset.range(2, 8, 3)]
        [2, 5]
        """
        first, last = (0, start) if stop is None else (start, stop)
        kind = as_dtype(dtype)
        for bound in (first, last, step):
            spec = _arrays([bound], trees.LEAF)[1][0]
            if spec.dtype.kind not in "iu" or spec.shape != ():
                raise DtypeError(f"Dataset.range takes whole numbers, not {spec}: {bound!r}")
        if not is_staged(step) and int(step) == 0:
            raise ValueError("Dataset.range: the step must not be zero")

        spec = make_spec(kind, ())
        return cls._made(sources.Range, spec, first, last, step, dtype=kind.name)

    @classmethod
    def from_arrays(cls: type[Self], arrays: Any) -> Self:
        """Return the slices of arrays along their first axis, which has one length in all.

        Args:
            arrays: an array, or a tree of them; lists are arrays.

        >>> from autograph.data import Dataset
        >>> for x, y in Dataset.from_arrays(([1, 2], ["a", "b"])):
        ...     print(x, y)
        1 a
        2 b
        """
        leaves, structure = flat(arrays)
        arrays, specs = _arrays(leaves, structure)
        if not arrays:
            raise StructureError("from_arrays: there is no array to slice; give it at least one")
        found = unbatched(trees.unflatten(structure, specs), "from_arrays")
        lengths = {spec.shape[0] for spec in specs if spec.shape is not None}
        if len({n for n in lengths if isinstance(n, int)}) > 1:
            given = ", ".join(map(str, specs))
            raise ShapeError(f"from_arrays: the first axes of {given} have different lengths")
        return cls._made(sources.Slices, found, *arrays, structure=structure)

    from_tensor_slices = from_arrays

    @classmethod
    def from_tensors(cls: type[Self], element: Any) -> Self:
        """Return a dataset of one element.

        >>> from autograph.data import Dataset
        >>> [x.tolist() for x in Dataset.from_tensors([1, 2])]
        [[1, 2]]
        """
        leaves, structure = flat(element)
        arrays, specs = _arrays(leaves, structure)
        spec = trees.unflatten(structure, specs)
        return cls._made(sources.Single, spec, *arrays, structure=structure)

    @classmethod
    def from_generator(
        cls: type[Self], function: Callable[[], Iterable[Any]], element_spec: Any = None
    ) -> Self:
        """Return what a Python function gives, which is called each time the dataset is gone over.

        Args:
            function: returns an iterable, as a generator function does.
            element_spec: what each element is; without it the function is called once for the
                first element, and all others are to be like it.

        >>> from autograph.data import Dataset
        >>> def words():
        ...     yield from ["one", "two"]
        >>> list(Dataset.from_generator(words))
        ['one', 'two']
        """
        if not callable(function):
            raise TypeError(
                f"from_generator takes a function that returns an iterable, not {function!r}; "
                "write lambda: iterable, so that it can be gone over again"
            )
        spec = _first_spec(function) if element_spec is None else checked_spec(element_spec)
        return cls(sources.Generated(function, spec), spec)

    @classmethod
    def from_text(cls: type[Self], paths: Paths, encoding: str = "utf-8") -> Self:
        """Return the lines of text files, without what ends them."""
        return cls(files.Lines(_paths(paths), encoding), files.LINE)

    @classmethod
    def from_csv(
        cls: type[Self],
        paths: Paths,
        dtypes: Mapping[str, Any] | None = None,
        header: Sequence[str] | None = None,
        delimiter: str = ",",
    ) -> Self:
        """Return the rows of CSV files, each a dict of its fields.

        Args:
            paths: the files, of the same columns.
            dtypes: those of columns, `str` for texts; the others are what the first row has:
                whole numbers, floats, or else texts.
            header: the names of the columns, for files that do not begin with them.
            delimiter: what stands between two fields.
        """
        found = _paths(paths)
        columns = files.column_specs(found[0], header, delimiter, dtypes or {})
        return cls(files.Rows(found, columns, header, delimiter), columns)

    @classmethod
    def from_npy(cls: type[Self], path: str | Path) -> Self:
        """Return the rows of an array in a `.npy` file, of which no more is read than is needed."""
        return cls.from_arrays(np.load(path, mmap_mode="r"))

    @classmethod
    def from_npz(cls: type[Self], path: str | Path) -> Self:
        """Return the rows of the arrays in a `.npz` file, as dicts by the names of the arrays."""
        with np.load(path) as arrays:
            return cls.from_arrays({name: arrays[name] for name in arrays.files})

    @classmethod
    def from_records(cls: type[Self], paths: Paths) -> Self:
        """Return the records of TFRecord files, as arrays of bytes; `RecordWriter` writes them."""
        return cls(records.Records(_paths(paths)), TensorSpec([None], np.uint8))


def _arrays(leaves: Sequence[Any], structure: Any) -> tuple[list[Any], list[TensorSpec]]:
    """Return leaves as arrays, staged or not, and their specs."""
    names = trees.paths(structure, "the argument")
    arrays = [
        x if is_staged(x) else as_array(x, name) for x, name in zip(leaves, names, strict=True)
    ]
    return arrays, [x.spec if is_staged(x) else spec_of_leaf(x) for x in arrays]


def _first_spec(function: Callable[[], Iterable[Any]]) -> Spec:
    for value in function():
        return checked(value, "the first element")[1]
    raise StructureError(
        "from_generator: the generator gives no element, so what its elements are is not known; "
        "say it in element_spec"
    )


def _paths(paths: Any) -> list[Path]:
    given = [paths] if isinstance(paths, str | Path) else paths
    if not isinstance(given, Iterable) or not all(isinstance(x, str | Path) for x in given):
        raise TypeError(f"paths is a path, or a list of paths, not {paths!r}")
    found = list(map(Path, given))
    for path in found:
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path} to make a dataset of")
    if not found:
        raise StructureError("there is no file to make a dataset of; give at least one path")
    return found
