"""`tf.lookup`: tables from keys to values, which are known while tracing.

A table is two arrays, its keys in order and the values in that order: to look up is to search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import creation, elementwise, shaping, strings
from autograph.tf.absent import missing_from
from autograph.tf.composite import is_composite
from autograph.tf.dtype import as_dtype
from autograph.tf.errors import InvalidArgumentError, translating
from autograph.tf.ragged_functions import each
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.dtypes import is_string

__all__ = [
    "KeyValueTensorInitializer",
    "StaticHashTable",
    "StaticVocabularyTable",
    "TextFileIndex",
    "TextFileInitializer",
]


class Keys:
    """Keys that differ, which are searched.

    Args:
        keys: an array of one dimension.

    >>> places, is_there = Keys(["b", "a"]).find(["a", "c"])
    >>> places.numpy()[is_there.numpy()]
    array([1])
    """

    __slots__ = ("order", "sorted")

    def __init__(self, keys: Any) -> None:
        array = np.asarray(convert_to_tensor(keys).array).reshape(-1)
        self.order = np.argsort(array, kind="stable")
        self.sorted = array[self.order]
        again = self.sorted[1:] == self.sorted[:-1]
        if np.any(again):
            raise InvalidArgumentError(f"the key {self.sorted[1:][again][0]!r} occurs twice")

    def find(self, x: Any) -> tuple[Any, Any]:
        """Return the place of each element among the keys, and whether it is one."""
        given = convert_to_tensor(x)
        if not len(self.sorted):
            return creation.zeros_like(given, np.int64), creation.zeros_like(given, bool)
        last = len(self.sorted) - 1
        near = rnp.minimum(rnp.searchsorted(self.sorted, given), last)
        found = shaping.gather(self.sorted, near)
        return shaping.gather(self.order, near), as_result(rnp.equal(found, given))


class KeyValueTensorInitializer:
    """Keys and their values, for a table.

    Args:
        keys, values: of equal lengths.
        key_dtype, value_dtype: their dtypes, if not their own.
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, **others: Any
    ) -> None:
        with translating():
            self.keys = convert_to_tensor(keys, key_dtype)
            self.values = convert_to_tensor(values, value_dtype)
        if self.keys.shape != self.values.shape:
            raise InvalidArgumentError(
                f"there are keys of shape {self.keys.shape} and values of {self.values.shape}"
            )


class TextFileIndex:
    """What `TextFileInitializer` takes of a file."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


def TextFileInitializer(  # noqa: N802  (a class there)
    filename: Any,
    key_dtype: Any,
    key_index: int,
    value_dtype: Any,
    value_index: int,
    vocab_size: int | None = None,
    delimiter: str = "\t",
    **others: Any,
) -> KeyValueTensorInitializer:
    """Return keys and values of the lines of a file: whole lines, their numbers, or columns."""
    with open(filename, encoding="utf-8") as file:
        lines = file.read().splitlines()[:vocab_size]

    def column(index: int, dtype: Any) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return convert_to_tensor(np.arange(len(lines)), dtype)
        texts = lines
        if index != TextFileIndex.WHOLE_LINE:
            texts = [line.split(delimiter)[index] for line in lines]
        found = convert_to_tensor(texts)
        return found if is_string(as_dtype(dtype).dtype) else strings.to_number(found, dtype)

    return KeyValueTensorInitializer(column(key_index, key_dtype), column(value_index, value_dtype))


class StaticHashTable:
    """A table whose values do not change.

    Args:
        initializer: its keys and values.
        default_value: of what is no key.
        name: is TensorFlow's, and not used.

    >>> table = StaticHashTable(KeyValueTensorInitializer(["a", "b"], [10, 20]), -1)
    >>> table.lookup(["b", "c"]).numpy()
    array([20, -1], dtype=int32)
    """

    def __init__(self, initializer: Any, default_value: Any, name: Any = None, **o: Any) -> None:
        if not isinstance(initializer, KeyValueTensorInitializer):
            raise TypeError(
                f"a table is made of tf.lookup.KeyValueTensorInitializer(keys, values), not of "
                f"{initializer!r}"
            )
        self._keys = Keys(initializer.keys)
        self._values = np.asarray(initializer.values.array)
        self.key_dtype = initializer.keys.dtype
        self.value_dtype = initializer.values.dtype
        self._default = convert_to_tensor(default_value, self.value_dtype)

    def size(self, name: Any = None) -> Any:
        """Return the number of keys."""
        return convert_to_tensor(np.int64(len(self._values)))

    def lookup(self, keys: Any, name: Any = None) -> Any:
        """Return the value of each key, of rows of several lengths, too."""
        if is_composite(keys):
            return each(self.lookup, keys)
        with translating():
            places, is_there = self._keys.find(keys)
            if not len(self._values):
                return creation.fill(rnp.shape(places), self._default)
            return elementwise.where(is_there, shaping.gather(self._values, places), self._default)

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


class StaticVocabularyTable:
    """A table from keys to numbers, with numbers for what is no key after those.

    Args:
        initializer: keys, and their numbers from 0 on; None for none.
        num_oov_buckets: how many numbers there are for what is no key, chosen by a hash.
        lookup_key_dtype, name: are TensorFlow's, and not used.
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: Any = None,
        **others: Any,
    ) -> None:
        if num_oov_buckets < 1:
            raise ValueError(f"num_oov_buckets is 1 or more, not {num_oov_buckets}")
        self._table = StaticHashTable(initializer, -1)
        self._buckets = num_oov_buckets

    def size(self, name: Any = None) -> Any:
        """Return how many numbers there are."""
        return convert_to_tensor(np.int64(int(self._table.size()) + self._buckets))

    def lookup(self, keys: Any, name: Any = None) -> Any:
        """Return the number of each key, of rows of several lengths, too."""
        if is_composite(keys):
            return each(self.lookup, keys)
        given = convert_to_tensor(keys)
        texts = given if is_string(given.spec.dtype) else strings.as_string(given)
        others = strings.to_hash_bucket(texts, self._buckets) + self._table.size()
        found = elementwise.cast(self._table.lookup(given), np.int64)
        return elementwise.where(found < 0, others, found)

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


__getattr__ = missing_from("autograph.tf.lookup", globals())
