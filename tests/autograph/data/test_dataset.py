"""Datasets in plain Python: what each method gives, and what it refuses."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import namedtuple

import numpy as np
import pytest

import autograph as ag
from autograph.data import Dataset, RecordWriter
from runtime.errors import DtypeError, ShapeError, StructureError

Point = namedtuple("Point", "x y")


def numbers(dataset):
    return [int(x) for x in dataset]


def lists(dataset):
    return [x.tolist() for x in dataset]


CASES = [
    (lambda d: d, [0, 1, 2, 3, 4, 5]),
    (lambda d: d.map(lambda x: x * x), [0, 1, 4, 9, 16, 25]),
    (lambda d: d.map(lambda x: x if x % 2 == 0 else -x), [0, -1, 2, -3, 4, -5]),
    (lambda d: d.filter(lambda x: x > 2), [3, 4, 5]),
    (lambda d: d.take_while(lambda x: x < 2), [0, 1]),
    (lambda d: d.take(2), [0, 1]),
    (lambda d: d.take(-1), [0, 1, 2, 3, 4, 5]),
    (lambda d: d.take(9), [0, 1, 2, 3, 4, 5]),
    (lambda d: d.skip(4), [4, 5]),
    (lambda d: d.skip(9), []),
    (lambda d: d.take(2).repeat(2), [0, 1, 0, 1]),
    (lambda d: d.repeat().take(8), [0, 1, 2, 3, 4, 5, 0, 1]),
    (lambda d: d.repeat(0), []),
    (lambda d: d.take(0).repeat(), []),
    (lambda d: d.take(2).concatenate(d.skip(5)), [0, 1, 5]),
    (lambda d: d.batch(4).unbatch(), [0, 1, 2, 3, 4, 5]),
    (lambda d: d.cache(), [0, 1, 2, 3, 4, 5]),
    (lambda d: d.prefetch(2), [0, 1, 2, 3, 4, 5]),
    (lambda d: d.enumerate(3).map(lambda k, x: k * x), [0, 4, 10, 18, 28, 40]),
    (lambda d: d.apply(lambda x: x.take(1)), [0]),
    (lambda d: d.take(3).flat_map(lambda n: Dataset.range(n)), [0, 0, 1]),
]


@pytest.mark.parametrize(("change", "expected"), CASES)
def test_gives_the_elements(change, expected):
    dataset = change(Dataset.range(6))
    assert numbers(dataset) == expected
    assert numbers(dataset) == expected, "a second time"


@pytest.mark.parametrize(("change", "expected"), CASES)
def test_the_length_is_right_or_said_to_be_unknown(change, expected):
    dataset = change(Dataset.range(6))
    if "elements>" in repr(dataset):
        assert len(dataset) == len(expected)
        return
    with pytest.raises(TypeError, match="known only when it was gone over"):
        len(dataset)


@pytest.mark.parametrize("change", [
    lambda x: x, lambda x: x.shuffle(3, seed=1), lambda x: x.skip(2).shuffle(9, seed=2).take(4),
])  # fmt: skip
def test_batches_of_rows_are_what_their_elements_are(change):
    given = {"x": np.arange(14.0).reshape(7, 2), "n": np.arange(7)}
    rows = Dataset.from_arrays(given)
    given_back = next(iter(rows.map(lambda x: x)))
    assert type(given_back["n"]) is np.int64
    for found, expected in zip(
        change(rows).batch(3), change(rows).map(lambda x: x).batch(3), strict=True
    ):
        for name in given:
            assert found[name].dtype == expected[name].dtype
            np.testing.assert_array_equal(found[name], expected[name])


def test_batches_are_stacked_and_the_last_is_smaller_or_dropped():
    """A-011"""
    assert lists(Dataset.range(5).batch(2)) == [[0, 1], [2, 3], [4]]
    assert lists(Dataset.range(5).batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert str(Dataset.range(5).batch(2).element_spec) == "i64[?]"
    assert str(Dataset.range(5).batch(2, drop_remainder=True).element_spec) == "i64[2]"


def test_interleaves_blocks_of_a_cycle():
    made = Dataset.range(1, 6).interleave(
        lambda x: Dataset.from_tensors(x).repeat(6), cycle_length=2, block_length=4
    )
    blocks = [1] * 4 + [2] * 4 + [1] * 2 + [2] * 2 + [3] * 4 + [4] * 4 + [3] * 2 + [4] * 2 + [5] * 6
    assert numbers(made) == blocks


def test_elements_are_trees():
    rows = list(Dataset.from_arrays(Point([1, 2], np.float32([0.5, 1.5]))))
    assert rows == [Point(1, 0.5), Point(2, 1.5)]
    assert type(rows[0].y) is np.float32
    nested = Dataset.from_arrays({"a": ([1, 2], [[1.0], [2.0]])})
    assert repr(nested) == "<Dataset of {'a': (i64[], f64[1])}, 2 elements>"


def test_parts_of_a_tuple_are_arguments_and_dicts_are_not():
    pairs = Dataset.from_arrays(([1, 2], [10, 20]))
    assert numbers(pairs.map(lambda x, y: x + y)) == [11, 22]
    named = Dataset.from_arrays({"x": [1, 2]})
    assert numbers(named.map(lambda row: row["x"] + 1)) == [2, 3]


def test_a_function_of_map_is_traced_once():
    seen = []

    @ag.do_not_convert
    def note(x):
        seen.append(x)

    def double(x):
        note(x)
        return x * 2

    dataset = Dataset.range(4).map(double)
    assert numbers(dataset) == numbers(dataset) == [0, 2, 4, 6]
    assert len(seen) == 1


def test_what_a_function_of_map_writes_is_written_for_each_element():
    seen = []

    def double(x):
        seen.append(len(seen))
        return x * 2

    assert numbers(Dataset.range(4).map(double)) == [0, 2, 4, 6]
    assert seen == [0, 1, 2, 3]


def test_a_function_that_is_not_staged_is_called_for_each_element():
    seen = []
    spec = ag.TensorSpec([], np.int64)
    dataset = Dataset.range(3).map(lambda x: seen.append(x) or 7, staged=False, element_spec=spec)
    assert numbers(dataset) == [7, 7, 7]
    assert seen == [0, 1, 2]


def test_equal_seeds_give_equal_orders_and_each_time_has_its_own():
    one, other = (Dataset.range(50).shuffle(20, seed=4) for _ in range(2))
    first = numbers(one)
    assert sorted(first) == list(range(50)) != first
    assert numbers(other) == first
    assert numbers(one) != first
    fixed = Dataset.range(50).shuffle(20, seed=4, reshuffle_each_iteration=False)
    assert numbers(fixed) == numbers(fixed) == first


def test_a_shuffled_element_is_never_further_ahead_than_the_buffer():
    for place, x in enumerate(Dataset.range(60).shuffle(5, seed=1)):
        assert x < place + 5


def test_a_generator_is_called_anew_each_time_and_checked():
    """A-151: the data stay in Python, which is called back."""
    calls = []

    def words():
        calls.append(1)
        yield from ["one", "three"]

    spec = ag.TensorSpec([], str)
    dataset = Dataset.from_generator(words, element_spec=spec)
    assert list(dataset) == list(dataset) == ["one", "three"]
    assert len(calls) == 2


def test_from_tensors_keeps_what_it_was_given():
    """A-151"""
    given = np.arange(3)
    (element,) = Dataset.from_tensors(given)
    element += 1
    (again,) = Dataset.from_tensors(given)
    assert again.tolist() == [0, 1, 2]


def test_writing_into_an_element_changes_neither_cache_nor_source():
    source = np.zeros((2, 2))
    cached = Dataset.from_arrays(source).cache()
    for _ in range(2):
        for row in cached:
            assert row.tolist() == [0, 0]
            row += 1
    assert source.sum() == 0


def test_a_cache_draws_once():
    calls = []
    cached = Dataset.from_generator(
        lambda: calls.append(1) or [1, 2], ag.TensorSpec([], int)
    ).cache()
    assert numbers(cached) == numbers(cached) == [1, 2]
    assert len(calls) == 1


def test_reduce_goes_from_the_left():
    assert Dataset.range(4).reduce("", lambda text, x: f"{text}{x}") == "0123"


def test_zip_ends_with_the_shortest():
    pairs = Dataset.zip({"n": Dataset.range(9), "t": Dataset.from_arrays(["a", "b"])})
    assert list(pairs) == [{"n": 0, "t": "a"}, {"n": 1, "t": "b"}]
    assert len(pairs) == 2


def test_an_array_of_a_generator_may_be_used_again_by_it():
    def rows():
        row = np.zeros(2)
        for k in range(3):
            row[:] = k
            yield row

    assert lists(Dataset.from_generator(rows)) == [[0, 0], [1, 1], [2, 2]]


def test_prefetching_runs_ahead_and_no_further():
    drawn = []

    def source():
        for k in range(100):
            drawn.append(k)
            yield k

    items = iter(Dataset.from_generator(source, ag.TensorSpec([], int)).prefetch(3))
    assert drawn == []
    assert next(items) == 0
    deadline = time.monotonic() + 5
    while len(drawn) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert 4 <= len(drawn) <= 5


def test_prefetching_delivers_errors_where_the_element_is_asked_for():
    def source():
        yield 1
        raise OSError("the disk is gone")

    items = iter(Dataset.from_generator(source, ag.TensorSpec([], int)).prefetch(2))
    assert next(items) == 1
    with pytest.raises(OSError, match="the disk is gone"):
        next(items)
    assert list(items) == []


def test_an_interrupt_in_the_thread_is_an_interrupt_in_the_loop():
    def source():
        yield 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Dataset.from_generator(source, ag.TensorSpec([], int)).prefetch(2))


def test_the_thread_ends_with_the_iterator():
    def threads():
        return {thread for thread in threading.enumerate() if thread.name == "prefetch"}

    before = threads()
    items = iter(Dataset.range(5).repeat().prefetch(1))
    next(items)
    (thread,) = threads() - before
    del items
    thread.join(timeout=5)
    assert not thread.is_alive()


@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_goes_over_a_prefetched_dataset_anew_and_is_told_so():
    dataset = Dataset.range(3).prefetch(2)
    items = iter(dataset)
    next(items)
    child = os.fork()
    if not child:
        code = 1
        try:
            next(items)
        except RuntimeError as error:
            good = "Begin the loop after the fork" in str(error)
            code = 0 if good and numbers(dataset) == [0, 1, 2] else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_files_of_text(tmp_path):
    (tmp_path / "a").write_text("one\ntwo", encoding="utf-8")
    (tmp_path / "b").write_text("drei \n\n", encoding="utf-8")
    assert list(Dataset.from_text([tmp_path / "a", tmp_path / "b"])) == ["one", "two", "drei ", ""]
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nowhere to make a dataset of"):
        Dataset.from_text(tmp_path / "nowhere")


def test_files_of_csv(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('name,n,x\n"a, b",1,0.5\nc,2,3\n', encoding="utf-8")
    dataset = Dataset.from_csv(path, dtypes={"n": np.float32})
    assert repr(dataset) == "<Dataset of {'name': string[], 'n': f32[], 'x': f64[]}>"
    assert list(dataset) == [
        {"name": "a, b", "n": 1.0, "x": 0.5},
        {"name": "c", "n": 2.0, "x": 3.0},
    ]
    bare = Dataset.from_csv(path, header=["p", "q", "r"], dtypes={"q": str, "r": str})
    assert next(iter(bare)) == {"p": "name", "q": "n", "r": "x"}
    with pytest.raises(StructureError, match=r"t.csv has no column 'z'; it has name, n, x"):
        Dataset.from_csv(path, dtypes={"z": int})
    path.write_text("n\n1\nx\n", encoding="utf-8")
    with pytest.raises(
        DtypeError, match=r"t.csv, line 3: the column 'n' is int64, and 'x' is none"
    ):
        list(Dataset.from_csv(path))
    path.write_text("n,m\n1\n", encoding="utf-8")
    with pytest.raises(StructureError, match="line 2 has 1 fields, and there are 2 columns: n, m"):
        Dataset.from_csv(path)


def test_files_of_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(6).reshape(3, 2))
    np.savez(tmp_path / "b.npz", x=np.arange(2), y=np.ones((2, 1)))
    assert lists(Dataset.from_npy(tmp_path / "a.npy")) == [[0, 1], [2, 3], [4, 5]]
    assert [row["x"] for row in Dataset.from_npz(tmp_path / "b.npz")] == [0, 1]


def test_files_of_records(tmp_path):
    """A-011: the format of TFRecord, whose checksums are looked at."""
    path = tmp_path / "two.tfrecord"
    with RecordWriter(path) as writer:
        writer.write(b"first")
        writer.write(b"")
        with pytest.raises(TypeError, match="a record is bytes, not str"):
            writer.write("text")
    assert [x.tobytes() for x in Dataset.from_records(path)] == [b"first", b""]
    data = bytearray(path.read_bytes())
    data[12] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"record 0 of two.tfrecord is damaged"):
        list(Dataset.from_records(path))
    path.write_bytes(data[:14])
    with pytest.raises(ValueError, match="ends within a record of 5 bytes"):
        list(Dataset.from_records(path))
    path.write_bytes(b"\x05" * 12)
    with pytest.raises(ValueError, match="has a damaged length at byte 0"):
        list(Dataset.from_records(path))


REFUSED = [
    (lambda: list(Dataset.range(2).repeat()), ValueError, "no end.*dataset.take"),
    (lambda: len(Dataset.range(2).repeat()), TypeError, "has no end"),
    (lambda: Dataset.range(1.5), DtypeError, r"whole numbers, not f64\[\]: 1.5"),
    (lambda: Dataset.range(1, 2, 0), ValueError, "step must not be zero"),
    (lambda: Dataset.range(3).batch(0), ValueError, "size must be at least 1, not 0"),
    (lambda: Dataset.range(3).batch(1.5), TypeError, "must be a whole number.* not 1.5"),
    (lambda: Dataset.range(3).map(3), TypeError, "map takes a function, not 3"),
    (lambda: Dataset.range(3).filter(lambda x: (x, x)), DtypeError, "one truth value"),
    (lambda: Dataset.range(3).unbatch(), ShapeError, r"the element is i64\[\].*no first axis"),
    (lambda: Dataset.range(3).map(lambda x: x, staged=False), TypeError, "needs element_spec"),
    (lambda: Dataset.zip([Dataset.range(1), 3]), TypeError, "zip needs a dataset, and 3 is a int"),
    (lambda: Dataset.zip(()), StructureError, "there is no dataset"),
    (lambda: Dataset.from_arrays(([1], [1, 2])), ShapeError, "different lengths"),
    (lambda: Dataset.from_arrays(3), ShapeError, "no first axis to go over"),
    (lambda: Dataset.from_arrays(()), StructureError, "no array to slice"),
    (lambda: Dataset.from_arrays([[1], [1, 2]]), ShapeError, "lists of different lengths"),
    (lambda: Dataset.from_tensors(object()), DtypeError, "are numbers, texts and arrays"),
    (lambda: Dataset.from_generator([1, 2]), TypeError, "write lambda: iterable"),
    (lambda: Dataset.from_generator(list), StructureError, "gives no element"),
    (lambda: Dataset.from_generator(list, int), TypeError, r"write TensorSpec\(shape, dtype\)"),
    (lambda: list(Dataset.from_generator(lambda: [1, {"n": 2}])), DtypeError, "element 1 of the"),
    (lambda: list(Dataset.from_generator(lambda: [1, 1.5])), DtypeError, r"is f64\[\], and the"),
    (lambda: list(Dataset.from_generator(lambda: [[1], [1, 2]])), ShapeError, "write None for a"),
    (lambda: list(Dataset.from_generator(lambda: ["a", 1])), DtypeError, r"the element spec says"),
    (
        lambda: Dataset.range(1).concatenate(Dataset.from_tensors((1, 2))),
        StructureError,
        "concatenate needs elements of one structure",
    ),
    (
        lambda: Dataset.range(1).concatenate(Dataset.from_tensors(1.5)),
        DtypeError,
        "concatenate needs elements of one dtype",
    ),
    (lambda: Dataset.range(0).flat_map(lambda x: Dataset.range(1)), StructureError, "is empty"),
    (lambda: Dataset.range(1).flat_map(lambda x: [x]), TypeError, "the function of interleave"),
]


@pytest.mark.parametrize(("wrong", "kind", "message"), REFUSED)
def test_misuse_is_refused_in_a_sentence(wrong, kind, message):
    with pytest.raises(kind, match=message):
        wrong()


def test_batching_elements_of_several_shapes_is_refused():
    spec = ag.TensorSpec([None], int)
    ragged = Dataset.from_generator(lambda: [[1], [1, 2]], spec)
    assert lists(ragged) == [[1], [1, 2]]
    with pytest.raises(ShapeError, match=r"shapes \(1,\) and \(2,\), which make no array"):
        list(ragged.batch(2))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_waiting_for_an_element_is_interrupted():
    release = threading.Event()

    def source():
        yield 1
        release.wait(20)

    def interrupt(*_):
        raise KeyboardInterrupt

    items = iter(Dataset.from_generator(source, ag.TensorSpec([], int)).prefetch(1))
    assert next(items) == 1
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            next(items)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        release.set()


def test_a_state_goes_from_one_element_to_the_next():
    def step(state, x, label):
        total, count = state
        if x > 1:
            total = total + x
        return (total, count + 1), {"mean": total / (count + 1), "label": label}

    pairs = Dataset.from_arrays((np.arange(4.0), np.arange(4)))
    data = pairs.scan((0.0, 0), lambda state, pair: step(state, *pair))
    for _ in range(2):  # anew each time
        assert [x["mean"] for x in data] == [0, 0, 2 / 3, 5 / 4]
    assert [int(x["label"]) for x in data.batch(4).unbatch()] == [0, 1, 2, 3]
    assert len(data) == 4

    @ag.function
    def total():
        found = 0.0
        for x in data:
            found += x["mean"]
        return found

    assert total() == 2 / 3 + 5 / 4
    with pytest.raises(ag.DtypeError, match=r"first state of scan is f64\[\], .* returns i64"):
        Dataset.range(3).scan(0.0, lambda state, x: (x, state))
    with pytest.raises(ag.DtypeError, match="returns the next state and an element"):
        Dataset.range(3).scan(0, lambda state, x: x)


def test_each_process_has_its_elements():
    parts = [numbers(Dataset.range(7).shard(3, k)) for k in range(3)]
    assert parts == [[0, 3, 6], [1, 4], [2, 5]]
    with pytest.raises(ValueError, match="below 3"):
        Dataset.range(7).shard(3, 3)


def test_progress_is_written_on_demand(capsys):
    assert numbers(Dataset.range(3).progress("rows")) == [0, 1, 2]
    text = capsys.readouterr().err
    assert text.endswith("\rrows: [" + "=" * 20 + "] 3 of 3\n")
    assert numbers(Dataset.range(3).filter(lambda x: x > 0).progress()) == [1, 2]
    assert capsys.readouterr().err.endswith("\rdataset: 2\n")


def test_progress_ends_its_line_when_the_loop_does(capsys):
    for x in Dataset.range(100).progress("rows"):
        if x == 1:
            break
    assert capsys.readouterr().err.endswith("\n")
