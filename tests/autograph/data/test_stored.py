"""Datasets that keep their elements in a file."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import autograph as ag
from autograph import tf
from autograph.data import Dataset
from runtime.errors import StructureError

ELEMENTS = {
    "numbers": lambda: Dataset.range(3),
    "arrays": lambda: Dataset.from_arrays(np.arange(6.0, dtype=np.float32).reshape(3, 2)),
    "texts": lambda: Dataset.from_arrays(["", "zwölf \0", "a\n\0\0"]),
    "arrays of texts": lambda: Dataset.from_arrays([["ä", ""], ["b\0", "日本"], ["", ""]]),
    "trees": lambda: Dataset.from_arrays({"a": ([1, 2], [True, False]), "t": ["x", "y"]}),
    "no elements": lambda: Dataset.range(0),
    "empty arrays": lambda: Dataset.from_tensors(np.zeros((0, 2), np.int8)),
    "sizes that differ": lambda: Dataset.range(5).batch(2),
}


@pytest.mark.parametrize("make", ELEMENTS.values(), ids=ELEMENTS)
def test_what_was_stored_is_what_was_given(make, tmp_path):
    data = make().cache(tmp_path / "kept")
    expected, first, second = list(make()), list(data), list(data)
    assert repr(first) == repr(second) == repr(expected)
    assert [x.name for x in tmp_path.iterdir()] == ["kept"]


def test_another_dataset_of_the_same_file_draws_nothing(tmp_path):
    def source():
        yield from [1, 2]
        calls.append(1)

    calls = []
    spec = ag.TensorSpec([], np.int64)
    for _ in range(2):
        data = Dataset.from_generator(source, spec).cache(tmp_path / "kept")
        assert [int(x) for x in data] == [1, 2]
    assert calls == [1]
    total = ag.function(lambda data: data.reduce(0, lambda a, b: a + b))
    assert total(data) == 3


def test_a_loop_that_ends_early_stores_nothing(tmp_path):
    data = Dataset.range(5).cache(tmp_path / "kept")
    for x in data:
        if x == 2:
            break
    del x
    assert list(tmp_path.iterdir()) == []
    assert len(list(data)) == 5


def test_a_file_of_other_elements_is_refused(tmp_path):
    list(Dataset.range(2).cache(tmp_path / "kept"))
    with pytest.raises(StructureError, match=r"kept holds elements of i64\[\], and .* are f32\[\]"):
        list(Dataset.range(2).map(np.float32).cache(tmp_path / "kept"))
    (tmp_path / "other").write_text("no arrays")
    with pytest.raises(StructureError, match="other is no file that cache"):
        list(Dataset.range(2).cache(tmp_path / "other"))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        Dataset.range(2).cache(tmp_path / "none" / "kept")


def test_tensorflows_cache_takes_a_file_too(tmp_path):
    data = tf.data.Dataset.range(3).cache(str(tmp_path / "kept"))
    assert [int(x) for x in data] == [int(x) for x in data] == [0, 1, 2]
    assert (tmp_path / "kept").exists()
    assert [int(x) for x in tf.data.Dataset.range(3).cache("")] == [0, 1, 2]


def test_memory_stays_flat_through_all_stages(tmp_path):
    """A stream of 160 MB goes through a shuffle, a file, a prefetch, and a loop of the graph."""

    @ag.function
    def total(data):
        found = 0.0
        for k, row in enumerate(data):
            if k >= 2000:
                break
            found = found + row[0, 0]
        return found

    rows = Dataset.range(4000).map(lambda k: np.ones(5000) * k)
    data = rows.shuffle(10).cache(tmp_path / "kept").batch(2).prefetch(2)
    total(data.take(1))
    tracemalloc.start()
    total(data)
    total(data.repeat())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * 5000 * 8
