from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.ops.keys import SLOT, fill, read_key, selected, write_key
from runtime.spec import UNKNOWN, Dim, TensorSpec, spec_of

BOUNDS = st.one_of(st.none(), st.integers(-5, 5))
STEPS = st.one_of(st.none(), st.sampled_from([-3, -2, -1, 1, 2, 3]))
SLICES = st.builds(slice, BOUNDS, BOUNDS, STEPS)
ARRAYS = st.sampled_from(
    [np.array([0, 1]), np.array([[1], [0]]), np.array([True, False, True]), np.array(1)]
)
ITEMS = st.one_of(SLICES, st.integers(-3, 2), st.none(), st.just(...), ARRAYS, st.booleans())


@pytest.mark.parametrize("text", ["?", "1:?, None, ...", "::-1", "?:?:?, -2", "True, :", "..."])
def test_a_key_reads_back(text):
    assert write_key(read_key(text)) == text


def test_parts_fill_the_places_in_order():
    assert fill("?, 1:?, None", (np.int64(2), 3), True) == (2, slice(1, 3, None), None)


@given(st.lists(ITEMS, max_size=5))
def test_the_shape_of_a_selection_is_that_of_numpy(items):
    x = np.zeros((3, 3, 3))
    parts = [item for item in items if isinstance(item, np.ndarray)]
    key = write_key([SLOT if isinstance(item, np.ndarray) else item for item in items]) or "..."
    try:
        wanted = x[tuple(items)].shape
    except IndexError:
        wanted = None
    try:
        shape = selected(x.shape, key, list(map(spec_of, parts)))
    except IndexError:
        # NumPy lets an empty selection pass where an index is out of range beside it.
        assert wanted is None or 0 in wanted
        return
    if wanted is None:
        return
    assert shape is not None
    assert len(shape) == len(wanted)
    assert all(isinstance(m, Dim) or m == n for m, n in zip(shape, wanted, strict=True))


def test_whole_slices_keep_an_unknown_size():
    n = Dim("n")
    assert selected((n, 3), ":, 0", ()) == (n,)
    assert selected((n,), "::-1", ()) == (n,)
    assert selected((n,), "1:", ()) == (UNKNOWN,)


def test_nothing_is_known_of_an_array_of_unknown_rank():
    assert selected(None, "0, 1", ()) is None
    assert selected((3,), "?", [TensorSpec(None, bool)]) is None
